"""Whether and when a failed attempt is made again: by the job's own retry, then by its recovery; pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.model.codes.processes import EXIT_STATUS
from engine.model.errors import Failure, covers
from engine.model.states import JobState, Trigger

if TYPE_CHECKING:
    from engine.model.job import Recovery, Retry

LONGEST = 366 * 86400.0  # seconds; a longer pause than a year is a slip in the definition
UNKNOWN = frozenset(
    {JobState.LOST, JobState.NO_WORKER, JobState.BUSY}
)  # recovered without a policy that asks for it
TROUBLES = UNKNOWN | {JobState.FAILED}
_BY_ITSELF = frozenset({Trigger.SCHEDULE, Trigger.BACKFILL, Trigger.CONDITION})
_OF_ANOTHER = frozenset({Trigger.RETRY, Trigger.SUBTASK})


def next_attempt(retry: Retry, attempt: int, failure: Failure) -> float | None:
    """Seconds to wait before the next attempt; None when there is none.

    ``attempt`` is the number of the one that failed, from 1.
    """
    if attempt > retry.times or not _is_meant(retry, failure):
        return None
    return retry_delay(retry, attempt)


def retry_delay(retry: Retry, attempt: int) -> float:
    """Seconds to wait after an attempt that is followed by another one.

    It is ``interval`` times ``backoff`` for each attempt after the first, at most ``max_interval``.
    """
    longest = LONGEST if retry.max_interval is None else min(retry.max_interval, LONGEST)
    try:
        return min(retry.interval * retry.backoff ** (attempt - 1), longest)
    except OverflowError:
        return longest if retry.interval else 0.0


def _is_meant(retry: Retry, failure: Failure) -> bool:
    if retry.on is None and retry.exit is None:
        return failure.retryable
    if failure.exit_status in (retry.exit or ()):
        return True
    named = (*(retry.on or ()), *(EXIT_STATUS.with_extra(each) for each in retry.exit or ()))
    return any(covers(pattern, failure.code) for pattern in named)


@dataclass(frozen=True, slots=True)
class RetryAgain:
    """A new attempt after so many seconds, once nothing of the old one lives."""

    after: float


@dataclass(frozen=True, slots=True)
class Discard:
    """The job counts as discarded."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A person decides: the job stays as it is, and its exception asks."""


Decision = RetryAgain | Discard | Ask


def decide(recovery: Recovery, trouble: JobState, trigger: Trigger, so_far: int) -> Decision | None:
    """What to do about a job in ``trouble`` (lost, no_worker, busy, or failed with its retries used up).

    ``trigger`` is what made the run in the end (see ``origin``), ``so_far`` how often recovery has tried the
    job again. None: nothing, the outcome stays. Without a strategy what failed stays failed; the rest is
    tried again in runs that no person watches, and asked about in those that a person started. When ``times``
    are used up a person is asked.
    """
    if trouble not in TROUBLES:
        return None
    strategy = recovery.strategy or _default(trouble, trigger)
    if strategy == "discard":
        return Discard()
    if strategy == "retry" and so_far < recovery.times:
        return RetryAgain(recovery.after)
    return Ask() if strategy else None


def _default(trouble: JobState, trigger: Trigger) -> str | None:
    if trouble not in UNKNOWN:
        return None
    return "retry" if trigger in _BY_ITSELF else "ask"


def origin(triggers: Iterable[Trigger]) -> Trigger:
    """What made a run in the end, from its trigger and those of the runs behind it.

    A sub-task's run is followed by its parent's, the task's own retry by the run that it repeats. A chain
    that leads nowhere counts as manual: then a person is asked.
    """
    return next((each for each in triggers if each not in _OF_ANOTHER), Trigger.MANUAL)
