"""The check of an SFTP server on a real one; what is wrong is an answer with its code."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import paramiko
import pytest

from engine.model import host_keys
from engine.model.codes.resources import RESOURCE_UNFIT
from engine.plugins.resource_type import CheckResult, ResolvedResource
from resources.sftp import CODES, Sftp
from tests.servers.sshd import Sshd


def _check(server: Sshd, uri: str = "", request: dict[str, Any] | None = None, **check: Any) -> CheckResult:
    login = {"key": str(server.key), "host_key": server.fingerprint, **(request or {})}
    return Sftp().check(ResolvedResource("in", "sftp", uri or server.url, login, check))


def test_a_login_is_ok(sshd: Sshd) -> None:
    result = _check(sshd)

    assert (result.ok, result.code) == (True, 0)
    assert result.details == {"server": f"sftp://127.0.0.1:{sshd.port}", "user": sshd.user, "found": []}


@pytest.mark.parametrize(
    ("exists", "ok"),
    [
        ("there.txt", True), (True, True), (["there.txt", "folder"], True), ("gone.txt", False), ("/gone", False)
    ],
)  # fmt: skip
def test_paths_must_be_there(sshd: Sshd, exists: Any, ok: bool) -> None:
    (sshd.files / "there.txt").write_text("x")
    (sshd.files / "folder").mkdir(exist_ok=True)

    assert _check(sshd, exists=exists).code == (0 if ok else CODES.missing.number)


@pytest.mark.parametrize("path", ["", "/~/"])
def test_an_address_without_a_folder_begins_where_the_login_does(sshd: Sshd, path: str) -> None:
    assert _check(sshd, f"sftp://{sshd.user}@127.0.0.1:{sshd.port}{path}", exists=True).ok


@pytest.mark.parametrize(
    ("pin", "code"), [(None, CODES.unpinned), ([], CODES.unpinned), (f"SHA256:{'A' * 43}", CODES.changed)]
)
def test_a_host_key_that_is_not_the_pinned_one_is_an_answer_with_the_key_that_was_seen(
    sshd: Sshd, pin: Any, code: Any
) -> None:
    before = sshd.logins()

    result = _check(sshd, request={"host_key": pin})

    assert result.code == code.number
    assert result.details["host_key"] == sshd.fingerprint
    assert sshd.logins() == before


def test_the_user_of_the_request_wins(sshd: Sshd) -> None:
    wrong = sshd.url.replace(f"{sshd.user}@", "nobody-at-all@")

    assert _check(sshd, wrong).code == CODES.login.number
    assert _check(sshd, wrong, {"user": sshd.user}).ok


@pytest.mark.parametrize(
    "uri", ["", "ftp://x/", "sftp://", "sftp://u@h:99999/", "sftp://[/", "sftp://127.0.0.1/"]
)
def test_what_is_no_address_is_reported(uri: str) -> None:
    assert Sftp().check(ResolvedResource("in", "sftp", uri)).code == CODES.address.number


def test_what_is_no_host_key_is_reported() -> None:
    given = ResolvedResource("in", "sftp", "sftp://u@h/", {"host_key": "MD5:12:34"})

    assert Sftp().check(given).code == CODES.address.number


def test_a_key_that_does_not_fit_is_named() -> None:
    result = Sftp().check(ResolvedResource("in", "sftp", "sftp://u@h/", {"pasword": "x"}))

    assert result.code == RESOURCE_UNFIT.number
    assert "pasword" in result.message


def test_nothing_is_looked_for_without_login() -> None:
    assert Sftp().check(ResolvedResource("in", "sftp", "sftp://u@127.0.0.1:1/", {}, {"login": False})).ok


# -- a server that takes a password


@dataclass
class PasswordServer(paramiko.ServerInterface):
    """``given`` are the passwords that came."""

    port: int = 0
    key: paramiko.PKey = field(default_factory=lambda: paramiko.ECDSAKey.generate())
    given: list[str] = field(default_factory=list)

    def check_auth_password(self, username: str, password: str) -> int:
        self.given.append(password)
        good = (username, password) == ("clerk", "pass-Word 马")
        return paramiko.AUTH_SUCCESSFUL if good else paramiko.AUTH_FAILED

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return paramiko.OPEN_SUCCEEDED

    def get_allowed_auths(self, username: str) -> str:
        return "password"

    def serve(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            transport = paramiko.Transport(client)
            transport.add_server_key(self.key)
            transport.set_subsystem_handler("sftp", paramiko.SFTPServer)
            transport.start_server(server=self, event=threading.Event())


@pytest.fixture
def taker() -> Iterator[PasswordServer]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        started = PasswordServer(listener.getsockname()[1])
        threading.Thread(target=started.serve, args=(listener,), daemon=True).start()
        yield started


def _with_password(server: PasswordServer, password: str, pin: str | None = None) -> CheckResult:
    pin = pin or host_keys.fingerprint(server.key.asbytes())
    uri = f"sftp://clerk@127.0.0.1:{server.port}"
    return Sftp().check(ResolvedResource("in", "sftp", uri, {"host_key": pin}, {}, password))


def test_a_password_logs_in(taker: PasswordServer) -> None:
    result = _with_password(taker, "pass-Word 马")

    assert result.ok, result
    assert taker.given == ["pass-Word 马"]


def test_a_wrong_password_is_an_answer_without_it(taker: PasswordServer) -> None:
    result = _with_password(taker, "wrong-Passw0rd")

    assert result.code == CODES.login.number
    assert "wrong-Passw0rd" not in str(result)


def test_a_server_with_another_key_gets_no_password(taker: PasswordServer) -> None:
    assert _with_password(taker, "pass-Word 马", f"SHA256:{'A' * 43}").code == CODES.changed.number
    assert taker.given == []
