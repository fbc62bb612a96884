"""Mains that fail just when a program has left its results, and engines that end while handlers of a lost run are at work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from tests.simulation.workload.backfilling import Moment
from tests.simulation.workload.random_streams import between, chance

_SHARE = 0.06  # of all lives
_TRIED_AGAIN = {
    "retry": {"times": 1, "interval": "10s"},
    "on_end": {"always": {"type": "wait", "for": "10m"}},
}


def is_lossy(seed: int) -> bool:
    """Whether it is such a life."""
    return chance(seed, "lossy").random() < _SHARE


def tried_again(seed: int, task: Mapping[str, Any]) -> dict[str, Any]:
    """In such lives every task is tried again, and has a handler that takes a while."""
    return (_TRIED_AGAIN if is_lossy(seed) else {}) | dict(task)


def losses(seed: int) -> Iterator[Sequence[Moment]]:
    """From a stream of its own."""
    dice = chance(seed, "losses")
    if is_lossy(seed):
        yield from ([each] for each in _of_results(dice)) if dice.random() < 0.5 else [list(_of_runs(dice))]


def _of_results(dice: Random) -> Iterator[Moment]:
    for _ in range(6):
        yield _struck(dice, between(dice, 0.001, 6000.0), "power", "left", dice.choice((1, 1, 2)))


def _of_runs(dice: Random) -> Iterator[Moment]:
    """What has begun is lost, so its run is not tried again, and its handlers are at work when the engine ends."""
    at = between(dice, 0.001, 600.0)
    yield _struck(dice, at, "power", "begun", dice.choice((1, 2, 3, 5)))
    yield _struck(dice, at + between(dice, 100.0, 1000.0), "kill", "handlers", 1)


def _struck(dice: Random, at: float, what: str, when: str, after: int) -> Moment:
    actor = {"power": "the mains", "kill": "the system"}[what]
    facts = {"when": when, "after": after, "down": round(between(dice, 0.1, 30.0), 3)}
    return Moment(round(at, 3), actor, what, facts)
