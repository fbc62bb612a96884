"""Group commit without a writer thread: the first writes; who comes meanwhile is written next, together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

Work = Callable[[Any], Any]  # gets the cursor of the open transaction; may be run again after a roll-back
Transact = Callable[[Sequence[Work]], list[Any]]


class ApplyError(Exception):
    """One of the works of a group failed before the commit was tried, so all of it was undone."""

    def __init__(self, reason: BaseException) -> None:
        super().__init__(str(reason))
        self.reason = reason


class _Ticket:
    """One caller's work; ``wake`` is released when it is done, or when the caller is to lead."""

    __slots__ = ("done", "error", "result", "wake", "work")

    def __init__(self, work: Work) -> None:
        self.work = work
        self.wake: Lock | None = None
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None

    def settle(self, result: Any, error: BaseException | None) -> None:
        self.result, self.error, self.done = result, error, True


class GroupCommit:
    """Runs works in transactions, one transaction at a time, on the threads of the callers.

    A caller alone writes inline: two uncontended locks and no hand-over. ``transact`` runs a group in one
    transaction and returns the results; it raises ``ApplyError`` if a work failed (the group is then run one
    by one, so that it fails alone), and anything else if the commit itself did.
    """

    def __init__(self, transact: Transact) -> None:
        self._transact = transact
        self._mutex = Lock()
        self._waiting: list[_Ticket] = []
        self._leader: _Ticket | None = None  # who writes, or was woken to write next

    def run(self, work: Work) -> Any:
        """The result of ``work`` once it is durable; raises what it, or the commit, raised."""
        ticket = _Ticket(work)
        try:
            self._enter(ticket)
            if not ticket.done:
                self._lead(ticket)
        except BaseException:
            self._leave(ticket)
            raise
        if ticket.error is not None:
            raise ticket.error
        return ticket.result

    def _enter(self, ticket: _Ticket) -> None:
        """Returns when the work was done by another, or when its turn to lead has come."""
        with self._mutex:
            self._waiting.append(ticket)
            if self._leader is None:
                self._leader = ticket
                return
            ticket.wake = Lock()
            ticket.wake.acquire()
        ticket.wake.acquire()

    def _leave(self, ticket: _Ticket) -> None:
        """An interrupt (Ctrl-C) must not leave the others without a leader."""
        with self._mutex:
            leads = ticket is self._leader
            if not leads and ticket in self._waiting:
                self._waiting.remove(ticket)
        if leads:
            self._lead(ticket)

    def _lead(self, own: _Ticket) -> None:
        with self._mutex:
            group, self._waiting = self._waiting, []
        try:
            self._settle(group)
        finally:
            self._hand_over(group, own)

    def _settle(self, group: list[_Ticket]) -> None:
        try:
            results = self._transact([ticket.work for ticket in group])
        except ApplyError as error:
            self._settle_singly(group, error)
        except Exception as error:
            for ticket in group:
                ticket.settle(None, error)
        else:
            for ticket, result in zip(group, results, strict=True):
                ticket.settle(result, None)

    def _settle_singly(self, group: list[_Ticket], error: ApplyError) -> None:
        if len(group) == 1:
            group[0].settle(None, error.reason)
        else:
            for ticket in group:
                self._settle([ticket])

    def _hand_over(self, group: list[_Ticket], own: _Ticket) -> None:
        """Wake the next leader first: its disk write can begin while the others return.

        What an interrupt (Ctrl-C in the leader's thread) left unsettled is led by its own callers.
        """
        with self._mutex:
            self._waiting[:0] = [ticket for ticket in group if not ticket.done and ticket is not own]
            heir = self._leader = self._waiting[0] if self._waiting else None
        if heir and heir.wake:
            heir.wake.release()
        for ticket in group:
            if ticket.done and ticket.wake and ticket is not own:
                ticket.wake.release()
