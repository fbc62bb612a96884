"""``skerry`` as a process that costs no imports: forked from one that has imported everything.

For tests that run many commands and ask what they do. Those of an interpreter's start and end, and those that
kill or stop what they started, want ``INTERPRETER``. In ``scripts/test-all`` every command
has an interpreter of its own.
"""

from __future__ import annotations

import atexit
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from tests.effort import ALL

SKERRY = "app.cli.main"
INTERPRETER = [sys.executable, "-m", SKERRY]
_CLIENT = Path(__file__).with_name("client.py")


def skerry() -> list[str]:
    """What to give to ``subprocess`` before the arguments of a command."""
    return module(SKERRY)


def module(name: str) -> list[str]:
    """``python -m name``, forked as well; its own imports should be those of the program."""
    if ALL:
        return [sys.executable, "-m", name]
    return [sys.executable, "-ISE", str(_CLIENT), str(_server() / "socket"), name]


@cache
def programs() -> Path:
    """A folder for the PATH with this ``skerry`` in it."""
    folder = _server() / "bin"
    folder.mkdir()
    program = folder / "skerry"
    program.write_text(f'#!/bin/sh\nexec {" ".join(skerry())} "$@"\n')
    program.chmod(0o755)
    return folder


@cache
def _server() -> Path:
    """The folder of this process's server, started when it is first wanted; it ends with this process."""
    folder = Path(tempfile.mkdtemp(prefix="skerry-commands-"))
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.commands.server", str(folder)],
        cwd=_CLIENT.parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == "ready\n"
    atexit.register(server.communicate)
    return folder
