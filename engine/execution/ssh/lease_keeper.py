"""Keeping the leases that something on a host has."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from engine.execution.ssh.leases import Leases, renewal
from engine.execution.ssh.link import Answer, SshLink
from engine.execution.ssh.mailbox import Mailbox
from engine.execution.ssh.session import RemotePlace


class Lease(NamedTuple):
    """One of those that the host has: its file in a root there, and how long it lasts without a word."""

    root: str
    file: str
    fence: float

    def path(self, place: RemotePlace) -> str:
        return f"{place.path(self.root)}/{self.file}"


class LeaseKeeper:
    """``leased`` gives those that something has, or will have; ``bounded`` is called with the key
    of a machine when its leases without end have one again.
    """

    def __init__(
        self,
        link: SshLink,
        mail: Mailbox,
        leases: Leases,
        leased: Callable[[], set[Lease]],
        bounded: Callable[[str], None],
    ) -> None:
        self._link = link
        self._mail = mail
        self._leases = leases
        self._leased = leased
        self._bounded = bounded
        self._is_leaving = False  # leases have no end any more

    def renew(self, rounds: int) -> None:
        """Each second, with the count of them."""
        for lease in self._leased():
            if not self._is_leaving and rounds % max(int(renewal(lease.fence)), 1) == 0:
                self._link.ask(partial(self.renewal, lease), self._renewed)

    def renewal(self, lease: Lease, number: str, place: RemotePlace) -> bytes:
        """The request for one."""
        return self._leases.request(number, place, lease.path(place), lease.fence)

    def leave(self, seconds: float) -> None:
        """Leases without end for what runs; blocks so long at most for each."""
        self._is_leaving = True
        for lease in self._leased():
            if self._link.standing.place is not None:
                self._link.answer_to(partial(self._without_end, lease), seconds)

    def _without_end(self, lease: Lease, number: str, place: RemotePlace) -> bytes:
        return self._leases.without_end(number, lease.path(place))

    def _renewed(self, answer: Answer) -> None:
        if answer is None or self._is_leaving or (place := self._link.standing.place) is None:
            return
        self._leases.heard(place._replace(uptime=float(answer[1])))
        if self._leases.holds(place.shown, answer[2]):
            self._mail.post(partial(self._bounded, place.shown))
