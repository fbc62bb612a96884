"""Further workers of a site: this machine under other names, so that no network is needed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.execution.host import Host, HostFacts
from engine.model.reason import Kind, Reason
from engine.model.worker import Address, Worker
from engine.runtime.upkeep import worker_rows
from engine.store.rows import WorkerRow
from tests.runtime.site import Site


class Namesake:
    """The host of this machine by another name; see :class:`engine.execution.host.Host`."""

    def __init__(self, name: str, host: Host) -> None:
        self._host = host
        self._facts = replace(host.facts, name=name)

    @property
    def facts(self) -> HostFacts:
        return self._facts

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)


def add_worker(site: Site, name: str, *, online: bool = True, **registered: Any) -> None:
    """Register one that is reached, or (not ``online``) one that is not."""
    services = site.engine.services

    def add() -> None:
        now = services.now()
        worker = Worker(name, address=Address(name), **{"slots": 2, **registered})
        live = services.workers.add(WorkerRow(name, "ssh", now, now))
        services.hosts.put(Namesake(name, services.host))
        live.reached = online
        worker_rows.write(services, live, content=worker.to_json(), host_keys={f"{name}:22": "ssh-ed25519 A"})

    services.loop.ask(add)


def reach(site: Site, name: str, reached: bool) -> None:
    """Its heartbeat comes again, or no more."""
    services = site.engine.services

    def change() -> None:
        live = services.workers.find(name)
        assert live is not None
        live.reached = reached
        live.unreached = None if reached else Reason.of(Kind.REACHED_NO_MORE, at=services.now())
        services.hosts.put(Namesake(name, services.host))
        worker_rows.write(services, live)

    services.loop.ask(change)
