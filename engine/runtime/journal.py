"""The files of an instance's directory that follow its context: ctx.log, ctx.json, params.json, currJobs."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.context import Line
from engine.context.line import json_text
from engine.execution.directories import InstanceDirectory
from engine.execution.files import append_all, put_all, replace
from engine.model.disk import read_plain

_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_REWRITE = os.O_WRONLY | os.O_TRUNC | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class Journal:
    """Follows one instance; the store has everything first, so a failed write here loses nothing."""

    def __init__(self, folder: InstanceDirectory) -> None:
        self.folder = folder
        self._log: int | None = None

    def create(self) -> None:
        self.folder.make()
        with suppress(FileExistsError):
            Path(self.folder.path, ".skerry").mkdir(mode=0o700)

    def append(self, lines: Iterable[Line]) -> None:
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
        self.folder.replace(".skerry/definitions.json", json_line(definitions))
        self.folder.replace("params.json", json_line(params))
        self.folder.replace("environment.json", json_line(environment))

    def catch_up(self, lines: Iterable[str]) -> str | None:
        """Make ``ctx.log`` what the store has; anything else in it is set aside: gives its new name."""
        wanted = "".join(f"{line}\n" for line in lines).encode()
        path = f"{self.folder.path}/ctx.log"
        found = read_plain(path)
        if found is not None and wanted.startswith(found):
            if found != wanted:
                append(path, wanted[len(found) :])
            return None
        if found is not None and found.startswith(wanted) and b"\n" not in found[len(wanted) :]:
            os.truncate(path, len(wanted))  # a line that was begun and never became durable
            return None
        self.close()
        aside = set_aside(path)
        replace(path, wanted)
        return aside

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
        self._shown = 0  # bytes that may be there

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


def set_aside(path: str) -> str | None:
    """Keep what is where a file should be under a name of its own; gives that, None where nothing was."""
    for number in itertools.count(1):
        kept = f"{path}.damaged-{number}"
        if not os.path.lexists(kept):
            break
    if not os.path.lexists(path):
        return None
    os.rename(path, kept)
    return kept


def append(path: str, content: bytes) -> None:
    """Add to a private file: all of it, or nothing (then OSError)."""
    fd = os.open(path, _APPEND, 0o600)
    try:
        append_all(fd, content)
    finally:
        os.close(fd)


def json_line(value: Any) -> bytes:
    return f"{json_text(value)}\n".encode()
