"""A server of a test's own: started in a folder, ended with the tests; a missing one is named."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.waiting import until


def program(name: str, package: str) -> str:
    """The path of a server's program; without it the test is skipped, or fails where servers are required."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found:
        return found
    message = f"{name} is not installed: RUNLEVEL=1 apt-get install -y --no-install-recommends {package}"
    if os.environ.get("SKERRY_REQUIRE_SERVERS") == "1":
        pytest.fail(message)
    pytest.skip(message)


def free_port() -> int:
    """A port of the loopback interface that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def folder(user: str | None = None) -> Iterator[Path]:
    """A folder with a short path that ``user`` may enter as well, gone afterwards."""
    place = Path(tempfile.mkdtemp(prefix="skerry-", dir="/tmp"))
    place.chmod(0o755)
    if user and os.getuid() == 0:
        shutil.chown(place, user)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


@contextmanager
def running(
    command: Sequence[str], log: Path, ready: Callable[[], bool]
) -> Iterator[subprocess.Popen[bytes]]:
    """The server as a process whose output goes into ``log``; TERM ends it."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    try:
        _await(process, ready, log)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def answers(port: int) -> bool:
    """Whether something listens there."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _await(process: subprocess.Popen[bytes], ready: Callable[[], bool], log: Path) -> None:
    until(
        lambda: ready() or process.poll() is not None,
        lambda: f"the server's start: {log.read_text(errors='replace')[-2000:]}",
    )
    if not ready():
        pytest.fail(f"the server did not start: {log.read_text(errors='replace')[-2000:]}")
