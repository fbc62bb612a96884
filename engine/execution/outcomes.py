"""How a stage of an attempt ended, and what that means in the catalogue."""

from __future__ import annotations

import signal as signals
from dataclasses import dataclass
from typing import NamedTuple

from engine.model.codes.processes import CPU_LIMIT, ENDED_BY_SIGNAL, EXIT_STATUS, MASKING_FAILED, NOT_STARTED
from engine.model.codes.runtime import LOST
from engine.model.errors import ErrorCode, Failure
from engine.model.job import Limits
from engine.model.message import Message

# why the outcome of what ran is lost
RESTARTED = "the machine was restarted while it ran"
FENCED = "fenced: it ended itself, for its engine was not heard for too long"
FENCED_UNSEEN = "fenced: its worker was silent for so long that it has ended itself"
VOUCHED = "a person vouched that nothing on its worker lives"
_FIRST_SIGNAL, _LAST_SIGNAL = 1, 64
_PROBLEMS: dict[ErrorCode, str] = {
    NOT_STARTED: "The program could not be started",
    MASKING_FAILED: "The job's output could not be masked",
}
_STATUSES = {
    126: "exit status {n}: a command may not be executed",
    127: "exit status {n}: a command was not found",
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


def may_leave_others(end: Exit | Lost) -> bool:
    """Whether parts of the job may live on: it was killed, or its fence is seen to end it."""
    return end.signal is not None if isinstance(end, Exit) else end.reason == FENCED


class Unreachable(NamedTuple):
    """Its host cannot be asked now; ``reason`` says why in a sentence. That changes no outcome."""

    reason: str


@dataclass(frozen=True, slots=True)
class Left:
    """What a stop left behind: ``pids`` that would not go, ``doubt`` why others may live unseen."""

    pids: tuple[int, ...] = ()
    doubt: str | None = None

    @property
    def verified(self) -> bool:
        """Whether nothing of it lives, for certain."""
        return not self.pids and self.doubt is None

    @property
    def reason(self) -> Message:
        """For people: what is not certain; empty when all is."""
        pids = ", ".join(map(str, self.pids))
        named = Message.of("these processes remain: {pids}", pids=pids) if pids else None
        return _joined(named, self.doubt) or Message.of("")

    def __add__(self, other: Left) -> Left:
        return Left(tuple(sorted({*self.pids, *other.pids})), _joined(self.doubt, other.doubt))


def failure_of(end: Exit | Lost, limits: Limits | None = None) -> Failure | None:
    """What went wrong, or None for exit status 0. ``limits`` are those that the stage ran under."""
    if isinstance(end, Lost):
        return Failure.new(LOST, end.reason)
    if end.problem is not None:
        return Failure.new(end.problem, _PROBLEMS[end.problem])
    if end.signal is not None:
        return _signalled(end.signal, limits)
    template = _STATUSES.get(end.code, "exit status {n}")
    return Failure.new(EXIT_STATUS, template, extra=end.code, n=end.code) if end.code else None


def _signalled(number: int, limits: Limits | None) -> Failure:
    if number == signals.SIGXCPU and limits is not None and limits.cpu is not None:
        return Failure.new(CPU_LIMIT, "it used more than {limit:g} s of CPU", limit=limits.cpu)
    try:
        name = signals.Signals(number).name
    except ValueError:
        return Failure.new(ENDED_BY_SIGNAL, "ended by signal {n}", extra=number, n=number)
    return Failure.new(ENDED_BY_SIGNAL, "ended by signal {n} ({name})", extra=number, n=number, name=name)


def _joined(first: str | None, second: str | None) -> Message | None:
    """Both reasons as one."""
    if not first or not second or first == second:
        return Message.of(first or second or "") if first or second else None
    return Message.of("{first}; {second}", first=Message.of(first), second=Message.of(second))
