"""Whoever knows only the OpenAPI document sends what he likes: the answer is a code, never an accident."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from engine.api import sockets
from engine.api.listener import Listener
from engine.api.local import LocalService
from engine.api.requests import MAX_BODY
from engine.model.codes.commands import BODY_TOO_BIG, WRONG_USE
from tests.runtime.site import Site

HUGE = "9" * 30
HOSTILE: tuple[bytes, ...] = (
    b"NaN", b"[NaN]", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000, b"9" * 5_000, b"[1e999]",
    b"null", b"[]", b'""', b"-Infinity",
)  # fmt: skip


class Stranger:
    """Speaks HTTP over the workspace's socket, with nothing of the product's own client."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        """The status and the JSON of the answer."""
        line = HTTPConnection("engine")
        line.sock = sockets.connect(self.socket, timeout=60)
        given = {"Content-Type": "application/json", **(headers or {})}
        with suppress(BrokenPipeError):  # it has answered before it had heard all
            line.request(method, path, body, given, encode_chunked="Transfer-Encoding" in given)
        answer = line.getresponse()
        text = answer.read()
        line.close()
        return answer.status, json.loads(text) if text else None


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stranger]:
    site = Site(tmp_path_factory.mktemp("strangers") / "workspace").start()
    service = LocalService(site.engine)
    with Listener(service, site.engine.workspace.socket):
        yield Stranger(site.engine.workspace.socket)
    site.close()


def operations(stranger: Stranger) -> list[tuple[str, str, dict[str, Any]]]:
    paths = stranger.ask("GET", "/v1/openapi.json")[1]["paths"]
    found = [(method, path, what) for path, of in paths.items() for method, what in of.items()]
    return [each for each in found if each[1] not in ("/v1/events",)]


def filled(path: str, value: str) -> str:
    """The path with every part of it that is open set to ``value``."""
    parts = (value if part.startswith("{") else part for part in path.split("/"))
    return "/".join(parts)


def is_refusal(answer: tuple[int, Any]) -> bool:
    status, document = answer
    return status in (400, 404, 405, 409, 413) and document["error"]["code"] < 0


def test_the_document_says_how_it_refuses(stranger: Stranger) -> None:
    for _, path, operation in operations(stranger):
        assert {"400", "413"} <= operation["responses"].keys(), path
        assert "422" not in operation["responses"], path


def test_numbers_of_any_length_in_a_path_are_refused(stranger: Stranger) -> None:
    for method, path, _ in operations(stranger):
        if "{instance}" in path or "{id}" in path.replace("rules/{id}", ""):
            for value in (HUGE, f"-{HUGE}", "9" * 5_000, str(2**63)):
                assert is_refusal(stranger.ask(method.upper(), filled(path, value), b"{}")), (path, value)


def test_every_filter_refuses_what_it_does_not_know(stranger: Stranger) -> None:
    for method, path, operation in operations(stranger):
        for each in operation.get("parameters", ()):
            if each["in"] == "query" and "integer" in json.dumps(each["schema"]):
                asked = f"{filled(path, '1')}?{each['name']}={HUGE}"
                assert is_refusal(stranger.ask(method.upper(), asked)), asked
        if method == "get":
            assert is_refusal(stranger.ask("GET", f"{filled(path, '1')}?stauts=failed")), path


def test_a_status_that_does_not_exist_is_refused_not_found_nowhere(stranger: Stranger) -> None:
    for path in ("/v1/instances", "/v1/exceptions"):
        status, document = stranger.ask("GET", f"{path}?status=finished")
        assert (status, document["error"]["code"]) == (400, WRONG_USE.number)


def test_no_body_whatever_it_holds_is_an_accident(stranger: Stranger) -> None:
    written = [(method, path) for method, path, what in operations(stranger) if "requestBody" in what]
    for (method, path), body in itertools.product(written, HOSTILE):
        answer = stranger.ask(method.upper(), filled(path, "1"), body)
        assert is_refusal(answer), (path, body[:20], answer)


def test_a_body_has_sixteen_mebibytes_at_most_however_it_comes(stranger: Stranger) -> None:
    too_big = b" " * (MAX_BODY + 1)

    answer = stranger.ask("POST", "/v1/instances", b"", {"Content-Length": str(MAX_BODY + 1)})
    sent = stranger.ask("POST", "/v1/instances", iter([too_big]), {"Transfer-Encoding": "chunked"})

    for status, document in (answer, sent):
        assert (status, document["error"]["code"]) == (413, BODY_TOO_BIG.number)


def test_a_body_without_an_end_is_not_taken_for_ever(stranger: Stranger) -> None:
    line = sockets.connect(stranger.socket, timeout=60)
    line.sendall(b"POST /v1/instances HTTP/1.1\r\nHost: engine\r\nTransfer-Encoding: chunked\r\n\r\n")
    chunk = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"

    with pytest.raises(ConnectionError):
        line.sendall(chunk * 200)

    assert line.recv(100).startswith(b"HTTP/1.1 413 ")
    line.close()


def test_half_a_surrogate_is_no_accident(stranger: Stranger) -> None:
    for path, body in (("/v1/instances", {"task": "\ud800"}), ("/v1/queue", {"job": "\ud800"})):
        assert is_refusal(stranger.ask("POST", path, json.dumps(body).encode())), path
