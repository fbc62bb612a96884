"""Connections to hosts: whose key is trusted, what is sent to whom, and what stands in the way."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import paramiko
import pytest

from engine.execution.ssh import connect
from engine.execution.ssh import session as session_module
from engine.execution.ssh.connect import key_of
from engine.execution.ssh.session import open_session
from engine.execution.ssh.settings import SshSettings
from engine.model.codes import ssh as codes
from engine.model.errors import ErrorCode, SkerryError
from tests.servers.login_recorder import recorder
from tests.servers.private import folder
from tests.servers.ssh_workers import Sshd, make_key, serving


def refusal(settings: SshSettings) -> SkerryError:
    """Why a host is not connected to."""
    with pytest.raises(SkerryError) as caught:
        open_session(settings)
    return caught.value


def test_the_key_of_a_host_is_shown_without_a_login(ssh_workers: Sshd, tmp_path: Path) -> None:
    settings = ssh_workers.settings(tmp_path)
    unknown = replace(settings, target=replace(settings.target, host_key=None), key_file="/nowhere")

    found = key_of(unknown)

    assert found == ssh_workers.host_key
    assert found.fingerprint.startswith("SHA256:")
    assert refusal(unknown).entry == codes.UNTRUSTED_HOST


def test_a_host_whose_key_is_another_one_is_sent_nothing(ssh_workers: Sshd, tmp_path: Path) -> None:
    # given a server in the place of the trusted one, which writes down whatever it is sent
    settings = ssh_workers.settings(tmp_path)
    with recorder() as (port, _, seen):
        other = replace(settings, target=replace(settings.target, port=port), password="sesame")

        # when it is connected to
        error = refusal(other)

    # then that is said with both keys, and no login was even tried
    assert error.entry == codes.HOST_KEY_CHANGED
    assert ssh_workers.host_key.fingerprint in str(error.message)
    assert seen == []


def test_a_link_that_is_cut_while_it_logs_in_is_no_refusal(
    ssh_workers: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = ssh_workers.settings(tmp_path)
    real = paramiko.Transport.auth_publickey
    with recorder() as (port, key, seen):

        def cut(transport: paramiko.Transport, user: str, offered: paramiko.PKey) -> list[str]:
            monkeypatch.setattr(transport, "_send_message", lambda message: transport.sock.shutdown(2))
            return real(transport, user, offered)

        monkeypatch.setattr(paramiko.Transport, "auth_publickey", cut)
        error = refusal(replace(settings, target=replace(settings.target, port=port, host_key=key)))

    assert error.entry == codes.HOST_UNREACHABLE
    assert seen == []


def test_a_host_with_its_own_key_is_sent_a_login(ssh_workers: Sshd, tmp_path: Path) -> None:
    """Else the test before would prove nothing."""
    settings = ssh_workers.settings(tmp_path)
    with recorder() as (port, key, seen):
        target = replace(settings.target, port=port, host_key=key)

        error = refusal(replace(settings, target=target, password="sesame"))

    assert error.entry == codes.LOGIN_REFUSED
    assert "password sesame" in seen
    assert any(each.startswith("key ") for each in seen)


def test_small_requests_are_sent_at_once(ssh_workers: Sshd, tmp_path: Path) -> None:
    """With the delay of TCP each channel that is opened costs 40 ms."""
    session, _ = open_session(ssh_workers.settings(tmp_path / "root"))

    link = session.connection.transport.sock
    assert link.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    session.close()


def test_a_machine_on_the_way_whose_key_is_another_one_is_sent_nothing(
    ssh_workers: Sshd, tmp_path: Path
) -> None:
    # given a server in the place of a trusted machine on the way to the host
    settings = replace(ssh_workers.settings(tmp_path), password="sesame")
    with recorder() as (port, _, seen):
        # when the host is connected to
        error = refusal(replace(settings, jumps=(replace(settings.target, port=port),)))

    # then that is said, and no login was even tried
    assert error.entry == codes.HOST_KEY_CHANGED
    assert ssh_workers.host_key.fingerprint in str(error.message)
    assert seen == []


def test_a_host_behind_another_one_whose_key_is_another_one_is_sent_nothing(
    ssh_workers: Sshd, tmp_path: Path
) -> None:
    settings = replace(ssh_workers.settings(tmp_path), password="sesame")
    with recorder() as (port, _, seen):
        behind = replace(settings.target, port=port)

        error = refusal(replace(settings, target=behind, jumps=(settings.target,)))

    assert error.entry == codes.HOST_KEY_CHANGED
    assert seen == []


def test_a_machine_on_the_way_is_never_sent_the_password(ssh_workers: Sshd, tmp_path: Path) -> None:
    settings = replace(ssh_workers.settings(tmp_path), password="sesame")
    with recorder() as (port, key, seen):
        on_the_way = replace(settings.target, port=port, host_key=key)

        error = refusal(replace(settings, jumps=(on_the_way,)))

    assert error.entry == codes.LOGIN_REFUSED
    assert any(each.startswith("key ") for each in seen)
    assert not any("sesame" in each for each in seen)


@pytest.mark.parametrize("line", [b"x" * 1000, b"x" * 1000 + b"\r\n"])
def test_a_banner_without_end_is_given_up(line: bytes, ssh_workers: Sshd, tmp_path: Path) -> None:
    settings = ssh_workers.settings(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def talk() -> None:
            client, _ = listener.accept()
            with suppress(OSError), client:
                for _ in range(1_000_000):
                    client.sendall(line)

        threading.Thread(target=talk, daemon=True).start()
        port = int(listener.getsockname()[1])

        error = refusal(replace(settings, target=replace(settings.target, port=port)))

    assert error.entry in (codes.TALKS_TOO_MUCH, codes.HOST_UNREACHABLE)  # after 100 lines it is no SSH


def test_what_ends_the_connection_without_a_word_is_no_server_of_ssh(
    ssh_workers: Sshd, tmp_path: Path
) -> None:
    settings = ssh_workers.settings(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=lambda: listener.accept()[0].close(), daemon=True).start()
        port = int(listener.getsockname()[1])

        error = refusal(replace(settings, target=replace(settings.target, port=port)))

    assert error.entry == codes.HOST_UNREACHABLE
    assert str(error.message).endswith("cannot be reached: no server of SSH answers there")


def test_a_login_shell_that_prints_is_refused(tmp_path: Path) -> None:
    with folder() as place, serving(place, "ForceCommand sh -c 'echo; echo Welcome; exec sh'") as server:
        error = refusal(server.settings(tmp_path / "root"))

    assert error.entry == codes.SHELL_PRINTS
    assert str(error.message).endswith("prints something: 'Welcome'")


def test_a_login_without_a_shell_is_refused(tmp_path: Path) -> None:
    with folder() as place, serving(place, "ForceCommand /bin/false") as server:
        assert refusal(server.settings(tmp_path / "root")).entry == codes.NO_SHELL


@pytest.mark.parametrize(
    ("happens", "entry"),
    [
        (lambda channel: channel.transport.sock.shutdown(2), codes.HOST_UNREACHABLE),
        (lambda channel: channel.close(), codes.NO_SHELL),
    ],
    ids=["the link is cut", "the shell ends at once"],
)
def test_what_happens_before_a_shell_answers_is_said(
    happens: Callable[[Any], None], entry: ErrorCode, ssh_workers: Sshd, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(session_module, "_execute", lambda channel, command: happens(channel))

    assert refusal(ssh_workers.settings(tmp_path / "root")).entry == entry


def test_a_user_whose_key_is_not_known_there_is_refused(ssh_workers: Sshd, tmp_path: Path) -> None:
    make_key(tmp_path / "other")

    error = refusal(replace(ssh_workers.settings(tmp_path), key_file=str(tmp_path / "other")))

    assert error.entry == codes.LOGIN_REFUSED


@pytest.mark.parametrize("tries", [1, 2])
def test_a_server_that_ends_the_connection_after_few_tries_has_refused_the_login(
    tries: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would be tried each half a minute, which locks accounts."""
    # given an agent with more keys than the server takes, none of which it knows
    keys = [
        paramiko.Ed25519Key.from_private_key_file(str(_made(tmp_path / str(n)))) for n in range(tries + 1)
    ]
    monkeypatch.setattr(connect, "_agent_keys", lambda settings: keys)
    with folder() as place, serving(place, f"MaxAuthTries {tries}") as server:
        error = refusal(replace(server.settings(tmp_path), key_file=None))

    assert error.entry == codes.LOGIN_REFUSED
    assert "Too many authentication failures" in str(error.message)


def _made(path: Path) -> Path:
    make_key(path)
    return path


@pytest.mark.parametrize("what", ["open to others", "missing", "no key"])
def test_a_key_that_cannot_be_used_is_named(what: str, ssh_workers: Sshd, tmp_path: Path) -> None:
    path = tmp_path / "key"
    if what != "missing":
        path.write_text(ssh_workers.key.read_text() if what == "open to others" else "x")
        path.chmod(0o644 if what == "open to others" else 0o600)

    error = refusal(replace(ssh_workers.settings(tmp_path), key_file=str(path)))

    assert error.entry == codes.KEY_UNUSABLE
    assert str(path) in str(error.message)


def test_nobody_there_is_said_so(ssh_workers: Sshd, tmp_path: Path) -> None:
    settings = ssh_workers.settings(tmp_path)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = int(unused.getsockname()[1])

        error = refusal(replace(settings, target=replace(settings.target, port=port)))

    assert error.entry == codes.HOST_UNREACHABLE


def test_a_host_behind_another_one_is_reached_through_it(ssh_workers: Sshd, tmp_path: Path) -> None:
    settings = ssh_workers.settings(tmp_path / "root")
    jump = settings.target

    session, place = open_session(replace(settings, jumps=(jump,)))
    session.close()

    assert place.root == str(tmp_path / "root")
    unknown = replace(settings, jumps=(replace(jump, host_key=None),))
    assert refusal(unknown).entry == codes.UNTRUSTED_HOST
    assert key_of(replace(unknown, jumps=(jump,))) == ssh_workers.host_key


@pytest.mark.parametrize(
    ("root", "entry"),
    [
        ("/proc/jobs", codes.ROOT_READ_ONLY),
        ("{tmp}/file", codes.ROOT_READ_ONLY),
        ("{tmp}/full", codes.ROOT_FOREIGN),
    ],
)
def test_a_root_that_cannot_be_used_is_refused(
    root: str, entry: ErrorCode, ssh_workers: Sshd, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("mine")

    assert refusal(ssh_workers.settings(root.format(tmp=tmp_path))).entry == entry
    assert (tmp_path / "full" / "thesis.tex").read_text() == "mine"


def test_a_root_is_private_and_marked(ssh_workers: Sshd, tmp_path: Path) -> None:
    for _ in range(2):  # also when it is there already
        session, _ = open_session(ssh_workers.settings(tmp_path / "root"))
        session.close()

    assert (tmp_path / "root").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "root" / ".skerry-root").is_file()


@contextmanager
def disk(place: Path, options: str) -> Iterator[None]:
    """A file system of its own; skips the test of a user who may not mount one."""
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], check=False)
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_root_where_nothing_may_be_executed_is_refused(ssh_workers: Sshd, tmp_path: Path) -> None:
    with disk(tmp_path / "disk", "noexec"):
        assert refusal(ssh_workers.settings(tmp_path / "disk" / "root")).entry == codes.ROOT_NOEXEC


def test_a_root_that_is_mounted_read_only_is_refused(ssh_workers: Sshd, tmp_path: Path) -> None:
    with disk(tmp_path / "disk", "ro"):
        assert refusal(ssh_workers.settings(tmp_path / "disk" / "root")).entry == codes.ROOT_READ_ONLY


def test_a_root_without_room_is_refused(ssh_workers: Sshd, tmp_path: Path) -> None:
    with disk(tmp_path / "disk", "size=64k"):
        settings = ssh_workers.settings(tmp_path / "disk" / "root")
        open_session(settings)[0].close()
        with suppress(OSError), (tmp_path / "disk" / "filling").open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass

        assert refusal(settings).entry == codes.ROOT_FULL
