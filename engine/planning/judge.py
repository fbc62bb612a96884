"""How an attempt is judged (contract 2.2): from what was seen to succeeded or not, and by what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

from engine.model.states import AttemptState


class Cause(StrEnum):
    """What decided."""

    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    SIGNAL = "signal"
    READY = "ready"  # the ready stage failed
    SUCCESS = "success"  # the job's success condition
    STATUS = "status"  # what the program wrote into status
    CHECK = "check"  # of an asynchronous job
    EXIT = "exit"  # the exit status, or an error that stands for it


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known at the end of an attempt; None where there is nothing to know.

    ``signal`` ended the program; ``success`` is what the job's condition came to; ``status`` is the text
    of the file; ``check`` is what an asynchronous job's ``check.success`` came to; ``exit_code`` is 1 for a
    call that raised an error.
    """

    timed_out: bool = False
    cancelled: bool = False
    signal: int | None = None
    ready_failed: bool = False
    success: bool | None = None
    status: str | None = None
    check: bool | None = None
    exit_code: int | None = None


class Verdict(NamedTuple):
    """The state of the attempt, and what decided it."""

    state: AttemptState
    cause: Cause

    @property
    def ok(self) -> bool:
        """Whether it succeeded."""
        return self.state is AttemptState.SUCCEEDED


def judge(seen: Seen) -> Verdict:
    """The first that has something to say decides; with nothing said at all it has succeeded."""
    if seen.timed_out:
        return Verdict(AttemptState.TIMED_OUT, Cause.TIMED_OUT)
    if seen.cancelled:
        return Verdict(AttemptState.CANCELLED, Cause.CANCELLED)
    if seen.signal is not None:
        return Verdict(AttemptState.FAILED, Cause.SIGNAL)
    if seen.ready_failed:
        return Verdict(AttemptState.FAILED, Cause.READY)
    if seen.success is not None:
        return _decided(seen.success, Cause.SUCCESS)
    if seen.status is not None and seen.status.strip():
        return _decided(seen.status.strip() == "1", Cause.STATUS)
    if seen.check is not None:
        return _decided(seen.check, Cause.CHECK)
    return _decided(not seen.exit_code, Cause.EXIT)


def _decided(good: bool, cause: Cause) -> Verdict:
    return Verdict(AttemptState.SUCCEEDED if good else AttemptState.FAILED, cause)


def joined(policy: Literal["single", "all"], outcomes: Sequence[bool]) -> bool:
    """Whether a job that ran on several workers succeeded: on one of them, or on all."""
    return any(outcomes) if policy == "single" else bool(outcomes) and all(outcomes)
