"""The instances that schedules have started and that have not ended, by task: what overlaps with what."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from datetime import datetime

_NO_ID = 0  # less than that of any instance


class Unfinished:
    """Those that wait or run, which of them wait, and for whose end; not backfills or reruns by hand."""

    def __init__(self) -> None:
        self._of_task: dict[str, list[tuple[datetime, int]]] = {}  # the first one first
        self._place: dict[int, tuple[str, datetime]] = {}
        self._waiting: dict[str, set[int]] = {}
        self._behind: dict[int, int] = {}  # the earlier one that those name that wait for one
        self._followers: dict[int, set[int]] = {}  # the same the other way round

    def __contains__(self, id: int) -> bool:
        return id in self._place

    def add(
        self, task: str, id: int, at: datetime, *, waits: bool = False, behind: int | None = None
    ) -> None:
        """One more; ``waits``: it has not begun; ``behind``: it waits for the end of that one."""
        insort(self._of_task.setdefault(task, []), (at, id))
        self._place[id] = task, at
        if waits:
            self._waiting.setdefault(task, set()).add(id)
        if behind is not None:
            self.wait_behind(id, behind)

    def wait_behind(self, id: int, other: int) -> None:
        """It waits for the end of that one."""
        self.turn_came(id)
        self._behind[id] = other
        self._followers.setdefault(other, set()).add(id)

    def turn_came(self, id: int) -> None:
        """It waits for no earlier one any more."""
        other = self._behind.pop(id, None)
        if other is not None:
            followers = self._followers[other]
            followers.discard(id)
            if not followers:
                del self._followers[other]

    def began(self, id: int) -> None:
        self._waiting.get(self._place[id][0], set()).discard(id)

    def ended(self, id: int) -> str | None:
        """The task of one that is over; None if it is none of them."""
        if id not in self._place:
            return None
        task, at = self._place.pop(id)
        of_task = self._of_task[task]
        del of_task[bisect_left(of_task, (at, id))]
        self.turn_came(id)
        self._waiting.get(task, set()).discard(id)
        if not of_task:
            self._of_task.pop(task)
            self._waiting.pop(task, None)
        return task

    def earlier(self, task: str, at: datetime) -> int | None:
        """The one of the nearest earlier time."""
        of_task = self._of_task.get(task, [])
        place = bisect_left(of_task, (at, _NO_ID))
        return of_task[place - 1][1] if place else None

    def at(self, task: str, at: datetime) -> bool:
        """Whether there is one of that very time."""
        of_task = self._of_task.get(task, [])
        place = bisect_left(of_task, (at, _NO_ID))
        return place < len(of_task) and of_task[place][0] == at

    def first_waiting(self, task: str) -> int | None:
        """The one that may begin now: of those that wait the first, if nothing earlier is unfinished."""
        of_task = self._of_task.get(task)
        first = of_task[0][1] if of_task else None
        return first if first in self._waiting.get(task, ()) else None

    def followers(self, id: int) -> Sequence[tuple[int, int | None]]:
        """Those that wait behind one, each with the one of the nearest earlier time."""
        return [(each, self.earlier(*self._place[each])) for each in sorted(self._followers.get(id, ()))]

    def astray(self) -> list[int]:
        """What is over, or was never known here, and waited for all the same."""
        return sorted(self._followers.keys() - self._place.keys())
