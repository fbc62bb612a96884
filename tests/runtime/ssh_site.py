"""Workers of a site that are reached over SSH: roots of one server on this machine, a cable to each."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from engine.model.worker_request import WorkerRequest
from engine.store.rows import WorkerRow
from tests.runtime.site import Site
from tests.servers.cable import Cable, cable
from tests.servers.ssh_workers import Sshd
from tests.waiting import until


class SshWorkers:
    """Their cables and roots by name."""

    def __init__(self, site: Site, server: Sshd, place: Path, stack: ExitStack) -> None:
        self.site = site
        self.wires: dict[str, Cable] = {}
        self.roots: dict[str, Path] = {}
        self._server = server
        self._place = place
        self._stack = stack

    def add(self, name: str, **registered: object) -> None:
        """Register one, trust it, and wait until it is reached."""
        wire = self.wires[name] = self._stack.enter_context(cable(self._server.port))
        root = self.roots[name] = self._place / name
        address, key = f"{getpass.getuser()}@127.0.0.1:{wire.port}", str(self._server.key)
        request = WorkerRequest(ssh=address, key=key, root=str(root), **{"slots": "4", **registered})  # type: ignore[arg-type]
        self.site.engine.workers.add(name, request, "ann")
        self.site.engine.workers.trust(name, None, "ann")
        self.until_state(name, "online")

    def state(self, name: str) -> str:
        return str(self._row(name).state)

    def reason(self, name: str) -> str | None:
        return self._row(name).reason

    def _row(self, name: str) -> WorkerRow:
        live = self.site.engine.services.workers.find(name)
        assert live is not None
        return live.row

    def until_state(self, name: str, state: str) -> None:
        until(lambda: self.state(name) == state, f"{name} to be {state}")


@contextmanager
def ssh_site(site: Site, server: Sshd, place: Path) -> Iterator[SshWorkers]:
    """None yet; their cables end with this."""
    with ExitStack() as stack:
        yield SshWorkers(site, server, place, stack)


def processes_of(root: Path) -> list[str]:
    """The command lines of what works in a folder below that root."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(each / "cwd").startswith(f"{root}/"):
                found.append((each / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found
