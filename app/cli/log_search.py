"""Searching the logs of jobs by line, in constant memory: ``skerry logs --grep``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engine.model.expression.pattern import Pattern

_LONGEST = 1 << 20  # bytes of a line that are searched at once; a longer one is searched in pieces


class FoundLine(NamedTuple):
    """A line that matches; numbers count from 1."""

    number: int
    text: str


def matching(blocks: Iterable[bytes], pattern: Pattern) -> Iterator[FoundLine]:
    """Every line of a log in which ``pattern`` is found; SkerryError where that takes too long.

    >>> from engine.model.expression.pattern import compile_pattern
    >>> [each.number for each in matching([b"one\\ntw", b"o\\r\\nthree"], compile_pattern("o$"))]
    [2]
    """
    for number, line in _lines(blocks):
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if pattern.matches(text):
            yield FoundLine(number, text)


def _lines(blocks: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers, however the blocks cut them."""
    number, rest = 1, b""
    for block in blocks:
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            yield number, line
            number += 1
        while len(rest) > _LONGEST:
            yield number, rest[:_LONGEST]
            rest = rest[_LONGEST:]
    if rest:
        yield number, rest
