"""What an attempt comes to of which an earlier engine left nothing to go on with."""

from __future__ import annotations

from engine.model.codes.runtime import LOST, NOT_BEGUN
from engine.model.errors import Failure
from engine.runtime.fibers import Coroutine, Signal
from engine.runtime.run_state.job_rows import RecoveredJob


def lost(why: str) -> Failure:
    """Not to be tried again by the job's own retry: that is for what is known to have failed."""
    return Failure.new(LOST, why)


def not_begun() -> Failure:
    return Failure.new(NOT_BEGUN, "the engine ended before it was started")


def unless_stopped(left: RecoveredJob, failure: Failure | None) -> Coroutine[Failure | None]:
    """What an engine's end made of it, unless that engine was stopping it: nothing of it lives any more."""
    if left.stop is not None:
        yield Signal()  # never: the stop follows in this very turn
    return failure
