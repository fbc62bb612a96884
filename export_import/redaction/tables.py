"""Tables within texts (CSV, psql, MySQL, columns by tabs): the cells below a header that names a secret."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
_RULER = re.compile(rb"[-+=|: \t]+\r?")
_LONGEST = 1 << 20  # bytes of a table within a text
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


def cells(text: bytes, start: int, stop: int, names: SecretNames) -> Iterator[tuple[int, int]]:
    """Where the secret cells are in the lines below the line that ``start`` is in."""
    line = text.rfind(b"\n", 0, start + 1) + 1
    end = _end(text, line)
    if line < start - 4096 or end - line > 4096:
        return
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
            yield from _below(text, end + 1, mark, len(header), wanted, names)
            return


def _below(
    text: bytes, line: int, mark: bytes, width: int, wanted: dict[int, bytes], names: SecretNames
) -> Iterator[tuple[int, int]]:
    limit = min(len(text), line + _LONGEST)
    while line < limit:
        end = _end(text, line)
        if _RULER.fullmatch(text, line, end) and end > line:
            line = end + 1
            continue
        row = list(_row(text, line, end, mark))
        if len(row) != width:
            return
        for number, name in wanted.items():
            if number < len(row):
                begin, stop = row[number]
                value = text[begin:stop]
                begin += len(value) - len(value.lstrip())
                stop = begin + len(value.strip())
                if stop > begin and not is_harmless(names, name, text[begin:stop], True, True, False):
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
