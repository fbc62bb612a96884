"""Backfills of a life with schedules: what people ask for, when they pause and cancel it, and engines killed meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

from tests.simulation.workload.faults import FAULTS
from tests.simulation.workload.random_streams import between, chance
from tests.simulation.workload.timetable import Timetable

_SHARE = 0.6  # of the lives with schedules
_WAYS = {"pause": 0.4, "resume": 0.3, "cancel": 0.2, "kill": 0.4}  # what follows a backfill, each as often
Facts = Mapping[str, Any]


class Moment(NamedTuple):
    """Something that happens: ``actor`` is None where a person does it."""

    at: float
    actor: str | None
    what: str
    facts: Facts


def backfills(seed: int, timetable: Timetable) -> Iterator[Moment]:
    """Those of a life, each with what follows it; from streams of their own."""
    dice = chance(seed, "backfills")
    wanted = dice.choice((1, 1, 2, 3)) if timetable.tasks and dice.random() < _SHARE else 0
    for number in range(wanted):
        yield from _one(chance(seed, "backfill", number), number, timetable)


def _one(dice: Random, number: int, timetable: Timetable) -> Iterator[Moment]:
    at = round(between(dice, 120.0, timetable.span + 3600.0), 3)
    yield Moment(at, None, "backfill", _request(dice, number, timetable, at))
    for what, often in _WAYS.items():
        later = at + round(between(dice, 0.001, 1200.0), 3)
        if dice.random() < often and what != "kill":
            yield Moment(later, None, f"backfill {what}", {"backfill": dice.choice((0, 0, 1))})
        elif what == "kill" and dice.random() < often:
            _, actor, facts = FAULTS["kill"]
            yield Moment(later, actor, "kill", facts(dice))


def _request(dice: Random, number: int, timetable: Timetable, at: float) -> Facts:
    """``since`` and ``until``: seconds since the life began, the latter rarely after now, which is refused."""
    until = at * dice.choice((1.0, 1.0, 0.7, 1.3))
    parallel = dice.choice((1, 1, 2, 3))
    return {
        "task": dice.choice(tuple(timetable.tasks)),
        "since": round(until * dice.choice((0.0, 0.0, 0.3, 0.7)), 3),
        "until": round(until, 3),
        "order": dice.choice(("oldest", "oldest", "newest")),
        "parallel": parallel,
        "reprocess": dice.choice(("missing", "missing", "failed", "all")),
        "downstream": dice.random() < 0.4,
        "ignore_dependencies": dice.random() < 0.3,
        "key": f"backfill-{number}",
    }
