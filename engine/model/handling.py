"""What is done about a job's failures, how often it was, and what people are asked; kept with its row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Handling:
    """Kept as JSON without what is not set, so that the rows of jobs that never failed have nothing."""

    recovery: int = 0  # attempts that recovery has made
    rules: Mapping[str, int] = field(default_factory=dict)  # how often each handling rule has acted
    exception: int | None = None  # the record of its latest failure
    refused: int | None = None  # the one that asks while the worker refuses the job
    pause: float | None = None  # seconds of the delay before its next attempt or check
    boot: str | None = None  # the start of the machine in which that began
    ticks: int | None = None  # and when, counted from it
    asks: bool = False  # whether it waits for an operator's answer
    remedy: int | None = None  # the instance that repairs, by handling rule ``rule``
    rule: str | None = None
    question: Mapping[str, Any] | None = None  # of an approve job: ``{attempt, asked, answer}``
    held: int | None = None  # the attempt whose check has held: it is in its end stage
    unverified: str | None = None  # why something of it may live on although it was stopped
    unverified_facts: Mapping[str, Any] | None = None  # what that is made from

    def to_json(self) -> dict[str, Any]:
        return {
            each.name: value
            for each in fields(self)
            if (value := getattr(self, each.name)) != getattr(_NOTHING, each.name)
        }

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Handling:
        """From the row; before version 4 of the tables ``now`` held what it waits for."""
        now = tree.get("now")
        known = {**tree, **now} if isinstance(now, Mapping) else tree
        return cls(**{each.name: known[each.name] for each in fields(cls) if each.name in known})


_NOTHING = Handling()
