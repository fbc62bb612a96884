"""``skerry`` as a process that costs no imports: forked from one that has imported everything.

For tests that run many commands and ask what they do. Those of an interpreter's start and end want ``INTERPRETER``.
In ``scripts/test-all`` every command has an interpreter of its own.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from tests.effort import ALL
from tests.waiting import until

SKERRY = "app.cli.main"
INTERPRETER = [sys.executable, "-m", SKERRY]
_CLIENT = Path(__file__).with_name("client.py")
_SHARED = "SKERRY_COMMAND_SERVER"  # the folder of the server that several processes use


def skerry() -> list[str]:
    """What to give to ``subprocess`` before the arguments of a command."""
    return module(SKERRY)


def module(name: str) -> list[str]:
    """``python -m name``, forked as well; its own imports should be those of the program."""
    return [sys.executable, "-m", name] if ALL else client(_server(), name)


def script(text: str) -> list[str]:
    """``python -c text``, forked as well."""
    return [sys.executable, "-c", text] if ALL else [*module("tests.commands.script"), text]


def client(folder: Path, name: str = SKERRY) -> list[str]:
    """The command line that has the server in this folder run a module."""
    return [sys.executable, "-ISE", str(_CLIENT), str(folder / "socket"), name]


def pid(process: subprocess.Popen[Any]) -> int:
    """Of a command that has begun to work: to kill or stop it, and not what stands for it."""
    if not ALL:
        with suppress(FileNotFoundError):
            return int((_server() / "pids" / str(process.pid)).read_text())
    return process.pid


def kill(process: subprocess.Popen[Any]) -> None:
    """SIGKILL to a command that has begun to work, and wait for its end."""
    with suppress(ProcessLookupError):
        os.kill(pid(process), signal.SIGKILL)
    process.wait()


@cache
def programs() -> Path:
    """A folder for the PATH with this ``skerry`` in it."""
    folder = Path(tempfile.mkdtemp(prefix="bin-", dir=_server()))
    program = folder / "skerry"
    program.write_text(f'#!/bin/sh\nexec {" ".join(skerry())} "$@"\n')
    program.chmod(0o755)
    return folder


def share() -> None:
    """Start the server for all processes that this one starts; it ends with this one."""
    if not ALL:
        os.environ[_SHARED] = str(_begun()[0])


@cache
def _server() -> Path:
    """The folder of the server, which is started when it is first wanted and nobody shares one; it ends with this process."""
    if folder := os.environ.get(_SHARED):
        return _ready(Path(folder))
    return _ready(*_begun())


def _begun() -> tuple[Path, subprocess.Popen[bytes]]:
    folder = Path(tempfile.mkdtemp(prefix="skerry-commands-"))
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.commands.server", str(folder)],
        cwd=_CLIENT.parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    atexit.register(server.communicate)
    return folder, server


def _ready(folder: Path, server: subprocess.Popen[bytes] | None = None) -> Path:
    def ready() -> bool:
        assert folder.exists(), "the server of commands has gone"
        assert server is None or server.poll() is None, "the server of commands did not start"
        return (folder / "socket").exists()

    until(ready, "the server of commands")
    return folder
