"""What copying and saving give: the text of rows whole, however much of them was drawn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from app.desktop.log.ansi import plain, shown
from app.desktop.log.lines import LogBytes
from app.desktop.log.rows import Caret, PlacedRow, SparseRows

MOST = 32 * 1024 * 1024  # characters on the clipboard; more is to be saved
_PAGE = 500
_CHUNK = 1024 * 1024


class TooMuch(ValueError):
    """More than a clipboard should hold."""


def copied(rows: SparseRows, low: Caret, high: Caret) -> str:
    """The text between two places: parts of the first and last row, all of those between.

    Colours are left out, nothing else. TooMuch when it would be more than MOST.
    """
    parts: list[str] = []
    size = 0
    for placed in _between(rows, low.at, high.at):
        text = _part(rows.text, placed, low, high)
        parts.append(text)
        size += len(text)
        if size > MOST:
            raise TooMuch
    return "".join(parts).removesuffix("\n") if high.column else "".join(parts)


def _between(rows: SparseRows, low: int, high: int) -> Iterator[PlacedRow]:
    at = low
    while page := rows.page(at, _PAGE):
        for placed in page:
            if placed.at > high:
                return
            yield placed
        following = rows.step(page[-1].at, 1)
        if following == page[-1].at:
            return
        at = following


def _part(text: LogBytes, placed: PlacedRow, low: Caret, high: Caret) -> str:
    """A row's own text; where the selection begins or ends within it, what was drawn there."""
    row = placed.row
    drawn = shown(row.text).text
    first = low.column if placed.at == low.at else 0
    last = high.column if placed.at == high.at else None
    if first == 0 and (last is None or last >= len(drawn)):
        return plain(text.read(row.start, row.end - row.start)).replace("\r\n", "\n")
    return drawn[first:last] + ("\n" if last is None else "")


def save(text: LogBytes, path: Path) -> Iterator[int]:
    """Write all of it to a file, byte for byte; gives the bytes written so far."""
    at, size = 0, text.size
    with path.open("wb") as file:
        while at < size and (chunk := text.read(at, min(_CHUNK, size - at))):
            file.write(chunk)
            at += len(chunk)
            yield at
