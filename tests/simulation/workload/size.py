"""A life is no larger for what comes beside: that takes the place of wishes and faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tests.simulation.workload.action import Action
from tests.simulation.workload.faults import ALL
from tests.simulation.workload.random_streams import chance

Unit = Sequence[Action]  # what belongs together: all of it or nothing


def within(seed: int, units: Iterable[Unit], wishes: int, faults: int) -> list[Unit]:
    """So many of them, by chance, that people wish about so much, and so much goes wrong; those first with both.

    What people do is the same whatever may go wrong.
    """
    found = list(filter(None, units))
    done = list(_until(seed, "size", [each for each in found if _wishes(each)], wishes, _wishes))
    left = faults - sum(map(_faults, done))
    struck = [each for each in found if not _wishes(each)]
    return [*done, *_until(seed, "size of faults", struck, left, _faults)]


def _until(
    seed: int, purpose: str, units: list[Unit], most: int, count: Callable[[Unit], int]
) -> Iterator[Unit]:
    chance(seed, purpose).shuffle(units)
    for unit in units:
        if most <= 0:
            return
        most -= count(unit)
        yield unit


def _wishes(unit: Unit) -> int:
    return sum(each.what not in ALL for each in unit)


def _faults(unit: Unit) -> int:
    return len(unit) - _wishes(unit)
