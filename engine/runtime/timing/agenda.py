"""The next fire time of every schedule, the soonest first."""

from __future__ import annotations

import heapq
from datetime import datetime


class Agenda:
    """One time for each task; a later entry replaces an earlier one."""

    def __init__(self) -> None:
        self._heap: list[tuple[datetime, str]] = []
        self._times: dict[str, datetime] = {}

    def put(self, task: str, moment: datetime | None) -> None:
        """When a task fires next; None: never."""
        if moment is None:
            self._times.pop(task, None)
        elif self._times.get(task) != moment:
            self._times[task] = moment
            heapq.heappush(self._heap, (moment, task))

    def next(self) -> datetime | None:
        """The soonest of all."""
        while self._heap and self._times.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def take(self, now: datetime) -> str | None:
        """Take out the task whose time came first; None while none has come."""
        soonest = self.next()
        if soonest is None or soonest > now:
            return None
        _, task = heapq.heappop(self._heap)
        del self._times[task]
        return task
