"""What people get for what they ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.model.codes.commands import NO_ANSWER
from engine.model.codes.store import CLOSED
from engine.model.errors import SkerryError


@dataclass(frozen=True)
class Answer:
    """What an operator got: a value, or the code and the message of a refusal."""

    value: Any = None
    refusal: str | None = None

    def __str__(self) -> str:
        """In the trace."""
        return f"answered: {self.value}" if self.refusal is None else f"refused: {self.refusal}"


def answer_of(call: Callable[[], Any]) -> Answer | None:
    """The answer; None where the engine ends without one."""
    try:
        return Answer(call())
    except SkerryError as error:
        if error.entry in (NO_ANSWER, CLOSED):
            return None
        return Answer(refusal=f"{error.entry.number} {error.message}")
