"""Directories of attempts on a host that are removed when all of them is here."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from engine.execution.host import Turns
from engine.execution.ssh.link import SshLink
from engine.execution.ssh.quoting import call
from engine.execution.ssh.session import RemotePlace
from engine.model.threads import Event

_GATHERING = 0.5  # seconds


class Removal(NamedTuple):
    """A directory below a root there."""

    root: str
    mark: str


class Removals:
    """Of one host; gathered for a moment and made together: each would cost the host a process."""

    def __init__(self, link: SshLink, turns: Turns, closing: Event) -> None:
        self._link = link
        self._turns = turns
        self._closing = closing
        self._gathered: list[Removal] = []

    def add(self, removal: Removal) -> None:
        """On the loop's thread."""
        if not self._gathered:
            self._turns.later(_GATHERING, self._make)
        self._gathered.append(removal)

    def finish(self, seconds: float) -> None:
        """Make those that were gathered, before the link closes; blocks."""
        if self._gathered and self._link.standing.place is not None:
            self._link.answer_to(partial(removing, self._gathered), seconds)

    def _make(self) -> None:
        gathered, self._gathered = self._gathered, []
        if not self._closing.is_set():
            self._link.ask(partial(removing, gathered), lambda answer: None, lasting=True)


def removing(removals: list[Removal], number: str, place: RemotePlace) -> bytes:
    """The request."""
    return call("forget", number, *(f"{place.path(each.root)}/{each.mark}" for each in removals))
