"""Searching a file of any size: text, pattern or level, in blocks of lines, stoppable between them."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

import re2
import regex

from app.desktop.log.lines import LogBytes

BLOCK = 4 * 1024 * 1024
_PATIENCE = 1.0  # seconds for one block, of a pattern that only the slow engine can read
_MARKING = 0.02  # seconds for the marks of one line, on the window's own thread
_MOST = 20_000_000  # lines kept

LEVELS = {
    "error": r"\b(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC|EMERG|ALERT|Traceback|[A-Z]\w*(?:Error|Exception))\b"
    "|错误|异常|失败",
    "warning": r"\bWARN(?:ING)?\b|警告",
    "info": r"\b(?:INFO|NOTICE)\b|信息",
    "debug": r"\b(?:DEBUG|TRACE|VERBOSE)\b|调试",
}
Finder = Callable[[bytes, int], int]  # (block, from) -> position of the next match, -1 without one


@dataclass(frozen=True, slots=True)
class Query:
    """Lines that hold ``text`` and are of one of ``levels`` (names of LEVELS; none: all)."""

    text: str = ""
    regex: bool = False
    case: bool = False
    levels: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.text or self.levels)


class FoundLines(NamedTuple):
    """Starts of matching lines, ascending, in what was searched since the last time, and how far that was."""

    starts: array[int]
    upto: int


class BadPattern(ValueError):
    """A pattern that cannot be read; its text is for the operator."""


def search(text: LogBytes, size: int, query: Query, start: int = 0) -> Iterator[FoundLines]:
    """All matching lines from the line start ``start`` on, block by block."""
    finders = _finders(query)
    at, left = start, _MOST
    while at < size and left > 0:
        block = text.read(at, min(BLOCK, size - at))
        if not block:
            return
        whole = block.rfind(b"\n") + 1
        if whole and at + len(block) < size:
            block = block[:whole]
        starts = array("Q", [at + each for each in _lines(block, finders)])
        at, left = at + len(block), left - len(starts)
        yield FoundLines(starts, at)


def spans(line: str, query: Query) -> list[tuple[int, int]]:
    """What to mark in the text of a line: (start, length) of each match of the query's text."""
    if not query.text:
        return []
    if query.regex and len(line) > 1000:
        return []  # a pattern may take long on a long line; the line itself is marked all the same
    pattern = _marker(query)
    try:
        found = pattern.finditer(line, timeout=_MARKING) if pattern else ()
        return [(each.start(), each.end() - each.start()) for each in found if each.group()]
    except TimeoutError:
        return []


@lru_cache(maxsize=8)
def _marker(query: Query) -> Any:
    """The query as the engine reads it that can be stopped; None for a mistake.

    ``re`` looks first: an error of ``regex`` keeps the frames it came through, and with them a painter.
    """
    text = query.text if query.regex else re.escape(query.text)
    try:
        re.compile(text)
    except re.error:
        return None
    return regex.compile(text, 0 if query.case else regex.IGNORECASE)


def _finders(query: Query) -> list[Finder]:
    found = [_finder(query.text, query.regex, query.case)] if query.text else []
    if query.levels:
        found.append(_pattern("|".join(LEVELS[each] for each in sorted(query.levels)), case=True))
    return found


def _finder(text: str, regex: bool, case: bool) -> Finder:
    if regex:
        return _pattern(text, case)
    if case or text.lower() == text.upper():
        needle = text.encode()
        return lambda block, at: block.find(needle, at)
    return _pattern(re.escape(text), case)


def _pattern(text: str, case: bool) -> Finder:
    """Linear in time where the fast engine can read the pattern, else with a time limit."""
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = case
    try:
        return partial(_next, re2.compile(f"(?m){text}", options))
    except re2.error:
        return partial(_next_slowly, _slow(text, case))


def _slow(text: str, case: bool) -> Any:
    try:
        return regex.compile(text.encode(), regex.MULTILINE | (0 if case else regex.IGNORECASE))
    except regex.error as error:
        raise BadPattern(str(error)) from error


def _next(pattern: Any, block: bytes, at: int) -> int:
    found = pattern.search(block, at)
    return found.start() if found else -1


def _next_slowly(pattern: Any, block: bytes, at: int) -> int:
    try:
        found = pattern.search(block, at, timeout=_PATIENCE)
    except TimeoutError as error:
        raise BadPattern("the pattern takes too long") from error
    return found.start() if found else -1


def _lines(block: bytes, finders: list[Finder]) -> Iterator[int]:
    """Starts of the lines that every finder finds something in."""
    first, others = finders[0], finders[1:]
    at = first(block, 0)
    while at >= 0:
        start = block.rfind(b"\n", 0, at) + 1
        end = block.find(b"\n", at)
        line = block[start : end if end >= 0 else len(block)] if others else b""
        if all(each(line, 0) >= 0 for each in others):
            yield start
        if end < 0:
            return
        at = first(block, end + 1)
