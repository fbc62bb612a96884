"""Why an instance is paused: by a person, or with an instance of which it is a sub-task."""

from __future__ import annotations

from datetime import datetime

from engine.model.reason import Kind, Reason

_OF_JOB = {Kind.PAUSED: Kind.INSTANCE_PAUSED, Kind.PAUSED_WITH: Kind.INSTANCE_PAUSED_WITH}
_WITH = frozenset({Kind.PAUSED_WITH, Kind.INSTANCE_PAUSED_WITH})
PAUSES = frozenset({*_OF_JOB, *_OF_JOB.values()})


def own(actor: str, moment: datetime, note: str) -> Reason:
    """Of an instance that an operator paused: who, when, and why if that was given."""
    return Reason.of(Kind.PAUSED, by=actor, at=moment.isoformat(" ", "seconds"), note=note or None)


def with_instance(id: int, why: Reason) -> Reason:
    """Of a sub-task that is held because instance ``id`` is paused by itself."""
    known = why.facts if why.kind is Kind.PAUSED else {"note": why.facts.get("text")}
    return Reason.of(Kind.PAUSED_WITH, instance=id, **known)


def of_job(why: Reason) -> Reason:
    """Of a job that waits because its instance is paused."""
    return Reason(_OF_JOB.get(why.kind, why.kind), why.facts)


def is_own(why: Reason) -> bool:
    """Whether a paused instance was paused by itself, not with another one."""
    return why.kind not in _WITH


def holder(why: Reason | None) -> int | None:
    """The instance whose pause holds this one; None when it is not held by another one's.

    >>> holder(Reason.of(Kind.PAUSED_WITH, instance=5)), holder(Reason.of(Kind.PAUSED, by="anna"))
    (5, None)
    """
    return None if why is None or is_own(why) else why.facts.get("instance")
