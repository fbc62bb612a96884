"""What must hold in the end about what failed: nothing is open that was dealt with, each remedy is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

from engine.model.states import InstanceState, JobState
from engine.store.filters import ExceptionFilter
from engine.store.rows import ExceptionRow, JobRow
from tests.simulation.invariants.life import Life


def no_exception_record_leaks(life: Life) -> Iterator[str]:
    """What is open failed, and nothing was done about it: no further attempt, no rerun, no settling by hand."""
    jobs = cache(life.engine.store.jobs)
    for row in _exceptions(life):
        if row.status == "open" and (why := _dealt_with(life, row, jobs)):
            yield f"exception {row.id} of {row.node} in instance {row.instance} is open: {why}"


def _dealt_with(life: Life, row: ExceptionRow, jobs_of: Callable[[int], list[JobRow]]) -> str | None:
    store = life.engine.store
    instance = store.instance(row.instance) if row.instance is not None else None
    if instance is None:
        return "its instance is not there"
    if row.job_instance is None:
        succeeded = instance.status == InstanceState.SUCCEEDED
        return "its instance has succeeded" if succeeded or instance.run > row.run else None
    jobs = jobs_of(instance.id)
    job = next((each for each in jobs if each.id == row.job_instance), None)
    if job is None:
        return "its job is not there"
    if not JobState(job.status).bad:
        return f"its job is {job.status}"
    if (row.attempt or 0) < job.attempt:
        return f"attempt {job.attempt} followed"
    later = [each for each in jobs if _place(each) == _place(job) and each.run > job.run]
    return f"run {later[0].run} ran it again" if later else None


def recovery_counts_its_attempts(life: Life) -> Iterator[str]:
    """Each further attempt that a job's recovery makes has a number of its own."""
    notes = Counter(
        (row.job_instance, row.note)
        for row in _exceptions(life)
        if row.handled_by == "recovery" and str(row.note).startswith("recovery ")
    )
    yield from (
        f"job_instance {job}: {note}, {count} times" for (job, note), count in notes.items() if count > 1
    )


def _exceptions(life: Life) -> Iterator[ExceptionRow]:
    before = None
    while page := life.engine.store.exceptions(ExceptionFilter(), before=before, limit=1000):
        before = page[-1].id
        yield from page


def _place(job: JobRow) -> tuple[str, int | None, int]:
    """Another round of a loop is other work: what failed in this one is still to be looked at."""
    return job.node, job.index, job.round
