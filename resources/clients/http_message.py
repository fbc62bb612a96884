"""Putting a request together: everything encoded, nothing smuggled in."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlencode

from engine.model.errors import SkerryError
from engine.model.expression.values import as_text, compact_json
from resources.clients.http_codes import HttpCodes

if TYPE_CHECKING:
    from urllib3.util import Url

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_COMPUTED = frozenset({"content-length", "transfer-encoding"})


@dataclass(frozen=True)
class HttpMessage:
    """A request that can be sent. Header names are in small letters."""

    method: str
    url: Url
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes | None = field(default=None, repr=False)
    confidential: bool = False  # carries a secret: it goes to this origin and nowhere else

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port."""
        return origin(self.url)


@dataclass(frozen=True)
class RequestParts:
    """What a resource or a job says about a request; each may leave out anything."""

    method: str | None = None
    headers: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    json: Any = None


def compose(
    url: Url, parts: RequestParts, codes: HttpCodes, user: str | None, secret: str | None
) -> HttpMessage:
    """The message; SkerryError for what cannot be sent.

    ``secret`` with ``user`` is sent as basic authentication, alone as bearer token; a header
    ``Authorization`` of one's own wins.
    """
    body, kind = _body(parts, codes)
    defaults = {"accept": "*/*", "user-agent": "skerry", **({"content-type": kind} if kind else {})}
    own = dict(_headers(parts.headers, codes))
    login = _login(url, user, secret)
    headers = {**defaults, **({"authorization": login} if login else {}), **own}
    method = _method(parts.method or ("GET" if body is None else "POST"), codes)
    confidential = bool(secret) or "authorization" in headers or "cookie" in headers
    return HttpMessage(method, with_query(url, parts.query), headers, body, confidential)


def read_url(text: str, codes: HttpCodes) -> Url:
    """An absolute http or https address, with everything encoded that must be."""
    # The package first, by its own name: threads that enter it by different modules meet it half made.
    from urllib3 import exceptions, util

    try:
        url = util.parse_url(text)
    except (exceptions.LocationParseError, ValueError):
        url = None
    if url is None or url.scheme not in ("http", "https") or not url.host:
        raise SkerryError(codes.address, "this is not an http or https address")
    return url


def below(base: Url, path: str) -> str:
    """The address ``path`` below ``base``: it is appended, a query alone is added."""
    start = base._replace(query=None, fragment=None, auth=None, path=(base.path or "/").rstrip("/")).url
    if path.startswith("?") or not path:
        return f"{start if base.path else start + '/'}{path}"
    return f"{start}/{path.lstrip('/')}"


def with_query(url: Url, query: Mapping[str, Any]) -> Url:
    """``url`` with encoded parameters added; a list gives one for each of its items, null none."""
    pairs = [(name, as_text(each)) for name, value in query.items() for each in _items(value)]
    if not pairs:
        return url
    added = urlencode(pairs, errors="surrogatepass")
    return url._replace(query=f"{url.query}&{added}" if url.query else added)


def origin(url: Url) -> tuple[str, str, int]:
    """Scheme, host and port: what a secret is bound to."""
    scheme = url.scheme or "http"
    return scheme, (url.host or "").lower(), url.port or (443 if scheme == "https" else 80)


def shown(url: Url) -> str:
    """The address for messages: without user, password and query."""
    return url._replace(auth=None, query=None, fragment=None).url


def onward(message: HttpMessage, status: int, url: Url) -> HttpMessage | None:
    """The message that a redirect asks for; None where following it would give something away.

    To another origin only plain questions go, without the headers that they were given.
    """
    changes = status == 303 or (status in (301, 302) and message.method == "POST")
    method = "GET" if changes and message.method != "HEAD" else message.method
    moved = replace(message, method=method, url=url, body=None if changes else message.body)
    if origin(url) == message.origin:
        return moved
    if message.confidential or method not in ("GET", "HEAD") or moved.body is not None:
        return None
    kept = {name: value for name, value in message.headers.items() if name.startswith("accept")}
    return replace(moved, headers={"user-agent": "skerry", **kept})


def _items(value: Any) -> Iterable[Any]:
    if value is None:
        return ()
    return [each for each in value if each is not None] if isinstance(value, (list, tuple)) else (value,)


def _method(method: str, codes: HttpCodes) -> str:
    if not _TOKEN.fullmatch(method):
        raise SkerryError(codes.unfit, "{method!r} is no method", where="method", method=method)
    return method.upper()


def _headers(given: Mapping[str, Any], codes: HttpCodes) -> Iterator[tuple[str, str]]:
    for name, value in given.items():
        if not _TOKEN.fullmatch(name) or name.lower() in _COMPUTED:
            message = "{name!r} cannot be the name of a header"
            raise SkerryError(codes.unfit, message, where="headers", name=name)
        if value is not None:
            yield name.lower(), _header_value(name, as_text(value), codes)


def _header_value(name: str, text: str, codes: HttpCodes) -> str:
    if any(character in text for character in "\r\n\0"):
        message = "the header {name} has a line end or NUL in it; nothing was sent"
        raise SkerryError(codes.unfit, message, where=f"headers.{name}", name=name)
    return _over_the_wire(text)


def _body(parts: RequestParts, codes: HttpCodes) -> tuple[bytes | None, str | None]:
    if parts.body is not None and parts.json is not None:
        raise SkerryError(codes.unfit, "either body or json can be sent, not both", where="json")
    if parts.json is not None:
        return compact_json(parts.json).encode("utf-8", "surrogatepass"), "application/json"
    if isinstance(parts.body, dict):
        pairs = [(name, as_text(each)) for name, value in parts.body.items() for each in _items(value)]
        return urlencode(pairs, errors="surrogatepass").encode(), "application/x-www-form-urlencoded"
    if parts.body is None:
        return None, None
    return as_text(parts.body).encode("utf-8", "surrogatepass"), "text/plain; charset=utf-8"


def _login(url: Url, user: str | None, secret: str | None) -> str | None:
    if user is not None:
        return _basic(f"{user}:{secret or ''}")
    if secret is not None:
        return _over_the_wire(f"Bearer {secret}")
    return _basic(unquote(url.auth)) if url.auth else None


def _basic(pair: str) -> str:
    return f"Basic {b64encode(pair.encode('utf-8', 'surrogatepass')).decode()}"


def _over_the_wire(text: str) -> str:
    """UTF-8 in the guise of Latin-1, which is how header texts arrive unchanged."""
    return text.encode("utf-8", "surrogatepass").decode("latin-1")
