"""Decides about many instances, a few in each turn of the loop: what else is asked is answered in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

from engine.runtime.loop import Loop

AT_ONCE = 5  # instances that one turn decides about: what begins brings a whole run with it


class FewPerTurn:
    """Loop thread only. ``decide`` gets the id of each instance, once for however often it was added."""

    def __init__(self, loop: Loop, decide: Callable[[int], None]) -> None:
        self._loop = loop
        self._decide = decide
        self._left: dict[int, None] = {}

    def add(self, instances: Iterable[int]) -> None:
        """Behind those that are left; the first few in this turn when none was."""
        under_way = bool(self._left)
        self._left.update(dict.fromkeys(instances))
        if not under_way:
            self._decide_some()

    def _decide_some(self) -> None:
        try:
            for id in list(islice(self._left, AT_ONCE)):
                del self._left[id]
                self._decide(id)
        finally:  # an error ends this turn's share, not the others' wait
            if self._left:
                self._loop.after_commit(self._decide_some)
