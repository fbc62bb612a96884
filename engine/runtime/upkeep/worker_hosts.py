"""The hosts of the workers that are reached over SSH: made, changed and closed as these are registered."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from functools import partial

from engine.execution.ssh.link import LinkStanding
from engine.execution.ssh.settings import Endpoint, HostKey, SshSettings
from engine.execution.ssh.ssh_host import SshHost
from engine.execution.vitals import Vitals
from engine.model.errors import SkerryError
from engine.model.reason import Kind, Reason
from engine.model.worker import Address, Worker
from engine.runtime.queue.workers import LiveWorker
from engine.runtime.services import EngineServices
from engine.runtime.upkeep import worker_rows


class WorkerHosts:
    """Loop thread only."""

    def __init__(self, services: EngineServices) -> None:
        self._services = services
        self._hosts: dict[str, SshHost] = {}
        services.workers.on_change(self._changed)

    def close(self) -> None:
        """The engine ends; what runs there goes on."""
        for host in self._hosts.values():
            host.close()

    def _changed(self) -> None:
        wanted = {each.name: each for each in self._services.workers if each.worker.kind == "ssh"}
        for name in self._hosts.keys() - wanted.keys():
            self._forget(name)
        for name, live in wanted.items():
            self._have(live) if live.trusted else self._forget(name)

    def _have(self, live: LiveWorker) -> None:
        """A host with the settings that are registered now; what runs there is known to it all the time."""
        services, known = self._services, self._hosts.get(live.name)
        try:
            settings = settings_of(live.worker, live.row.host_keys, self._password(live), self._root())
        except SkerryError as problem:
            live.unreached = self._unreached(problem)
            return
        if known is not None:
            return known.change(settings)
        host = SshHost(
            settings,
            services.clock,
            services.loop,
            services.threads,
            stands=partial(self._stands, live.name),
            vitals=partial(self._measured, live.name),
        )
        self._hosts[live.name] = host
        services.hosts.put(host)
        host.begin()

    def _password(self, live: LiveWorker) -> str | None:
        name = live.worker.password_secret
        return None if name is None else self._services.secret(name)

    def _root(self) -> str:
        return f".skerry-jobs/{self._services.workspace.root.name}"

    def _forget(self, name: str) -> None:
        host = self._hosts.pop(name, None)
        if host is not None:
            self._services.hosts.remove(name)
            host.close()

    def _stands(self, name: str, standing: LinkStanding) -> None:
        live = self._services.workers.find(name)
        if live is None:
            return
        live.reached = standing.place is not None
        live.unreached = None if standing.problem is None else self._unreached(standing.problem)
        worker_rows.write(self._services, live)

    def _unreached(self, problem: SkerryError) -> Reason:
        at = self._services.local(self._services.loop.now())
        return Reason.of(Kind.REACHED_NO_MORE, at=at, message=problem.message)

    def _measured(self, name: str, vitals: Vitals) -> None:
        live = self._services.workers.find(name)
        if live is not None:
            live.vitals = vitals
            live.put(live.row)
            self._services.queue.wake()


def settings_of(worker: Worker, host_keys: Mapping[str, str], password: str | None, root: str) -> SshSettings:
    """How a registered worker is reached."""
    assert worker.address is not None
    return SshSettings(
        worker.name,
        endpoint(worker.address, host_keys),
        jumps=tuple(endpoint(each, host_keys) for each in worker.jumps),
        key_file=worker.key_file,
        agent=worker.agent,
        password=password,
        root=worker.root or root,
        fence=worker.fence,
        secrets=worker.secrets,
    )


def endpoint(address: Address, host_keys: Mapping[str, str]) -> Endpoint:
    """With the key that is pinned for it, if there is one."""
    pinned = host_keys.get(address.place)
    key = HostKey(*pinned.split()[:2]) if pinned else None
    return Endpoint(address.host, address.user or getpass.getuser(), address.port, key)
