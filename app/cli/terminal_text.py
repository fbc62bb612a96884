"""Text for a terminal: control characters made visible, columns aligned also with wide characters."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from app.failure_words import with_failure_words
from engine.model.reason import Reason
from engine.model.reason_words import words

# Control characters, line separators, direction overrides, invisible ones and lone surrogates: a
# name or a message must not be able to move the cursor, colour the line or hide a part of itself.
_HOSTILE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)

_NARROWEST = 20  # letters; a terminal narrower than this wraps by itself


def visible(value: object) -> str:
    r"""One line of text in which nothing is hidden.

    >>> visible("a\x1b[31m\n")
    'a\\x1b[31m\\n'
    """
    return _HOSTILE.sub(_escaped, str(value))


def harmless(text: str) -> str:
    r"""Lines of text without control characters; line breaks and tabs stay.

    >>> harmless("a\x1b]0;b\x07\n\tc")
    'a\\x1b]0;b\\x07\n\tc'
    """
    return _HOSTILE.sub(lambda found: found[0] if found[0] in "\n\t" else _escaped(found), text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def width(text: str) -> int:
    """How many cells of a terminal it takes."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(each) in "WF" for each in text)
    return len(text) + wide - sum(1 for each in text if unicodedata.combining(each))


def columns(heads: Sequence[str], rows: Iterable[Sequence[object]], indent: str = "") -> Iterator[str]:
    """Aligned lines under a line of heads; the last column is never padded or cut."""
    table = [list(heads), *([visible("" if cell is None else cell) for cell in row] for row in rows)]
    widths = [max(width(row[place]) for row in table) for place in range(len(heads))]
    for row in table:
        padded = (cell + " " * (size - width(cell)) for cell, size in zip(row, widths, strict=True))
        yield (indent + "  ".join(padded)).rstrip()


def pairs(rows: Iterable[tuple[str, object]], indent: str = "  ", room: int | None = None) -> Iterator[str]:
    """``name   value`` lines with the values in one column; wrapped there where ``room`` has the cells."""
    found = [(name, visible(value)) for name, value in rows if value not in (None, "")]
    widest = max((width(name) for name, _ in found), default=0)
    for name, value in found:
        head = f"{indent}{name}{' ' * (widest - width(name))}  "
        first, *more = _wrapped(value, room and room - width(head))
        yield head + first
        yield from (" " * width(head) + line for line in more)


def _wrapped(text: str, room: int | None) -> list[str]:
    if room is None or width(text) <= room:
        return [text]
    letters = room if text.isascii() else room * len(text) // width(text)
    return textwrap.wrap(text, max(letters, _NARROWEST))


def clock_time(text: str | None) -> str:
    """A time of a document for people: to the second, with its offset.

    >>> clock_time("2026-11-21T08:00:00.120000+08:00")
    '2026-11-21 08:00:00 +08:00'
    >>> clock_time("1900-01-08T00:00:00.000000+08:05:43")
    '1900-01-08 00:00:00 +08:05:43'
    """
    if not text:
        return ""
    whole = datetime.fromisoformat(text).isoformat(" ", "seconds")
    return f"{whole[:19]} {whole[19:]}"


def in_words(document: Mapping[str, Any], language: str = "en") -> str:
    """Why a job or an instance waits, was skipped or stopped; empty where its document says nothing.

    >>> in_words({"reason": "parent_failed: load"})
    'not run: load failed'
    """
    reason = Reason.read(document.get("why"), document.get("reason"))
    if reason is None:
        return ""
    return words(with_failure_words(reason, language), language, clock_time)
