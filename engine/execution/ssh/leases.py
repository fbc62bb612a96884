"""The leases that an engine gives a host: until when what runs there may go on without hearing from it.

A lease is a moment of the host's own clock since its boot, counted from the latest answer: a request that is
carried out late lengthens nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from engine.execution.ssh.quoting import call
from engine.execution.ssh.session import RemotePlace
from engine.model.clock import Clock
from engine.model.threads import Threads

MARGIN = 10.0  # seconds beyond lease and grace before an attempt is believed to have ended itself
ENDLESS = "endless"
_RENEWALS = 4  # in the time of one lease


@dataclass
class _Machine:
    """What the machine with one host key said last."""

    contact: float  # when that was here; what is older counts no longer
    endless: bool  # whether its leases may have no end
    boot: str = ""
    uptime: float = 0.0


class Leases:
    """Of one host, from any thread; ``name`` is theirs alone among all workers of all workspaces.

    Machines that have had its address are told apart by their keys: the one that answers now says nothing of
    the leases of another. ``term`` counts the engines of a workspace; ``endless``: the keys of those whose
    leases the one before gave no end, "" for all of them.
    """

    def __init__(
        self, name: str, clock: Clock, threads: Threads, term: int = 0, endless: Collection[str] = ()
    ) -> None:
        self._name = name
        self._clock = clock
        self._term = str(term)
        self._lock = threads.lock()
        self._began = clock.monotonic()
        self._endless = endless
        self._machines: dict[str, _Machine] = {}

    def heard(self, place: RemotePlace) -> None:
        """An answer of the host: how long it had been up then."""
        with self._lock:
            machine = self._machine(place.shown)
            if place.boot != machine.boot or place.uptime > machine.uptime:
                machine.boot, machine.uptime = place.boot, place.uptime
                machine.contact = self._clock.monotonic()

    def _machine(self, key: str) -> _Machine:
        is_endless = key in self._endless or "" in self._endless
        return self._machines.setdefault(key, _Machine(self._began, is_endless))

    def holds(self, key: str, until: str) -> bool:
        """What the host says of a lease; gives whether leases have an end again that had none."""
        with self._lock:
            machine = self._machine(key)
            before, machine.endless = machine.endless, until == ENDLESS
            return before and not machine.endless

    def file(self, fence: float) -> str:
        """The name of a lease's file in its root."""
        return f".skerry-lease.{self._name}.{fence:g}"

    def request(self, number: str, place: RemotePlace, file: str, fence: float) -> bytes:
        """Lengthen a lease as far as what is known of the host's clock allows."""
        self.heard(place)
        return call("lease", number, file, str(int(self._machine(place.shown).uptime + fence)), self._term)

    def without_end(self, number: str, file: str) -> bytes:
        """The engine ends in an orderly way: what runs goes on."""
        return call("lease", number, file, ENDLESS, self._term)

    def is_over(self, fence: float, grace: float, key: str) -> bool:
        """Whether what has that lease of the machine with that key has ended itself for certain.

        Whatever became of its link, and whoever has its address now; "": of a machine that is not known.
        """
        with self._lock:
            known = [self._machine(key)] if key else [self._machine(""), *self._machines.values()]
            silent = self._clock.monotonic() - max(each.contact for each in known)
            return not any(each.endless for each in known) and silent >= fence + grace + MARGIN


def renewal(fence: float) -> float:
    """Seconds between two renewals."""
    return max(fence / _RENEWALS, 1.0)
