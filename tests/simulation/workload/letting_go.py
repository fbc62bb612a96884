"""What waits for several tasks is let go from one of them, and goes on waiting for the others under the next engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.simulation.workload.backfilling import Moment
from tests.simulation.workload.faults import FAULTS
from tests.simulation.workload.random_streams import between, chance
from tests.simulation.workload.timetable import Timetable, step

_SHARE = 0.8  # of the lives in which a task waits for several


def let_go(seed: int, timetable: Timetable) -> Iterator[Moment]:
    """The queue is paused, so that nothing which is waited for ends; from a stream of its own."""
    dice = chance(seed, "letting go")
    tasks = [name for name, each in timetable.tasks.items() if len(_awaited(name, each)) > 1]
    if not tasks or dice.random() >= _SHARE:
        return
    task = dice.choice(tasks)
    every = step(timetable.tasks[task]["schedule"])
    paused = round(between(dice, 1.0, timetable.span / 2), 3)
    yield Moment(paused, None, "queue pause", {})
    at = round((paused // every + dice.choice((1, 1, 2))) * every + between(dice, 0.01, 0.2 * every), 3)
    only = dice.choice(_awaited(task, timetable.tasks[task]))
    for number in range(3):  # one of them is of that task, mostly
        yield Moment(round(at + number, 3), None, "release", {"waiting": number, "only": only})
    ended = round(at + between(dice, 3.0, 30.0), 3)
    _, actor, facts = FAULTS[how := dice.choice(("kill", "restart"))]
    yield Moment(ended, actor, how, facts(dice))
    yield Moment(round(ended + between(dice, 60.0, 600.0), 3), None, "queue resume", {})


def _awaited(name: str, task: Any) -> list[str]:
    return [each.get("task", name) for each in task.get("depends_on", ())]
