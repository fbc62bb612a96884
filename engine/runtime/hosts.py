"""The hosts of an engine by the names of their workers; this machine is always there."""

from __future__ import annotations

from engine.execution.absent_host import AbsentHost
from engine.execution.host import LOCAL, Attempts, Host


class Hosts:
    """From any thread; a worker that is not registered any more is one that cannot be reached."""

    def __init__(self, local: Host) -> None:
        self._by_name: dict[str, Host] = {LOCAL: local}
        self.vouched: dict[str, int] = {}  # how often a person vouched that nothing lives on a worker

    def of(self, worker: str | None) -> Host:
        """The host of a worker; without a name this machine."""
        name = worker or LOCAL
        return self._by_name.get(name) or AbsentHost(name, self.vouched.get(name, 0))

    def living(self, worker: str, attempts: Attempts) -> tuple[int, ...]:
        """The living processes of attempts that this worker ran; may take its time."""
        return self.of(worker).living(attempts)

    def put(self, host: Host) -> None:
        """The host of the worker that its facts name, in place of the one before."""
        self._by_name[host.facts.name] = host

    def remove(self, worker: str) -> Host | None:
        """It is no longer used; gives it, to be closed."""
        return self._by_name.pop(worker, None)

    def all(self) -> tuple[Host, ...]:
        """Every one of them."""
        return tuple(self._by_name.values())
