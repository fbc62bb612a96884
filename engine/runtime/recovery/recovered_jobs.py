"""How far an earlier engine came with each job of a run, by its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from engine.model.handling import Handling
from engine.model.reason import Kind, Reason
from engine.model.states import AttemptState, JobState
from engine.model.worker import LOCAL
from engine.runtime.recovery.log_entries import begins_of_attempts
from engine.runtime.run_state.job_rows import UNBEGUN, RecoveredJob, RecoveredJobs
from engine.store.rows import AttemptRow, JobRow

Attempts = Mapping[int, list[AttemptRow]]  # of each JobInstance that has not ended
Lines = Callable[[], Iterable[str]]


def recovered_jobs(
    jobs: Iterable[JobRow], of_job: Attempts, lines: Lines = tuple, here: str | None = None
) -> RecoveredJobs:
    """How far every job came, with the mark of an attempt that was under way.

    ``lines`` are those of its context. ``here``: the start of this machine in which the run began; attempts
    elsewhere have that of their host.
    """
    found: RecoveredJobs = {}
    for job in _LatestAttempts(of_job, lines).of(jobs):
        found.setdefault((job.node, job.round), {})[job.index] = (job.id, _left(job, of_job, here))
    return found


def _left(job: JobRow, of_job: Attempts, here: str | None) -> RecoveredJob:
    state = JobState(job.status)
    attempts = of_job.get(job.id, [])
    last = attempts[-1] if attempts else None
    return RecoveredJob(
        state,
        job.attempt,
        last.mark if last else None,
        last.status if last else str(AttemptState.STARTING),
        job.branch,
        since=last.started_at if last else None,
        here=last.boot_id if last and last.worker in (None, LOCAL) else here,
        boot=last.boot_id if last else None,
        worker=last.worker if last else None,
        pid=last.pid if last else None,
        ticks=last.start_ticks if last else None,
        announced=_announced(job, last),
        due=job.due_at,
        checks=_checks(job),
        failure=job.failure if not state.ended else None,
        handling=Handling.from_json(job.handling),
        stop=job.stop,
        never_begun=sum(each.error_code in UNBEGUN for each in attempts),
        priority=job.priority or None,
        based_on_edit=job.based_on_edit,
        begun=job.started_at is not None,
    )


def _announced(job: JobRow, last: AttemptRow | None) -> bool:
    """Whether its latest attempt was about to make its directory (:meth:`LiveAttemptRow.announce`)."""
    if last is not None and last.attempt > 1 and last.status == AttemptState.STARTING:
        return False
    return job.directory is not None


def _checks(job: JobRow) -> Reason | None:
    why = job.because if job.status == JobState.CHECKING else None
    return why if why is not None and why.kind is Kind.CHECK else None


class _LatestAttempts:
    """What jobs within others did for an earlier attempt of these is no part of the latest one."""

    def __init__(self, of_job: Attempts, lines: Lines) -> None:
        self._of_job = of_job
        self._lines = lines

    def of(self, jobs: Iterable[JobRow]) -> Iterator[JobRow]:
        """Those that are part of the latest attempts; ``jobs`` in the order in which they were made."""
        earlier: set[int] = set()  # and what was within these
        for job in jobs:
            if job.parent in earlier or self._is_earlier(job):
                earlier.add(job.id)
            else:
                yield job

    def _is_earlier(self, job: JobRow) -> bool:
        """By the order of the log: the clock may have been set."""
        outer = self._of_job.get(job.parent or 0, [])
        if len(outer) < 2 or not JobState(job.status).ended:
            return False
        began = self._begins.get((outer[-1].job_instance, outer[-1].attempt))
        return began is None or self._first.get(job.id, began) < began

    @cached_property
    def _begins(self) -> dict[tuple[int, int], int]:
        return begins_of_attempts(self._lines())

    @cached_property
    def _first(self) -> Mapping[int, int]:
        """The line that tells first of each JobInstance."""
        return {job: line for (job, _), line in reversed(self._begins.items())}
