"""Tables within texts (CSV, psql, MySQL, columns by tabs): the cells below a header that names a secret."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from export_import.redaction.rule import line_end
from export_import.redaction.secret_names import SecretNames
from export_import.redaction.secret_values import is_harmless, strong

# A cell with one of these words, between two separators or at an end of its line.
_WORDS = (
    rb"(?:\w*[_. -]|[\x80-\xff]+)?"
    rb"(?i:\w*passw(?:or)?[dt]|\w*passphrase|pass|pwd|pw|\w*secret|\w*token|kennwort"
    rb"|\w*api[_ -]?key|access_?key|secret_?key|private_?key|psk|pin|credentials?|"
    + "密码|口令|密钥|令牌".encode()
    + rb")(?:[_ -]\w+)?"
)
_WORD = rb"[ \t]*\"?" + _WORDS + rb"\"?[ \t\r]*"
_BAR = "│".encode()
_MARK = rb"(?:[,;|\t]|" + _BAR + rb")"
_IN_SQL = (
    rb"(?i:\binsert[ \t]+(?:ignore[ \t]+)?into[ \t]+[^\s(]+\s*\([^()]*\)\s*values\b"
    rb"|(?m:^)copy[ \t]+[^\s(]+[ \t]*\([^()]*\)[ \t]+from[ \t]+stdin)"
)
HEADER = (
    rb"(?m:(?:^|%(mark)s)%(word)s%(mark)s|%(mark)s%(word)s$"
    rb"|(?:^|[ \t][ \t])%(words)s(?:[ \t][ \t]|[ \t\r]*$))|<(?i:th)[^<>]*>\s*%(words)s\s*</|%(sql)s"
) % {b"mark": _MARK, b"word": _WORD, b"words": _WORDS, b"sql": _IN_SQL}
_INSERT = re.compile(rb"(?i)insert\s+(?:ignore\s+)?into\s+[^\s(]+\s*\(([^()]*)\)\s*values")
_COPY = re.compile(rb"(?i)copy[ \t]+[^\s(]+[ \t]*\(([^()\n]*)\)[ \t]+from[ \t]+stdin")
_ITEM = re.compile(
    rb"""\s*(?:\w?'((?:[^'\\]|\\.|'')*)'|"((?:[^"\\]|\\.)*)"|[^,()']*(?:\([^()]*\))?)[^,()']*""", re.DOTALL
)
_TH = re.compile(rb"(?i)<th\b[^<>]*>([^<]*)")
_TR = re.compile(rb"(?i)<tr\b(?:(?!</tr|<th\b|</table).)*", re.DOTALL)
_TD = re.compile(rb"(?i)<td\b[^<>]*>\s*(?:<(?:code|b|pre|tt)>)?([^<]*)")
_APART = re.compile(rb"[^ \t\r]+(?: [^ \t\r]+)*")
_NAME = re.compile(rb"[A-Za-z_#\x80-\xff][\w.$()/\x80-\xff-]{0,40}(?: [\w()-]{1,20}){0,2}")
_FIRST = re.compile(rb'[ \t|"]*[A-Za-z_#\x80-\xff]')
_RULER = re.compile(rb"[-+=|: \t\xe2\x94\x95\x80-\xbf]+\r?")
_DASHES = re.compile(rb"[-=]{2,}")
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
_CELL[_BAR] = re.compile(rb"[ \t]*()((?:(?!" + _BAR + rb")[^\n])*)(?:" + _BAR + rb"|(?=\n)|\Z)")


class _TableHeads(NamedTuple):
    """The heads of a table: where their line ends, what separates them (or from where to where they go), how
    many they are, which are secrets."""

    end: int
    mark: bytes
    width: int
    secrets: dict[int, bytes]
    spans: tuple[tuple[int, int], ...] = ()
    ruled: bool = True

    def row(self, text: bytes, line: int, end: int) -> list[tuple[int, int]]:
        """The cells of a line; too few where it is no row."""
        return _columns(text, line, end, self.spans) if self.spans else list(_row(text, line, end, self.mark))


def cells(text: bytes, start: int, names: SecretNames) -> Iterator[tuple[int, int]]:
    """Where the secret cells are in the lines below the line that ``start`` is in."""
    if insert := _INSERT.match(text, start):
        yield from _inserted(text, insert, names)
        return
    if text[start : start + 3].lower() == b"<th":
        yield from _in_html(text, start, names)
        return
    head = _head(text, text.rfind(b"\n", 0, start + 1) + 1, names)
    if head is not None:
        yield from _below(text, head, names)


def head_before(text: bytes, starts: Sequence[int], end: int, names: SecretNames) -> bytes:
    """The line of heads of the table that the last whole line before ``end`` is a row of; empty without one.

    ``starts`` are the places of the text that may be heads. Of rows that look like heads the first counts.
    """
    last = text.rfind(b"\n", 0, max(text.rfind(b"\n", 0, end), 0)) + 1
    line_of_heads = b""
    for start in reversed((*starts[:1], *starts[-_MOST:])):
        line = text.rfind(b"\n", 0, start + 1) + 1
        head = _head(text, line, names)
        if head is None or not _is_row(text, last, head) or line > last:
            continue
        line_of_heads = text[line : head.end + 1]
        if not line or not _is_row(text, text.rfind(b"\n", 0, line - 1) + 1, head):
            break
    return line_of_heads


def _is_row(text: bytes, line: int, head: _TableHeads) -> bool:
    return len(head.row(text, line, line_end(text, line))) == head.width


def _head(text: bytes, line: int, names: SecretNames) -> _TableHeads | None:
    """What the line that begins at ``line`` says as the heads of columns."""
    end = line_end(text, line)
    if end - line > _LONGEST_HEAD or not _FIRST.match(text, line, end):
        return None
    if copied := _COPY.match(text, line):
        columns = [each.strip(b' "') for each in copied[1].split(b",")]
        secrets = _secret_columns(columns, names)
        return _TableHeads(end, b"\t", len(columns), secrets) if secrets else None
    for mark in (b",", b";", b"\t", b"|", _BAR):
        raw = [text[a:b] for a, b in _row(text, line, end, mark)]
        header = [each.strip() for each in raw]
        if mark == b"," and any(each[:1] == b" " for each in raw):
            continue  # a sentence
        framed = mark in (b"|", _BAR) and header and not header[0]
        if len(header) < 2 or not all(_NAME.fullmatch(each) for each in header if each or not framed):
            continue
        if secrets := _secret_columns(header, names):
            return _TableHeads(end, mark, len(header), secrets)
    return _aligned(text, line, end, names)


def _secret_columns(header: Sequence[bytes], names: SecretNames) -> dict[int, bytes]:
    return {n: each for n, each in enumerate(header) if names.has(each.decode("utf-8", "replace"))}


def _aligned(text: bytes, line: int, end: int, names: SecretNames) -> _TableHeads | None:
    """Heads with blanks between them: of as many rulers below, or as far as the next head."""
    heads = [each.span() for each in _APART.finditer(text, line, end)]
    header = [text[begin:stop] for begin, stop in heads]
    secrets = _secret_columns(header, names)
    if len(heads) < 2 or not secrets or not all(_NAME.fullmatch(each) for each in header):
        return None
    stop = line_end(text, end + 1)
    rulers = [each.span() for each in _DASHES.finditer(text, end + 1, stop)]
    if _RULER.fullmatch(text, end + 1, stop) and len(rulers) == len(heads):
        spans = tuple((begin - end - 1, last - end - 1) for begin, last in rulers)
        return _TableHeads(stop, b"", len(heads), secrets, spans)
    starts = [begin - line for begin, _ in heads]
    spans = tuple(zip(starts, [*starts[1:], _LONGEST_HEAD], strict=True))
    return _TableHeads(end, b"", len(heads), secrets, spans, False)


def _columns(text: bytes, line: int, end: int, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The cells at their places of a line; none where something goes across a beginning."""
    apart = all(
        not begin or text[min(line + begin - 1, end) : line + begin].strip() == b"" for begin, _ in spans
    )
    return [(min(line + a, end), min(line + b, end)) for a, b in spans] if apart and line < end else []


def _inserted(text: bytes, insert: re.Match[bytes], names: SecretNames) -> Iterator[tuple[int, int]]:
    """The secret values of ``INSERT INTO t (a, b) VALUES (…), (…)``."""
    secrets = _secret_columns([each.strip(b' \t\r\n`"[]') for each in insert[1].split(b",")], names)
    opens = re.compile(rb"[\s,]*\(")
    position = insert.end()
    while secrets and (opened := opens.match(text, position)) is not None:
        number, position = 0, opened.end()
        while (item := _ITEM.match(text, position)) is not None:
            begin, stop = item.span(item.lastindex or 0)
            name = secrets.get(number)
            if name is not None and item.lastindex and not is_harmless(names, name, text[begin:stop]):
                yield begin, stop
            number, position = number + 1, item.end() + 1
            if text[item.end() : position] != b",":
                break


def _in_html(text: bytes, start: int, names: SecretNames) -> Iterator[tuple[int, int]]:
    """The cells below ``<th>Password</th>``; without elements of their own."""
    first = max(start - _LONGEST_HEAD, 0)
    row = first + max(text[first:start].lower().rfind(b"<tr"), 0)
    end = re.compile(rb"(?i)</tr|<td|\Z").search(text, start).start()  # type: ignore[union-attr]
    secrets = _secret_columns([each.strip() for each in _TH.findall(text, row, end)], names)
    for line in _TR.finditer(text, end, _table_end(text, end)):
        for number, cell in enumerate(_TD.finditer(text, *line.span())):
            begin, stop = cell.span(1)
            name = secrets.get(number)
            if name is not None and not is_harmless(names, name, text[begin:stop]):
                yield begin, stop


def _table_end(text: bytes, start: int) -> int:
    end = text.find(b"</table", start, start + _LONGEST)
    return end if end >= 0 else min(len(text), start + _LONGEST)


def _below(text: bytes, head: _TableHeads, names: SecretNames) -> Iterator[tuple[int, int]]:
    line = head.end + 1
    limit = line + _LONGEST
    while line < min(limit, len(text)):
        end = line_end(text, line)
        if _RULER.fullmatch(text, line, end) and end > line:
            line = end + 1
            continue
        row = head.row(text, line, end)
        if len(row) != head.width:
            return
        for number, name in head.secrets.items():
            begin, stop = row[number]
            value = text[begin:stop]
            begin += len(value) - len(value.lstrip())
            stop = begin + len(value.strip())
            if not head.ruled and not strong(text[begin:stop]):
                continue
            if stop > begin and not is_harmless(names, name, text[begin:stop]):
                limit = stop + _LONGEST
                yield begin, stop
        line = max(end, row[-1][1] if row else end) + 1


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
