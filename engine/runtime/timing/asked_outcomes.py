"""Which outcomes other tasks can still ask for: retention keeps them when the directory goes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from engine.model.states import TaskState
from engine.planning.schedules.asked_outcomes import OpenDependency, asked_since
from engine.runtime.timing.definition_waits import DefinitionWait, read_waits
from engine.store.reading_schedules import BY_HAND, BY_TIME
from engine.store.rows import InstanceRow, time_text
from engine.store.sql_store import Store


class AskedOutcomes:
    """As tasks, schedules and what waits are at one moment; on any thread."""

    def __init__(self, store: Store, zone: ZoneInfo, now: datetime) -> None:
        self._store, self._zone, self._now = store, zone, now
        rows = {row.id: row for row in store.definitions("task")}
        live = [id for id, row in rows.items() if row.state in (TaskState.ONLINE, TaskState.OFFLINE)]
        self._waits: dict[str, list[tuple[str, DefinitionWait]]] = {}
        for task in live:
            for wait in read_waits(rows, task):
                self._waits.setdefault(wait.upstream, []).append((task, wait))
        self._schedules = {row.task: row for row in store.schedules()}
        self._open = store.earliest_open()
        self._since: dict[str, str | None] = {}

    def __call__(self, row: InstanceRow) -> bool:
        """Whether an instance of a task that depends on it may still be decided on this one."""
        if row.task not in self._since:
            self._since[row.task] = self._asked_since(row.task)
        since = self._since[row.task]
        return since is not None and row.scheduled_time >= since

    def _asked_since(self, upstream: str) -> str | None:
        waits = self._waits.get(upstream, ())
        triggers = BY_HAND + BY_TIME if any(wait.by_hand for _, wait in waits) else BY_TIME

        def newest(until: datetime) -> datetime | None:  # what is only planned may still go
            row = self._store.newest_instance(upstream, time_text(until), triggers, begun=True)
            return datetime.fromisoformat(row.scheduled_time) if row else None

        found = asked_since(self._dependencies(upstream), newest)
        return time_text(found) if found else None

    def _dependencies(self, upstream: str) -> Iterator[OpenDependency]:
        for task, wait in self._waits.get(upstream, ()):
            held, earliest = self._schedules.get(task), self._earliest(task)
            if earliest is not None:
                zone = ZoneInfo(held.zone) if held else self._zone
                yield OpenDependency(wait.paired, earliest, zone, wait.itself)

    def _earliest(self, task: str) -> datetime | None:
        """The earliest time of a task that is not decided or is to come; None: there is none."""
        held, open_at = self._schedules.get(task), self._open.get(task)
        coming = held.next_at if held else time_text(self._now)  # offline: from when it is online again
        return min((datetime.fromisoformat(each) for each in (coming, open_at) if each), default=None)
