"""The tasks with what they depend on, what their latest run was and when they come next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from engine.api.documents import Document
from engine.api.views import local_time
from engine.model.states import Trigger
from engine.store.rows import DefinitionRow, time_text

if TYPE_CHECKING:
    from engine.store.sql_store import Store


def task_map(store: Store, zone: ZoneInfo, now: datetime) -> list[Document]:
    """See ``Service.task_map``."""
    until = time_text(now)
    later = {each.task: each.next_at for each in store.schedules()}
    coming = {**later, **store.soonest_planned(until)}
    return [_task(store, row, coming.get(row.id), until, zone) for row in store.definitions("task")]


def _task(store: Store, row: DefinitionRow, coming: str | None, until: str, zone: ZoneInfo) -> Document:
    tree = row.content if isinstance(row.content, Mapping) else {}
    last = store.newest_instance(row.id, until, tuple(map(str, Trigger)), begun=True)
    return {
        "task": row.id,
        "name": tree.get("name"),
        "state": row.state,
        "upstream": list(dict.fromkeys(_upstream(row.id, tree))),
        "next": local_time(coming, zone) if row.state == "online" else None,
        "status": last.status if last else None,
        "instance": last.id if last else None,
        "scheduled_time": local_time(last.scheduled_time, zone) if last else None,
    }


def _upstream(task: str, tree: Mapping[str, Any]) -> Iterator[str]:
    """The tasks that a definition depends on, itself included where it waits for its own time before."""
    listed = tree.get("depends_on")
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, Mapping) and (each.get("self") or isinstance(each.get("task"), str)):
            yield task if each.get("self") else str(each["task"])
