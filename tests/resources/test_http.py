"""The check of a web service on real ones; what is wrong is an answer with its code."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import pytest

from engine.model.codes.resources import RESOURCE_UNFIT
from engine.model.codes.runtime import CANCELLED
from engine.plugins.job_type import Cancel
from engine.plugins.resource_type import CheckResult, ResolvedResource
from resources.clients.comparing import alike, within
from resources.http import CODES, NOT_CONTAINED, OTHER_JSON, TOO_SLOW, HttpService
from tests.servers.nginx import PASSWORD, USER, Nginx
from tests.servers.web import Web


def _check(
    uri: str, request: dict[str, Any] | None = None, secret: str | None = None, **check: Any
) -> CheckResult:
    return HttpService().check(ResolvedResource("shop", "http", uri, request or {}, check, secret))


def test_a_service_that_answers_is_ok(nginx: Nginx) -> None:
    result = _check(f"{nginx.url}/status.json?token=secret-in-query")

    assert (result.ok, result.code, result.details["status"]) == (True, 0, 200)
    assert result.took >= result.details["took"] > 0
    assert "secret-in-query" not in str(result)


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/down", None, CODES.status.number - 503),
        ("/down", 503, 0),
        ("/down", [200, 503], 0),
        ("/moved", None, 0),
        ("/moved", 302, 0),
        ("/moved", 200, 0),
        ("/status.json", 201, CODES.status.number - 200),
        ("/nothing", None, CODES.status.number - 404),
    ],
)
def test_the_status_is_judged(nginx: Nginx, path: str, status: Any, code: int) -> None:
    assert _check(nginx.url + path, **({} if status is None else {"status": status})).code == code


def test_the_text_is_looked_through(nginx: Nginx) -> None:
    assert _check(f"{nginx.url}/down", status=503, contains="closed").ok
    assert _check(f"{nginx.url}/down", status=503, contains="open").code == NOT_CONTAINED.number


@pytest.mark.parametrize(
    ("path", "expected", "ok"),
    [
        ("/status.json", True, True),
        ("/status.json", {"status": "UP"}, True),
        ("/status.json", {"status": "UP", "n": "3", "list": [1]}, True),
        ("/status.json", {"status": "DOWN"}, False),
        ("/status.json", {"missing": 1}, False),
        ("/status.json", {"list": [1, 2]}, False),
        ("/method", True, False),
    ],
)
def test_the_json_is_compared(nginx: Nginx, path: str, expected: Any, ok: bool) -> None:
    assert _check(nginx.url + path, json=expected).code == (0 if ok else OTHER_JSON.number)


def test_a_slow_answer_is_reported(nginx: Nginx) -> None:
    assert _check(f"{nginx.url}/status.json", within="5s").ok
    assert _check(f"{nginx.url}/status.json", within=0).code == TOO_SLOW.number


def test_user_and_secret_get_in_and_never_show(nginx: Nginx) -> None:
    url = f"{nginx.url}/locked/page"

    assert _check(url, {"user": USER}, PASSWORD).ok
    wrong = _check(url, {"user": USER}, "wrong-Passw0rd")
    assert wrong.code == CODES.status.number - 401
    assert "wrong-Passw0rd" not in str(wrong)


def test_a_secret_that_the_service_repeats_is_masked(web: Web) -> None:
    result = _check(f"{web.url}/say-t0ken-back", {}, "t0ken", contains="t0ken is not said")

    assert result.code == NOT_CONTAINED.number
    assert "t0ken" not in str(result)


def test_nobody_there_is_an_answer() -> None:
    assert _check("http://127.0.0.1:1/").code == CODES.unreachable.number
    assert _check("ftp://127.0.0.1/").code == CODES.address.number


def test_an_untrusted_certificate_is_an_answer(secure_web: Web) -> None:
    assert _check(secure_web.url).code == CODES.certificate.number


def test_the_timeout_ends_the_check(web: Web) -> None:
    assert _check(f"{web.url}/drip", {"timeout": "200ms"}).code == CODES.timed_out.number


def test_a_check_can_be_cancelled(web: Web) -> None:
    cancel = Cancel()
    threading.Timer(0.2, cancel.request).start()

    result = HttpService().check(ResolvedResource("shop", "http", f"{web.url}/hang"), cancel.on_cancel)

    assert result.code == CANCELLED.number


def test_unknown_keys_are_an_answer(nginx: Nginx) -> None:
    assert _check(nginx.url, state=200).code == RESOURCE_UNFIT.number
    assert _check(nginx.url, {"metod": "GET"}).code == RESOURCE_UNFIT.number


@pytest.mark.parametrize(
    ("found", "expected", "same"),
    [
        (1, "1.0", True),
        ("0012", 12, False),
        (True, 1, False),
        (1, True, True),
        (0, True, False),
        (None, None, True),
        ("", None, False),
        ([1, "a"], ["1", "a"], True),
        ([1], 1, False),
        ("a", "A", False),
    ],
)
def test_values_are_compared_as_in_conditions(found: Any, expected: Any, same: bool) -> None:
    assert alike(found, expected) is same
    assert within({"k": found, "more": 1}, {"k": expected}) is same


def test_the_first_requests_may_come_at_once() -> None:
    """A fresh program whose first two requests begin on two threads loads its library once, wholly."""
    program = (
        "import sys; sys.setswitchinterval(1e-5)\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from resources.clients.http_message import read_url\n"
        "from resources.http import CODES\n"
        "with ThreadPoolExecutor(8) as pool:\n"
        "    found = list(pool.map(lambda n: read_url(f'http://shop/{n}', CODES).path, range(8)))\n"
        "print(len(found))"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr) == ("8\n", "")
