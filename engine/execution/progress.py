"""What a running program tells about how far it is: lines ``40 text`` or ``text`` in SKERRY_PROGRESS."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from engine.execution.files import open_plain, read_up_to

_MOST = 64 * 1024  # bytes read at once: only the last lines matter
_LONGEST = 500  # characters of one message
_LINE = re.compile(r"(?:(\d{1,3})(?:\.\d+)?%?(?=\s|$))?\s*(.*)")


class ProgressLine(NamedTuple):
    """``percent`` 0-100 or None, and the text (perhaps empty)."""

    percent: int | None
    text: str

    def __str__(self) -> str:
        """As people read it: ``40 % half of it``."""
        return f"{'' if self.percent is None else f'{self.percent} % '}{self.text}".strip()


class ProgressReader:
    """Reads what was added to one progress file since the last look; never fails, never blocks."""

    __slots__ = ("_offset", "_path")

    def __init__(self, path: str, offset: int = 0) -> None:
        self._path = path
        self._offset = offset

    @property
    def offset(self) -> int:
        """The bytes that it has read, from the beginning of the file."""
        return self._offset

    def news(self) -> list[ProgressLine]:
        """The complete lines since the last look; of very many only the last ones."""
        if not os.access(self._path, os.F_OK):  # nearly always: an exception costs more
            return []
        try:
            opened = open_plain(self._path)
        except OSError:
            return []
        if opened is None:
            return []
        fd, found = opened
        try:
            return self._read(fd, found.st_size)
        finally:
            os.close(fd)

    def _read(self, fd: int, size: int) -> list[ProgressLine]:
        if size <= self._offset:
            self._offset = min(self._offset, size)  # it was written again
            if size < self._offset or size == 0:
                return []
        start = max(self._offset, size - _MOST)
        os.lseek(fd, start, os.SEEK_SET)
        data = read_up_to(fd, _MOST)
        whole = data.rfind(b"\n") + 1
        self._offset = start + whole
        lines = data[:whole].decode("utf-8", "replace").splitlines()
        return [parse(line) for line in lines if line.strip()]


def parse(line: str) -> ProgressLine:
    """One line as the program wrote it.

    >>> parse("40 half of it"), parse("loading")
    (Progress(percent=40, text='half of it'), Progress(percent=None, text='loading'))
    """
    found = _LINE.match(line.strip())
    number, text = found.groups() if found else (None, line)
    if number is not None and int(number) > 100:
        number, text = None, line.strip()
    return ProgressLine(None if number is None else int(number), text[:_LONGEST])
