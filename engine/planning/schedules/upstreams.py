"""What an instance waits for, and what follows: it starts, waits, fails, or its time is up (contract 2.6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, NamedTuple

from engine.model.reason import Kind, Reason
from engine.model.states import InstanceState


class PartnerStanding(StrEnum):
    """What became of a partner, as its dependant sees it."""

    GOOD = "good"
    UNFINISHED = "unfinished"
    MISSING = "missing"
    NOT_RUN = "not_run"
    BAD = "bad"


class Partner(NamedTuple):
    """The instance of an upstream at a scheduled time; without ``state`` it is not there."""

    at: datetime
    instance: int | None = None
    state: InstanceState | None = None
    begun: bool = False

    @property
    def standing(self) -> PartnerStanding:
        """Ended badly, and did not run at all, are different things: the latter is waited for."""
        if self.state is None:
            return PartnerStanding.MISSING
        if not self.state.ended:
            return PartnerStanding.UNFINISHED
        if self.state is InstanceState.SUCCEEDED:
            return PartnerStanding.GOOD
        cancelled_before = self.state is InstanceState.CANCELLED and not self.begun
        never = self.state in (InstanceState.SKIPPED, InstanceState.OFFLINE) or cancelled_before
        return PartnerStanding.NOT_RUN if never else PartnerStanding.BAD


class AwaitedTask(NamedTuple):
    """A dependency with its partners; without any there is nothing to wait for."""

    task: str
    partners: tuple[Partner, ...]
    on_failure: Literal["fail", "wait"] = "fail"
    timeout: float | None = None  # seconds
    released: bool = False  # a person said that it need not be waited for
    resting: str | None = None  # the state of a task that is not online

    @property
    def is_good(self) -> bool:
        return self.released or all(each.standing is PartnerStanding.GOOD for each in self.partners)


class WaitVerdict(StrEnum):
    """What an instance does whose time has come."""

    START = "start"
    WAIT = "wait"
    FAIL = "fail"
    TASK_TIMEOUT = "task_timeout"
    DEPENDENCY_TIMEOUT = "dependency_timeout"


class Decision(NamedTuple):
    """``reason``: what it waits or waited for; ``task``: whose that is."""

    verdict: WaitVerdict
    reason: Reason | None = None
    task: str | None = None


def decided(awaited: Sequence[AwaitedTask], waited: float, timeout: float | None = None) -> Decision:
    """``waited``: seconds since its time was reached; ``timeout``: of the whole task."""
    for each in awaited:
        bad = [partner for partner in each.partners if partner.standing is PartnerStanding.BAD]
        if bad and each.on_failure == "fail" and not each.released:
            return Decision(WaitVerdict.FAIL, _reason(Kind.UPSTREAM_FAILED, each.task, bad[0]), each.task)
    missed = [each for each in awaited if not each.is_good]
    if not missed:
        return Decision(WaitVerdict.START)
    if timeout is not None and waited >= timeout:
        return Decision(WaitVerdict.TASK_TIMEOUT, _waited_for(missed), missed[0].task)
    for each in missed:
        if each.timeout is not None and waited >= each.timeout:
            return Decision(WaitVerdict.DEPENDENCY_TIMEOUT, _waited_for([each]), each.task)
    return Decision(WaitVerdict.WAIT, _waits_for(missed), missed[0].task)


def next_deadline(awaited: Iterable[AwaitedTask], timeout: float | None) -> float | None:
    """After how many seconds of waiting time is up for the task or for one of those that are not good."""
    limits = [each.timeout for each in awaited if not each.is_good]
    return min((limit for limit in (timeout, *limits) if limit is not None), default=None)


_WAITS = {
    PartnerStanding.UNFINISHED: Kind.UPSTREAM_UNFINISHED,
    PartnerStanding.MISSING: Kind.UPSTREAM_MISSING,
    PartnerStanding.NOT_RUN: Kind.UPSTREAM_NOT_RUN,
    PartnerStanding.BAD: Kind.UPSTREAM_BAD,
}


def _waits_for(missed: Sequence[AwaitedTask]) -> Reason:
    """The first partner that is not good, and which tasks are waited for besides."""
    first = next(each for each in missed[0].partners if each.standing is not PartnerStanding.GOOD)
    names = [each.task for each in missed[1:]] or None
    return _reason(_WAITS[first.standing], missed[0].task, first, state=missed[0].resting, names=names)


def _waited_for(missed: Sequence[AwaitedTask]) -> Reason:
    """The same, once time is up."""
    return Reason(Kind.UPSTREAM_LATE, _waits_for(missed).facts)


def _reason(kind: Kind, task: str, partner: Partner, **more: Any) -> Reason:
    at, status = partner.at.isoformat(), partner.state and str(partner.state)
    return Reason.of(kind, task=task, at=at, instance=partner.instance, status=status, **more)
