"""Where in a long text one of many literals may begin, told by looking at every eighth byte only.

A literal of 15 bytes or more has a whole aligned word of 8 bytes in it wherever it stands, one of 7 or more a
word of 4. So the words of a text are looked up in tables: a tenth of what an automaton takes, which goes
through every byte.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_BITS = (20, 17, 17)  # of tables: the first fits a cache, and few words are in it by chance
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)  # odd: golden ratio, xxHash
_WIDTHS = (8, 4)  # bytes of a word
SHORTEST = 2 * _WIDTHS[-1] - 1  # bytes of a literal
_CROWDED = 11  # with a find in each 2 KiB an automaton is faster


class Sieve:
    """For ``literals`` of at least ``SHORTEST`` bytes."""

    def __init__(self, literals: Iterable[bytes]) -> None:
        by_width: dict[int, list[bytes]] = {}
        for each in literals:
            width = next(width for width in _WIDTHS if len(each) >= 2 * width - 1)
            by_width.setdefault(width, []).append(each)
        self._words = [_Words(width, fitting) for width, fitting in by_width.items()]

    def starts(self, text: bytes) -> list[int] | None:
        """In order, with some where none begins; None where there would be too many to look at each."""
        found: set[int] = set()
        for words in self._words:
            places = words.places(text)
            if len(places) > len(text) >> _CROWDED:
                return None
            for place in places:
                found.update(range(max(place - words.width + 1, 0), place + 1))
        return sorted(found)


class _Words:
    """All words that may stand aligned within literals; hashed thrice, so that hardly another passes."""

    def __init__(self, width: int, literals: list[bytes]) -> None:
        import numpy

        self.width = width
        self._type = numpy.dtype(f"<u{width}")
        self._shifts = [self._type.type(8 * width - bits) for bits in _BITS]
        self._multipliers = [self._type.type(each & (1 << 8 * width) - 1) for each in _MULTIPLIERS]
        heads = numpy.frombuffer(b"".join(each[: 2 * width - 1] for each in literals), numpy.uint8)
        heads = heads.reshape(-1, 2 * width - 1)
        each_place = [heads[:, place : place + width].copy().view(self._type) for place in range(width)]
        words = numpy.concatenate(each_place).ravel()
        self._tables = [numpy.zeros(1 << bits, bool) for bits in _BITS]
        for number, table in enumerate(self._tables):
            table[self._hashed(words, number)] = True

    def places(self, text: bytes) -> list[int]:
        """The offsets of such words in ``text``."""
        import numpy

        words = numpy.frombuffer(text, self._type, len(text) // self.width)
        found = numpy.flatnonzero(self._tables[0][self._hashed(words, 0)])
        for number in range(1, len(self._tables)):
            found = found[self._tables[number][self._hashed(words[found], number)]]
        places: list[int] = (found * self.width).tolist()
        return places

    def _hashed(self, words: Any, number: int) -> Any:
        import numpy

        hashes = words * self._multipliers[number]
        hashes >>= self._shifts[number]
        return hashes.astype(numpy.intp, copy=False) if self.width == 4 else hashes.view(numpy.intp)
