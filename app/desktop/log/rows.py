"""What a log view walks over: every row of a text, or only those that were found; both by position."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from app.desktop.log.index import LineIndex
from app.desktop.log.lines import LogBytes, LogRow


class PlacedRow(NamedTuple):
    at: int
    row: LogRow


class Caret(NamedTuple):
    """A point in the text: the position of a row and a column of what is drawn of it."""

    at: int
    column: int


class SparseRows:
    """Rows by position; positions run from 0 to ``extent`` and need not be dense."""

    def __init__(self, text: LogBytes, index: LineIndex) -> None:
        self.text = text
        self._index = index

    def extent(self) -> int:
        """The position behind the last row."""
        raise NotImplementedError

    def page(self, at: int, count: int) -> list[PlacedRow]:
        """Up to ``count`` rows from a row's position on."""
        raise NotImplementedError

    def step(self, at: int, count: int) -> int:
        """The position of the row ``count`` rows further down, or up when negative; stays within."""
        raise NotImplementedError

    def snap(self, at: int) -> int:
        """The position of the row that holds it."""
        raise NotImplementedError

    def number(self, row: LogRow) -> int | None:
        """The number of its line, if known."""
        return self._index.number(self.text, row.start)


class AllRows(SparseRows):
    """Every row; a position is a byte offset."""

    def extent(self) -> int:
        return self.text.size

    def page(self, at: int, count: int) -> list[PlacedRow]:
        return [PlacedRow(row.start, row) for row in self.text.rows(at, count)]

    def step(self, at: int, count: int) -> int:
        if count < 0:
            return self.text.before(at, -count)
        rows = self.text.rows(at, count + 1)
        return rows[-1].start if rows else at

    def snap(self, at: int) -> int:
        return self.text.start(min(at, max(0, self.text.size - 1)))


class FoundRows(SparseRows):
    """The rows that a search found; a position is a row's number among them."""

    def __init__(self, text: LogBytes, index: LineIndex, starts: array[int]) -> None:
        super().__init__(text, index)
        self.starts = starts

    def extent(self) -> int:
        return len(self.starts)

    def page(self, at: int, count: int) -> list[PlacedRow]:
        chosen = self.starts[max(0, at) : at + count]
        return [PlacedRow(at + i, self.text.row(start)) for i, start in enumerate(chosen)]

    def step(self, at: int, count: int) -> int:
        return min(max(0, at + count), max(0, len(self.starts) - 1))

    def snap(self, at: int) -> int:
        return self.step(at, 0)
