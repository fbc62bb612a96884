"""Where secrets are in a text, and where one may begin that its end has cut off."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from engine.secrets.dumps import Block, blocks, may_become, may_show
from engine.secrets.spellings import Spellings

Span = tuple[int, int]
_MARKS = (b"\\", b"%", b"&", b"0x", b"\0", b"'", b'"', b"")  # bytes that most lines do not have
BLANKS = b" \t\r\n"
_WORDS = re.compile(rb"[^ \t\r\n]+")
_FIRST = 3  # bytes of what is broken that are in one line: else the end of each line would wait for the next
_BYTES_EACH, _FURTHER = 8, 256  # of a text for what is broken: with more blanks it is none


class SecretFinder:
    """Finds ``forms`` in texts, and in pieces of texts."""

    def __init__(self, forms: Spellings) -> None:
        self._kinds = (_Plain(forms.plain), _Broken(forms.broken), _Shown(forms.shown))

    def spans(self, text: bytes, begins_line: bool = True) -> list[Span]:
        """What belongs to secrets in a whole text: overlapping ones joined, in order."""
        return joined(span for kind in self._kinds for span in kind.spans(text, begins_line, True))

    def so_far(self, text: bytes, begins_line: bool) -> tuple[list[Span], int]:
        """The same of a text that goes on; and where the first begins that may still be one."""
        spans = joined(span for kind in self._kinds for span in kind.spans(text, begins_line, False))
        return spans, min(kind.open(text, begins_line) for kind in self._kinds)


def joined(spans: Iterable[Span]) -> list[Span]:
    runs: list[Span] = []
    for start, end in sorted(spans):
        if runs and start < runs[-1][1]:
            runs[-1] = (runs[-1][0], max(end, runs[-1][1]))
        else:
            runs.append((start, end))
    return runs


class _Plain:
    """Forms as they are."""

    def __init__(self, forms: Sequence[bytes]) -> None:
        self._by_mark = _by_mark(forms)
        self._beginnings = _Beginnings(forms)

    def spans(self, text: bytes, _begins_line: bool, _whole: bool) -> Iterator[Span]:
        for form in _present(text, self._by_mark):
            yield from _occurrences(text, form)

    def open(self, text: bytes, _begins_line: bool) -> int:
        return next(self._beginnings.open(text), len(text))


class _Broken:
    """Forms with blanks and ends of lines in them.

    What is found is a form without its first two bytes; they are taken too where they are in the same line.
    """

    def __init__(self, forms: Sequence[bytes]) -> None:
        self._heads: dict[bytes, set[bytes]] = {}
        for form in forms:
            skipped = 2 if len(form) > 9 else 0
            self._heads.setdefault(form[skipped:], set()).add(form[:skipped])
        self._by_mark = _by_mark(self._heads)
        self._beginnings = _Beginnings({*forms, *self._heads})

    def spans(self, text: bytes, _begins_line: bool, _whole: bool) -> Iterator[Span]:
        bare, places = text.translate(None, BLANKS), None
        for core in _present(bare, self._by_mark):
            places = places or Unblanked(text)
            for start, end in _occurrences(bare, core):
                heads = (head for head in self._heads[core] if bare.endswith(head, 0, start))
                for begin in {start, *(start - len(head) for head in heads)}:
                    span = places[begin], places[end - 1] + 1
                    if _is_one(text, span, places[begin + _FIRST - 1], end - begin):
                        yield span

    def open(self, text: bytes, _begins_line: bool) -> int:
        size, longest = 4 * self._beginnings.longest or len(text), self._beginnings.longest
        while len(bare := text[-size:].translate(None, BLANKS)) < longest and size < len(text):
            size *= 2
        shift, places = max(len(text) - size, 0), None
        for start in self._beginnings.open(bare):
            places = places or Unblanked(text[shift:])
            begin = shift + places[start]
            last = start + _FIRST - 1
            third = shift + places[last] if last < len(bare) else len(text)
            if _is_one(text, (begin, len(text)), third, self._beginnings.longest):
                return begin
        return len(text)


def _is_one(text: bytes, span: Span, third: int, size: int) -> bool:
    """Whether a broken form may be in the span; ``third`` is where its third byte is."""
    return b"\n" not in text[span[0] : third] and span[1] - span[0] <= _BYTES_EACH * size + _FURTHER


class _Shown:
    """What dumps show: whole rows."""

    def __init__(self, forms: Sequence[bytes]) -> None:
        self._forms = forms
        self._beginnings = _Beginnings(forms)

    def spans(self, text: bytes, begins_line: bool, whole: bool) -> Iterator[Span]:
        for block, shift in self._blocks(text, begins_line, whole):
            for reading in block.readings():
                for form in self._forms:
                    for occurrence in _occurrences(reading, form):
                        begin, end = block.span_of(*occurrence)
                        yield begin + shift, end + shift

    def open(self, text: bytes, begins_line: bool) -> int:
        lines = text.rfind(b"\n") + 1
        rest = text[lines:]
        if (rest and not may_become(rest)) or not (lines or begins_line):
            return len(text)
        position = lines
        for block, shift in self._blocks(text, begins_line, False):
            if block.rows[-1].stop + shift == lines - 1:  # what follows may be its next row
                starts = (next(self._beginnings.open(each), None) for each in block.readings())
                rows = [block.span_of(start, start + 1)[0] for start in starts if start is not None]
                position = min((text.rfind(b"\n", 0, shift + row) + 1 for row in rows), default=position)
        return position

    def _blocks(self, text: bytes, begins_line: bool, whole: bool) -> Iterator[tuple[Block, int]]:
        """Of whole lines alone, with what is before their text."""
        start = 0 if begins_line else text.find(b"\n") + 1
        end = len(text) if whole else text.rfind(b"\n") + 1
        lines = text[start:end]
        if lines and (start or begins_line) and may_show(lines):
            yield from ((block, start) for block in blocks(lines))


class Unblanked:
    """Where the bytes of a text without its blanks are in the text."""

    def __init__(self, text: bytes) -> None:
        self._there: list[int] = []
        self._here: list[int] = []
        size = 0
        for word in _WORDS.finditer(text):
            self._there.append(word.start())
            self._here.append(size)
            size += word.end() - word.start()

    def __getitem__(self, offset: int) -> int:
        word = bisect_right(self._here, offset) - 1
        return self._there[word] + offset - self._here[word]


class _Beginnings:
    """The forms by their first bytes: where does one begin that goes on behind the end of a text?"""

    def __init__(self, forms: Iterable[bytes]) -> None:
        self._begun = {form[:size] for form in forms for size in (1, 2)}
        self._by_three: dict[bytes, list[bytes]] = {}
        for form in forms:
            self._by_three.setdefault(form[:3], []).append(form)
        self.longest = max(map(len, forms), default=0)

    def open(self, text: bytes) -> Iterator[int]:
        for start in range(max(len(text) - self.longest + 1, 0), len(text)):
            first = text[start : start + 3]
            if len(first) < 3:
                if first in self._begun:
                    yield start
            elif (forms := self._by_three.get(first)) is not None:
                rest = text[start:]
                if any(len(form) > len(rest) and form.startswith(rest) for form in forms):
                    yield start


Heads = dict[bytes, list[bytes]]


def _by_mark(forms: Iterable[bytes]) -> list[tuple[bytes, Heads]]:
    """The forms by a mark that they need, then by the shortest of those that begin alike: a text without
    the mark, or without that one, holds none of the others."""
    by_mark: list[tuple[bytes, Heads]] = [(mark, {}) for mark in _MARKS]
    for form in sorted(forms, key=len):
        heads = next(heads for mark, heads in by_mark if mark in form)
        head = next((each for each in heads if form.startswith(each)), form)
        heads.setdefault(head, []).append(form)
    return [(mark, heads) for mark, heads in by_mark if heads]


def _present(text: bytes, by_mark: Iterable[tuple[bytes, Heads]]) -> Iterator[bytes]:
    near = (heads for mark, heads in by_mark if mark in text)
    forms = (form for heads in near for head, those in heads.items() if head in text for form in those)
    return (form for form in forms if form in text)


def _occurrences(text: bytes, form: bytes) -> Iterator[Span]:
    start = text.find(form)
    while start >= 0:
        yield start, start + len(form)
        start = text.find(form, start + 1)
