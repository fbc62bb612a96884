"""What happens by itself to a job that is lost, that nobody can run, or whose retries are used up; pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.model.job import Recovery
from engine.model.states import JobState, Trigger

UNKNOWN = frozenset({JobState.LOST, JobState.NO_WORKER, JobState.BUSY})  # recovered without being told to
TROUBLES = UNKNOWN | {JobState.FAILED}
_BY_ITSELF = frozenset({Trigger.SCHEDULE, Trigger.BACKFILL, Trigger.CONDITION})
_OF_ANOTHER = frozenset({Trigger.RETRY, Trigger.SUBTASK})


@dataclass(frozen=True, slots=True)
class Retry:
    """A new attempt after so many seconds, once nothing of the old one lives."""

    after: float


@dataclass(frozen=True, slots=True)
class Discard:
    """The job counts as discarded."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A person decides: the job stays as it is, and its exception asks."""


Decision = Retry | Discard | Ask


def decide(recovery: Recovery, trouble: JobState, trigger: Trigger, so_far: int) -> Decision | None:
    """What to do about a job in ``trouble`` (lost, no_worker, busy, or failed with its retries used up).

    ``trigger`` is what made the run in the end (see ``origin``), ``so_far`` how often recovery has tried the
    job again. None: nothing, the outcome stays. Without a strategy what failed stays failed; the rest is
    tried again in runs that nobody watches, and asked about in those that a person started. When ``times``
    are used up a person is asked.
    """
    if trouble not in TROUBLES:
        return None
    strategy = recovery.strategy or _default(trouble, trigger)
    if strategy == "discard":
        return Discard()
    if strategy == "retry" and so_far < recovery.times:
        return Retry(recovery.after)
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
