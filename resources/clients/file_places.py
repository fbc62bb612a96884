"""Where a file resource is looked at: on this machine, or by what the worker of a job says of it."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from engine.model.codes.runtime import CANCELLED
from engine.model.errors import SkerryError
from engine.model.message import Message
from engine.plugins.resource_type import FileFacts
from resources.codes import UNREADABLE

_PIECE = 1 << 20


@dataclass(frozen=True)
class FoundFile:
    """``modified`` in seconds of the epoch, ``age`` in seconds by the clock of its machine."""

    path: Path
    size: int
    modified: float
    age: float


class FilePlace(Protocol):
    """One path; each raises SkerryError where it cannot be looked at."""

    @property
    def found(self) -> FoundFile | None:
        """None: nothing is there, or a link to nothing."""

    @property
    def is_taken(self) -> bool:
        """Whether anything has that name, a link to nothing too."""

    def free(self) -> tuple[int, Path]:
        """The free bytes for ordinary users on the disk that it, or its nearest folder, is on; and which."""

    def open(self) -> None:
        """Open it for reading."""

    def sha256(self) -> str:
        """Of its content."""


class HereFile:
    """Of this machine; nothing is changed, not even its time of access where that can be avoided."""

    def __init__(self, path: Path, now: float, is_stopped: Callable[[], bool]) -> None:
        self._path = path
        self._is_stopped = is_stopped
        self._status = _status(path)
        self.found = None if self._status is None else _found(path, self._status, now)

    @property
    def is_taken(self) -> bool:
        return self.found is not None or self._path.is_symlink()

    def free(self) -> tuple[int, Path]:
        disk = next(each for each in (self._path, *self._path.parents) if each.exists())
        return shutil.disk_usage(disk).free, disk

    def open(self) -> None:
        try:
            if self._status is not None and stat.S_ISDIR(self._status.st_mode):
                os.scandir(self._path).close()
            else:
                os.close(os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
        except OSError as error:
            raise _unreadable(error, self._path) from error

    def sha256(self) -> str:
        digest = hashlib.sha256()
        try:
            handle = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(handle, "rb") as file:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise IsADirectoryError(0, "not a regular file")
                while piece := file.read(_PIECE):
                    if self._is_stopped():
                        raise SkerryError(CANCELLED, "stopped on request")
                    digest.update(piece)
        except OSError as error:
            raise _unreadable(error, self._path) from error
        return digest.hexdigest()


class WorkerFile:
    """Of the worker of a job, which is asked once."""

    def __init__(self, path: Path, look: Callable[[str, bool], FileFacts], digest: bool) -> None:
        self._path = path
        self._look = look
        self._digest = digest

    @cached_property
    def _facts(self) -> FileFacts:
        return self._look(str(self._path), self._digest)

    @property
    def found(self) -> FoundFile | None:
        facts = self._facts
        return FoundFile(self._path, facts.size, facts.modified, facts.age) if facts.kind in _THERE else None

    @property
    def is_taken(self) -> bool:
        return self._facts.kind != "none"

    def free(self) -> tuple[int, Path]:
        return self._facts.free, self._path

    def open(self) -> None:
        if not self._facts.readable:
            raise self._problem("Permission denied")

    def sha256(self) -> str:
        if self._facts.sha256 is None:
            why = "Is a directory" if self._facts.kind == "folder" else "not a regular file"
            raise self._problem(why if self._facts.readable else "Permission denied")
        return self._facts.sha256

    def _problem(self, why: str) -> SkerryError:
        details: dict[str, Any] = {"path": str(self._path)}
        return SkerryError(
            UNREADABLE, "{path}: {error}", path=self._path, error=Message.of(why), details=details
        )


_THERE = ("file", "folder", "other")


def _found(path: Path, status: os.stat_result, now: float) -> FoundFile:
    return FoundFile(path, status.st_size, status.st_mtime, max(now - status.st_mtime, 0.0))


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unreadable(error, path) from error


def _unreadable(error: OSError, path: Path) -> SkerryError:
    problem = Message.of(error.strerror or str(error))
    details: dict[str, Any] = {"path": str(path)}
    return SkerryError(UNREADABLE, "{path}: {error}", path=path, error=problem, details=details)
