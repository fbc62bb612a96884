"""What a rule is: where a secret that is not in the store may begin, and where it is then.

No pattern of a rule (RE2, of bytes) counts repetitions: that would make the automaton a hundred times slower
(measured). How long something must be is looked at afterwards, in the few places that an automaton has found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from export_import.redaction.secret_names import SecretNames

MASK = b"******"
Range = tuple[int, int]  # of bytes: from the first to behind the last


class Candidate(NamedTuple):
    """What a pattern matches in ``text`` from ``start`` to ``stop``; ``names`` knows the names of secrets."""

    text: bytes
    start: int
    stop: int
    names: SecretNames

    @property
    def matched(self) -> bytes:
        return self.text[self.start : self.stop]

    def last(self, word: bytes) -> Range:
        """Where ``word`` is for the last time in what was matched."""
        start = self.text.rindex(word, self.start, self.stop)
        return start, start + len(word)

    def is_secret(self, name: bytes) -> bool:
        return self.names.has(name.decode("utf-8", "replace"))


class SecretRule(NamedTuple):
    """``finds`` where a secret may be; ``locate`` says where it is (None: it is harmless)."""

    name: str
    finds: bytes
    locate: Callable[[Candidate], Range | None]


def line_end(text: bytes, start: int) -> int:
    """Where the line ends that ``start`` is in: at its newline, or with the text."""
    end = text.find(b"\n", start)
    return len(text) if end < 0 else end


def of_at_least(size: int) -> Callable[[Candidate], Range | None]:
    return lambda at: (at.start, at.stop) if at.stop - at.start >= size else None
