"""The hosts of the workers that are reached over SSH: made, changed and closed as these are registered."""

from __future__ import annotations

import getpass
import os
import re
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path

from engine.execution.ssh.fencing import OTHER_KEY
from engine.execution.ssh.leases import Leases
from engine.execution.ssh.link import LinkStanding
from engine.execution.ssh.settings import Endpoint, HostKey, SshSettings
from engine.execution.ssh.ssh_host import SshHost
from engine.execution.strangers import Stranger
from engine.execution.vitals import Vitals
from engine.model.codes.ssh import HOST_KEY_CHANGED
from engine.model.errors import SkerryError
from engine.model.message import Message
from engine.model.reason import Kind, Reason
from engine.model.states import ATTEMPT_OVER, AttemptState
from engine.model.worker import Address, Worker
from engine.runtime import alerts
from engine.runtime.queue.workers import LiveWorker
from engine.runtime.services import EngineServices
from engine.runtime.upkeep import registry_file, worker_rows
from engine.runtime.upkeep.coming_attempts import ComingAttempts
from engine.runtime.workspace import Workspace

_LOOK = 5.0  # seconds between two looks at a secret that lets nobody in


class WorkerHosts:
    """Loop thread only, but for ``leave``."""

    def __init__(self, services: EngineServices) -> None:
        self._services = services
        self._hosts: dict[str, SshHost] = {}
        self._term = 0  # of this engine, a larger number than of those before, once it is known
        self._id = ""  # of this workspace: another one may use the same folder on a host
        self._endless: set[str] = set()  # workers with the key of the machine on which leases have no end
        self._locked_out: set[str] = set()  # workers whose secret cannot be read, or is refused there
        self._looks = False  # whether these are looked at again
        services.workers.on_change(self._changed)

    def leave(self) -> None:
        """The engine ends in an orderly way: what runs there is not to end itself. From any thread."""
        fenced = [each for each in list(self._hosts.values()) if each.has_leases]
        if not fenced or self._services.writes.reason is not None:
            return
        names = [_machine_of(each.settings) for each in fenced]
        with suppress(SkerryError):  # without it they end themselves: that is safe
            self._services.loop.ask(lambda: self._keep({*self._endless, *names}))
            for each in fenced:
                each.leave()

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
            root = root_of(self._services.workspace)
            found = settings_of(live.worker, live.row.host_keys, self._password(live), root)
        except SkerryError as problem:
            return self._is_locked_out(live, problem)
        grace, vouched = services.workspace.settings.grace, services.hosts.vouched.get(live.name, 0)
        settings = replace(found, grace=grace, vouched=vouched)
        if known is not None:
            return known.change(settings)
        host = SshHost(
            settings,
            services.clock,
            services.loop,
            services.threads,
            stands=partial(self._stands, live.name),
            vitals=partial(self._measured, live.name),
            strangers=partial(self._met, live.name),
            succeeded=self._has_succeeded,
            leases=self._leases(live.name),
            bounded=partial(self._bounded, live.name),
            waits=self._waits_for_room,
            coming=ComingAttempts(services, live.name),
        )
        self._hosts[live.name] = host
        services.hosts.put(host)
        host.begin()

    def _leases(self, name: str) -> Leases:
        services = self._services
        if not self._term:
            kept = registry_file.leases(services)
            self._id = services.marks.workspace = kept.get("id") or secrets.token_hex(4)
            now = int(services.clock.now().timestamp())  # a rebuilt database has no earlier term
            self._term = max(kept.get("term", 0) + 1, now)
            self._keep(kept.get("endless", ()))
        parts = [each.partition(" ") for each in self._endless]
        theirs, endless = f"{name}.{self._id}", {key for worker, _, key in parts if worker == name}
        return Leases(theirs, services.clock, services.threads, self._term, endless)

    def _keep(self, endless: Iterable[str]) -> None:
        self._endless = set(endless)
        kept = {"id": self._id, "term": self._term, "endless": sorted(self._endless)}
        registry_file.keep(self._services, leases=kept)

    def _bounded(self, name: str, key: str) -> None:
        self._keep(self._endless - {name, f"{name} {key}"})  # an earlier version kept the name alone

    def _password(self, live: LiveWorker) -> str | None:
        name = live.worker.password_secret
        return None if name is None else self._services.secret(name)

    def _is_locked_out(self, live: LiveWorker, problem: SkerryError) -> None:
        """Without its secret it cannot even be tried."""
        self._look_at_secret(live.name)
        live.unreached = self._unreached(problem, live)
        if live.row.because != live.unreached:
            self._services.loop.soon(partial(worker_rows.write, self._services, live))

    def _look_at_secret(self, name: str) -> None:
        """Other processes store secrets: it is tried again with what is stored next."""
        self._locked_out.add(name)
        if not self._looks:
            self._looks = True
            self._services.loop.later(_LOOK, self._look_at_secrets)

    def _look_at_secrets(self) -> None:
        self._looks, names, self._locked_out = False, self._locked_out, set()
        for live in map(self._services.workers.find, names):
            if live is None or not live.trusted or live.reached or live.worker.password_secret is None:
                continue
            self._look_at_secret(live.name)
            self._have(live)

    def _forget(self, name: str) -> None:
        host = self._hosts.pop(name, None)
        if host is not None:
            self._services.hosts.remove(name)
            host.close()

    def _stands(self, name: str, standing: LinkStanding) -> None:
        live = self._services.workers.find(name)
        if live is None:
            return
        before, problem = (live.reached, live.unreached), standing.problem
        live.reached = standing.place is not None
        live.unreached = None if problem is None else self._unreached(problem, live, standing.pause)
        self._compare_key(live, problem)
        if standing.pause is not None:
            self._look_at_secret(name)
        worker_rows.write(self._services, live)
        if (live.reached, live.unreached) != before or live.changed_key is not None:
            self._tell_jobs(live)
        if live.reached:
            self._sweep(name)

    def _unreached(self, problem: SkerryError, live: LiveWorker, pause: float | None = None) -> Reason:
        """Since when, and what is in the way now; ``pause``: seconds until a refused login is tried again."""
        services = self._services
        again = None if pause is None else services.local(services.loop.now() + timedelta(seconds=pause))
        facts = {"at": worker_rows.away_since(services, live), "message": problem.message, "until": again}
        return Reason.of(Kind.REACHED_NO_MORE, **facts)

    def _compare_key(self, live: LiveWorker, problem: SkerryError | None) -> None:
        """Another key than the pinned one is a state of its own, and an alert, until a person trusts it."""
        if problem is None or problem.code != HOST_KEY_CHANGED.number:
            live.changed_key = None
            return
        live.changed_key = Reason.of(Kind.KEY_CHANGED, message=problem.message)
        if live.row.because != live.changed_key:
            template = "worker {worker!r}: {message}; nothing is sent to it"
            message = Message.of(template, worker=live.name, message=problem.message)
            alerts.raised_alert(self._services, "host_key", "error", problem.code, message)

    def _tell_jobs(self, live: LiveWorker) -> None:
        """What runs there goes on, whatever becomes of the link: its job says that nobody sees it."""
        for claim in [*self._services.queue.holders(), *live.beside]:
            if claim.at is live and claim.owner is not None:
                claim.owner.held_up(live.unreached or self._elsewhere(live.name, claim.owner.attempt.mark))

    def _elsewhere(self, name: str, mark: str | None) -> Reason | None:
        """A person trusts another machine now than the one that an attempt was sent to."""
        if mark is None or not self._hosts[name].is_elsewhere(mark):
            return None
        at = self._services.local(self._services.loop.now())
        return Reason.of(Kind.REACHED_NO_MORE, at=at, message=Message.of(OTHER_KEY))

    def _waits_for_room(self, mark: str, problem: SkerryError | None) -> None:
        """The job of that attempt says what its files wait for, or goes on."""
        job, at = int(mark.partition(".")[0]), self._services.local(self._services.loop.now())
        reason = None if problem is None else Reason.of(Kind.NO_ROOM, at=at, message=problem.message)
        for claim in list(self._services.queue.holders()):
            if claim.job == job and claim.owner is not None:
                claim.owner.held_up(reason)

    def _sweep(self, name: str) -> None:
        """What attempts left there that have ended; nothing when it cannot be done now: the next time."""
        host, store = self._hosts[name], self._services.store

        def sweep() -> None:
            for mark in host.marks():
                job = mark.partition(".")[0]
                rows = [row for row in store.attempts(int(job)) if row.mark == mark]
                if not all(AttemptState(row.status) in ATTEMPT_OVER for row in rows):
                    continue
                if rows or mark.rpartition(".")[2].startswith(self._id):  # made for one that never began
                    host.sweep(mark)

        self._services.loop.offload(sweep, lambda done, error: None, lane=name)

    def _has_succeeded(self, found: Stranger) -> bool:
        """Whether an earlier engine had it: an asynchronous job, whose program goes on without it."""
        rows = [] if found.job_instance is None else self._services.store.attempts(found.job_instance)
        return any(row.mark == found.mark and row.status == AttemptState.SUCCEEDED for row in rows)

    def _met(self, name: str, strangers: tuple[Stranger, ...]) -> None:
        live = self._services.workers.find(name)
        if live is not None:
            live.strangers = strangers
            self._services.queue.wake()

    def _measured(self, name: str, vitals: Vitals) -> None:
        live = self._services.workers.find(name)
        if live is not None:
            live.vitals = vitals
            live.put(live.row)
            self._compare_clock(live)
            self._services.queue.wake()

    def _compare_clock(self, live: LiveWorker) -> None:
        """Beyond ``max_skew`` it gets no jobs; the figures are kept to the second."""
        seconds, most = abs(live.vitals.skew or 0.0), self._services.workspace.settings.max_skew
        skewed = Reason.of(Kind.SKEWED, seconds=round(seconds), most=most) if seconds > most else None
        if skewed != live.skewed:
            live.skewed = skewed
            worker_rows.write(self._services, live)


def _machine_of(settings: SshSettings) -> str:
    """A worker with the key of the machine that it is now."""
    key = settings.target.host_key
    return f"{settings.name} {'' if key is None else key.fingerprint}"


def root_of(workspace: Workspace) -> str:
    """The folder for attempts of a worker that names none: below the home there, of this workspace alone."""
    place = f"{_machine()}:{workspace.root.resolve()}".encode("utf-8", "surrogateescape")
    name = re.sub(r"[^\w.-]", "_", workspace.root.name, flags=re.ASCII)
    return f".skerry-jobs/{name}-{sha256(place).hexdigest()[:8]}"


def _machine() -> str:
    """What tells this machine from others that have a workspace at the same path."""
    with suppress(OSError):
        return Path("/etc/machine-id").read_text("ascii").strip()
    return os.uname().nodename


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
