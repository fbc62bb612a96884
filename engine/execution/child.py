"""A stage that runs: what to wait for, and how it ended."""

from __future__ import annotations

import os
import select
from collections.abc import Callable

from engine.execution import stage_file
from engine.execution.files import close_all
from engine.execution.outcomes import Exit, Lost
from engine.execution.proc import start_ticks
from engine.execution.stage_file import StageRecord
from engine.execution.supervisor import is_supervisor
from engine.model.codes.processes import MASKING_FAILED, NOT_STARTED

DRAIN_SECONDS = 2.0  # how long the masking process may take after the program's end
_LOOKS = 200  # without a supervisor; one that lives writes, however long it gets no turn
_LOG_INCOMPLETE = 3  # the masking process's status when the disk did not take all: as for any other job


class Masker:
    """The process that hides secrets in a job's output; ours, or another engine's."""

    __slots__ = ("own", "pid", "pidfd")

    def __init__(self, pid: int, pidfd: int, own: bool) -> None:
        self.pid = pid
        self.pidfd = pidfd
        self.own = own

    def bury(self) -> int:
        """Wait for its end and give its exit status; -1 when a signal ended it. 0 if it is not ours."""
        found = os.waitid(os.P_PIDFD, self.pidfd, os.WEXITED) if self.own else None
        os.close(self.pidfd)
        if found is None:
            return 0
        return found.si_status if found.si_code == os.CLD_EXITED else -1


class Child:
    """One stage's supervisor and program, and its masking process if it was given secrets.

    Wait until ``pidfd`` is readable, then ``reap()``. None means: wait for ``pidfd`` again, which is
    then the masking process's; after ``DRAIN_SECONDS`` more call ``reap(drained=True)``, because a
    daemon of the job may keep its output open for ever.
    """

    __slots__ = ("_end", "_looks", "_masker", "_own", "_status", "mark", "pid", "pidfd", "stage_file")

    def __init__(
        self, pid: int, pidfd: int, stage_file: str, mark: str, *, own: bool, masker: Masker | None = None
    ) -> None:
        self.pid = pid
        self.pidfd = pidfd
        self.stage_file = stage_file
        self.mark = mark
        self._own = own
        self._masker = masker
        self._end: Exit | Lost | None = None
        self._status: int | None = None  # the program's, as its supervisor reported it
        self._looks = 0

    @property
    def directory(self) -> str:
        return os.path.dirname(os.path.dirname(self.stage_file))

    def when_known(self, call: Callable[[], None]) -> None:
        """Its pid is known from the beginning."""

    @property
    def is_adopted(self) -> bool:
        """Whether an earlier engine started it."""
        return not self._own

    @property
    def written_status(self) -> int | None:
        """The exit status of its program, once that is written down."""
        record = stage_file.read(self.stage_file)
        return None if record is None else record.exit

    def outlived(self, status: int) -> int:
        """The program has ended with that exit status, but its supervisor stays because others live.

        ``reap()`` now gives the end. The descriptor that is given is the supervisor's: ``bury`` it when it
        becomes readable.
        """
        self._status = status
        pidfd, self.pidfd = self.pidfd, -1
        return pidfd

    @property
    def masker(self) -> int | None:
        """The pid of the masking process while it is waited for."""
        return self._masker.pid if self._masker else None

    @property
    def start_ticks(self) -> int | None:
        """When it started, in clock ticks since boot; None when it is gone."""
        return start_ticks(self.pid)

    def is_settled(self) -> bool:
        """Whether ``reap()`` can tell the end of a program that is gone; if not, ask again in a moment.

        An end that is not ours to wait for is known once its supervisor has written it down.
        """
        self._looks += 1
        return self._own or not settling(self.stage_file, self._looks, self.pid)

    def reap(self, *, drained: bool = False) -> Exit | Lost | None:
        """How the stage ended, or None while something is still to be waited for.

        With ``drained`` the masking process is not waited for any longer; ``pidfd`` stays its own,
        and one more ``reap()`` when that becomes readable buries it.
        """
        if self._end is None:
            self._end = self._program_end()
            if self._end is None:
                return None
            close_all({self.pidfd} - {-1})
            self.pidfd = self._masker.pidfd if self._masker else -1
        if self._masker is not None and not self._masker_ended() and not drained:
            return None
        return self._end

    def close(self) -> None:
        """Give the descriptors back, whatever becomes of the processes (the engine ends)."""
        close_all({self.pidfd, self._masker.pidfd if self._masker else self.pidfd} - {-1})
        self.pidfd, self._masker = -1, None

    def _program_end(self) -> Exit | Lost | None:
        if self._status is not None:
            return _looked_up(self.stage_file, self._status)
        if not self._own:
            return recorded(self.stage_file) if ended(self.pidfd) else None
        found = os.waitid(os.P_PIDFD, self.pidfd, os.WEXITED | os.WNOHANG)
        if found is None:
            return None
        if found.si_code == os.CLD_EXITED and found.si_status == 0:
            return Exit(0)
        status = found.si_status
        return _looked_up(self.stage_file, status if found.si_code == os.CLD_EXITED else -status)

    def _masker_ended(self) -> bool:
        masker = self._masker
        if masker is None or not ended(masker.pidfd):
            return masker is None
        if masker.bury() not in (0, _LOG_INCOMPLETE) and isinstance(self._end, Exit):
            self._end = self._end._replace(problem=MASKING_FAILED)
        self._masker, self.pidfd = None, -1
        return True


def settling(path: str, looks: int, supervisor: int = 0) -> bool:
    """Whether its start or its end is about to be written into a stage file, after so many looks at it."""
    record = stage_file.read(path)
    if record is None or record.exit is not None or not stage_file.locked(path):
        return False
    return looks < _LOOKS or is_supervisor(supervisor or record.pid or 0, record.mark)


def recorded(path: str) -> Exit | Lost:
    """The end that the stage file has, of a program that is gone."""
    record = stage_file.read(path)
    if record is None:
        return Lost("there is no record of its start")
    if record.exit is not None:
        return _exit(record, record.exit)
    return Lost("what writes down its outcome was killed before it could")


def ended(pidfd: int) -> bool:
    """Whether the process of a pidfd has ended (a zombie has)."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(0))


def bury(pidfd: int) -> None:
    """A supervisor that outlived its program has ended: nothing of it stays behind."""
    os.waitid(os.P_PIDFD, pidfd, os.WEXITED)
    os.close(pidfd)


def _looked_up(path: str, status: int) -> Exit:
    """Anything but 0 is looked up: only what was written down is the job's own status.

    ``status`` is -n for signal n, which killed the supervisor or the wrapper itself.
    """
    record = stage_file.read(path)
    if record is not None and record.exit is not None:
        return _exit(record, record.exit)
    return Exit.killed(-status) if status < 0 else Exit(status, problem=NOT_STARTED)


def _exit(record: StageRecord, status: int) -> Exit:
    """A shell that ended before it was in the job's directory was never the job."""
    return Exit(status, problem=NOT_STARTED) if status and record.leader is None else Exit.of(status)
