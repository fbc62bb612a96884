"""The origin of a run: its first trigger, and the instances that it is a sub-task of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.model.states import Trigger
from engine.planning.recovery import origin
from engine.store.rows import InstanceRow

if TYPE_CHECKING:
    from engine.store.sql_store import Store


def origin_of(store: Store, instance: int, run: int) -> Trigger:
    """From what the store has; manual where that leads nowhere."""
    return origin(_triggers(store, instance, run))


def above(store: Store, row: InstanceRow) -> tuple[int, ...]:
    """The instances that it is a sub-task of, at any depth, the outermost first."""
    found: list[int] = []
    starter = store.job(row.parent) if row.parent is not None else None
    while starter is not None:
        found.insert(0, starter.instance)
        outer = store.instance(starter.instance)
        starter = store.job(outer.parent) if outer is not None and outer.parent is not None else None
    return tuple(found)


def _triggers(store: Store, instance: int, number: int) -> Iterator[Trigger]:
    row = store.run(instance, number)
    while row is not None:
        trigger = Trigger(row.trigger)
        yield trigger
        if trigger is Trigger.RETRY:
            row = store.run(row.instance, row.run - 1)
            continue
        own = store.instance(row.instance)
        job = store.job(own.parent) if own is not None and own.parent is not None else None
        row = store.run(job.instance, job.run) if job is not None else None
