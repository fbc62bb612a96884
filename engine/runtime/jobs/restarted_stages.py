"""The stages of an attempt whose machine was restarted since."""

from __future__ import annotations

from engine.execution import outputs
from engine.execution.host import Remains
from engine.execution.outcomes import RESTARTED, Exit
from engine.model.codes.runtime import RESULT_MISSING
from engine.model.errors import Failure
from engine.model.job import Job
from engine.model.states import JobState
from engine.runtime.fibers import Coroutine
from engine.runtime.jobs import (
    asynchronous_programs,
    left_calls,
    programs,
    stage_looks,
    stages,
)
from engine.runtime.jobs.attempt import Attempt
from engine.runtime.jobs.disk_room import with_room
from engine.runtime.jobs.left_failures import lost, not_begun, unless_stopped
from engine.runtime.jobs.results import Done
from engine.runtime.run_state.job_rows import RecoveredJob


def after_restart(attempt: Attempt, left: RecoveredJob, remains: Remains) -> Coroutine[Failure | None]:
    """Nothing of it lives, and a file that is empty or missing proves nothing: the power may have failed.

    What is certain is in the store, or is an end that was written down with everything it left.
    """
    entry = attempt.entry
    if not left.announced:
        return (yield from unless_stopped(left, not_begun()))
    if left.stop is not None:
        attempt.files.reserve()
        if entry.has_made("ready.0"):
            yield from programs.stage(attempt, "ready")  # its jobs have outcomes of their own
        return (yield from unless_stopped(left, lost(RESTARTED)))
    if left.state is JobState.CHECKING:
        asynchronous_programs.nothing_goes_on(attempt)
        done = left_calls.done(entry, attempt.execution.row) if left_calls.is_work(entry) else Done()
        return _unless_taken((yield from stages.after_process(attempt, done)))
    if left.state is JobState.WAITING:
        attempt.files.reserve()
        failure = yield from programs.stage(attempt, "ready")  # first: its jobs end with it if it is stopped
        codes = yield from programs.codes_of(entry)
        yield from with_room(entry.run, lambda: attempt.files.remake(codes))
        return failure or (yield from stages.behind_ready(attempt))
    # Of an end stage that may have begun nothing is known.
    ends = entry.job.end is not None and entry.tree.get("EXIT_CODE") is not None
    end = None if ends else _end_before_restart(attempt, left.boot)
    if entry.identity.asynchronous or end is None:
        return lost(RESTARTED)
    attempt.row.ended_meanwhile(remains.ended_at("process"))
    return (yield from stages.after_process(attempt, programs.done(entry, attempt.row, end)))


def _unless_taken(failure: Failure | None) -> Failure | None:
    """A result that is missing now may have been there before the restart: nobody knows."""
    if failure is None or failure.code != RESULT_MISSING.number:
        return failure
    return lost("a power cut may have taken a result of it")


def _end_before_restart(attempt: Attempt, boot: str | None) -> Exit | None:
    """The end that its process wrote down before the machine was restarted, if all it left is whole too.

    What a program writes reaches the disk up to half a minute later: then it is empty or missing.
    """
    folder = attempt.files.folder
    end = stage_looks.looked_at(attempt, "process", boot=boot) if folder is not None else None
    if folder is None or not isinstance(end, Exit):
        return None
    return end if outputs.is_whole(folder.path, _wanted(attempt.entry.job, end)) else None


def _wanted(job: Job, end: Exit) -> list[str]:
    """The files that a program which ended so must have left: results, and output where that is read."""
    written = [name for name, spec in job.results.items() if not spec.computed and name != "exit_code"]
    reads = job.success is not None or any(spec.computed for spec in job.results.values())
    return [f"outputs/{name}" for name in written if not end.code] + ["job.log"] * reads
