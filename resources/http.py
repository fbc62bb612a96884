"""The ``http`` resource, also called ``service``: something that answers over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from engine.model.base import Frozen, Id, Int, Seconds
from engine.model.errors import SkerryError
from engine.model.message import Message
from engine.model.plain_words import quoted
from engine.plugins.resource_type import ResolvedResource
from resources.clients import http_message
from resources.clients.checking import CheckedAnswer, CheckedType, OnCancel, read_keys
from resources.clients.comparing import within
from resources.clients.http_codes import HttpCodes
from resources.codes import NOT_CONTAINED, OTHER_JSON, TOO_SLOW

if TYPE_CHECKING:
    from resources.clients.http import HttpAnswer

CODES = HttpCodes(-1_30_03_000_000)


def as_list(value: Any) -> Any:
    """One value is short for a list of one."""
    return value if isinstance(value, (list, tuple)) or value is None else [value]


class HttpRequest(Frozen):
    """How the service is asked. ``timeout`` in seconds is that of the whole exchange."""

    method: str | None = None
    headers: dict[str, Any] = {}
    query: dict[str, Any] = {}
    body: Any = None
    json_: Annotated[Any, Field(alias="json")] = None
    timeout: Seconds | None = None
    user: str | None = None
    secret: Id | None = None

    @property
    def parts(self) -> http_message.RequestParts:
        return http_message.RequestParts(self.method, self.headers, self.query, self.body, self.json_)


class HttpCheck(Frozen):
    """``status``: one or several (default: any below 400); ``within``: seconds."""

    status: Annotated[tuple[Int, ...] | None, BeforeValidator(as_list)] = None
    contains: str | None = None
    json_: Annotated[Any, Field(alias="json")] = None
    within: Seconds | None = None


class HttpService(CheckedType):
    """A web service."""

    kind = "http"
    aliases = ("service",)
    label = ("Web service", "Web 服务")
    help = (
        (
            "Something that answers at `uri` over HTTP or HTTPS. The check sends the request and looks at "
            "the status (below 400, or one of `status`), at the text (`contains`), at the JSON (`json`: "
            "true, or a map whose keys and values the answer must have) and at the time (`within`). "
            "`request.user` with `request.secret` is sent as basic authentication, a secret alone as bearer "
            "token; both go to this host and port only, never along with a redirect to another one."
        ),
        (
            "在 `uri` 处通过 HTTP 或 HTTPS 应答的服务。检查会发送请求，并查看状态"
            "（低于 400，或为 `status` 之一）、文本（`contains`）、JSON（`json`：true，或应答必须具有的键值）"
            "和用时（`within`）。`request.user` 与 `request.secret` 一起以基本认证发送，"
            "只有机密时以 Bearer 令牌发送；它们只发往该主机和端口，绝不随重定向发往别处。"
        ),
    )
    check_keys = HttpCheck
    request_keys = HttpRequest
    codes = (*CODES, NOT_CONTAINED, OTHER_JSON, TOO_SLOW)
    meanings: ClassVar[Mapping[str, tuple[str, str]]] = {
        "method": ("The method (default GET).", "请求方法（默认 GET）。"),
        "headers": ("Headers by name.", "按名称给出的请求头。"),
        "query": ("Parameters added to the address, encoded.", "附加到地址的参数，自动编码。"),
        "body": ("A text, or a map sent as a form.", "文本，或以表单发送的映射。"),
        "json": (
            "In the request: a value sent as JSON. In the check: what the answer must hold.",
            "在请求中：以 JSON 发送的值；在检查中：应答必须包含的内容。",
        ),
        "timeout": ("Of the whole exchange (default 30s for a check).", "整个请求的时限（检查默认 30s）。"),
        "user": ("The user of basic authentication.", "基本认证的用户名。"),
        "secret": ("The name of a stored secret.", "已存机密的名称。"),
        "status": ("The status or statuses that are in order.", "视为正常的状态码，一个或多个。"),
        "contains": ("A text that the answer must contain.", "应答必须包含的文本。"),
        "within": ("How long the answer may take.", "应答允许的用时。"),
    }
    example = """\
type: http
uri: https://billing.example/health
request: {secret: billing_token, timeout: 5s}
check: {status: 200, json: {status: UP}, within: 2s}
"""

    def look(self, resource: ResolvedResource, on_cancel: OnCancel | None) -> CheckedAnswer:
        """Ask, and look at the answer."""
        from resources.clients import http

        keys = read_keys(HttpCheck, resource.check, "check")
        request = read_keys(HttpRequest, resource.request, "request")
        url = http_message.read_url(resource.uri, CODES)
        message = http_message.compose(url, request.parts, CODES, request.user, resource.secret)
        accepted = keys.status or ()
        answer = http.exchange(
            message,
            CODES,
            follow=lambda status: status not in accepted,
            on_cancel=on_cancel,
            seconds=request.timeout or 30.0,
        )
        place = http_message.shown(url)
        took = round(answer.took, 6)
        details = {"url": place, "status": answer.status, "size": len(answer.body), "took": took}
        _judge(answer, keys, place, details)
        said = Message.of("{where} answers {status}", where=place, status=answer.title)
        return CheckedAnswer(said, details)


def _judge(answer: HttpAnswer, keys: HttpCheck, place: str, details: dict[str, Any]) -> None:
    """SkerryError for the first thing that is not as expected."""
    if answer.status not in keys.status if keys.status else answer.status >= 400:
        raise SkerryError(CODES.status, answer.described(place), extra=answer.status, details=details)
    if keys.contains is not None and keys.contains not in answer.text:
        message = "the answer of {url} lacks {text}"
        raise SkerryError(NOT_CONTAINED, message, url=place, text=quoted(keys.contains), details=details)
    if keys.json_ is not None and not _is_json(answer.json, keys.json_):
        message = "the answer of {url} is not the expected JSON"
        raise SkerryError(OTHER_JSON, message, url=place, details=details)
    if keys.within is not None and answer.took > keys.within:
        message = "{url} took {took:.3f} s, {most:g} s are allowed"
        raise SkerryError(TOO_SLOW, message, url=place, took=answer.took, most=keys.within, details=details)


def _is_json(found: Any, expected: Any | Literal[True]) -> bool:
    return found is not None if expected is True else within(found, expected)
