"""What is known of a call that an earlier engine made, or was about to make: by its record and its job."""

from __future__ import annotations

from engine.model.job import Stage, StageName
from engine.model.states import JobState
from engine.plugins.job_type import CallType
from engine.runtime.jobs import control_jobs
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.jobs.job_row import LiveJobRow
from engine.runtime.jobs.results import Done
from engine.runtime.run_state.job_rows import RecoveredJob


def is_work(entry: JobEntry) -> bool:
    """Whether the work of the job is a call."""
    return isinstance(entry.identity.kind, CallType) or _is_by_class(entry.job.process)


def _is_by_class(stage: Stage | None) -> bool:
    return stage is not None and stage.kind == "class"


def is_checked(entry: JobEntry, left: RecoveredJob) -> bool:
    """Whether the work was a call, and is over: its outcome is checked, or that check has held."""
    is_over = left.state is JobState.CHECKING or left.handling.held == left.attempt
    return is_over and is_work(entry)


def done(entry: JobEntry, row: LiveJobRow) -> Done:
    """What it gave, where an earlier engine saw its end."""
    return Done(control_jobs.recorded(entry, row))


def end_may_be_unrecorded(entry: JobEntry, left: RecoveredJob) -> bool:
    """The same of its end stage, where a check has held: what was checked may live on all the same."""
    has_held = left.handling.held == left.attempt and left.state is JobState.RUNNING
    return has_held and _is_by_class(entry.job.end) and _may_miss_records(entry, left)


def may_be_unrecorded(entry: JobEntry, left: RecoveredJob, over: StageName | None) -> bool:
    """Whether a power cut here may have taken the record of one, for a job that is on another machine.

    ``over`` is the last stage that was a program there, and has ended; no other lives.
    """
    if left.state in (JobState.WAITING, JobState.CHECKING) or not _may_miss_records(entry, left):
        return False
    job = entry.job
    if over in ("process", "end"):
        return over == "process" and _is_by_class(job.end) and entry.tree.get("EXIT_CODE") is not None
    if over is None and job.ready is not None and job.ready.kind not in ("group", "task"):
        return _is_by_class(job.ready)
    return is_work(entry)


def _may_miss_records(entry: JobEntry, left: RecoveredJob) -> bool:
    return not entry.is_here and left.announced and entry.services.unsynced.cut
