"""How long and how far one evaluation may go, looked at while it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from time import thread_time
from typing import Final

from engine.model.codes.expressions import FINDS_TOO_MUCH, TOO_LONG
from engine.model.errors import SkerryError
from engine.model.expression.limits import (
    ASIDE_SECONDS,
    AT_ONCE_SECONDS,
    MAX_QUICK_READ,
    MAX_STEPS,
    MAX_VALUE,
)

_LOOK_EVERY: Final = 64  # steps between two looks at the clock


@dataclass(frozen=True, slots=True)
class Patience:
    """What an expression may take: CPU seconds of its thread, and bytes of one file."""

    seconds: float
    read: int = MAX_VALUE


AT_ONCE: Final = Patience(AT_ONCE_SECONDS)  # on a thread that others wait for
AT_FIRST: Final = Patience(AT_ONCE_SECONDS, MAX_QUICK_READ)  # the same, where it can be tried again aside
ASIDE: Final = Patience(ASIDE_SECONDS)  # on a thread of its own


class Meter:
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
            message = f"{self._text}: more than {MAX_STEPS:,} values would be looked at"
            raise SkerryError(FINDS_TOO_MUCH, message, where=self._text)
        self.look()

    def look(self) -> None:
        """SkerryError when the time is up."""
        if thread_time() - self._since > self._patience.seconds:
            message = f"{self._text}: it took longer than {self._patience.seconds:g} s"
            raise SkerryError(TOO_LONG, message, where=self._text)
