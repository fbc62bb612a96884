"""What an engine does about the leases of another machine: the engine's own reckoning, over a simulated link."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import partial

from engine.execution.ssh.intents import Terms
from engine.execution.ssh.leases import Leases
from engine.execution.ssh.session import RemotePlace
from engine.execution.ssh.stage import SshStage
from tests.simulation.machine.remote import Remote

_NEW = 120.0  # seconds after connecting within which what an earlier engine left is looked up
_LEAVE, _LOOK = 2.0, 0.1
Answer = tuple[float, str]


class LeaseKeeper:
    """Of one host; ``stages`` gives those that have not ended, ``post`` makes a call on the loop's thread."""

    def __init__(
        self,
        remote: Remote,
        leases: Leases,
        terms: Callable[[], Terms],
        stages: Callable[[], list[SshStage]],
        post: Callable[[Callable[[], None]], None],
        bounded: Callable[[str], None],
    ) -> None:
        self._remote = remote
        self._leases = leases
        self._terms = terms
        self._stages = stages
        self._post = post
        self._bounded = bounded
        self._connected = -_NEW
        self._heard = "", 0.0  # the latest answer: of which boot, how long it had been up
        self._is_leaving = False

    def reached(self, place: RemotePlace) -> None:
        """The host has answered."""
        self._heard = place.boot, place.uptime
        self._connected = self._remote.machine.hub.now
        self._leases.heard(self._shown(place))

    def is_new(self) -> bool:
        """Whether the connection is."""
        return self._remote.place is not None and self._remote.machine.hub.now < self._connected + _NEW

    def heard_while_idle(self) -> None:
        """What renewals would have said that are left out while nothing runs there."""
        if self._remote.place is not None and self._remote.is_up and not self._stages():
            self._hear(self._remote.fencing.uptime)

    def leases_of(self, now: Terms) -> dict[str, Terms]:
        """Those that something has, or will have, by their files."""
        every = [now, *(each.intent.terms for each in self._stages())]
        return {each.lease: each for each in every if each.fence is not None}

    def renew(self, now: Terms) -> float:
        """All of them; gives the shortest in seconds."""
        found = self.leases_of(now)
        for terms in found.values() if self._remote.place and not self._is_leaving else ():
            self._remote.send(self.renewal(terms), self._renewed)
        return min(each.fence or 0.0 for each in found.values())

    def renewal(self, terms: Terms) -> Callable[[], Answer]:
        """What the request for one does there; it counts from the host's latest answer."""
        place = self._remote.place
        if terms.fence is None or place is None:
            return lambda: (0.0, "")
        request = self._leases.request("0", self._shown(place), terms.lease, terms.fence)
        until = float(shlex.split(request.decode().strip("{;} \n"))[-2])
        boot, uptime = self._heard
        self._remote.when_lengthened(uptime if boot == place.boot else place.uptime, terms.fence, until)
        return partial(self._carry_out, request)

    def leave(self) -> None:
        """Leases without end for what runs; blocks two seconds at most."""
        self._is_leaving = True
        hub = self._remote.machine.hub
        left = set(self.leases_of(self._terms()) if self._remote.place else ())

        def done(file: str, answer: Answer | None) -> None:
            left.discard(file)

        for file in sorted(left):
            request = self._leases.without_end("0", file)
            self._remote.send(partial(self._carry_out, request), partial(done, file))
        until = hub.now + _LEAVE
        while left and hub.now < until:
            hub.sleep(_LOOK)

    def _hear(self, uptime: float) -> None:
        boot = self._remote.boot
        self._heard = boot, max(uptime, self._heard[1] if self._heard[0] == boot else 0.0)
        self._leases.heard(self._shown(RemotePlace(boot, "", "", uptime=uptime)))

    def _carry_out(self, request: bytes) -> Answer:
        *_, file, until, term = shlex.split(request.decode().strip("{;} \n"))
        return self._remote.fencing.lengthen(file, until, int(term))

    def _renewed(self, answer: Answer | None) -> None:
        if answer is None or self._is_leaving:
            return
        uptime, until = answer
        self._hear(uptime)
        key = self._terms().key
        if self._leases.holds(key, until):
            self._post(partial(self._bounded, key))

    def _shown(self, place: RemotePlace) -> RemotePlace:
        return place._replace(shown=self._terms().key)
