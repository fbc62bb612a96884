"""The instances that schedules have started and that have not ended, by task: what overlaps with what."""

from __future__ import annotations

from datetime import datetime


class Unfinished:
    """Those that wait or run, and which of them wait; not backfills or reruns by hand."""

    def __init__(self) -> None:
        self._of_task: dict[str, dict[int, datetime]] = {}
        self._task_of: dict[int, str] = {}
        self._waiting: dict[str, set[int]] = {}

    def __contains__(self, id: int) -> bool:
        return id in self._task_of

    def add(self, task: str, id: int, at: datetime, *, waits: bool = False) -> None:
        """One more; ``waits``: it has not begun."""
        self._of_task.setdefault(task, {})[id] = at
        self._task_of[id] = task
        if waits:
            self._waiting.setdefault(task, set()).add(id)

    def began(self, id: int) -> None:
        self._waiting.get(self._task_of[id], set()).discard(id)

    def ended(self, id: int) -> str | None:
        """The task of one that is over; None if it is none of them."""
        task = self._task_of.pop(id, None)
        if task is not None:
            del self._of_task[task][id]
            self._waiting.get(task, set()).discard(id)
            if not self._of_task[task]:
                self._of_task.pop(task)
                self._waiting.pop(task, None)
        return task

    def earlier(self, task: str, at: datetime) -> int | None:
        """The one of the nearest earlier time."""
        before = [(time, id) for id, time in self._of_task.get(task, {}).items() if time < at]
        return max(before)[1] if before else None

    def at(self, task: str, at: datetime) -> bool:
        """Whether there is one of that very time."""
        return at in self._of_task.get(task, {}).values()

    def first_waiting(self, task: str) -> int | None:
        """The one that may begin now: of those that wait the first, if nothing earlier is unfinished."""
        of_task, waiting = self._of_task.get(task, {}), self._waiting.get(task, ())
        if not waiting:
            return None
        first = min(of_task, key=lambda id: (of_task[id], id))
        return first if first in waiting else None

    def waiting(self, task: str) -> list[int]:
        """Those of a task that have not begun."""
        return sorted(self._waiting.get(task, ()))
