"""Sending a request and reading the answer: no more than fits, no further than allowed."""

from __future__ import annotations

import json
import re
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPException, responses
from time import perf_counter
from typing import Any
from urllib.parse import urljoin

import urllib3  # first, by its own name: threads that enter it by different modules meet it half made
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError

from engine.model.errors import ErrorCode, SkerryError
from engine.model.json_text import no_constant
from engine.model.message import Message
from engine.model.plain_words import wording
from resources.clients.breaking import breakable
from resources.clients.checking import OnCancel
from resources.clients.http_codes import HttpCodes
from resources.clients.http_message import HttpMessage, onward, read_url, shown

MAX_BODY = 64 * 1024 * 1024  # bytes
_MAX_REDIRECTS = 10
_CONNECT = 10.0  # seconds
_SILENCE = 300.0  # seconds without a byte, when there is no other limit
_PIECE = 64 * 1024


@dataclass(frozen=True)
class HttpAnswer:
    """What came back. Header names are in small letters; ``note`` says why a redirect was not followed."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    took: float  # seconds until the last byte
    note: str = ""

    def described(self, place: str) -> Message:
        """``http://host/ answers 404 Not Found``, with the note."""
        note = Message.of("; {message}", message=self.note) if self.note else ""
        return Message.of("{where} answers {status}{note}", where=place, status=self.title, note=note)

    @property
    def title(self) -> str:
        """``404 Not Found``."""
        return f"{self.status} {responses.get(self.status, '')}".strip()

    @property
    def text(self) -> str:
        """The body in its charset (UTF-8 when it names none); what is no text in it becomes �."""
        found = re.search(r"charset\s*=\s*\"?([^\s;\"]+)", self.headers.get("content-type", ""))
        try:
            return self.body.decode(found[1] if found else "utf-8", "replace")
        except (LookupError, ValueError):
            return self.body.decode("utf-8", "replace")

    @property
    def json(self) -> Any:
        """The body as JSON, None when it is not JSON."""
        try:
            found = json.loads(self.body, parse_constant=no_constant)
            json.dumps(found, ensure_ascii=False).encode()  # half characters (\\ud800) cannot be kept
        except (ValueError, RecursionError):
            return None
        return found


def exchange(
    message: HttpMessage,
    codes: HttpCodes,
    *,
    follow: Callable[[int], bool],
    on_cancel: OnCancel | None = None,
    seconds: float | None = None,
) -> HttpAnswer:
    """Send, follow the redirects that ``follow`` (by status) and safety allow, read the last answer.

    ``seconds`` limits it all. Raises SkerryError; a status of any kind is an answer.
    """
    wire = _HttpWire(codes)
    with breakable(wire.cut, on_cancel, seconds, codes.timed_out) as breaker:
        for _ in range(_MAX_REDIRECTS + 1):
            breaker.check()
            answer = wire.send(message)
            breaker.check()  # a cut answer may look like one that has ended
            step = _step(message, answer, codes, follow)
            if isinstance(step, HttpAnswer):
                return step
            message = step
    too_many = "more than {most} redirects, the last to {url}"
    raise SkerryError(codes.redirects, too_many, most=_MAX_REDIRECTS, url=shown(message.url))


def _step(
    message: HttpMessage, answer: HttpAnswer, codes: HttpCodes, follow: Callable[[int], bool]
) -> HttpAnswer | HttpMessage:
    """The next message where a redirect is followed, else the answer."""
    place = answer.headers.get("location")
    if answer.status not in (301, 302, 303, 307, 308) or not place or not follow(answer.status):
        return answer
    try:
        url = read_url(urljoin(message.url.url, place), codes)
    except (SkerryError, ValueError):
        return _unfollowed(answer, Message.of("it leads to what is no http or https address"))
    elsewhere = Message.of("it leads to another host ({url}), where nothing is sent on", url=shown(url))
    return onward(message, answer.status, url) or _unfollowed(answer, elsewhere)


def _unfollowed(answer: HttpAnswer, why: str) -> HttpAnswer:
    return HttpAnswer(answer.status, answer.headers, answer.body, answer.took, why)


class _HttpWire:
    """The connection of the moment, which another thread may cut."""

    def __init__(self, codes: HttpCodes) -> None:
        self._codes = codes
        self._socket: socket.socket | None = None

    def cut(self) -> None:
        """Make every wait for the other side fail at once."""
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def send(self, message: HttpMessage) -> HttpAnswer:
        started = perf_counter()
        with _translated(message, self._codes):
            connection = _connection(message)
            try:
                response = self._ask(connection, message)
                body = self._read(response)
            finally:
                connection.close()
                self._close()
        headers = {name.lower(): value for name, value in response.headers.items()}
        return HttpAnswer(response.status, headers, body, perf_counter() - started)

    def _ask(self, connection: HTTPConnection, message: HttpMessage) -> urllib3.BaseHTTPResponse:
        connection.connect()
        self._socket = connection.sock
        connection.timeout = _SILENCE
        path = message.url.request_uri
        headers = dict(message.headers)
        connection.request(message.method, path, message.body, headers, preload_content=False)
        return connection.getresponse()

    def _read(self, response: urllib3.BaseHTTPResponse) -> bytes:
        body = bytearray()
        for piece in response.stream(_PIECE, decode_content=True):
            body += piece
            if len(body) > MAX_BODY:
                message = "the answer is longer than {most:,} bytes"
                raise SkerryError(self._codes.too_big, message, most=MAX_BODY)
        return bytes(body)

    def _close(self) -> None:
        if self._socket is not None:
            self._socket.close()  # an answer to be read to its end holds it open
            self._socket = None


def _connection(message: HttpMessage) -> HTTPConnection:
    scheme, host, port = message.origin
    host = host.strip("[]")
    if scheme == "https":
        context = ssl.create_default_context()
        return HTTPSConnection(host, port, timeout=_CONNECT, ssl_context=context)
    return HTTPConnection(host, port, timeout=_CONNECT)


@contextmanager
def _translated(message: HttpMessage, codes: HttpCodes) -> Iterator[None]:
    """Errors of the network become SkerryErrors that name the address, without its query."""

    def failed(entry: ErrorCode, problem: str) -> SkerryError:
        return SkerryError.at(entry, "{where}: {problem}", shown(message.url), problem=Message.of(problem))

    try:
        yield
    except ssl.SSLCertVerificationError as error:
        raise failed(codes.certificate, error.verify_message) from error
    except NewConnectionError as error:
        raise failed(codes.unreachable, _words(error)) from error
    except (TimeoutError, ConnectTimeoutError) as error:
        raise failed(codes.timed_out, "no answer in time") from error
    except (OSError, HTTPError, HTTPException, ValueError) as error:
        raise failed(codes.unreachable, _words(error)) from error


def _words(error: BaseException) -> str:
    """The operating system's words where there are any."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, OSError) and inner.strerror:
            return inner.strerror
        inner = inner.__cause__ or inner.__context__
    return wording(error, "it does not speak HTTP")
