"""The ``http`` job type: one request to a web service, its answer as results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, cast

from pydantic import Field, model_validator

from engine.model.base import Id
from engine.model.errors import SkerryError
from engine.model.job import JobKeys
from engine.plugins.job_type import Call, CallType, ResultField
from engine.plugins.resource_type import ResolvedResource
from resources.clients import http_message
from resources.clients.checking import read_keys
from resources.clients.http_codes import HttpCodes
from resources.clients.http_message import RequestParts
from resources.http import HttpRequest

if TYPE_CHECKING:
    from resources.clients.http import HttpAnswer

CODES = HttpCodes(-1_20_05_000_000)
_SHOWN = 2000  # bytes of an unexpected answer; a longer one is left out: half a secret is not masked

PATIENCE = 60.0  # seconds for the whole exchange where neither job nor resource says how long


class HttpKeys(JobKeys):
    """A request; with ``resource`` it is that resource's, changed and completed."""

    resource: Id | None = None
    method: str | None = None
    url: str | None = None
    headers: dict[str, Any] | str = {}
    query: dict[str, Any] | str = {}
    body: Any = None
    json_: Annotated[Any, Field(alias="json")] = None
    expect: Any = None

    @model_validator(mode="after")
    def _has_an_address(self) -> HttpKeys:
        if self.url is None and self.resource is None:
            raise ValueError("url or resource is needed")
        if self.body is not None and self.json_ is not None:
            raise ValueError("either body or json can be sent, not both")
        return self


class Http(CallType):
    """Values travel encoded: a line end never becomes a header, an ampersand never a parameter."""

    kind = "http"
    label = ("HTTP request", "HTTP 请求")
    help = (
        (
            "Sends one request and gives the answer. `query` is encoded and added to the address; `body` is "
            "a text, or a map sent as a form; `json` is sent as JSON. Without `method` it is GET, or POST "
            "where something is sent. A header with a line end is refused before anything is sent. With "
            "`resource` its `uri` is the base: `url` is a path below it, `headers` and `query` are added to "
            "those of its `request`, and its secret goes along: with `request.user` as basic authentication, "
            "alone as bearer token, and to that host and port only. Redirects are followed unless `expect` "
            "names their status; to another host only without secret, body and given headers. The job fails "
            "when the status is not expected (default: 200 to 299). Answers above 64 MiB are an error. "
            "Cancel and timeout close the connection. Without a `timeout` of the job or of the resource's "
            "`request` it is 60 seconds."
        ),
        (
            "发送一个请求并给出应答。`query` 经编码后附加到地址；`body` 为文本，或以表单发送的映射；"
            "`json` 以 JSON 发送。未给出 `method` 时为 GET，有内容发送时为 POST。"
            "含换行的请求头在发送前即被拒绝。使用 `resource` 时以其 `uri` 为基础：`url` 为其下的路径，"
            "`headers` 和 `query` 与其 `request` 合并，并使用其机密：有 `request.user` 时为基本认证，"
            "否则为 Bearer 令牌，且只发往该主机和端口。除非 `expect` 列出重定向的状态，否则跟随重定向；"
            "转向其他主机时不带机密、内容和自定义请求头。状态不在预期之内（默认 200 至 299）时作业失败。"
            "超过 64 MiB 的应答视为错误。取消和超时会关闭连接。"
            "作业和资源的 `request` 都未给出 `timeout` 时为 60 秒。"
        ),
    )
    keys = HttpKeys
    resource_type = "http"
    rendered = frozenset({"method", "url", "headers", "query", "body", "json", "expect"})
    results = (
        ResultField("status", "number", "The status of the answer.", "应答的状态码。"),
        ResultField(
            "headers", "map", "The headers of the answer, names in small letters.", "应答头，名称为小写。"
        ),
        ResultField("text", "text", "The answer as text.", "应答的文本。"),
        ResultField(
            "json", None, "The answer as JSON value of any kind; null when it is not JSON.",
            "应答的 JSON 值（任意类型）；不是 JSON 时为 null。",
        ),
    )  # fmt: skip
    codes = tuple(CODES)
    meanings: ClassVar[Mapping[str, tuple[str, str]]] = {
        "resource": ("The web service, a resource.", "Web 服务资源。"),
        "method": ("The method.", "请求方法。"),
        "url": (
            "The address, or with a resource the path below its uri.",
            "地址；使用资源时为其 uri 之下的路径。",
        ),
        "headers": ("Headers by name.", "按名称给出的请求头。"),
        "query": ("Parameters of the address; a list gives one for each item.", "地址参数；列表逐项展开。"),
        "body": ("A text, or a map sent as a form.", "文本，或以表单发送的映射。"),
        "json": ("A value sent as JSON.", "以 JSON 发送的值。"),
        "expect": (
            "The statuses that are a success: a number, a text such as `2xx`, or a list of them.",
            "视为成功的状态：数字、`2xx` 形式的文本，或它们的列表。",
        ),
    }
    example = """\
type: http
params: {order: "4711 & more"}
method: POST
url: http://127.0.0.1:8080/orders
query: {source: skerry}
json: {order: "$.JOB['example'].PARAMS['order']"}
expect: [200, 201]
timeout: 30s
"""

    def call(self, call: Call) -> Mapping[str, Any]:
        """``status``, ``headers``, ``text`` and ``json``. Raises SkerryError."""
        from resources.clients import http

        keys = cast(HttpKeys, call.settings)
        expected = _expected(keys.expect)
        message, limit = _message(keys, call.resource)
        limits = [each for each in (call.timeout, limit) if each is not None] or [PATIENCE]
        answer = http.exchange(
            message,
            CODES,
            follow=lambda status: keys.expect is None or not expected(status),
            on_cancel=call.cancel.on_cancel,
            seconds=min(limits),
        )
        if not expected(answer.status):
            raise _unexpected(message, answer)
        headers = dict(answer.headers)
        return {"status": answer.status, "headers": headers, "text": answer.text, "json": answer.json}


def _message(
    keys: HttpKeys, resource: ResolvedResource | None
) -> tuple[http_message.HttpMessage, float | None]:
    """What is sent, and the time limit that the resource sets."""
    own = RequestParts(
        keys.method, _map(keys.headers, "headers"), _map(keys.query, "query"), keys.body, keys.json_
    )
    if resource is None:
        url = http_message.read_url(keys.url or "", CODES)
        return http_message.compose(url, own, CODES, None, None), None
    request = read_keys(HttpRequest, resource.request, "request")
    base = http_message.read_url(resource.uri, CODES)
    secret = resource.secret
    url = _address(base, keys.url, bool(secret or base.auth))
    message = http_message.compose(url, _joined(request.parts, own), CODES, request.user, secret)
    return message, request.timeout


def _address(base: Any, text: str | None, confidential: bool) -> Any:
    if text is None:
        return base
    if "://" not in text.split("?", 1)[0]:
        return http_message.read_url(http_message.below(base, text), CODES)._replace(auth=base.auth)
    url = http_message.read_url(text, CODES)
    if confidential and http_message.origin(url) != http_message.origin(base):
        message = "{url} is not the host of the resource, whose secret is bound to it"
        raise SkerryError(CODES.foreign, message, where="url", url=http_message.shown(url))
    return url


def _joined(base: RequestParts, own: RequestParts) -> RequestParts:
    """The job's part wins; headers are the same whatever their letters."""
    given = {name.lower() for name in own.headers}
    headers = {name: value for name, value in base.headers.items() if name.lower() not in given}
    replaces = own.body is not None or own.json is not None
    body, json = (own.body, own.json) if replaces else (base.body, base.json)
    return RequestParts(
        own.method or base.method, {**headers, **own.headers}, {**base.query, **own.query}, body, json
    )


def _map(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise SkerryError.at(CODES.unfit, "{where} must be a map", name)
    return value


def _expected(expect: Any) -> Callable[[int], bool]:
    """Which statuses are a success; SkerryError when ``expect`` is unclear."""
    if expect is None:
        return lambda status: 200 <= status <= 299
    texts = [
        str(each).strip().lower() for each in (expect if isinstance(expect, (list, tuple)) else [expect])
    ]
    if not texts or not all(_is_pattern(text) for text in texts):
        raise SkerryError(CODES.unfit, "expect wants statuses such as 200, 204 or 2xx", where="expect")
    return lambda status: any(
        status == int(text) if text.isdigit() else status // 100 == int(text[0]) for text in texts
    )


def _is_pattern(text: str) -> bool:
    return len(text) == 3 and text[0] in "12345" and (text.isdigit() or text[1:] == "xx")


def _unexpected(message: http_message.HttpMessage, answer: HttpAnswer) -> SkerryError:
    address = http_message.shown(message.url)
    details: dict[str, object] = {"status": answer.status, "size": len(answer.body)}
    if len(answer.body) <= _SHOWN:
        details["text"] = answer.text
    return SkerryError(
        CODES.status, answer.described(address), where=address, extra=answer.status, details=details
    )
