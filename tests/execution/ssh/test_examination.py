"""What is found out about a host by looking at it."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from engine.execution.ssh.examination import Remark, examine
from engine.execution.ssh.settings import SshSettings
from engine.model.codes import ssh as codes
from engine.model.errors import ErrorCode
from engine.runtime.clock import SystemClock
from tests.execution.ssh.test_connections import disk
from tests.servers.private import folder
from tests.servers.ssh_workers import Sshd, serving


class AheadClock(SystemClock):
    """Behind the host by an hour."""

    def now(self):  # type: ignore[no-untyped-def]
        return super().now() - timedelta(hours=1)


def wrong(settings: SshSettings, clock: SystemClock | None = None) -> list[Remark]:
    """What is not as it should be."""
    return [each for each in examine(settings, clock or SystemClock(), 5.0) if each.level == "error"]


def test_a_host_that_is_in_order_has_nothing_wrong(ssh_workers: Sshd, tmp_path: Path) -> None:
    assert wrong(ssh_workers.settings(tmp_path / "root")) == []
    assert [each.name for each in (tmp_path / "root").iterdir()] == [".skerry-root"]


def test_a_clock_that_differs_is_found(ssh_workers: Sshd, tmp_path: Path) -> None:
    [remark] = wrong(ssh_workers.settings(tmp_path / "root"), AheadClock())

    assert (remark.step, remark.code) == ("clock", codes.CLOCK_OFF.number)
    assert re.search(r"\+(3599|360[01]) s", remark.message)


def test_a_server_without_files_is_found(tmp_path: Path) -> None:
    with folder() as place, serving(place, more="", subsystem="none /bin/false") as server:
        [remark] = wrong(server.settings(tmp_path / "root"))

    assert (remark.step, remark.code) == ("files", codes.NO_SFTP.number)


def test_programs_that_are_missing_are_found(tmp_path: Path) -> None:
    few = tmp_path / "bin"
    few.mkdir()
    for each in ("sh", "setsid", "mkdir", "kill", "grep", "rm", "cat", "chmod", "sleep", "date", "df", "du"):
        found = next(path for path in ("/bin", "/usr/bin") if Path(path, each).exists())
        (few / each).symlink_to(f"{found}/{each}")
    command = f"ForceCommand PATH={few} exec sh -c 'PATH={few}; exec sh'"
    with folder() as place, serving(place, command) as server:
        found_there = examine(server.settings(tmp_path / "root"), SystemClock(), 5.0)

    assert {each.step: each.level for each in found_there if each.level != "ok"}["python"] == "warning"


@pytest.mark.parametrize(
    ("more", "entry"),
    [
        ("ForceCommand sh -c 'echo Welcome; exec sh'", codes.SHELL_PRINTS),
        ("ForceCommand sh -c 'while :; do echo Welcome; done'", codes.SHELL_PRINTS),
        ("ForceCommand sh -c 'head -c 1000000000 /dev/zero; exec sh'", codes.SHELL_PRINTS),
        ("ForceCommand /bin/false", codes.NO_SHELL),
    ],
)
def test_a_shell_that_is_in_the_way_is_found(more: str, entry: ErrorCode, tmp_path: Path) -> None:
    with folder() as place, serving(place, more) as server:
        [remark] = wrong(server.settings(tmp_path / "root"))

    assert (remark.step, remark.code) == ("shell", entry.number)


@pytest.mark.parametrize(
    ("options", "entry"),
    [("noexec", codes.ROOT_NOEXEC), ("ro", codes.ROOT_READ_ONLY)],
)
def test_a_folder_that_is_in_the_way_is_found(
    options: str, entry: ErrorCode, ssh_workers: Sshd, tmp_path: Path
) -> None:
    with disk(tmp_path / "disk", options):
        [remark] = wrong(ssh_workers.settings(tmp_path / "disk" / "root"))

    assert (remark.step, remark.code) == ("folder", entry.number)


def test_a_banner_without_end_is_found(ssh_workers: Sshd, tmp_path: Path) -> None:
    settings = ssh_workers.settings(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def talk() -> None:
            client, _ = listener.accept()
            with client, suppress(OSError):
                while True:
                    client.sendall(b"x" * 65536)

        threading.Thread(target=talk, daemon=True).start()
        port = int(listener.getsockname()[1])
        [remark] = wrong(replace(settings, target=replace(settings.target, port=port)))

    assert remark.step == "login"
    assert remark.code in (codes.TALKS_TOO_MUCH.number, codes.HOST_UNREACHABLE.number)
