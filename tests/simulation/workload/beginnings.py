"""Engines and mains that fail just when a process starts, or while something is tried again.

In such lives a process takes its time to say that it has begun, and some job needs a second attempt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from tests.simulation.workload.backfilling import Moment
from tests.simulation.workload.random_streams import between, chance

_SHARE = 0.12  # of all lives


def is_struck(seed: int) -> bool:
    """Whether it is such a life."""
    return chance(seed, "struck").random() < _SHARE


def at_a_start(seed: int) -> Iterator[Sequence[Moment]]:
    """From a stream of its own."""
    dice = chance(seed, "beginnings")
    if is_struck(seed):
        for _ in range(dice.choice((1, 2, 2))):
            yield [_kill(dice)]
        if dice.random() < 0.5:
            yield list(_cuts(dice))


def _kill(dice: Random) -> Moment:
    """The next engine is there before the process has written anything down, or what is tried again is over."""
    at, when = round(between(dice, 0.001, 600.0), 3), dice.choice(("start", "start", "again"))
    after = dice.choice((1, 1, 2, 3, 5)) if when == "start" else dice.choice((1, 1, 2))
    down = round(between(dice, 0.001, 0.1), 3)
    return Moment(at, "the system", "kill", {"when": when, "after": after, "down": down})


def _cuts(dice: Random) -> Iterator[Moment]:
    """The process has begun and the database does not know its number yet, or has ended and it does not know that."""
    at, after = round(between(dice, 0.001, 600.0), 3), dice.choice((1, 1, 2, 3))
    yield Moment(at, "the disk", "slow disk", {"seconds": 120.0, "delay": dice.choice((0.2, 3.0))})
    when = dice.choice(("begun", "ended", "ended"))
    yield Moment(at, "the mains", "power", {"when": when, "after": after, "down": 30.0})
