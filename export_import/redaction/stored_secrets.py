"""Finds stored secrets: in one piece anywhere, in rows of base64 or hexadecimal, and in what dumps show."""

from __future__ import annotations

import json
from base64 import b32encode
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

import re2

from engine.secrets.dumps import blocks
from engine.secrets.finding import BLANKS, Unblanked, joined
from engine.secrets.spellings import SHORTEST, base64, spellings, wide_base64
from export_import.redaction.literals import Literals, options
from export_import.redaction.windows import Span

# A line that may be a row: of one word, or one that begins with digits of a dump.
_ROW = rb"\n[ \t]*(?:[A-Za-z0-9+/=_-]{2,80}[\r\n]|[0-9a-fA-F]{2,16}:?[ \t]|0x|[!-~]{1,3}[ ]+[!-~])"
_LONG_ROW = rb"\n[ \t]*[A-Za-z0-9+/=_-]{80}"
_EACH = 8  # bytes that a dump takes for each of what it shows


class StoredSecretMask:
    """Masks every byte that belongs to one of ``secrets``; a run of such bytes becomes one mask."""

    def __init__(self, secrets: Iterable[str], mask: Callable[[], bytes]) -> None:
        self._mask = mask
        self._spellings = spellings(secrets)
        self._whole = Literals(forms_of(secrets), lambda: b"")
        self._rows = re2.compile(b"|".join((_ROW, _LONG_ROW)), options()) if self._spellings.shown else None
        self.longest = max(self._whole.longest, *(_EACH * len(form) for form in self._spellings.shown[:1]), 0)

    def __call__(self, text: bytes) -> Iterator[Span]:
        spans = ((start, stop) for start, stop, _ in self._whole(text))
        for start, stop in joined((*spans, *self._in_rows(text))) if self._may_have_rows(text) else spans:
            yield start, stop, self._mask()

    def _may_have_rows(self, text: bytes) -> bool:
        if self._rows is None:
            return False
        return self._rows.search(b"\n" + text[:200]) is not None or self._rows.search(text) is not None

    def _in_rows(self, text: bytes) -> Iterator[tuple[int, int]]:
        places = None
        for start, stop, _ in self._broken(text.translate(None, BLANKS)):
            places = places or Unblanked(text)
            yield places[start], places[stop - 1] + 1
        for block in blocks(text):
            for reading in block.readings():
                yield from (block.span_of(start, stop) for start, stop, _ in self._shown(reading))

    @cached_property
    def _broken(self) -> Literals:
        return Literals(self._spellings.broken, lambda: b"")

    @cached_property
    def _shown(self) -> Literals:
        return Literals(self._spellings.shown, lambda: b"")


def forms_of(secrets: Iterable[str]) -> frozenset[bytes]:
    """The byte strings that stand for one of these texts; texts of fewer than four characters have none.

    Fewer than are masked in live output: thousands of forms cost an export its speed.
    """
    texts = {text for each in secrets for text in (each, each.strip()) if len(text) >= SHORTEST}
    forms = {form for text in texts for form in _encoded(text) if len(form) >= SHORTEST}
    return frozenset(forms.union(spellings(texts).plain))


def _encoded(text: str) -> Iterator[bytes]:
    raw = text.encode("utf-8", "surrogatepass")
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")  # as in a path of the context, or Python's repr
    for form in (quoted, json.dumps(quoted, ensure_ascii=False)[1:-1], json.dumps(quoted)[1:-1]):
        yield form.encode("utf-8", "surrogatepass")
    for case in ("%02x", "%02X"):
        digits = [case % byte for byte in raw]
        yield from (glue.join(digits).encode() for glue in ("", " ", ":", "-", "\\x", "%"))
    yield from base64(raw)
    yield from wide_base64(text)
    yield b32encode(raw).rstrip(b"=")
