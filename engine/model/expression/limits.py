"""How big expressions and what they read and produce may be, and how long they may take."""

from __future__ import annotations

from dataclasses import dataclass
from time import thread_time
from typing import Final

from engine.model.codes.expressions import FINDS_TOO_MUCH, TOO_LONG
from engine.model.errors import SkerryError

MAX_VALUE: Final = 64 * 1024 * 1024  # bytes of a text that is read or produced
MAX_INLINE: Final = 256 * 1024  # bytes; bigger values are references to their file
MAX_PATH: Final = 2_000  # characters of one path
MAX_CONDITION: Final = 20_000  # characters of one condition
MAX_TOKENS: Final = 2_000  # of one condition
MAX_DEPTH: Final = 60  # nesting of a condition, and of lists and maps around expressions
MAX_STEPS: Final = 1_000_000  # values that one query looks at
MAX_QUICK_READ: Final = 4 * 1024 * 1024  # bytes of a file that is read at once; a bigger one is read aside
AT_ONCE_SECONDS: Final = 0.1  # of a thread that others wait for
ASIDE_SECONDS: Final = 5.0
MAX_PATTERN: Final = 1_000  # characters of a regular expression
MAX_PATTERN_SIZE: Final = 10_000  # characters after its counted repeats are multiplied out
MAX_PATTERN_DEPTH: Final = 50  # groups within groups
MAX_ALTERNATIVES: Final = 500
PATTERN_SECONDS: Final = 1.0
_LOOK_EVERY: Final = 64  # steps between two looks at the clock


@dataclass(frozen=True, slots=True)
class Patience:
    """What an expression may take: CPU seconds of its thread, and bytes of one file."""

    seconds: float
    read: int = MAX_VALUE


AT_ONCE: Final = Patience(AT_ONCE_SECONDS)  # on a thread that others wait for
AT_FIRST: Final = Patience(AT_ONCE_SECONDS, MAX_QUICK_READ)  # the same, where it can be tried again aside
ASIDE: Final = Patience(ASIDE_SECONDS)  # on a thread of its own


class StepMeter:
    """Counts the steps of one evaluation; SkerryError when they, or the time, are too many."""

    __slots__ = ("_look", "_patience", "_since", "_steps", "_text")

    def __init__(self, patience: Patience, text: str) -> None:
        self._patience = patience
        self._text = text
        self._since = thread_time()
        self._steps = 0
        self._look = _LOOK_EVERY

    def step(self, count: int = 1) -> None:
        """So many more values were looked at."""
        self._steps += count
        if self._steps < self._look:
            return
        self._look = self._steps + _LOOK_EVERY
        if self._steps > MAX_STEPS:
            message = "{where}: more than {most:,} values would be looked at"
            raise SkerryError.at(FINDS_TOO_MUCH, message, self._text, most=MAX_STEPS)
        self.look()

    def look(self) -> None:
        """SkerryError when the time is up."""
        if thread_time() - self._since > self._patience.seconds:
            message = "{where}: it took longer than {seconds:g} s"
            raise SkerryError.at(TOO_LONG, message, self._text, seconds=self._patience.seconds)
