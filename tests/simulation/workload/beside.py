"""What comes beside runs, wishes and faults: backfills, workers, blows at starts, and what belongs together in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from tests.simulation.workload.backfilling import backfills
from tests.simulation.workload.beginnings import at_a_start
from tests.simulation.workload.fleet import Happening, fleet, happenings, regroupings, silences
from tests.simulation.workload.following import reruns_that_are_followed
from tests.simulation.workload.generations import Generation
from tests.simulation.workload.letting_go import let_go
from tests.simulation.workload.losses import losses
from tests.simulation.workload.requests import Life
from tests.simulation.workload.timetable import timetable
from tests.simulation.workload.worker_troubles import troubles

Unit = Sequence[Happening]


def what_comes_beside(life: Life, generation: Generation) -> Iterator[tuple[str, Iterable[Unit]]]:
    """Who does it where a person does, and what; each from streams of its own."""
    seed, has_all = life.seed, generation >= Generation.INTERPLAY
    if generation >= Generation.BACKFILLS:
        yield "backfiller", backfills(seed, timetable(seed), twice=has_all)
        yield "dispatcher", _of_workers(seed, has_all)
    if has_all:
        yield "releaser", [list(let_go(seed, timetable(seed)))]
        yield "nobody", chain(at_a_start(seed), losses(seed))
        yield "follower", _singly(reruns_that_are_followed(life))


def _of_workers(seed: int, has_all: bool) -> Iterator[Unit]:
    """What people do with the workers, and what happens to them."""
    workers = fleet(seed)
    yield from _singly(chain(happenings(seed, tuple(workers.slots)), silences(seed, workers.fences)))
    if has_all:
        yield from regroupings(seed)
        yield from _singly(troubles(seed))


def _singly(found: Iterable[Happening]) -> Iterator[Unit]:
    return ([each] for each in found)
