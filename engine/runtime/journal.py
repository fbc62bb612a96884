"""The files of an instance's directory that follow its context: ctx.log, ctx.json, params.json, currJobs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.context import Line
from engine.context.line import json_text
from engine.execution.directories import InstanceDirectory
from engine.execution.files import append_all, put_all, write_all

_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
_REWRITE = os.O_WRONLY | os.O_TRUNC | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class Journal:
    """Follows one instance; the store has everything first, so a failed write here loses nothing."""

    def __init__(self, folder: InstanceDirectory) -> None:
        self.folder = folder
        self._log: int | None = None

    def create(self) -> None:
        """Make the directory of the instance."""
        self.folder.make()
        with suppress(FileExistsError):
            Path(self.folder.path, ".skerry").mkdir(mode=0o700)

    def append(self, lines: Iterable[Line]) -> None:
        """Add lines to ``ctx.log``."""
        if self._log is None:
            self._log = os.open(f"{self.folder.path}/ctx.log", _APPEND, 0o600)
        append_all(self._log, "".join([f"{line.text}\n" for line in lines]).encode())

    def snapshot(self, canonical: bytes, running: Iterable[str]) -> None:
        """Make ``ctx.json`` and ``currJobs`` current."""
        self.folder.replace("ctx.json", canonical)
        self.folder.replace("currJobs", "".join(f"{node}\n" for node in running).encode())

    def describe(
        self, definitions: Mapping[str, Any], params: Mapping[str, Any], environment: Mapping[str, Any]
    ) -> None:
        """Write down what runs, with which parameters and where: the database can be rebuilt from it."""
        self.folder.replace(".skerry/definitions.json", _line(definitions))
        self.folder.replace("params.json", _line(params))
        self.folder.replace("environment.json", _line(environment))

    def last_seq(self) -> int:
        """The number of the last whole line in ``ctx.log``; a torn one is cut off."""
        path = f"{self.folder.path}/ctx.log"
        try:
            with open(path, "rb+") as file:
                data = file.read()
                whole = data.rfind(b"\n") + 1
                file.truncate(whole)
        except OSError:
            return 0
        last = data[:whole].rstrip(b"\n").rpartition(b"\n")[2]
        return int(json.loads(last)["seq"]) if last else 0

    def catch_up(self, lines: Iterable[str]) -> None:
        """Add the lines that are in the store only."""
        missing = "".join(f"{line}\n" for line in lines)
        if missing:
            append(f"{self.folder.path}/ctx.log", missing.encode())

    def close(self) -> None:
        """Let go of the log."""
        if self._log is not None:
            os.close(self._log)
            self._log = None


class JobFiles:
    """A job's own ctx.log and ctx.json, held open from the start of an attempt to its end."""

    __slots__ = ("_context", "_log", "_shown")

    def __init__(self, folder: str) -> None:
        self._log = os.open(f"{folder}/ctx.log", _APPEND, 0o600)
        self._context = os.open(f"{folder}/ctx.json", _REWRITE, 0o600)
        self._shown = 0  # bytes that may stand there

    def append(self, lines: Iterable[Line]) -> None:
        """Add lines to the log: all of them, or none (then OSError)."""
        append_all(self._log, "".join([f"{line.text}\n" for line in lines]).encode())

    def show(self, entry: dict[str, Any]) -> None:
        """Put the entry in the place of the earlier one."""
        text = f"{json_text(entry)}\n".encode()
        self._shown = max(self._shown, len(text))
        put_all(self._context, text)
        if len(text) < self._shown:
            os.ftruncate(self._context, len(text))
            self._shown = len(text)

    def close(self) -> None:
        """Let go of both."""
        os.close(self._log)
        os.close(self._context)


def write(path: str, content: bytes) -> None:
    """Write a private file; links are not followed."""
    _with(path, _REWRITE, write_all, content)


def append(path: str, content: bytes) -> None:
    """Add to a private file: all of it, or nothing (then OSError)."""
    _with(path, _APPEND, append_all, content)


def _with(path: str, flags: int, put: Callable[[int, bytes], None], content: bytes) -> None:
    fd = os.open(path, flags, 0o600)
    try:
        put(fd, content)
    finally:
        os.close(fd)


def _line(value: Any) -> bytes:
    return f"{json_text(value)}\n".encode()
