"""Finding many literals: an automaton finds where one may begin; then the rest is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import re2

from export_import.redaction.windows import Span

_BEGINNING = 6  # bytes; with more the automaton of 200 secrets in all spellings grows slow (measured)
_MEMORY = 12 << 20
RULES_MEMORY = 48 << 20  # with less the states of all rules are thrown away and made again: 20 times slower
_EACH = 2400  # bytes for each literal: with less the automaton gives up and everything is far slower


def options(literals: int = 0, memory: int = _MEMORY) -> Any:
    """How RE2 is used here: on bytes as they come, reporting only positions."""
    settings = re2.Options()
    settings.max_mem = max(memory, _EACH * literals)
    settings.never_capture = True
    settings.log_errors = False
    settings.encoding = re2.Options.Encoding.LATIN1
    return settings


class Literals:
    """Masks every byte that belongs to one of ``forms``; a run of such bytes becomes one mask."""

    def __init__(self, forms: Iterable[bytes], mask: Callable[[], bytes]) -> None:
        self._mask = mask
        self._by_beginning: dict[bytes, list[bytes]] = {}
        for form in sorted(forms, key=len, reverse=True):
            self._by_beginning.setdefault(form[:_BEGINNING], []).append(form)
        self.longest = max(map(len, (forms[0] for forms in self._by_beginning.values())), default=0)
        beginnings = sorted(self._by_beginning, key=lambda each: (-len(each), each))
        self._lengths = sorted({len(each) for each in beginnings}, reverse=True)
        pattern = b"|".join(map(re2.escape, beginnings))
        self._find = re2.compile(pattern, options(len(beginnings))) if beginnings else None

    def __call__(self, text: bytes) -> Iterator[Span]:
        first = reached = -1
        for start, stop in self._occurrences(text):
            if start > reached:
                if reached > first:
                    yield first, reached, self._mask()
                first = start
            reached = max(reached, stop)
        if reached > first:
            yield first, reached, self._mask()

    def _occurrences(self, text: bytes) -> Iterator[tuple[int, int]]:
        for start in self._beginnings(text):
            size = self._size_at(text, start)
            if size:
                yield start, start + size

    def _beginnings(self, text: bytes) -> Iterator[int]:
        position = 0
        while self._find is not None and (match := self._find.search(text, position)) is not None:
            yield match.start()
            position = match.start() + 1

    def _size_at(self, text: bytes, start: int) -> int:
        """The length of the longest literal there; 0 where only the beginning of one is."""
        for length in self._lengths:
            for form in self._by_beginning.get(text[start : start + length], ()):
                if text.startswith(form, start):
                    return len(form)
        return 0
