"""What else happens to workers: clocks that are off, what runs there unknown to the engine, slow links, more faults at fences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

from tests.simulation.workload.fleet import Happening, fleet
from tests.simulation.workload.random_streams import between, chance

FAULTS = frozenset({"worker clock", "stranger", "slow link", "silence and"})
_SHARE = 0.5  # of the lives with workers, for each kind
_AT_A_FENCE = "restart", "restart", "kill", "power", "worker reboots", "clock"
Facts = Mapping[str, Any]


def troubles(seed: int) -> Iterator[Happening]:
    """From streams of their own."""
    workers = fleet(seed)
    for what, (often, facts) in _KINDS.items():
        names = tuple(workers.fences if what == "silence and" else workers.slots)
        dice = chance(seed, what)
        for _ in range(often if names and dice.random() < _SHARE else 0):
            at = round(between(dice, 0.001, 1500.0), 3)
            yield at, "the network", what, {"worker": dice.choice(names), **facts(dice, workers.fences)}


def _clock(dice: Random, _: Mapping[str, str]) -> Facts:
    return {"by": dice.choice((4.0, -60.0, 3600.0)), "seconds": round(between(dice, 10.0, 900.0), 3)}


def _stranger(dice: Random, _: Mapping[str, str]) -> Facts:
    job = dice.randint(1, 60)
    facts = {"job": job, "alone": dice.random() < 0.4, "seconds": round(between(dice, 10.0, 900.0), 3)}
    return facts | {"next": dice.random() < 0.8}


def _slow(dice: Random, _: Mapping[str, str]) -> Facts:
    return {"delay": dice.choice((3.0, 20.0, 60.0)), "seconds": round(between(dice, 30.0, 1200.0), 3)}


def _silence(dice: Random, fences: Mapping[str, str]) -> Facts:
    """A longer one than any fence; just before it or in the middle of it more goes wrong."""
    longest = max(float(each.rstrip("s")) for each in fences.values())
    what, seconds = dice.choice(_AT_A_FENCE), round(longest * between(dice, 2.0, 8.0), 3)
    facts = {"seconds": seconds, "takes": seconds * 2, "after": round(between(dice, 0.01, 20.0), 3)}
    more = {"down": round(between(dice, 0.1, 30.0), 3), "by": dice.choice((-3600.0, 86_400.0))}
    return facts | more | {"what": what, "then": dice.choice((-2.5, round(seconds * dice.random() * 0.5, 3)))}


_KINDS: Mapping[str, tuple[int, Callable[[Random, Mapping[str, str]], Facts]]] = {  # how many, which
    "worker clock": (4, _clock),
    "stranger": (6, _stranger),
    "slow link": (3, _slow),
    "silence and": (4, _silence),
}
