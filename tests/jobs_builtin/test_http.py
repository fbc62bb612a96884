"""http on real servers: values arrive encoded, secrets stay with their host, a cancel hangs up."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from pydantic import ValidationError

from engine.model.codes.resources import RESOURCE_UNFIT
from engine.model.codes.runtime import CANCELLED
from engine.model.errors import ErrorCode, SkerryError
from engine.plugins.resource_type import ResolvedResource
from jobs_builtin.http import CODES, PATIENCE, Http, HttpKeys
from tests.servers.calls import Bench
from tests.servers.nginx import PASSWORD, USER, Nginx
from tests.servers.web import Web

FORM = b"application/x-www-form-urlencoded"
NO_ADDRESSES = [
    "file:///etc/passwd", "gopher://x/", "nonsense", "http://", "http://a b/", "http://h:99999/", "//x/y", "",
]  # fmt: skip
FORM = b"application/x-www-form-urlencoded"
NO_ADDRESSES = [
    "file:///etc/passwd", "gopher://x/", "nonsense", "http://", "http://a b/", "http://h:99999/", "//x/y", "",
]  # fmt: skip
HOSTILE = [
    "a&b=c#d?e",
    "$(id) `id` ; | '\"",
    "%41%zz {x} %s",
    "马 ö 🏝",
    "<script>",
    "../../etc",
    "x" * 60_000,
]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def _ask(bench: Bench, resource: ResolvedResource | None = None, /, **keys: Any) -> dict[str, Any]:
    return bench.call(Http(), keys, resource)


def _failure(action: Callable[[], object]) -> SkerryError:
    with pytest.raises(SkerryError) as caught:
        action()
    return caught.value


def _resource(uri: str, secret: str | None = None, **request: Any) -> ResolvedResource:
    return ResolvedResource("shop", "http", uri, request, {}, secret)


def test_an_answer_becomes_results(bench: Bench, nginx: Nginx) -> None:
    result = _ask(bench, url=f"{nginx.url}/status.json")

    assert result["status"] == 200
    assert result["headers"]["content-type"] == "application/json"
    assert result["json"] == {"status": "UP", "n": 3, "list": [1]} == json.loads(result["text"])


def test_a_compressed_answer_is_unpacked(bench: Bench, nginx: Nginx) -> None:
    result = _ask(bench, url=f"{nginx.url}/status.json", headers={"Accept-Encoding": "gzip"})

    assert result["headers"]["content-encoding"] == "gzip"
    assert result["json"]["status"] == "UP"


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_values_arrive_as_they_are(bench: Bench, web: Web, value: str) -> None:
    _ask(bench, url=web.url, query={"q": value[:50]}, headers={"X-Value": value}, json={"v": value})

    assert parse_qsl(urlsplit(web.line().split()[1]).query, keep_blank_values=True) == [("q", value[:50])]
    assert web.headers()["x-value"] == value.encode()
    assert json.loads(web.body()) == {"v": value}


def test_a_line_end_in_a_query_is_encoded(bench: Bench, web: Web) -> None:
    _ask(bench, url=f"{web.url}/a b\r\nX-Evil: 1", query={"q": "1\r\nX-Evil: 2"}, method="get")

    assert web.line().startswith("GET /a%20b%0D%0AX-Evil:%201?q=1%0D%0AX-Evil%3A+2 HTTP/1.1")
    assert "x-evil" not in web.headers()


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b"])
def test_a_line_end_in_a_header_is_refused_before_anything_is_sent(
    bench: Bench, web: Web, value: str
) -> None:
    failure = _failure(lambda: _ask(bench, url=web.url, headers={"X-Value": value}))

    assert failure.entry is CODES.unfit
    assert web.seen == []


@pytest.mark.parametrize(
    "keys",
    [
        {"headers": {"X Y": "1"}},
        {"headers": {"": "1"}},
        {"headers": {"Content-Length": "5"}},
        {"headers": "X: 1"},
        {"query": "a=1"},
        {"method": "GET / HTTP/1.1\r\nX: 1"},
        {"expect": "many"},
        {"expect": []},
        {"expect": 1000},
        {"expect": True},
    ],
)
def test_what_cannot_be_sent_is_refused(bench: Bench, web: Web, keys: dict[str, Any]) -> None:
    assert _failure(lambda: _ask(bench, url=web.url, **keys)).entry is CODES.unfit
    assert web.seen == []


def test_numbers_booleans_lists_and_null_have_their_text(bench: Bench, web: Web) -> None:
    _ask(
        bench,
        url=f"{web.url}/x?old=1",
        query={"n": 3.0, "b": True, "l": ["a", 2], "none": None, "m": {"k": 1}},
        headers={"X-N": 7, "X-None": None},
    )

    assert unquote(web.line().split()[1]) == '/x?old=1&n=3&b=true&l=a&l=2&m={"k":1}'
    assert web.headers()["x-n"] == b"7"
    assert "x-none" not in web.headers()


@pytest.mark.parametrize(
    ("keys", "method", "kind", "body"),
    [
        ({}, "GET", None, b""),
        ({"body": "text ö"}, "POST", b"text/plain; charset=utf-8", "text ö".encode()),
        (
            {"body": {"a": "1 &", "b": [2, 3]}},
            "POST",
            b"application/x-www-form-urlencoded",
            b"a=1+%26&b=2&b=3",
        ),
        ({"json": {"a": [1, None, "马"]}}, "POST", b"application/json", '{"a":[1,null,"马"]}'.encode()),
        ({"method": "put", "body": "x", "headers": {"content-TYPE": "a/b"}}, "PUT", b"a/b", b"x"),
        ({"method": "DELETE"}, "DELETE", None, b""),
    ],
)
def test_a_body_goes_out_as_it_is_meant(
    bench: Bench, web: Web, keys: dict[str, Any], method: str, kind: bytes | None, body: bytes
) -> None:
    _ask(bench, url=web.url, **keys)

    assert web.line().split()[0] == method
    assert web.headers().get("content-type") == kind
    assert web.body() == body


def test_a_head_has_headers_and_no_text(bench: Bench, nginx: Nginx) -> None:
    result = _ask(bench, url=f"{nginx.url}/big", method="HEAD")

    assert (result["text"], result["headers"]["content-length"]) == ("", str(1 << 20))


@pytest.mark.parametrize(
    ("expect", "status"),
    [(503, 503), ([200, "5xx"], 503), ("503", 503), ([200], None), (None, None), ("4xx", None)],
)
def test_the_status_decides(bench: Bench, nginx: Nginx, expect: Any, status: int | None) -> None:
    if status is not None:
        assert _ask(bench, url=f"{nginx.url}/down", expect=expect)["status"] == status
        return

    failure = _failure(lambda: _ask(bench, url=f"{nginx.url}/down", expect=expect))

    assert failure.code == CODES.status.number - 503
    assert "503 Service Unavailable" in failure.message
    assert failure.details["text"] == "closed for today"


@pytest.mark.parametrize(
    ("kind", "body", "text", "value"),
    [
        ("text/html; charset=gb18030", "马".encode("gb18030"), "马", None),
        ("text/plain; charset=nonsense", "ö".encode(), "ö", None),
        ("", b"\xff{", "\N{REPLACEMENT CHARACTER}{", None),
        ("", b"[1, 2.5]", "[1, 2.5]", [1, 2.5]),
        ("", b"NaN", "NaN", None),
        ("", b'"\\ud800"', '"\\ud800"', None),
        ("", b"[" * 30_000, "[" * 30_000, None),
    ],
)
def test_text_and_json_of_an_answer(
    bench: Bench, web: Web, kind: str, body: bytes, text: str, value: object
) -> None:
    result = _ask(bench, url=f"{web.url}/body/{kind.encode().hex()}/{body.hex()}")

    assert (result["text"], result["json"]) == (text, value)


# -- resources and their secrets


def test_the_resource_is_the_base_and_the_job_adds_to_it(bench: Bench, web: Web) -> None:
    shop = _resource(
        f"{web.url}/api/v1/", method="PUT", headers={"X-A": "1", "X-B": "2"}, query={"p": 1}, body="b"
    )

    _ask(bench, shop, resource="shop", url="/orders?x=1", headers={"x-b": "3"}, query={"q": 2})

    assert web.line() == "PUT /api/v1/orders?x=1&p=1&q=2 HTTP/1.1"
    assert (web.headers()["x-a"], web.headers()["x-b"], web.body()) == (b"1", b"3", b"b")


@pytest.mark.parametrize(
    ("uri", "url", "path"),
    [
        ("/api", None, "/api"),
        ("", None, "/"),
        ("/api?k=1", None, "/api?k=1"),
        ("/api", "?x=1", "/api?x=1"),
        ("/api/", "a//b", "/api/a//b"),
        ("", "x?u=http://y", "/x?u=http://y"),
    ],
)
def test_a_path_is_below_the_resource(bench: Bench, web: Web, uri: str, url: str | None, path: str) -> None:
    _ask(bench, _resource(web.url + uri), resource="shop", url=url)

    assert web.line() == f"GET {path} HTTP/1.1"


def test_a_secret_alone_is_a_bearer_token(bench: Bench, web: Web) -> None:
    _ask(bench, _resource(web.url, "t0ken"), resource="shop")

    assert web.headers()["authorization"] == b"Bearer t0ken"


def test_user_and_secret_are_basic_authentication(bench: Bench, nginx: Nginx) -> None:
    locked = _resource(f"{nginx.url}/locked", PASSWORD, user=USER)

    assert _ask(bench, locked, resource="shop", url="page")["text"] == "inside"


def test_a_wrong_password_is_a_status_and_does_not_show(bench: Bench, nginx: Nginx) -> None:
    locked = _resource(f"{nginx.url}/locked/page", "wrong-Passw0rd", user=USER)

    failure = _failure(lambda: _ask(bench, locked, resource="shop"))

    assert failure.code == CODES.status.number - 401
    assert "wrong-Passw0rd" not in f"{failure.message} {failure.details}"


def test_user_and_password_of_an_address_are_sent_but_not_shown(bench: Bench, web: Web, nginx: Nginx) -> None:
    _ask(bench, url=web.url.replace("//", "//me:p%40ss@"))
    failure = _failure(lambda: _ask(bench, url=f"{nginx.url}/down".replace("//", "//me:p%40ss@")))

    assert web.headers()["authorization"] == b"Basic " + base64.b64encode(b"me:p@ss")
    assert "p@ss" not in failure.message
    assert "p%40ss" not in failure.message


def test_a_secret_does_not_go_to_another_host_than_its_resource(bench: Bench, nginx: Nginx, web: Web) -> None:
    shop = _resource(nginx.url, "t0ken")

    failure = _failure(lambda: _ask(bench, shop, resource="shop", url=web.url))

    assert failure.entry is CODES.foreign
    assert web.seen == []
    assert _ask(bench, _resource(nginx.url), resource="shop", url=f"{web.url}/x")["status"] == 200
    assert _ask(bench, shop, resource="shop", url=f"{nginx.url}/who")["text"] == "Bearer t0ken||"


def test_the_request_of_a_resource_must_have_known_keys(bench: Bench, web: Web) -> None:
    failure = _failure(lambda: _ask(bench, _resource(web.url, metod="GET"), resource="shop"))

    assert failure.entry is RESOURCE_UNFIT


# -- redirects


def test_a_redirect_on_the_same_host_keeps_the_secret(bench: Bench, nginx: Nginx) -> None:
    result = _ask(bench, _resource(nginx.url, "t0ken"), resource="shop", url="moved")

    assert result["json"]["status"] == "UP"


def test_a_redirect_to_another_host_gets_no_secret(bench: Bench, nginx: Nginx) -> None:
    failure = _failure(lambda: _ask(bench, _resource(nginx.url, "t0ken"), resource="shop", url="away"))

    assert failure.code == CODES.status.number - 302
    assert "another host" in failure.message


@pytest.mark.parametrize("header", ["Authorization", "Cookie"])
def test_nor_does_it_get_a_login_of_the_job(bench: Bench, nginx: Nginx, header: str) -> None:
    failure = _failure(lambda: _ask(bench, url=f"{nginx.url}/away", headers={header: "mine"}))

    assert failure.code == CODES.status.number - 302


def test_a_plain_question_is_led_on_without_its_headers(bench: Bench, nginx: Nginx) -> None:
    assert _ask(bench, url=f"{nginx.url}/away", headers={"X-Key": "k"})["text"] == "||"


def test_after_a_post_a_redirect_asks_or_repeats_as_it_says(bench: Bench, nginx: Nginx) -> None:
    assert _ask(bench, url=f"{nginx.url}/post-moved", body="x")["json"]["status"] == "UP"
    assert _ask(bench, url=f"{nginx.url}/kept", body="x")["text"] == "POST"
    assert _failure(lambda: _ask(bench, url=f"{nginx.url}/away", method="PUT", body="x")).code % 1000 == 698


def test_an_expected_redirect_is_a_result(bench: Bench, nginx: Nginx) -> None:
    result = _ask(bench, url=f"{nginx.url}/moved", expect=[302])

    assert result["headers"]["location"].endswith("/status.json")


def test_a_redirect_to_no_web_address_is_not_followed(bench: Bench, nginx: Nginx) -> None:
    failure = _failure(lambda: _ask(bench, url=f"{nginx.url}/odd"))

    assert failure.code == CODES.status.number - 302
    assert "no http" in failure.message


def test_redirects_in_a_circle_end(bench: Bench, nginx: Nginx) -> None:
    assert _failure(lambda: _ask(bench, url=f"{nginx.url}/round")).entry is CODES.redirects


# -- what goes wrong on the way


@pytest.mark.parametrize("url", NO_ADDRESSES)
def test_only_web_addresses_are_asked(bench: Bench, url: str) -> None:
    assert _failure(lambda: _ask(bench, url=url)).entry is CODES.address


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/x", "http://no-such-host.invalid/"])
def test_a_service_that_is_not_there_is_reported(bench: Bench, url: str) -> None:
    failure = _failure(lambda: _ask(bench, url=f"{url}?key=secret-in-query"))

    assert failure.entry is CODES.unreachable
    assert "secret-in-query" not in failure.message


@pytest.mark.parametrize("path", ["rude", "nonsense"])
def test_a_broken_answer_is_reported(bench: Bench, web: Web, path: str) -> None:
    assert _failure(lambda: _ask(bench, url=f"{web.url}/{path}")).entry is CODES.unreachable


def test_an_answer_without_end_is_cut(bench: Bench, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resources.clients.http.MAX_BODY", 1 << 20)

    assert _failure(lambda: _ask(bench, url=f"{web.url}/endless")).entry is CODES.too_big


def test_an_unexpected_long_answer_is_not_quoted(bench: Bench, nginx: Nginx) -> None:
    failure = _failure(lambda: _ask(bench, url=f"{nginx.url}/big", expect=201))

    assert failure.details == {"status": 200, "size": 1 << 20}


def test_an_untrusted_certificate_stops(bench: Bench, secure_web: Web) -> None:
    failure = _failure(lambda: _ask(bench, _resource(secure_web.url, "t0ken"), resource="shop"))

    assert failure.entry is CODES.certificate
    assert secure_web.seen == []


def test_a_trusted_certificate_is_taken(
    bench: Bench, secure_web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))

    assert _ask(bench, url=f"{secure_web.url}/x")["json"] == {"path": "/x"}


@pytest.mark.parametrize("path", ["hang", "drip"])
def test_a_cancel_closes_the_connection(bench: Bench, web: Web, path: str) -> None:
    failure = _while_asking(bench, web, lambda: _ask(bench, url=f"{web.url}/{path}"))

    assert failure.entry is CANCELLED
    assert web.gone.wait(5)


def test_a_cancel_closes_a_secure_connection_too(
    bench: Bench, secure_web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))

    failure = _while_asking(bench, secure_web, lambda: _ask(bench, url=f"{secure_web.url}/drip"))

    assert failure.entry is CANCELLED


def test_a_cancel_before_the_start_sends_nothing(bench: Bench, web: Web) -> None:
    bench.cancel.request()

    assert _failure(lambda: _ask(bench, url=web.url)).entry is CANCELLED
    assert web.seen == []


@pytest.mark.parametrize("limit", ["attempt", "resource"])
def test_the_timeout_counts_for_the_whole_answer(bench: Bench, web: Web, limit: str) -> None:
    shop = _resource(web.url, timeout="300ms") if limit == "resource" else _resource(web.url)
    timeout = 0.3 if limit == "attempt" else None

    failure = _failure(lambda: bench.call(Http(), {"resource": "shop", "url": "drip"}, shop, timeout=timeout))

    assert failure.entry is CODES.timed_out
    assert web.gone.wait(5)


def test_an_exchange_has_a_time_limit_where_nobody_sets_one(
    bench: Bench, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert PATIENCE == 60
    monkeypatch.setattr("jobs_builtin.http.PATIENCE", 0.3)

    assert _failure(lambda: _ask(bench, url=f"{web.url}/drip")).entry is CODES.timed_out
    assert web.gone.wait(5)


def test_silence_ends_too(bench: Bench, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resources.clients.http._SILENCE", 0.2)

    assert _failure(lambda: _ask(bench, url=f"{web.url}/hang")).entry is CODES.timed_out


def _while_asking(bench: Bench, web: Web, work: Callable[[], object]) -> SkerryError:
    """What ``work``, which would not end by itself, ends with when it is cancelled while the server is asked."""
    caught: list[SkerryError] = []
    thread = threading.Thread(target=lambda: caught.append(_failure(work)))
    thread.start()
    assert web.asked.wait(10)
    bench.cancel.request()
    thread.join()
    return caught[0]


@pytest.mark.parametrize("keys", [{}, {"url": "http://x", "body": "a", "json": 1}, {"url": "x", "method": 7}])
def test_keys_that_cannot_be_meant_are_findings(keys: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        HttpKeys.model_validate(keys)


def test_every_code_has_its_own_number() -> None:
    entries: tuple[ErrorCode, ...] = Http().codes

    assert len({entry.number for entry in entries}) == len(entries)
    assert all(str(-entry.number).startswith("12005") for entry in entries)
