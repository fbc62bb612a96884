"""Backfills of a life with schedules: what people ask for, when they pause and cancel it, and engines killed meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from tests.simulation.workload.faults import FAULTS
from tests.simulation.workload.random_streams import between, chance
from tests.simulation.workload.timetable import Timetable, step

_SHARE = 0.6  # of the lives with schedules
_SHARE_HELD = 0.8  # of those without a backfill whose tasks wait for others
_SHARE_TWICE = 0.9  # of the others
_NEWEST = -1  # of those under way
_WAYS = {"pause": 0.4, "resume": 0.3, "cancel": 0.2, "kill": 0.4}  # what follows a backfill, each as often
Facts = Mapping[str, Any]


class Moment(NamedTuple):
    """Something that happens: ``actor`` is None where a person does it."""

    at: float
    actor: str | None
    what: str
    facts: Facts


def backfills(seed: int, timetable: Timetable, *, twice: bool = True) -> Iterator[Sequence[Moment]]:
    """Those of a life, each with what follows it; from streams of their own; ``twice``: also two of the same times."""
    dice = chance(seed, "backfills")
    wanted = dice.choice((1, 1, 2, 3)) if timetable.tasks and dice.random() < _SHARE else 0
    for number in range(wanted):
        yield list(_one(chance(seed, "backfill", number), number, timetable))
    held, waiting = chance(seed, "held backfill"), tuple(_waiting(timetable))
    if waiting and not wanted and held.random() < _SHARE_HELD:
        yield list(_held(held, held.choice(waiting), timetable.span))
    elif twice and timetable.tasks and (again := chance(seed, "twice")).random() < _SHARE_TWICE:
        yield list(_twice(again, timetable))


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


def _waiting(timetable: Timetable) -> Iterator[str]:
    for name, task in timetable.tasks.items():
        if any("task" in each for each in task.get("depends_on", ())):
            yield name


def _held(dice: Random, task: str, span: float) -> Iterator[Moment]:
    """Nothing ran while no engine was there, so the times of a task wait for others; it is paused and goes on meanwhile.

    The same times are asked for twice: what the one begins is settled by the time that it is the other one's turn.
    """
    away = round(between(dice, 1.0, span / 2), 3)
    back = round(away + span * between(dice, 0.2, 0.6), 3)
    yield _outage(away, back)
    at = round(back + between(dice, 1.0, 120.0), 3)
    paused = round(at + between(dice, 0.001, 20.0), 3)
    for number, asked in enumerate((at, round(at + between(dice, 0.001, 10.0), 3))):
        yield Moment(asked, None, "backfill", _same_times(dice, task, away, back) | {"key": f"held-{number}"})
    yield Moment(paused, None, "backfill pause", {"backfill": 0})
    for _ in range(dice.choice((1, 2, 3))):
        released = round(paused + between(dice, 0.001, 300.0), 3)
        yield Moment(released, None, "backfill release", {"waiting": dice.choice((0, 0, 1))})
    if dice.random() < 0.7:
        yield Moment(round(paused + between(dice, 1.0, 900.0), 3), None, "backfill resume", {"backfill": 0})


def _twice(dice: Random, timetable: Timetable) -> Iterator[Moment]:
    """Some times were missed while no engine was there; two people ask for them, and the first one is held back.

    What the other one begins is settled, or goes on, when it is the first one's turn; sometimes under a later engine.
    """
    task = _missed_most(dice, timetable)
    away = round(between(dice, 1.0, timetable.span / 4), 3)
    back = round(away + dice.randint(4, 7) * step(timetable.tasks[task]["schedule"]), 3)
    yield _outage(away, back)
    at = round(back + between(dice, 5.0, 60.0), 3)
    for number in range(2):
        asked = _same_times(dice, task, away, back) | {"parallel": dice.choice((1, 1, 2))}
        alone = {"ignore_dependencies": True, "key": f"twice-{number}"}
        yield Moment(round(at + number * between(dice, 0.1, 20.0), 3), None, "backfill", asked | alone)
    yield Moment(round(at + between(dice, 0.001, 0.1), 3), None, "backfill pause", {"backfill": _NEWEST})
    yield Moment(round(at + between(dice, 20.0, 900.0), 3), None, "backfill resume", {"backfill": 0})
    if dice.random() < 0.2:
        _, actor, facts = FAULTS["kill"]
        yield Moment(round(at + between(dice, 0.1, 600.0), 3), actor, "kill", facts(dice))


def _outage(away: float, back: float) -> Moment:
    _, actor, _ = FAULTS["restart"]
    return Moment(away, actor, "restart", {"down": round(back - away, 3)})


def _missed_most(dice: Random, timetable: Timetable) -> str:
    """A task of which not all times are caught up, if there is one."""
    schedules = {name: task["schedule"] for name, task in timetable.tasks.items()}
    found = [name for name, each in schedules.items() if each.get("catchup") != "all" or "max" in each]
    return dice.choice(found or list(schedules))


def _same_times(dice: Random, task: str, since: float, until: float) -> Facts:
    return {
        "task": task,
        "since": since,
        "until": until,
        "order": dice.choice(("oldest", "newest")),
        "parallel": dice.choice((1, 1, 2, 3)),
        "reprocess": dice.choice(("missing", "missing", "all")),
        "downstream": False,
        "ignore_dependencies": False,
    }


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
