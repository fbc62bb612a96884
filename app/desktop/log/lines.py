"""Lines of a file of any size, by byte offset: nothing is loaded, only what is looked at is read.

A *row* is a line, or a piece of a line that is too long: a row that starts at ``s`` ends with the next
newline or, when none comes, at the first multiple of ``PIECE`` that is at least ``PIECE`` away. So the
start of the row around any offset is found within two pieces.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

PIECE = 256 * 1024  # bytes; a power of two
SHOWN = 4096  # bytes of a row that are drawn; the rest is there to be copied and saved
_BLOCK = 64 * 1024


class LogRow(NamedTuple):
    """One row: where it is, with its newline; what is shown of it; which log it is of."""

    start: int
    end: int
    text: bytes
    cut: int = 0  # bytes that are not shown
    source: int = 0  # 0 standard output, 1 standard error


class LogBytes:
    """Bytes by offset, seen as rows."""

    size = 0
    _source = 0

    def read(self, offset: int, length: int) -> bytes:
        """Up to ``length`` bytes; fewer at the end, none when it is gone."""
        raise NotImplementedError

    def refresh(self) -> bool:
        """Look whether there is more; True when what was known is void. What cannot grow never has more."""
        return False

    def close(self) -> None:
        """Give back what is open."""

    def source(self, offset: int) -> int:
        """Which log the row that begins here is of."""
        return self._source

    def start(self, offset: int, low: int = 0) -> int:
        """The start of the row that holds a byte; ``low`` is a row start below which nobody looks."""
        if offset <= low:
            return low
        from_ = max(low, offset - 2 * PIECE)
        before = self.read(from_, offset - from_)
        newline = before.rfind(b"\n")
        if newline < 0 and from_ > low:
            return offset - offset % PIECE
        line = from_ + newline + 1 if newline >= 0 else low
        broken = _broken(line)
        return line if offset < broken else max(broken, offset - offset % PIECE)

    def end(self, start: int, high: int) -> int:
        """The end of the row that begins at ``start``; ``high`` is where this part of the log ends."""
        limit, at = min(_broken(start), high), start
        while at < limit:
            block = self.read(at, min(_BLOCK, limit - at))
            if not block:
                return at
            newline = block.find(b"\n")
            if newline >= 0:
                return at + newline + 1
            at += len(block)
        return limit

    def rows(self, start: int, count: int, high: int | None = None) -> list[LogRow]:
        """Up to ``count`` rows from a row start on."""
        high = self.size if high is None else min(high, self.size)
        found: list[LogRow] = []
        block, base = b"", start
        while len(found) < count and start < high:
            newline = block.find(b"\n", start - base)
            if newline < 0:
                block, base = self.read(start, _BLOCK), start
                newline = block.find(b"\n")
            end = base + newline + 1 if newline >= 0 else self.end(start, high)
            end = min(end, high)
            if end <= start:
                break
            found.append(self._row(start, end, block[start - base : start - base + SHOWN]))
            start = end
        return found

    def row(self, start: int, high: int | None = None) -> LogRow:
        found = self.rows(start, 1, high)
        return found[0] if found else LogRow(start, start, b"", 0, self.source(start))

    def before(self, start: int, count: int, low: int = 0) -> int:
        """The start of the row ``count`` rows above the one that begins at ``start``."""
        while count > 0 and start > low:
            start = self.start(start - 1, low)
            count -= 1
        return start

    def _row(self, start: int, end: int, shown: bytes) -> LogRow:
        shown = shown[: end - start]
        text = shown.rstrip(b"\n")
        text = text[:-1] if text.endswith(b"\r") else text
        return LogRow(start, end, text, max(0, end - start - len(shown)), self.source(start))


class LogText(LogBytes):
    """An open log; it may grow, be cut or be replaced while it is read."""

    def __init__(self, path: Path, source: int = 0) -> None:
        self.path = path
        self._source = source
        self._fd: int | None = None
        self._retired: int | None = None
        self._inode = 0
        self.size = 0
        self.refresh()

    def refresh(self) -> bool:
        """Look at the file again; True when it is another one or shorter: what was known of it is void."""
        try:
            found = os.stat(self.path)
        except OSError:
            return self._forget()
        renewed = self._fd is not None and (found.st_ino != self._inode or found.st_size < self.size)
        if self._fd is None or found.st_ino != self._inode:
            self._retire()
            self._fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
            self._inode = found.st_ino
        self.size = found.st_size
        return renewed

    def _forget(self) -> bool:
        had = self.size > 0
        self._retire()
        self.size = 0
        return had

    def close(self) -> None:
        self._retire()
        self._retire()

    def _retire(self) -> None:
        """Close a descriptor one change late: another thread may still be reading from it."""
        if self._retired is not None:
            os.close(self._retired)
        self._fd, self._retired = None, self._fd

    def read(self, offset: int, length: int) -> bytes:
        if self._fd is None or length <= 0:
            return b""
        try:
            return os.pread(self._fd, length, offset)
        except OSError:
            return b""


def _broken(start: int) -> int:
    """Where a row from ``start`` on is broken when no newline comes."""
    return (start + 2 * PIECE - 1) & ~(PIECE - 1)
