"""The engine's own record of a stage on another machine: ``.skerry/<stage>`` of the job's directory here.

It is laid out as the one that a local process writes (:mod:`engine.execution.stage_file`) and is made before
anything is sent, so that whoever takes the job up knows that it may have begun. The end is written into it
once all files of the attempt are here; from then on the other machine need not be asked.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from contextlib import suppress
from typing import NamedTuple

from engine.execution import stage_file
from engine.execution.files import close_all, put_all, read_beginning
from engine.execution.outcomes import Exit
from engine.execution.remains import LocalRemains

_MOST = 1024


class Intent(NamedTuple):
    """``token`` tells a request that is sent again from another one; ``generation`` counts those given up."""

    token: str
    generation: int

    def file(self, stage: str) -> str:
        """The name of the stage's file on the other machine."""
        return stage if not self.generation else f"{stage}.{self.generation}"


def create(path: str, mark: str, boot: str) -> Intent:
    """Write it down. Raises SkerryError: the stage was started before, or there is no room."""
    made = Intent(secrets.token_hex(8), generation(path))
    close_all([stage_file.create(path, mark, boot=boot, more=f"token {made.token}\n")])
    return made


def generation(path: str) -> int:
    """How many times a stage was given up before it began."""
    number = 0
    while os.path.lexists(f"{path}.{number}"):
        number += 1
    return number


def token_of(path: str) -> str:
    """That of the record there, or nothing."""
    for line in (read_beginning(path, _MOST) or b"").decode("utf-8", "replace").splitlines():
        if line.startswith("token "):
            return line[6:]
    return ""


def note_pid(path: str, pid: int) -> None:
    """Best effort: it can be asked again."""
    stage_file.note_pid_in(path, pid)


def note_end(path: str, pid: int | None, end: Exit) -> None:
    """The end, over the blanks that a process here would write over. OSError."""
    fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        begun = f"begun {pid}\n" if pid else ""
        put_all(fd, f"{begun}exit {end.code} {end.code}\n".encode())
    finally:
        os.close(fd)


class SshRemains(LocalRemains):
    """What the stages of one attempt left here; what was given up is kept beside it, as a count."""

    def __init__(self, directory: str | None, mark: str) -> None:
        super().__init__(directory, mark, lambda attempts: ())

    def forget(self, stage: str) -> None:
        path = self._path(stage)
        with suppress(FileNotFoundError):
            os.rename(path, f"{path}.{generation(path)}")
