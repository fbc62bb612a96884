"""What a rule is: where a secret that is not in the store may begin, and where it is then.

No pattern of a rule (RE2, of bytes) counts repetitions: that would make the automaton a hundred times slower
(measured). How long something must be is looked at afterwards, in the few places that an automaton has found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from export_import.redaction.secret_names import SecretNames

MASK = b"******"
Place = tuple[int, int]


class Found(NamedTuple):
    """What a pattern has found in ``text`` from ``start`` to ``stop``, and who knows the names of secrets."""

    text: bytes
    start: int
    stop: int
    names: SecretNames

    @property
    def found(self) -> bytes:
        return self.text[self.start : self.stop]

    def last(self, word: bytes) -> Place:
        """Where ``word`` is for the last time in what was found."""
        start = self.text.rindex(word, self.start, self.stop)
        return start, start + len(word)

    def is_secret(self, name: bytes) -> bool:
        """Whether that is the name of a secret."""
        return self.names.has(name.decode("utf-8", "replace"))


class Rule(NamedTuple):
    """``finds`` where a secret may be; ``place`` tells where it is (None: it was harmless)."""

    name: str
    finds: bytes
    place: Callable[[Found], Place | None]


def line_end(text: bytes, start: int) -> int:
    """Where the line ends that ``start`` is in: at its newline, or with the text."""
    end = text.find(b"\n", start)
    return len(text) if end < 0 else end


def of_at_least(size: int) -> Callable[[Found], Place | None]:
    return lambda at: (at.start, at.stop) if at.stop - at.start >= size else None
