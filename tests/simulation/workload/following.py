"""In some lives what a sub-task was is run again, and what waited for it afterwards, if it succeeds."""

from __future__ import annotations

from collections.abc import Iterator

from tests.simulation.workload.backfilling import Moment
from tests.simulation.workload.features import places
from tests.simulation.workload.random_streams import between, chance
from tests.simulation.workload.requests import Life

_SHARE = 0.4  # of the lives with sub-tasks
_REST = {"nodes": (), "with_upstream": False, "current": False, "edits": ()}


def reruns_that_are_followed(life: Life) -> Iterator[Moment]:
    """Long after the runs, from a stream of its own."""
    dice = chance(life.seed, "followed")
    if not any(each.job["type"] == "task" for each in places(life.tree)) or dice.random() >= _SHARE:
        return
    at = 0.0
    for _ in range(4):
        at = round(at + between(dice, 8000.0, 30_000.0), 3)
        facts = {"instance": dice.choice((1, 1, 2, 3, 4, 5)), "mode": dice.choice(("all", "all", "failed"))}
        yield Moment(at, None, "rerun", {**facts, **_REST, "downstream": True})
