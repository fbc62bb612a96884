"""The part of the store that backfills are kept in, and what there is of past times."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import sqlalchemy as sa

from engine.model.states import INSTANCE_ENDED, InstanceState
from engine.store.prepared import Prepared
from engine.store.reading_schedules import BY_TIME, ScheduleReading
from engine.store.rows import BackfillRow, BackfillStepRow, InstanceRow
from engine.store.schema import backfill, backfill_step, instance
from engine.store.sound_rows import selected

_UNDER_WAY = ("running", "paused")
_BACKFILLS_UNDER_WAY = Prepared(
    sa.select(backfill.c.id).where(backfill.c.status.in_(_UNDER_WAY)).order_by(backfill.c.id)
)
_STATES = (backfill_step.c.backfill, backfill_step.c.choice, backfill_step.c.status, instance.c.status)
_COUNTS = (
    sa.select(*_STATES, sa.func.count())
    .join_from(backfill_step, instance, instance.c.id == backfill_step.c.instance, isouter=True)
    .where(backfill_step.c.backfill.in_(sa.bindparam("ids", expanding=True)))
    .group_by(*_STATES)
)


_EARLIEST_OPEN = Prepared(
    sa.union_all(
        sa.select(instance.c.task, sa.func.min(instance.c.scheduled_time))
        .where(
            instance.c.status.in_((str(InstanceState.PLANNED), str(InstanceState.WAITING))),
            instance.c.run == 0,
        )
        .group_by(instance.c.task),
        sa.select(backfill_step.c.task, sa.func.min(backfill_step.c.at))
        .join_from(backfill_step, backfill, backfill.c.id == backfill_step.c.backfill)
        .where(backfill.c.status.in_(_UNDER_WAY), backfill_step.c.status == "pending")
        .group_by(backfill_step.c.task),
    )
)


class StepCount(NamedTuple):
    """How many times of a backfill are in one state; ``instance``: that of their instances now."""

    backfill: int
    choice: str
    status: str
    instance: str | None
    times: int

    @property
    def is_bad(self) -> bool:
        """Whether what was to run ended badly, or could not be run."""
        if self.status == "left":
            return self.choice != "leave"
        outcome = self.instance if self.status == "begun" else self.status  # begun: also of older versions
        return outcome in INSTANCE_ENDED - {InstanceState.SUCCEEDED}


class BackfillReading(ScheduleReading):
    """Backfills, their times, how far they have come."""

    def backfills(self, *, under_way: bool = False, limit: int = 1000) -> list[BackfillRow]:
        """The newest first; or those alone that have not ended."""
        return self._rows(BackfillRow, _newest(self._backend.name, under_way), limit=limit)

    def backfills_under_way(self) -> list[int]:
        """The numbers of those that have not ended, damaged ones too, the oldest first."""
        return [row[0] for row in self._all(_BACKFILLS_UNDER_WAY)]

    def spent_backfills(self) -> list[BackfillRow]:
        """Those that have ended, of whose instances none is there any more."""
        return self._rows(BackfillRow, _spent(self._backend.name))

    def backfill(self, id: int) -> BackfillRow | None:
        """One of them."""
        return self._one(BackfillRow, "backfill", id=id)

    def earliest_open(self) -> dict[str, str]:
        """By task the earliest time whose instance has not begun, or is still to be made by a backfill."""
        found: dict[str, str] = {}
        for task, at in self._all(_EARLIEST_OPEN):
            found[task] = min(at, found.get(task, at))
        return found

    def backfill_steps(self, backfill: int) -> list[BackfillStepRow]:
        """Its times, in the order in which they begin."""
        return self._found(BackfillStepRow, "backfill_step", "position", backfill=backfill)

    def step_counts(self, backfills: Sequence[int]) -> list[StepCount]:
        """How far these have come."""
        return [StepCount(*row) for row in self._all(_COUNTS, ids=list(backfills))]

    def step_states(self, backfill: int) -> dict[int, str]:
        """The states of the instances of its times, by position; of those that have one."""
        query = sa.select(backfill_step.c.position, instance.c.status).join_from(
            backfill_step, instance, instance.c.id == backfill_step.c.instance
        )
        return dict(self._all(query.where(backfill_step.c.backfill == backfill)))

    def instances_between(self, task: str, first: str, last: str) -> list[InstanceRow]:
        """Those of scheduled times of a task, both included; those that were started by hand are not."""
        query = _between(self._backend.name)
        return self._rows(InstanceRow, query, task=task, first=first, last=last)


@cache
def _newest(dialect: str, under_way: bool) -> Prepared:
    query = selected(dialect, "backfill").order_by(backfill.c.id.desc()).limit(sa.bindparam("limit"))
    return Prepared(query.where(backfill.c.status.in_(_UNDER_WAY)) if under_way else query)


@cache
def _spent(dialect: str) -> Prepared:
    ran = sa.and_(backfill_step.c.backfill == backfill.c.id, backfill_step.c.status != "left")
    there = sa.exists().where(ran, instance.c.id == backfill_step.c.instance)
    query = selected(dialect, "backfill").where(backfill.c.ended_at.is_not(None), ~there)
    return Prepared(query.order_by(backfill.c.id))


@cache
def _between(dialect: str) -> Prepared:
    query = selected(dialect, "instance").where(
        instance.c.task == sa.bindparam("task"),
        instance.c.scheduled_time >= sa.bindparam("first"),
        instance.c.scheduled_time <= sa.bindparam("last"),
        instance.c.trigger.in_(BY_TIME),
    )
    return Prepared(query)
