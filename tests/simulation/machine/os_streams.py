"""File objects whose bytes go through os, as those of Python's own open do not."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Mapping
from typing import Any, Protocol

Data = bytes | bytearray | memoryview


class Calls(Protocol):
    """What a file object asks of the functions of os."""

    @property
    def opened(self) -> Mapping[int, object]: ...

    def write(self, fd: int, data: Data) -> int: ...

    def ftruncate(self, fd: int, length: int) -> None: ...

    def close(self, fd: int) -> None: ...


class Stream(io.FileIO):
    """The lowest layer of a file object, writing and closing through os.

    Once its descriptor was released the number may be another's: then it does nothing.
    """

    def __init__(self, calls: Calls, fd: int, mode: str, closes: bool) -> None:
        super().__init__(fd, mode, closefd=False)
        self._calls = calls
        self._closes = closes
        self._opened = calls.opened.get(fd)

    def write(self, data: Any) -> int:
        self._check()
        return self._calls.write(self.fileno(), data)

    def truncate(self, size: int | None = None) -> int:
        self._check()
        length = self.tell() if size is None else size
        self._calls.ftruncate(self.fileno(), length)
        return length

    def close(self) -> None:
        if not self.closed:
            fd = self.fileno()
            super().close()
            if self._closes and self._is_open(fd):
                self._calls.close(fd)

    def _is_open(self, fd: int) -> bool:
        return self._opened is not None and self._calls.opened.get(fd) is self._opened

    def _check(self) -> None:
        if not self._is_open(self.fileno()):
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def layered(
    raw: Stream, mode: str, buffering: int, encoding: str | None, errors: str | None, newline: str | None
) -> Any:
    if buffering == 0:
        return raw
    kind: Any = io.BufferedReader if "r" in mode else io.BufferedWriter
    buffer = (io.BufferedRandom if "+" in mode else kind)(raw, buffering if buffering > 1 else 8192)
    if "b" in mode:
        return buffer
    text = io.TextIOWrapper(buffer, encoding, errors, newline, line_buffering=buffering == 1)
    text.mode = mode  # type: ignore[misc]  # as open does
    return text


def flags_of(mode: str) -> int:
    access = os.O_RDWR if "+" in mode else os.O_WRONLY
    made = {"w": os.O_CREAT | os.O_TRUNC, "a": os.O_CREAT | os.O_APPEND, "x": os.O_CREAT | os.O_EXCL, "r": 0}
    return access | made[next(letter for letter in mode if letter in made)] | os.O_CLOEXEC
