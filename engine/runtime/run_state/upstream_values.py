"""What a run reads of the instances that it has waited for: ``$.UPSTREAM``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, tzinfo
from typing import Any

from engine.runtime.elapsed import iso
from engine.store.rows import InstanceRow, LinkRow
from engine.store.sql_store import Store

_VALUES = ("PARAMS", "RESULT")


def upstream_values(store: Store, links: Iterable[LinkRow], zone: tzinfo) -> dict[str, Any]:
    """By task, as the instances are now; nothing of a task that had none."""
    found: dict[str, Any] = {}
    for link in links:
        entries = [_entry(row, zone) for row in store.partners(link)]
        if entries:
            found[link.upstream] = entries if link.is_list else entries[-1]
    return found


def _entry(row: InstanceRow, zone: tzinfo) -> dict[str, Any]:
    return {
        "INSTANCE": row.id,
        "RUN": row.run,
        "SCHEDULED_TIME": iso(datetime.fromisoformat(row.scheduled_time).astimezone(zone)),
        "STATUS": str(row.status),
        "PARAMS": dict(row.params),
        "RESULT": dict(row.results),
    }


def kept_below(keep: Callable[[Any], Any], given: Any) -> Any:
    """The same with references in the place of big values."""
    if isinstance(given, list):
        return [kept_below(keep, each) for each in given]
    values = {name: {key: keep(each) for key, each in given[name].items()} for name in _VALUES}
    return {**given, **values}
