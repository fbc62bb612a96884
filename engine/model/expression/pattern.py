"""Regular expressions of users: bounded while they compile, stopped while they search.

The library ``regex`` writes counted repeats out (``(?:(?:a{1000}){1000}){1000}`` eats all memory
before any time limit counts), so the written-out size is computed first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from engine.model.codes.expressions import BAD_PATTERN, PATTERN_TOO_BIG, PATTERN_TOO_SLOW
from engine.model.errors import Invalid, SkerryError
from engine.model.expression.limits import (
    AT_ONCE_SECONDS,
    MAX_ALTERNATIVES,
    MAX_PATTERN,
    MAX_PATTERN_DEPTH,
    MAX_PATTERN_SIZE,
    PATTERN_SECONDS,
)
from engine.model.message import Message
from engine.model.plain_words import quoted

_TOKEN = re.compile(
    r"""(?P<skip>\(\?\#[^)]*\))            # a comment
      | (?P<repeat>\{(?P<least>\d*)(?:,(?P<most>\d*))?\})
      | (?P<open>\()
      | (?P<close>\))
      | (?P<either>\|)
      | (?P<atom>\\.|\[\^?.(?:\\.|[^\]\\])*\]|.)""",
    re.VERBOSE | re.DOTALL,
)
_VERBOSE = re.compile(r"\(\?[A-Za-z0-9-]*x")
_REPEAT = re.compile(r"\{(\d*)(?:,(\d*))?\}")
_NO_ATOM = frozenset("*+?^$")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern; every use is limited in time."""

    text: str
    _regex: Any

    def search(self, text: str, seconds: float = PATTERN_SECONDS) -> str | None:
        """Group 1 if the pattern has one and it took part, else the match; None without a match."""
        match = self._limited(min(seconds, PATTERN_SECONDS), self._regex.search, text, concurrent=True)
        if match is None:
            return None
        found: str | None = match[1] if self._regex.groups else None
        return match[0] if found is None else found

    def matches(self, text: str) -> bool:
        """Whether it is found anywhere in ``text``."""
        return self._limited(PATTERN_SECONDS, self._regex.search, text, concurrent=True) is not None

    def sub(self, replacement: str, text: str) -> Any:
        """``text`` with every match replaced (the operator ``sub`` of a query)."""
        return self._limited(AT_ONCE_SECONDS, self._regex.sub, replacement, text)

    def _limited(self, seconds: float, run: Any, *given: Any, **more: Any) -> Any:
        try:
            return run(*given, timeout=seconds, **more)
        except TimeoutError:
            message = "the pattern {pattern} ran longer than {seconds:g} s"
            raise SkerryError(PATTERN_TOO_SLOW, message, pattern=shown(self.text), seconds=seconds) from None
        except MemoryError:
            raise _too_big(self.text, "it needs too much memory") from None


@lru_cache(maxsize=512)
def compile_pattern(text: str) -> Pattern:
    """Compile a user's pattern; Invalid if it is wrong or too big."""
    _check_size(text)
    import regex

    try:
        return Pattern(text, regex.compile(text, cache_pattern=False))
    except regex.error as error:
        message = "the pattern {pattern} is not valid: {error}"
        raise Invalid(BAD_PATTERN, message, pattern=shown(text), error=error) from None
    except (RecursionError, MemoryError, OverflowError, ValueError):
        raise _too_big(text, "it cannot be compiled") from None


def shown(text: str) -> str:
    """A pattern for a message: whole when short, else its length."""
    return quoted(text) if len(text) <= 80 else Message.of("of {count:,} characters", count=len(text))


def _too_big(text: str, why: str, most: int = MAX_PATTERN) -> Invalid:
    message = "the pattern {pattern} is too big: {reason}"
    return Invalid(PATTERN_TOO_BIG, message, pattern=shown(text), reason=Message.of(why, most=most))


def _check_size(text: str) -> None:
    if len(text) > MAX_PATTERN:
        raise _too_big(text, "a pattern has at most {most} characters")
    if text.count("|") >= MAX_ALTERNATIVES:
        raise _too_big(text, "it has at most {most} alternatives", MAX_ALTERNATIVES)
    size = _flat_size(text) if _VERBOSE.search(text) else _SizeEstimate().of(text)
    if size > MAX_PATTERN_SIZE:
        raise _too_big(text, "its counted repeats multiply to too much")


def _flat_size(text: str) -> int:
    """An upper bound for verbose patterns, whose comments would mislead the exact estimate."""
    product = len(text)
    for least, most in _REPEAT.findall(text):
        product *= _times(least, most)
        if product > MAX_PATTERN_SIZE:
            break
    return product


def _times(least: str | None, most: str | None) -> int:
    numbers = [int(n[:9]) if len(n) <= 9 else 10**9 for n in (least, most) if n]
    return max([*numbers, 1])


@dataclass
class _SizeEstimate:
    """The size of a pattern with its counted repeats written out."""

    done: list[int] = field(default_factory=lambda: [0])  # of each open group: the size before
    atom: list[int] = field(default_factory=lambda: [0])  # of each open group: what a repeat applies to

    def of(self, text: str) -> int:
        for match in _TOKEN.finditer(text):
            kind = match.lastgroup if match.lastgroup in ("open", "close", "skip") else None
            if kind == "open":
                self._open(text)
            elif kind == "close":
                self._close()
            elif match["repeat"] is not None and (match["least"] or match["most"]):
                self.atom[-1] *= _times(match["least"], match["most"])
            elif match["either"] is not None or (match["atom"] is not None and match["atom"] not in _NO_ATOM):
                self._next(1)
            if self.atom[-1] > MAX_PATTERN_SIZE:
                break
        return sum(self.done) + sum(self.atom)

    def _next(self, size: int) -> None:
        self.done[-1] += self.atom[-1]
        self.atom[-1] = size

    def _open(self, text: str) -> None:
        if len(self.done) > MAX_PATTERN_DEPTH:
            raise _too_big(text, "it has at most {most} groups within groups", MAX_PATTERN_DEPTH)
        self.done.append(0)
        self.atom.append(0)

    def _close(self) -> None:
        if len(self.done) > 1:
            size = self.done.pop() + self.atom.pop() + 1
            self._next(size)
