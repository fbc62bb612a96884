"""Line numbers of a file of any size: newlines before each block of 64 KiB, counted in one reading."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator

from app.desktop.log.lines import LogBytes

BLOCK = 64 * 1024
_STRIDE = 16 * BLOCK  # read at once


class LineIndex:
    """How many newlines come before each block; grows with the file."""

    def __init__(self) -> None:
        self._before = array("Q", [0])  # newlines before block i; the last is of the part that is counted
        self.counted = 0  # bytes, whole blocks but for the last

    def extend(self, text: LogBytes, size: int) -> Iterator[int]:
        """Count on up to ``size``; gives the bytes counted so far, often enough to be stopped."""
        at = self.counted - self.counted % BLOCK
        del self._before[at // BLOCK + 1 :]
        while at < size:
            piece = text.read(at, min(_STRIDE, size - at))
            if not piece:
                return
            for low in range(0, len(piece), BLOCK):
                self._before.append(self._before[-1] + piece.count(b"\n", low, low + BLOCK))
            at += len(piece)
            self.counted = at
            yield at

    @property
    def lines(self) -> int:
        """Newlines counted so far."""
        return self._before[-1]

    def number(self, text: LogBytes, offset: int) -> int | None:
        """The number, from 1, of the line that holds a byte; None when it is not counted yet."""
        if offset > self.counted:
            return None
        block = min(offset // BLOCK, len(self._before) - 1)
        head = text.read(block * BLOCK, offset - block * BLOCK)
        return self._before[block] + head.count(b"\n") + 1

    def offset(self, text: LogBytes, number: int) -> int | None:
        """Where the line of this number, from 1, begins; None when there is none (yet)."""
        wanted = number - 1
        if wanted <= 0:
            return 0
        if wanted > self.lines:
            return None
        block = bisect_left(self._before, wanted) - 1
        piece, at = text.read(block * BLOCK, BLOCK), -1
        for _ in range(wanted - self._before[block]):
            at = piece.find(b"\n", at + 1)
        return block * BLOCK + at + 1
