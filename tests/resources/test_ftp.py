"""The check of an FTP server on a real one; what is wrong is an answer with its code."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from engine.model.codes.resources import RESOURCE_UNFIT
from engine.model.codes.runtime import CANCELLED
from engine.plugins.job_type import Cancel
from engine.plugins.resource_type import CheckResult, ResolvedResource
from resources.ftp import CODES, Ftp
from tests.servers.vsftpd import Vsftpd
from tests.servers.web import Web


def _check(
    server: Vsftpd,
    path: str = "",
    request: dict[str, Any] | None = None,
    secret: str | None = None,
    **check: Any,
) -> CheckResult:
    given = ResolvedResource("in", "ftp", server.url + path, request or {}, check, secret or server.password)
    return Ftp().check(given)


def test_a_login_is_ok(vsftpd: Vsftpd) -> None:
    result = _check(vsftpd)

    assert (result.ok, result.code) == (True, 0)
    assert result.details == {"server": vsftpd.url, "user": "anonymous", "found": []}
    assert vsftpd.password not in str(result)


def test_a_wrong_password_is_an_answer_without_it(vsftpd: Vsftpd) -> None:
    result = _check(vsftpd, secret="wrong-Passw0rd")

    assert result.code == CODES.login.number
    assert "wrong-Passw0rd" not in str(result)


@pytest.mark.parametrize(
    ("path", "exists", "ok"),
    [
        ("", "/there.txt", True),
        ("", "there.txt", True),
        ("", ["/there.txt", "/folder"], True),
        ("/folder", "inner.txt", True),
        ("/folder/", "inner.txt", True),
        ("/folder/inner.txt", True, True),
        ("/folder", True, True),
        ("", True, True),
        ("", "/gone.txt", False),
        ("/gone", True, False),
        ("/folder", ["inner.txt", "gone.txt"], False),
    ],
)
def test_paths_must_be_there(vsftpd: Vsftpd, path: str, exists: Any, ok: bool) -> None:
    (vsftpd.files / "there.txt").write_text("x")
    (vsftpd.files / "folder").mkdir(exist_ok=True)
    (vsftpd.files / "folder" / "inner.txt").write_text("y")

    assert _check(vsftpd, path, exists=exists).code == (0 if ok else CODES.missing.number)


def test_a_line_end_in_a_path_is_refused(vsftpd: Vsftpd) -> None:
    assert _check(vsftpd, exists="a\r\nDELE b").code == CODES.address.number


def test_nothing_is_looked_for_without_login() -> None:
    assert Ftp().check(ResolvedResource("in", "ftp", "ftp://127.0.0.1:1/", {}, {"login": False})).ok


@pytest.mark.parametrize("uri", ["", "http://x/", "ftp://", "ftp://h:99999/", "ftp://[/"])
def test_what_is_no_address_is_reported(uri: str) -> None:
    assert Ftp().check(ResolvedResource("in", "ftp", uri)).code == CODES.address.number


@pytest.mark.parametrize("uri", ["ftp://127.0.0.1:1/", "ftp://no-such-host.invalid/"])
def test_nobody_there_is_an_answer(uri: str) -> None:
    assert Ftp().check(ResolvedResource("in", "ftp", uri)).code == CODES.unreachable.number


def test_a_server_whose_certificate_is_not_trusted_gets_no_password(vsftpd: Vsftpd) -> None:
    result = Ftp().check(ResolvedResource("in", "ftp", vsftpd.secure_url, {}, {}, "t0p-secret"))

    assert result.code == CODES.unreachable.number
    assert "certificate" in result.message
    assert "PASS" not in vsftpd.log.read_text().rpartition("AUTH TLS")[2]


def test_a_login_over_tls_is_ok(vsftpd: Vsftpd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(vsftpd.certificate))

    assert Ftp().check(ResolvedResource("in", "ftp", vsftpd.secure_url, {}, {}, vsftpd.password)).ok


def test_a_server_that_says_nothing_is_not_waited_for(web: Web) -> None:
    uri = f"ftp://127.0.0.1:{web.port}/"

    result = Ftp().check(ResolvedResource("in", "ftp", uri, {"timeout": "200ms"}))

    assert result.code == CODES.timed_out.number


def test_a_check_can_be_cancelled(web: Web) -> None:
    cancel = Cancel()
    threading.Timer(0.2, cancel.request).start()

    result = Ftp().check(ResolvedResource("in", "ftp", f"ftp://127.0.0.1:{web.port}/"), cancel.on_cancel)

    assert result.code == CANCELLED.number


def test_unknown_keys_are_an_answer(vsftpd: Vsftpd) -> None:
    assert _check(vsftpd, exist="/x").code == RESOURCE_UNFIT.number
    assert _check(vsftpd, "", {"usr": "x"}).code == RESOURCE_UNFIT.number
