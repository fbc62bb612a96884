"""The leases that an engine gives a host: until when what runs there may go on without hearing from it.

A lease is a moment of the host's own clock since its boot, counted from the latest answer: a request that is
carried out late lengthens nothing.
"""

from __future__ import annotations

from engine.execution.ssh.quoting import call
from engine.execution.ssh.session import RemotePlace
from engine.model.clock import Clock
from engine.model.threads import Threads

MARGIN = 10.0  # seconds beyond lease and grace before an attempt is believed to have ended itself
ENDLESS = "endless"
_RENEWALS = 4  # in the time of one lease


class Leases:
    """Of one host, from any thread; ``name`` is theirs alone among all workers of all workspaces.

    ``term`` counts the engines of a workspace; ``endless``: the one before gave leases without end.
    """

    def __init__(
        self, name: str, clock: Clock, threads: Threads, term: int = 0, endless: bool = False
    ) -> None:
        self._name = name
        self._clock = clock
        self._term = str(term)
        self._lock = threads.lock()
        self._boot, self._uptime = "", 0.0  # what the host said last
        self._contact = clock.monotonic()  # when that was here; what is older counts no longer
        self._endless = endless

    def heard(self, boot: str, uptime: float) -> None:
        """An answer of the host: how long it had been up then."""
        with self._lock:
            if boot != self._boot or uptime > self._uptime:
                self._boot, self._uptime, self._contact = boot, uptime, self._clock.monotonic()

    def holds(self, until: str) -> bool:
        """What the host says of a lease; gives whether leases have an end again that had none."""
        if until == ENDLESS:
            self._endless = True
            return False
        before, self._endless = self._endless, False
        return before

    def file(self, fence: float) -> str:
        """The name of a lease's file in its root."""
        return f".skerry-lease.{self._name}.{fence:g}"

    def request(self, number: str, place: RemotePlace, file: str, fence: float) -> bytes:
        """Lengthen a lease as far as what is known of the host's clock allows."""
        self.heard(place.boot, place.uptime)
        return call("lease", number, file, str(int(self._uptime + fence)), self._term)

    def without_end(self, number: str, file: str) -> bytes:
        """The engine ends in an orderly way: what runs goes on."""
        return call("lease", number, file, ENDLESS, self._term)

    def is_over(self, fence: float, grace: float) -> bool:
        """Whether what has that lease has ended itself for certain, whatever became of the link."""
        silent = self._clock.monotonic() - self._contact
        return not self._endless and silent >= fence + grace + MARGIN


def renewal(fence: float) -> float:
    """Seconds between two renewals."""
    return max(fence / _RENEWALS, 1.0)
