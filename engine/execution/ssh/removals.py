"""Directories of attempts on a host that are removed when all of them is here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from engine.execution.host import Turns
from engine.execution.ssh.link import SshLink
from engine.execution.ssh.quoting import call
from engine.execution.ssh.session import RemotePlace
from engine.model.threads import Event

_GATHERING = 0.5  # seconds
_LONGEST = 10.0  # seconds
_MOST = 1000  # each start looks through what is in the root


class Removal(NamedTuple):
    """A directory below a root there."""

    root: str
    mark: str


class Removals:
    """Of one host; gathered and made together: each would cost the host a process.

    While others run there (``busy``) they wait a little longer: ext4 without a journal looks through what was
    removed in the last minutes for each file that is made (``recently_deleted`` in its ialloc.c).
    """

    def __init__(self, link: SshLink, turns: Turns, closing: Event, busy: Callable[[], bool]) -> None:
        self._link = link
        self._turns = turns
        self._closing = closing
        self._busy = busy
        self._gathered: list[Removal] = []

    def add(self, removal: Removal) -> None:
        """On the loop's thread."""
        if not self._gathered:
            self._turns.later(_GATHERING, partial(self._look, _LONGEST))
        self._gathered.append(removal)

    def finish(self, more: Iterable[Removal], seconds: float) -> None:
        """Make those that were gathered, and these, before the link closes; blocks."""
        removals = [*self._gathered, *more]
        if removals and self._link.standing.place is not None:
            self._link.answer_to(partial(removing, removals), seconds)

    def _look(self, seconds: float) -> None:
        if seconds > 0 and len(self._gathered) < _MOST and self._busy():
            self._turns.later(_GATHERING, partial(self._look, seconds - _GATHERING))
        else:
            self._make()

    def _make(self) -> None:
        gathered, self._gathered = self._gathered, []
        if not self._closing.is_set():
            self._link.ask(partial(removing, gathered), lambda answer: None, lasting=True)


def removing(removals: list[Removal], number: str, place: RemotePlace) -> bytes:
    """The request."""
    return call("forget", number, *(f"{place.path(each.root)}/{each.mark}" for each in removals))
