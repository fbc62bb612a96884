"""Finds stored secrets: in one piece anywhere, in rows of base64 or hexadecimal, and in what dumps show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from engine.secrets.dumps import blocks
from engine.secrets.finding import BLANKS, Unblanked, joined
from engine.secrets.spellings import spellings
from export_import.redaction.encodings import forms_of
from export_import.redaction.literals import Literals, options
from export_import.redaction.windows import Span

# A line that may be a row: of one word, or one that begins with digits of a dump.
_ROW = rb"\n[ \t]*(?:[A-Za-z0-9+/=_-]{2,80}[\r\n]|[0-9a-fA-F]{2,16}:?[ \t]|0x|[!-~]{1,3}[ ]+[!-~])"
_LONG_ROW = rb"\n[ \t]*[A-Za-z0-9+/=_-]{80}"
_EACH = 8  # bytes that a dump takes for each of what it shows


class Stored:
    """Masks every byte that belongs to one of ``secrets``; a run of such bytes becomes one mask."""

    def __init__(self, secrets: Iterable[str], mask: Callable[[], bytes]) -> None:
        import re2

        self._mask = mask
        self._spellings = spellings(secrets)
        self._whole = Literals(forms_of(secrets), lambda: b"")
        self._rows = re2.compile(b"|".join((_ROW, _LONG_ROW)), options()) if self._spellings.shown else None
        self.longest = max(self._whole.longest, *(_EACH * len(form) for form in self._spellings.shown[:1]), 0)

    def __call__(self, text: bytes) -> Iterator[Span]:
        """Where they stand in ``text``."""
        found = ((start, stop) for start, stop, _ in self._whole(text))
        for start, stop in joined((*found, *self._in_rows(text))) if self._may_have_rows(text) else found:
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
                yield from (block.place(start, stop) for start, stop, _ in self._shown(reading))

    @cached_property
    def _broken(self) -> Literals:
        return Literals(self._spellings.broken, lambda: b"")

    @cached_property
    def _shown(self) -> Literals:
        return Literals(self._spellings.shown, lambda: b"")
