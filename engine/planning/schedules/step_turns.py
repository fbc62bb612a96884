"""Whose turn it is in a backfill: the first step, in order, that nothing unsettled comes before; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

from engine.planning.dag import reach, turned


class StepTurns:
    """Of the steps that are not settled, by position. Settled is one that has ended, or is left."""

    def __init__(self, after: Mapping[int, Sequence[int]]) -> None:
        """``after``: each step with those that come before it; of settled ones nothing is said."""
        within = {each: [other for other in others if other in after] for each, others in after.items()}
        self._behind = turned(within)
        self._open = {each: len(others) for each, others in within.items()}
        self._pending = dict.fromkeys(sorted(after))
        self._ready = [each for each in self._pending if not self._open[each]]
        heapify(self._ready)

    @property
    def pending(self) -> list[int]:
        """Those that were not taken yet."""
        return list(self._pending)

    def take(self) -> int | None:
        """The next one; None while all others come after what is not settled."""
        while self._ready:
            position = heappop(self._ready)
            if position in self._pending:
                del self._pending[position]
                return position
        return None

    def begun(self, position: int) -> None:
        """It was taken by an earlier engine."""
        self._pending.pop(position, None)

    def give_back(self, position: int) -> None:
        """It was taken and has not begun."""
        self._pending[position] = None
        heappush(self._ready, position)

    def settled(self, position: int) -> None:
        """It has ended, or is left: what comes after it may begin."""
        self._pending.pop(position, None)
        for each in self._behind[position]:
            self._open[each] -= 1
            if not self._open[each]:
                heappush(self._ready, each)

    def drop_behind(self, position: int) -> list[int]:
        """Those that come after it, whatever lies in between: they are settled too."""
        behind = [each for each in sorted(reach([position], self._behind)) if each in self._pending]
        for each in behind:
            del self._pending[each]
        for each in behind:
            self.settled(each)
        return behind
