"""One line of the context log: how it is written, read and verified.

``{"seq":1,"time":"…","run":1,"actor":"engine","path":"$.…","new":…,"sum":"crc32"}``; ``sum`` is
the CRC-32, in eight hex digits, of the bytes of the line before ``,"sum"``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from json.encoder import encode_basestring
from typing import Any, Final, NamedTuple
from zlib import crc32

from engine.context.tree import MISSING
from engine.model.codes.context import CANNOT_SET, LOG_ALTERED, LOG_GAP, LOG_TORN, NOT_JSON
from engine.model.errors import SkerryError
from engine.model.expression import Path, format_path
from engine.model.json_text import compact, read_json

ENGINE: Final = "engine"  # the actor of what nobody did by hand
_TAIL: Final = len(',"sum":"01234567"}')
_dumps = compact(nan=False)
_PLAIN: Final = frozenset({int, bool, type(None)})


class Line(NamedTuple):
    """One change of the context. ``text`` is the whole line without its newline; ``new`` and
    ``old`` are MISSING where the line has none."""

    seq: int
    text: str
    path: Path
    new: Any = MISSING
    old: Any = MISSING


def frozen(value: Any) -> tuple[Any, str]:
    """A value of its own for the tree, and its JSON; SkerryError if it is no JSON value.

    What comes back is what a replay reads: tuples become lists, keys texts, and half surrogate
    pairs (which no file can hold) question marks.
    """
    kind = value.__class__
    if kind is str and value.isascii():
        return value, encode_basestring(value)
    if kind in _PLAIN:
        return value, _dumps(value)
    text = json_text(value)
    return (value if kind is str and text[1:-1] == value else json.loads(text)), text


def json_text(value: Any) -> str:
    """Compact JSON that can be written as UTF-8."""
    try:
        text = _dumps(value)
    except (TypeError, ValueError, RecursionError):
        message = "the value cannot be part of the context: it is none of JSON, or nested too deeply"
        raise SkerryError(NOT_JSON, message) from None
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def seal(body: str) -> str:
    """The whole line from everything before its sum."""
    return f'{body},"sum":"{crc32(body.encode()):08x}"}}'


def body(seq: int, time: str, run: int, actor: str, path: Path) -> str:
    """The beginning of a line, up to its path; SkerryError for a path that no file can hold."""
    where = format_path(path)
    if not where.isascii() and where.encode("utf-8", "replace") != where.encode("utf-8", "surrogatepass"):
        raise SkerryError.at(CANNOT_SET, "{where!a} has half a surrogate pair in it", where)
    who = encode_basestring(actor) if actor.isascii() else json_text(actor)
    return f'{{"seq":{seq},"time":"{time}","run":{run},"actor":{who},"path":{encode_basestring(where)}'


def tail(expression: str | None, inputs: Mapping[str, Any] | None, why: str | None) -> str:
    """What a line says about its reason."""
    parts = [("expression", expression), ("inputs", inputs), ("why", why)]
    return "".join(f',"{name}":{json_text(value)}' for name, value in parts if value is not None)


def is_whole(line: str | bytes) -> bool:
    """Whether a line was written to its end (its content may still be damaged)."""
    tail = line[-_TAIL:]
    if isinstance(tail, bytes):
        return tail.startswith(b',"sum":"') and tail.endswith(b'"}')
    return tail.startswith(',"sum":"') and tail.endswith('"}')


def is_sound(line: str | bytes) -> bool:
    """Whether a line is what was written."""
    data = line.encode("utf-8", "replace") if isinstance(line, str) else line
    expected = data[-_TAIL + 8 : -2].decode("ascii", "replace")
    return is_whole(data) and f"{crc32(data[:-_TAIL]):08x}" == expected


class LineReader:
    """Reads the lines of a log in their order; ``torn`` reports a last one that was left out, else None."""

    def __init__(self) -> None:
        self.torn: SkerryError | None = None

    def _whole(self, line: str | bytes, last: int) -> str | bytes:
        """The line behind number ``last`` without its newline; nothing for one that is torn or empty.

        SkerryError when a line follows a torn one.
        """
        line = line.rstrip(b"\r\n") if isinstance(line, bytes) else line.rstrip("\r\n")
        if line and self.torn is not None:
            raise SkerryError(LOG_ALTERED, "the line after line {last} is not whole", last=last)
        if is_whole(line):
            return line
        if line:
            self.torn = SkerryError(LOG_TORN, "the line after line {last} is torn", last=last)
        return b""


def check_next(record: Mapping[str, Any], last: int) -> None:
    """SkerryError unless a record has the number behind ``last``."""
    if record["seq"] != last + 1:
        message = "line {missing} is missing: line {found} follows line {last}"
        raise SkerryError(LOG_GAP, message, missing=last + 1, found=record["seq"], last=last)


def read_line(line: str | bytes) -> dict[str, Any]:
    """The record of a line, with its sum verified; SkerryError if it is not what was written."""
    data = line.encode("utf-8", "replace") if isinstance(line, str) else line
    if not is_sound(data):
        raise SkerryError.at(LOG_ALTERED, "the checksum does not fit: {where}", _head(data))
    record: dict[str, Any] = read_json(data.decode("utf-8", "surrogatepass"))
    return record


def _head(data: bytes) -> str:
    """The number of a line, as far as it can still be read."""
    number = data[:40].partition(b'"seq":')[2].partition(b",")[0]
    return f"line {number.decode()}" if number.isdigit() else "a line without a readable number"
