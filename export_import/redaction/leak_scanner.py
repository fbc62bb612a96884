"""Finding stored secrets in a finished bundle, by means of its own: nothing of the redactor is used here.

The encodings of a secret are derived from the standard library alone. Whichever text holds one of them holds
one of the aligned words of its end; those that are too short for words have an automaton.
"""

from __future__ import annotations

import base64
import html
import json
import urllib.parse
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy
import re2

_SHORTEST = 4  # characters of a secret that is searched for within longer text
_ENCODED = 6  # bytes of an encoding; shorter ones are anywhere by chance
_WIDE, _NARROW = 8, 4  # bytes of a word
_BITS = 20  # of a table of words
_ODD = 0xD6E8FEB86659FD93
_QUOTED = str.maketrans({"'": "\\'", "\\": "\\\\"})  # as paths of a context have it


class ScanResult(NamedTuple):
    """Whether a secret is in an object, and the ends of the object, across which another may be."""

    seen: bool
    head: bytes
    tail: bytes


class LeakScanner:
    """Looks for all encodings of all ``secrets``."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for each in secrets if len(each) >= _SHORTEST for form in encodings(each)}
        self.longest = max(map(len, forms), default=0)
        wide = {form for form in forms if len(form) >= 2 * _WIDE - 1}
        narrow = {form for form in forms - wide if len(form) >= 2 * _NARROW - 1}
        self._words = [_Words(width, those) for width, those in ((_WIDE, wide), (_NARROW, narrow)) if those]
        self._short = _automaton(forms - wide - narrow)

    def scan(self, text: bytes) -> ScanResult:
        """What there is to see in one object of a file."""
        ends = self.longest
        return ScanResult(self.first_leak(text) is not None, text[:ends], text[-ends:] if ends else b"")

    def first_leak(self, text: bytes) -> int | None:
        """Where a secret begins, the first of its kind; None when there is none."""
        positions = [position for words in self._words if (position := words.first(text)) is not None]
        if self._short is not None and (match := self._short.search(text)) is not None:
            positions.append(match.start())
        return min(positions, default=None)


class _Words:
    """Forms by the words of ``width`` bytes that may be aligned within the last bytes of each."""

    def __init__(self, width: int, forms: Iterable[bytes]) -> None:
        self._width = width
        self._forms: dict[int, list[bytes]] = {}
        for form in forms:
            for end in range(len(form) - width + 1, len(form) + 1):
                word = int.from_bytes(form[end - width : end], "little")
                self._forms.setdefault(word, []).append(form)
        self._known = numpy.zeros(1 << _BITS, bool)
        self._known[self._folded(numpy.array(list(self._forms), f"<u{width}"))] = True

    def first(self, text: bytes) -> int | None:
        words = numpy.frombuffer(text, f"<u{self._width}", len(text) // self._width)
        positions = numpy.flatnonzero(self._known[self._folded(words)])
        for position, word in zip((positions * self._width).tolist(), words[positions].tolist(), strict=True):
            for form in self._forms.get(word, ()):
                begin = text.find(form, max(position - len(form), 0), position + len(form))
                if begin >= 0:
                    return begin
        return None

    def _folded(self, words: Any) -> Any:
        """The place of a word in the table: the upper bits of a product, on which every bit has its say."""
        folded = words * words.dtype.type(_ODD & (1 << 8 * self._width) - 1)
        folded >>= folded.dtype.type(8 * self._width - _BITS)
        return folded.view("<i8") if self._width == _WIDE else folded.astype("<i8")


def _automaton(forms: Iterable[bytes]) -> Any:
    """For those that are too short for words: few, as a rule none."""
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.encoding = re2.Options.Encoding.LATIN1
    pattern = b"|".join(re2.escape(each) for each in sorted(forms))
    return re2.compile(pattern, options) if pattern else None


def encodings(secret: str) -> Iterator[bytes]:
    """The secret as it is, and as URLs, JSON, shells, HTML, hexadecimal and base64 would have it."""
    raw = secret.encode("utf-8", "surrogatepass")
    yield raw
    text = raw.decode("utf-8", "replace")
    texts = {
        urllib.parse.quote(raw, safe=""),
        urllib.parse.quote_plus(raw),
        json.dumps(text)[1:-1],
        json.dumps(text, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(text)[1:-1])[1:-1],
        text.translate(_QUOTED),
        json.dumps(text.translate(_QUOTED), ensure_ascii=False)[1:-1],
        text.replace("'", "'\"'\"'"),  # within the quotes of a shell
        html.escape(text),
        raw.hex(),
        raw.hex().upper(),
        base64.b32encode(raw).decode().rstrip("="),
    }
    yield from (each.encode() for each in texts if len(each) >= _ENCODED)
    yield from _base64(raw)


def _base64(raw: bytes) -> Iterator[bytes]:
    """What base64 makes of it at each of three places within a longer text."""
    for before in range(3):
        for coded in (base64.b64encode(bytes(before) + raw), base64.urlsafe_b64encode(bytes(before) + raw)):
            bits = 8 * before
            first, last = -(-bits // 6), (bits + 8 * len(raw)) // 6
            if last - first >= _ENCODED:
                yield coded[first:last]
