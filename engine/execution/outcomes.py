"""How a stage of an attempt ended, and what that means in the catalogue."""

from __future__ import annotations

import signal as signals
from typing import NamedTuple

from engine.model.codes.processes import CPU_LIMIT, ENDED_BY_SIGNAL, EXIT_STATUS, MASKING_FAILED, NOT_STARTED
from engine.model.codes.runtime import LOST
from engine.model.errors import ErrorCode, Failure
from engine.model.job import Limits

_FIRST_SIGNAL, _LAST_SIGNAL = 1, 64
_PROBLEMS: dict[ErrorCode, str] = {
    NOT_STARTED: "The program could not be started",
    MASKING_FAILED: "The job's output could not be masked",
}


class Exit(NamedTuple):
    """A known end. ``code`` is what a shell calls ``$?``: 128+n for signal n.

    ``signal``: it ended before it was done, so parts of the job may still live and must be stopped.
    ``problem``: the status is not the program's own: it was never started, or its output was dropped.
    """

    code: int
    signal: int | None = None
    problem: ErrorCode | None = None

    @classmethod
    def of(cls, status: int) -> Exit:
        """From a shell's exit status."""
        number = status - 128
        return cls(status, number if _FIRST_SIGNAL <= number <= _LAST_SIGNAL else None)

    @classmethod
    def killed(cls, signal: int) -> Exit:
        """From the signal that killed the supervisor, or the wrapper."""
        return cls(128 + signal, signal)


class Lost(NamedTuple):
    """The outcome cannot be known; ``reason`` says why in a sentence.

    Not ``begun``: it is certain that nothing of the stage was ever done, so it may be started again.
    """

    reason: str
    begun: bool = True


def failure_of(end: Exit | Lost, limits: Limits | None = None) -> Failure | None:
    """What went wrong, or None for exit status 0. ``limits`` are those that the stage ran under."""
    if isinstance(end, Lost):
        return _failure(LOST, end.reason)
    if end.problem is not None:
        return _failure(end.problem, _PROBLEMS[end.problem])
    if end.signal is not None:
        return _signalled(end.signal, limits)
    return _failure(EXIT_STATUS, _status_text(end.code), end.code) if end.code else None


def _signalled(number: int, limits: Limits | None) -> Failure:
    if number == signals.SIGXCPU and limits is not None and limits.cpu is not None:
        return _failure(CPU_LIMIT, f"it used more than {limits.cpu:g} s of CPU")
    return _failure(ENDED_BY_SIGNAL, f"ended by signal {number}{_name(number)}", number)


def _name(number: int) -> str:
    try:
        return f" ({signals.Signals(number).name})"
    except ValueError:
        return ""


def _status_text(code: int) -> str:
    hints = {126: ": a command may not be executed", 127: ": a command was not found"}
    return f"exit status {code}{hints.get(code, '')}"


def _failure(entry: ErrorCode, message: str, extra: int = 0) -> Failure:
    return Failure(entry.with_extra(extra), message, entry.retryable)
