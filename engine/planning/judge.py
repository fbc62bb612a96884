"""How an attempt is judged (contract 2.2): from what was seen to succeeded or not, and by what."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class JudgedBy(StrEnum):
    """What decided."""

    SIGNAL = "signal"
    SUCCESS = "success"  # the job's success condition
    STATUS = "status"  # what the program wrote into status
    CHECK = "check"  # of an asynchronous job
    EXIT = "exit"  # the exit status, or an error in its stead


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known at the end of an attempt; None where there is nothing to know.

    ``signal`` ended the program; ``success`` is what the job's condition came to; ``status`` is the text
    of the file; ``check`` is what an asynchronous job's ``check.success`` came to; ``exit_code`` is 1 for a
    call that raised an error.
    """

    signal: int | None = None
    success: bool | None = None
    status: str | None = None
    check: bool | None = None
    exit_code: int | None = None


class Verdict(NamedTuple):
    """Whether the attempt succeeded, and what decided that."""

    ok: bool
    cause: JudgedBy


def judge(seen: Seen) -> Verdict:
    """The first fact that is known decides; where none is, it has succeeded. What stops an attempt, or fails
    its ready stage, ends it before.
    """
    if seen.signal is not None:
        return Verdict(False, JudgedBy.SIGNAL)
    if seen.success is not None:
        return Verdict(seen.success, JudgedBy.SUCCESS)
    if seen.status is not None and seen.status.strip():
        return Verdict(seen.status.strip() == "1", JudgedBy.STATUS)
    if seen.check is not None:
        return Verdict(seen.check, JudgedBy.CHECK)
    return Verdict(not seen.exit_code, JudgedBy.EXIT)
