"""Whether an engine, its database and the workers say the same of what runs; pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from engine.execution.outcomes import Exit, Lost, Unreachable
from engine.model.states import ATTEMPT_OVER, AttemptState, InstanceState
from engine.store.rows import AttemptRow, InstanceRow

Key = tuple[int, int]  # JobInstance and attempt
Seen = Exit | Lost | Unreachable | None  # by its worker; None: it runs there, as the engine says


class Followed(NamedTuple):
    """An attempt whose end an engine waits for."""

    job_instance: int
    attempt: int
    worker: str
    mark: str

    @property
    def key(self) -> Key:
        return self.job_instance, self.attempt


class Discrepancy(StrEnum):
    """What one of the three says otherwise than the engine."""

    ENDED = "ended"  # the worker has its end, which the engine has not noticed
    GONE = "gone"  # the worker has neither the attempt nor its end
    STORED = "stored"  # its row in the database is not that of an attempt that runs there
    UNFOLLOWED = "unfollowed"  # an instance runs in the database that the engine does not have


class PictureDifference(NamedTuple):
    """Of an attempt, or (``attempt`` 0) of an instance."""

    what: Discrepancy
    id: int
    attempt: int = 0


Differences = frozenset[PictureDifference]


def differences(
    followed: Iterable[Followed],
    seen: Mapping[Key, Seen],
    attempts: Mapping[Key, AttemptRow | None],
    running: Collection[int],
    instances: Iterable[InstanceRow],
) -> Differences:
    """Between ``followed`` attempts and ``running`` instances of the engine, and what the others have."""
    found = {difference for each in followed for difference in _of_attempt(each, seen, attempts)}
    astray = [row.id for row in instances if _is_astray(row, running)]
    return frozenset(found | {PictureDifference(Discrepancy.UNFOLLOWED, id) for id in astray})


def lasting(before: Differences, now: Differences) -> Differences:
    """Those that are none of the moment: what only just ends, or is being written down, is over by now."""
    return before & now


def _of_attempt(
    each: Followed, seen: Mapping[Key, Seen], attempts: Mapping[Key, AttemptRow | None]
) -> Iterable[PictureDifference]:
    there = seen.get(each.key)
    if isinstance(there, Exit):
        yield PictureDifference(Discrepancy.ENDED, *each.key)
    elif isinstance(there, Lost):
        yield PictureDifference(Discrepancy.GONE, *each.key)
    if not _is_as_stored(each, attempts.get(each.key)):
        yield PictureDifference(Discrepancy.STORED, *each.key)


def _is_as_stored(each: Followed, row: AttemptRow | None) -> bool:
    if row is None or AttemptState(row.status) in ATTEMPT_OVER:
        return False
    return (row.worker, row.mark) == (each.worker, each.mark)


def _is_astray(row: InstanceRow, running: Collection[int]) -> bool:
    """One that was set aside says so itself."""
    return row.status == InstanceState.RUNNING and row.id not in running and row.error_code is None
