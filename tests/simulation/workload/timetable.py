"""The tasks of a life that start by themselves: their schedules, and what they wait for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from tests.simulation.workload.generations import NEWEST, Generation
from tests.simulation.workload.random_streams import chance

BEGIN = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)  # what the wall clock says when a life begins
TASKS = ("ebb", "flood", "neap")
_SHARE = 0.25  # of the lives
_SPANS = 900.0, 3600.0, 14_400.0  # seconds in which they fire
_FIRES = 3, 10  # of each task in that time, about
_LASTS = {  # spans until their schedules end: after that nobody asks about them, and there would be hundreds
    Generation.ENDINGS: 2,
    Generation.SIZED: 1,
}
_ENDLESS = {
    Generation.ENDINGS: 0.3,
    Generation.SIZED: 0.1,
}  # of the lives whose tasks fire seldom: others would have thousands of instances
_MINUTES = 1, 2, 5, 10, 15, 20, 30


@dataclass(frozen=True)
class Timetable:
    """``tasks`` by name, online from the beginning; ``span`` seconds are waited for them."""

    tasks: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    span: float = 0.0

    @property
    def features(self) -> frozenset[str]:
        """What is used of schedules and dependencies, for ``--with``."""
        return frozenset(each for task in self.tasks.values() for each in _features(task))


def timetable(seed: int) -> Timetable:
    """That of a life; empty in most of them."""
    dice = chance(seed, "timetable")
    if dice.random() >= _SHARE:
        return Timetable()
    span = dice.choice(_SPANS)
    names = TASKS[: dice.choice((1, 2, 3))]
    tasks = {name: _task(dice, names[:number], span) for number, name in enumerate(names)}
    return Timetable(tasks, {"misfire": dice.choice((5, 60, 60, 300))}, span)


def life_timetable(seed: int, generation: Generation = NEWEST) -> Timetable:
    """The same as that generation has it: with schedules that end, but in some lives."""
    found, size = timetable(seed), min(generation, max(_LASTS))
    is_rare = found.span == max(_SPANS)
    if not found.tasks or size not in _LASTS:
        return found
    if is_rare and chance(seed, "endless").random() < _ENDLESS[size]:
        return found
    end = {"end": (BEGIN + timedelta(seconds=found.span * _LASTS[size])).isoformat()}
    tasks = {name: {**task, "schedule": task["schedule"] | end} for name, task in found.tasks.items()}
    return replace(found, tasks=tasks)


def expected(found: Timetable) -> int:
    """About how many jobs come of it."""
    return sum(
        int(found.span) // step(task["schedule"]) * len(task["nodes"]) for task in found.tasks.values()
    )


def _task(dice: Random, earlier: tuple[str, ...], span: float) -> dict[str, Any]:
    nodes: dict[str, Any] = {"a": {"type": "shell", "process": "work"}}
    if dice.random() < 0.3:
        nodes["b"] = {"type": "wait", "for": dice.choice(("1s", "1m")), "after": ["a"]}
    task: dict[str, Any] = {"schedule": _schedule(dice, span), "state": "online", "nodes": nodes}
    if dice.random() < 0.3:
        task["timeout"] = dice.choice(("5m", "1h"))
    if dice.random() < 0.2:
        task["retry"] = {"times": 1, "interval": "10s"}
    waits = list(_dependencies(dice, earlier, task["schedule"]))
    return {**task, "depends_on": waits} if waits else task


def _schedule(dice: Random, span: float) -> dict[str, Any]:
    every = span / dice.randint(*_FIRES)
    minutes = max((each for each in _MINUTES if each * 60 <= every), default=1)
    times = {"interval": f"{int(every)}s"} if dice.random() < 0.5 else {"level": "minute", "every": minutes}
    catchup = dice.choice(({"catchup": "none"}, {}, {"catchup": "all"}, {"catchup": "all", "max": 2}))
    return {**times, **catchup, "overlap": dice.choice(("skip", "wait", "wait", "parallel"))}


def step(schedule: Mapping[str, Any]) -> int:
    """Seconds from one time to the next."""
    return int(schedule["interval"][:-1]) if "interval" in schedule else int(schedule["every"]) * 60


def _dependencies(
    dice: Random, earlier: tuple[str, ...], schedule: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    for name in earlier:
        if dice.random() < 0.6:
            yield {"task": name, **_patience(dice)}
    if schedule["overlap"] == "wait" and dice.random() < 0.4:
        yield {"self": True, **_patience(dice)}


def _patience(dice: Random) -> dict[str, Any]:
    timeout = dice.choice((None, "2m", "1h"))
    return {"on_failure": dice.choice(("fail", "wait")), **({"timeout": timeout} if timeout else {})}


def _features(task: Mapping[str, Any]) -> Iterator[str]:
    schedule = task["schedule"]
    yield "scheduled"
    yield "interval" if "interval" in schedule else "minute"
    yield f"overlap {schedule['overlap']}"
    yield f"catchup {schedule.get('catchup', 'latest')}"
    yield from ["schedule end"] if "end" in schedule else []
    for each in task.get("depends_on", ()):
        yield "waits for itself" if "self" in each else "waits for a task"
        yield f"dependency {each['on_failure']}"
