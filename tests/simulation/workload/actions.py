"""What happens to an engine in one life and when: what people ask of it, and what the world does to it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain, count
from random import Random
from typing import Any

from tests.simulation.workload.action import PEOPLE, Action
from tests.simulation.workload.beside import what_comes_beside
from tests.simulation.workload.faults import ALL, FAULTS
from tests.simulation.workload.features import places
from tests.simulation.workload.generations import NEWEST, Generation
from tests.simulation.workload.random_streams import between, chance, one_of
from tests.simulation.workload.requests import REQUESTS, Facts, Life, reply
from tests.simulation.workload.size import within
from tests.simulation.workload.timetable import TASKS, expected, life_timetable, timetable

FEWEST, MOST = 20, 60  # jobs that the runs of a life come to, about
_RELEASES = (0, 0, 0, 1, 2, 3)  # how many, in a life with schedules
_MANY = 8  # operator actions besides the first runs, and faults, at most


def actions(seed: int, faults: Collection[str] = ALL, generation: Generation = NEWEST) -> tuple[Action, ...]:
    """Everything that happens in that life, in order; of the faults only those kinds."""
    life = Life(seed)
    is_sized = generation >= Generation.SIZED
    runs = list(_runs(life, beside=expected(life_timetable(seed, generation)) if is_sized else None))
    wishes = list(_wishes(life, [each.at for each in runs]))
    struck = list(_faults(seed, faults, [each.at for each in (*runs, *wishes)]))
    alone = [*wishes, *struck, *_replies(life, [each.at for each in runs]), *_releases(seed)]
    units = [*([each] for each in alone), *_beside(life, faults, generation)]
    if is_sized:
        units = within(seed, units, _count(chance(seed, "wishes")), _count(chance(seed, "faults")))
    return tuple(sorted(chain(runs, *units), key=lambda each: each.at))


def _beside(life: Life, faults: Collection[str], generation: Generation) -> Iterator[list[Action]]:
    """What belongs together; people who are not named yet get their names."""
    for role, units in what_comes_beside(life, generation):
        numbers = count()
        for unit in units:
            yield [
                Action(at, actor or chance(life.seed, role, number).choice(PEOPLE), what, facts)
                for (at, actor, what, facts), number in zip(unit, numbers, strict=False)
                if actor is None or what in faults
            ]


# -- runs ----------------------------------------------------------------------------------------


def _runs(life: Life, beside: int | None) -> Iterator[Action]:
    """Runs until enough jobs come together; the first one is the first of everything that happens.

    ``beside``: the jobs that come without them; None: nobody counts those, nor how many may come at most.
    """
    jobs, number, moments = beside or 0, 0, list[float]()
    while not number or (jobs < FEWEST and number < 5):
        dice = chance(life.seed, "run", number)
        at = _moment(dice, moments) if moments else 0.0
        tasks = life.tasks if beside is None else _fitting(life, (FEWEST if beside else MOST) - jobs)
        action = Action(at, dice.choice(PEOPLE), "run", _run(life, tasks, dice, number))
        moments.append(at)
        yield action
        if dice.random() < 0.08:  # the answer got lost, so it is asked for again
            yield Action(at + dice.choice((0.0, 0.5, 30.0)), action.actor, "run", action.facts)
        jobs += estimated(life.tree, action.facts["task"])
        number += 1


def _fitting(life: Life, most: int) -> tuple[str, ...]:
    """The tasks that come to so many jobs at most, or the one with the fewest."""
    found = [each for each in life.tasks if estimated(life.tree, each) <= most]
    return tuple(found) or (min(life.tasks, key=lambda each: estimated(life.tree, each)),)


def _run(life: Life, tasks: tuple[str, ...], dice: Random, number: int) -> Facts:
    task = tasks[0] if number == 0 or dice.random() < 0.4 else dice.choice(tasks)
    known = life.tree["tasks"][task].get("params", {})
    params: dict[str, Any] = {}
    texts: dict[str, str] = {}
    if "limit" in known and dice.random() < 0.4:
        params["limit"] = dice.choice((0, 5, 10, 2.5))
    if "day" in known and dice.random() < 0.3:
        texts["day"] = dice.choice(("tuesday", "", "$.TASK.ID"))
    if number and dice.random() < 0.05:
        texts["limit"] = "many"  # refused
    facts: dict[str, Any] = {"task": task, "params": params, "texts": texts, "key": f"run-{number}"}
    if dice.random() < 0.1:
        facts["priority"] = dice.choice((-10, 50))
    return facts | {"file": dice.random() < 0.2}


def estimated(tree: Mapping[str, Any], task: str) -> int:
    """About how many jobs a run of a task comes to, those of sub-tasks too."""
    total = 0
    for each in places(tree):
        if each.task != task:
            continue
        given = each.keys.get("params")
        total += len(given) if isinstance(given, list) else 3 if "for_each" in each.keys else 1
        loops = [branch for branch in each.job.get("branches", {}).values() if isinstance(branch, Mapping)]
        total += 3 * len(loops)
        total += estimated(tree, each.job["task"]) if each.job["type"] == "task" else 0
    return total


# -- what people wish ------------------------------------------------------------------------------


def _wishes(life: Life, runs: list[float]) -> Iterator[Action]:
    """About three actions besides the runs; how many does not change what each of them is."""
    moments = list(runs)
    for number in range(_count(chance(life.seed, "wishes"))):
        dice = chance(life.seed, "wish", number)
        what = one_of(dice, {name: often for name, (often, _) in REQUESTS.items()})
        at = _moment(dice, moments)
        moments.append(at)
        actor = dice.choice(PEOPLE)
        facts = REQUESTS[what][1](life, dice, number)
        yield Action(at + _patience(dice, what), actor, what, facts)


def _replies(life: Life, runs: list[float]) -> Iterator[Action]:
    """To the questions of tasks that ask, some time after a run; from streams of their own (``newer_pieces``)."""
    asks = any(each.job["type"] == "approve" for each in places(life.tree))
    for number in range(chance(life.seed, "replies").randint(0, 6) if asks else 0):
        dice = chance(life.seed, "reply", number)
        at, actor = _moment(dice, runs), dice.choice(PEOPLE)
        yield Action(at, actor, "approve", reply(life, dice))


def _releases(seed: int) -> Iterator[Action]:
    """In some of the lives with schedules a person lets what waits begin."""
    span = timetable(seed).span
    for number in range(chance(seed, "releases").choice(_RELEASES) if span else 0):
        dice = chance(seed, "release", number)
        at, actor = round(between(dice, 60.0, span + 3600.0), 3), dice.choice(PEOPLE)
        facts = {"waiting": dice.choice((0, 0, 1, 2)), "only": dice.choice((None, *TASKS))}
        yield Action(at, actor, "release", facts)


def _patience(dice: Random, what: str) -> float:
    """Who wants something to run again mostly waits until it has ended, whenever that was thought of."""
    return round(between(dice, 3600.0, 40_000.0), 1) if what == "rerun" and dice.random() < 0.75 else 0.0


def _count(dice: Random) -> int:
    return dice.choices(range(_MANY + 1), (6, 14, 18, 18, 16, 12, 8, 5, 3))[0]


def _moment(dice: Random, others: list[float]) -> float:
    """Some time after the first run: near what else happens, at the very same moment, or hours later."""
    other = dice.choice(others)
    way = dice.choices(("same", "just after", "second", "some time", "long after"), (1, 2, 5, 10, 3))[0]
    match way:
        case "same":
            return other
        case "just after":
            return other + round(between(dice, 1e-6, 0.01), 6)
        case "second":
            return other + round(dice.random(), 3)
        case "some time":
            return other + round(between(dice, 0.05, 600.0), 3)
    return other + round(between(dice, 600.0, 20_000.0), 1)


# -- what the world does ---------------------------------------------------------------------------


def _faults(seed: int, kinds: Collection[str], others: list[float]) -> Iterator[Action]:
    """About three faults, of the kinds that are wanted."""
    weights = {name: often for name, (often, *_) in FAULTS.items() if name in kinds}
    for number in range(_count(chance(seed, "faults")) if weights else 0):
        dice = chance(seed, "fault", number)
        what = one_of(dice, weights)
        _, actor, facts = FAULTS[what]
        yield Action(_moment(dice, others), actor, what, facts(dice))
