"""The part of the store that has workers, and what runs on each."""

from __future__ import annotations

from functools import cache

import sqlalchemy as sa

from engine.model.states import INSTANCE_UNFINISHED, AttemptState, JobState
from engine.store.prepared import Prepared
from engine.store.reading_backfills import BackfillReading
from engine.store.rows import AttemptRow, WorkerRow
from engine.store.schema import instance, job_instance, job_run, worker
from engine.store.sound_rows import selected

_OPEN = (str(AttemptState.STARTING), str(AttemptState.RUNNING))


class WorkerReading(BackfillReading):
    """Workers as they are registered, and their attempts."""

    def workers(self) -> list[WorkerRow]:
        """All of them, by name; this machine only where something was set about it."""
        return self._rows(WorkerRow, _workers(self._backend.name))

    def attempts_on(self, name: str | None = None, *, at_work: bool = False) -> list[AttemptRow]:
        """The attempts of unfinished instances that have not ended: on one worker, or on any.

        ``at_work``: those that have a slot, without what waits for a time, an answer or another task.
        """
        named = {} if name is None else {"worker": name}
        return self._rows(AttemptRow, _attempts(self._backend.name, bool(named), at_work), **named)


@cache
def _workers(dialect: str) -> Prepared:
    return Prepared(selected(dialect, "worker").order_by(worker.c.name))


@cache
def _attempts(dialect: str, of_one: bool, at_work: bool) -> Prepared:
    alive = sa.select(job_instance.c.id).join_from(
        job_instance, instance, instance.c.id == job_instance.c.instance
    )
    alive = alive.where(instance.c.status.in_(INSTANCE_UNFINISHED))
    if at_work:
        alive = alive.where(job_instance.c.status == str(JobState.RUNNING))
        alive = alive.where(job_instance.c.directory.is_not(None))  # those without run no program
    query = selected(dialect, "job_run").where(job_run.c.job_instance.in_(alive), job_run.c.status.in_(_OPEN))
    if of_one:
        query = query.where(job_run.c.worker == sa.bindparam("worker"))
    return Prepared(query.order_by(job_run.c.job_instance, job_run.c.attempt))
