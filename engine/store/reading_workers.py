"""The part of the store that has workers, and what runs on each."""

from __future__ import annotations

import sqlalchemy as sa

from engine.model.states import INSTANCE_UNFINISHED, AttemptState, JobState
from engine.store.reading_backfills import BackfillReading
from engine.store.rows import AttemptRow, WorkerRow
from engine.store.schema import instance, job_instance, job_run, worker

_OPEN = (str(AttemptState.STARTING), str(AttemptState.RUNNING))


class WorkerReading(BackfillReading):
    """Workers as they are registered, and their attempts."""

    def workers(self) -> list[WorkerRow]:
        """All of them, by name; this machine only where something was set about it."""
        return self._rows(WorkerRow, self._select("worker").order_by(worker.c.name))

    def attempts_on(self, name: str | None = None, *, at_work: bool = False) -> list[AttemptRow]:
        """The attempts of unfinished instances that have not ended: on one worker, or on any.

        ``at_work``: those that have a slot, without what waits for a time, an answer or another task.
        """
        alive = sa.select(job_instance.c.id).join_from(
            job_instance, instance, instance.c.id == job_instance.c.instance
        )
        alive = alive.where(instance.c.status.in_(INSTANCE_UNFINISHED))
        if at_work:
            alive = alive.where(job_instance.c.status == str(JobState.RUNNING))
            alive = alive.where(job_instance.c.directory.is_not(None))  # those without run no program
        query = self._select("job_run").where(job_run.c.job_instance.in_(alive), job_run.c.status.in_(_OPEN))
        if name is not None:
            query = query.where(job_run.c.worker == name)
        return self._rows(AttemptRow, query.order_by(job_run.c.job_instance, job_run.c.attempt))
