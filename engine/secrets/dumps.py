"""Dumps (``xxd``, ``hexdump``, ``od``) read back into the bytes that they show."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate, chain
from typing import NamedTuple

_LONGEST = 400  # bytes of a row
_AGAIN = 64  # rows that are taken for one of ``*``: more than a secret has that repeats itself
_ROW = rb"""
      [ \t]* HEX{6,16} : (?P<xxd> [ ]+ HEX{2,16} (?:[ ]HEX{2,16})* ) (?:[ ][ ][^\n]*)?
    | [ \t]* (?: HEX{6,16} (?=[ \t]) )? (?P<tokens> (?: [ \t]+ HEX{2,16} )+ )
      [ \t]* (?: \|[^\n]*\| | >[^\n]*< )?
    | (?: HEX{6,16} )? (?P<cells> CELL+ ) [ \t]*
    | (?P<again> \* )
"""
_TO_COME = rb"""
      [ \t]* HEX{6,16} :? (?: [ \t][^\n]* )?
    | [0-9a-fA-F \t]* (?: [|>][^\n]* )? \r?
    | CELL* (?: [ ][ -~]{0,2} | [ \t]* ) \r?
    | \* \r?
"""


def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    cell = rb"(?: [ ] (?: [ ]{2}[!-~] | [ ][!-~]{2} | [!-~]{3} | [ ]{3} ) )"  # of od -c, od -a, hexdump -c
    pattern = pattern.replace(b"CELL", cell).replace(b"HEX", b"[0-9a-fA-F]")
    return re.compile(pattern, re.MULTILINE | re.VERBOSE)


_LINE = _compiled(b"(?:" + _ROW + rb") \r?$")
_MAY_BE = _compiled(
    rb"\n (?: HEX{6,16} :? [ \t] | [ \t]+ HEX{2,16} :? (?! [^ \t\r\n] )"
    rb"| [ ] (?: [ ]{2}[!-~] | [ ][!-~]{2} ) [ ] )"
)
_BEGUN = _compiled(_TO_COME)
_CONTROLS = (
    b"nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si "
    b"dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp"
)
_CELLS = {b"": 32, b"del": 127, b"\\0": 0}
_CELLS |= {name: number for number, name in enumerate(_CONTROLS.split())}
_CELLS |= {b"\\" + mark.encode(): 7 + number for number, mark in enumerate("abtnvfr")}
_NUMBERS = {3: ("cells", 8, 255), 5: ("decimal", 10, 65535), 6: ("octal", 8, 65535)}  # by their digits


class Row(NamedTuple):
    """Where the bytes of a row begin and where its line ends, and its tokens."""

    start: int
    stop: int
    tokens: list[bytes]


class Block(NamedTuple):
    """Rows below each other that show bytes in one way."""

    kind: str
    width: int  # characters of a token
    rows: list[Row]

    def readings(self) -> Iterator[bytes]:
        """What the rows may show; of words either byte may be the first."""
        tokens = chain.from_iterable(row.tokens for row in self.rows)
        if self.kind not in ("xxd", "words"):
            yield b"".join(map(_READ[self.kind], tokens))
            return
        yield (data := bytes.fromhex(b"".join(tokens).decode()))
        if self.kind == "words" and (size := self.width // 2) > 1:
            swapped = bytearray(len(data))
            for offset in range(size):
                swapped[offset::size] = data[size - 1 - offset :: size]
            yield bytes(swapped)

    def span_of(self, begin: int, end: int) -> tuple[int, int]:
        """The rows that show these bytes of a reading, whole."""
        ends = list(accumulate(self._bytes(row) for row in self.rows))
        return self.rows[bisect_right(ends, begin)].start, self.rows[bisect_right(ends, end - 1)].stop

    def _bytes(self, row: Row) -> int:
        if self.kind in ("xxd", "words"):
            return sum(map(len, row.tokens)) // 2
        return len(row.tokens) * (2 if self.kind in ("octal", "decimal") else 1)


def may_show(text: bytes) -> bool:
    """Whether there may be a dump in it; quick."""
    return _MAY_BE.search(b"\n" + text) is not None


def may_become(line: bytes) -> bool:
    """Whether the beginning of a line may be that of a row."""
    return len(line) < _LONGEST and _BEGUN.fullmatch(line) is not None


def blocks(text: bytes) -> Iterator[Block]:
    """The dumps in whole lines, in order."""
    block: Block | None = None
    after = 0
    for row in _rows(b"\n" + text):
        kind, tokens = _tokens(row)
        if block is not None and not (row.start() == after and _goes_on(block, kind, tokens)):
            yield block
            block = None
        if block is None and kind not in ("", "again"):
            block = Block(kind, len(tokens[0]), [])
        if block is not None:
            tokens = tokens or block.rows[-1].tokens * _AGAIN
            block.rows.append(Row(row.start(row.lastgroup or 0) - 1, row.end() - 1, tokens))
        after = row.end() + 1
    if block is not None:
        yield block


def _rows(text: bytes) -> Iterator[re.Match[bytes]]:
    """The lines that look like rows, of a text that begins with the end of one."""
    position = 0
    while (hint := _MAY_BE.search(text, position)) is not None:
        position = hint.start() + 1
        while (row := _LINE.match(text, position)) is not None and row.end() - position <= _LONGEST:
            yield row
            position = row.end() + 1
        position = max(position - 1, hint.start() + 1)


def _tokens(row: re.Match[bytes]) -> tuple[str, list[bytes]]:
    """What kind of tokens a row has, and which; no kind where it is no row of a dump."""
    shape, text = row.lastgroup or "", row[row.lastgroup or 0]
    if shape == "again":
        return "again", []
    if shape == "cells":
        return "cells", [text[at : at + 4].strip() for at in range(0, len(text), 4)]
    tokens = text.split()
    return _kind(tokens, shape == "xxd"), tokens


def _kind(tokens: list[bytes], is_xxd: bool) -> str:
    width = len(tokens[0])
    if width == 8 and max(map(max, tokens)) <= ord("1"):
        return "bits"
    if is_xxd:
        return "xxd" if not any(len(each) % 2 for each in tokens) else ""
    if any(len(each) != width for each in tokens):
        return ""
    if width in _NUMBERS:
        kind, base, most = _NUMBERS[width]
        if all(each.isdigit() and max(each) < 48 + base and int(each, base) <= most for each in tokens):
            return kind
    return "words" if width in (2, 4, 8, 16) else ""


def _goes_on(block: Block, kind: str, tokens: list[bytes]) -> bool:
    """Whether a row that follows belongs to the block."""
    return kind == "again" or (
        kind == block.kind and (kind in ("xxd", "cells") or len(tokens[0]) == block.width)
    )


def _cell(cell: bytes) -> bytes:
    if len(cell) == 1:
        return cell
    is_number = len(cell) == 3 and cell.isdigit() and max(cell) <= ord("7")
    return bytes((int(cell, 8) & 255 if is_number else _CELLS.get(cell, 0),))


_READ: dict[str, Callable[[bytes], bytes]] = {
    "octal": lambda token: int(token, 8).to_bytes(2, "little"),
    "decimal": lambda token: int(token).to_bytes(2, "little"),
    "bits": lambda token: bytes((int(token, 2),)),
    "cells": _cell,
}
