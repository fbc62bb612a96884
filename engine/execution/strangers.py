"""What runs in a worker's root unknown to the engine: of another one, or of an earlier database."""

from __future__ import annotations

from typing import NamedTuple


class Stranger(NamedTuple):
    """An attempt that lives there: its mark, the JobInstance of that, whether it is exclusive."""

    mark: str
    job_instance: int | None
    alone: bool = False


def strangers_in(words: list[str]) -> tuple[Stranger, ...]:
    """From the words of an answer: ``mark`` or ``mark:alone``."""
    return tuple(_stranger(*word.partition(":")) for word in words if word)


def _stranger(mark: str, colon: str, alone: str) -> Stranger:
    number = mark.partition(".")[0]
    return Stranger(mark, int(number) if number.isdecimal() else None, bool(alone))
