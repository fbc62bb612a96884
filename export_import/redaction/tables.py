"""Tables within texts (CSV, psql, MySQL, columns by tabs): the cells below a header that names a secret."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from export_import.redaction.secret_names import SecretNames
from export_import.redaction.secret_values import is_harmless

# A cell with one of these words, between two separators or at an end of its line.
_WORD = (
    rb"[ \t]*\"?(?:\w*[_. -])?(?i:\w*passw(?:or)?d|\w*passphrase|pass|pwd|pw|\w*secret|\w*token"
    rb"|\w*api_?key|access_?key|secret_?key|private_?key|psk|pin|credentials?|"
    + "密码|口令|密钥|令牌".encode()
    + rb")(?:[_ -]\w+)?\"?[ \t\r]*"
)
HEADER = rb"(?m:(?:^|[,;|\t])" + _WORD + rb"[,;|\t]|[,;|\t]" + _WORD + rb"$)"
_NAME = re.compile(rb"[A-Za-z_#\x80-\xff][\w.$()/\x80-\xff-]{0,40}(?: [\w()-]{1,20}){0,2}")
_FIRST = re.compile(rb'[ \t|"]*[A-Za-z_#\x80-\xff]')
_RULER = re.compile(rb"[-+=|: \t]+\r?")
_LONGEST = 1 << 20  # bytes of a table without a secret in its cells
_LONGEST_HEAD = 4 << 10
_MOST = 64  # places that may be heads, from the end of a window, and the first
_CELL = {
    each: re.compile(
        rb'[ \t]*(?:"((?:[^"]|"")*)"[ \t]*|([^'
        + re.escape(each)
        + rb"\n]*))(?:"
        + re.escape(each)
        + rb"|(?=\n)|\Z)"
    )
    for each in (b",", b";", b"|", b"\t")
}


class _Head(NamedTuple):
    """The heads of a table: where their line ends, the separator, how many, which are secrets."""

    end: int
    mark: bytes
    width: int
    wanted: dict[int, bytes]


def cells(text: bytes, start: int, names: SecretNames) -> Iterator[tuple[int, int]]:
    """Where the secret cells are in the lines below the line that ``start`` is in."""
    head = _head(text, text.rfind(b"\n", 0, start + 1) + 1, names)
    if head is not None:
        yield from _below(text, head, names)


def head_before(text: bytes, starts: Sequence[int], end: int, names: SecretNames) -> bytes:
    """The line of heads of the table that the last whole line before ``end`` is a row of; empty without one.

    ``starts`` are the places of the text that may be heads. Of rows that look like heads the first counts.
    """
    last = text.rfind(b"\n", 0, max(text.rfind(b"\n", 0, end), 0)) + 1
    found = b""
    for start in reversed((*starts[:1], *starts[-_MOST:])):
        line = text.rfind(b"\n", 0, start + 1) + 1
        head = _head(text, line, names)
        if head is None or not _is_row(text, last, head) or line > last:
            continue
        found = text[line : head.end + 1]
        if not line or not _is_row(text, text.rfind(b"\n", 0, line - 1) + 1, head):
            break
    return found


def _is_row(text: bytes, line: int, head: _Head) -> bool:
    return len(list(_row(text, line, _end(text, line), head.mark))) == head.width


def _head(text: bytes, line: int, names: SecretNames) -> _Head | None:
    """What the line that begins at ``line`` says as the heads of columns."""
    end = _end(text, line)
    if end - line > _LONGEST_HEAD or not _FIRST.match(text, line, end):
        return None
    for mark in (b",", b";", b"\t", b"|"):
        raw = [text[a:b] for a, b in _row(text, line, end, mark)]
        header = [each.strip() for each in raw]
        if mark == b"," and any(each[:1] == b" " for each in raw):
            continue  # a sentence
        framed = mark == b"|" and header and not header[0]
        if len(header) < 2 or not all(_NAME.fullmatch(each) for each in header if each or not framed):
            continue
        wanted = {n: each for n, each in enumerate(header) if names.has(each.decode("utf-8", "replace"))}
        if wanted:
            return _Head(end, mark, len(header), wanted)
    return None


def _below(text: bytes, head: _Head, names: SecretNames) -> Iterator[tuple[int, int]]:
    line = head.end + 1
    limit = line + _LONGEST
    while line < min(limit, len(text)):
        end = _end(text, line)
        if _RULER.fullmatch(text, line, end) and end > line:
            line = end + 1
            continue
        row = list(_row(text, line, end, head.mark))
        if len(row) != head.width:
            return
        for number, name in head.wanted.items():
            begin, stop = row[number]
            value = text[begin:stop]
            begin += len(value) - len(value.lstrip())
            stop = begin + len(value.strip())
            if stop > begin and not is_harmless(names, name, text[begin:stop], True, True, False):
                limit = stop + _LONGEST
                yield begin, stop
        line = max(end, row[-1][1] if row else end) + 1


def _end(text: bytes, start: int) -> int:
    end = text.find(b"\n", start)
    return len(text) if end < 0 else end


def _row(text: bytes, start: int, end: int, mark: bytes) -> Iterator[tuple[int, int]]:
    """The cells of a line; one in quotes may have separators in it."""
    while start <= end:
        cell = _CELL[mark].match(text, start, end)
        if cell is None or (cell.end() == start and start < end):
            return
        yield cell.span(cell.lastindex or 0) if cell.lastindex else (start, start)
        if cell.end() >= end and text[cell.end() - 1 : cell.end()] != mark:
            return
        start = max(cell.end(), start + 1)
