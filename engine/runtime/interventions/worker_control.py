"""Operator commands on workers: add, set, pause, drain, resume, gone, remove; each is in the audit."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

from engine.execution.vitals import Vitals
from engine.model.codes.recovery import REASON_NEEDED
from engine.model.codes.ssh import HOST_KEY_CHANGED
from engine.model.codes.workers import (
    KEY_MISSING,
    KEY_READABLE,
    NO_SUCH_WORKER,
    THIS_MACHINE,
    WORKER_BUSY,
    WORKER_EXISTS,
    WORKER_INVALID,
)
from engine.model.errors import Invalid, Refused
from engine.model.plain_words import wording
from engine.model.reason import Kind, Reason
from engine.model.worker import AUTO, LOCAL, Wanted, Worker
from engine.model.worker_request import WorkerRequest, changed, worker_name
from engine.runtime.interventions.ended_instances import in_turn
from engine.runtime.interventions.queue_control import QueueDesk
from engine.runtime.queue.workers import LiveWorker
from engine.runtime.services import EngineServices
from engine.runtime.upkeep import registry_file, worker_rows
from engine.runtime.upkeep.registry_file import VOUCHED
from engine.runtime.upkeep.shown_keys import ShownKey, log_in, shown_keys
from engine.runtime.upkeep.worker_hosts import root_of
from engine.store.rows import WorkerRow

_ACTIONS: dict[Wanted, str] = {"online": "resume", "paused": "pause", "draining": "drain"}
_WORDS: dict[Wanted, Kind | None] = {
    "online": None,
    "paused": Kind.WORKER_PAUSED,
    "draining": Kind.WORKER_DRAINING,
}


class WorkerDesk:
    """Every method may be called from any thread, and gives the name of the worker once it is durable."""

    def __init__(self, services: EngineServices, queue: QueueDesk) -> None:
        self._services = services
        self._queue = queue

    def restore(self) -> None:
        """Those that were registered under an earlier engine (loop thread)."""
        services = self._services
        registry_file.recover(services)
        services.hosts.vouched.update(services.store.setting(VOUCHED, {}))
        services.workers.restore(services.store.workers(), settled=False)
        services.loop.later(services.workspace.settings.settle, self._settle)

    def _settle(self) -> None:
        """Who was not reached by now counts as that, whatever an earlier engine wrote down."""
        for live in self._services.workers:
            if not live.reached:
                worker_rows.write(self._services, live)
        self._services.workers.settle()

    def now(self) -> list[tuple[WorkerRow, Vitals, int | str | None]]:
        """Each with how it is, and its slots where they are known (loop thread).

        Of one that is not reached nobody knows how it is; what an earlier engine wrote down of one that this
        one still connects to does not count.
        """
        local = self._services.queue.slots
        return [
            (
                each.row if each.settled else each.row.unreached(),
                each.vitals if each.reached else Vitals(),
                local if each.name == LOCAL else each.known_slots,
            )
            for each in self._services.workers
        ]

    def add(self, name: str, request: WorkerRequest, actor: str) -> str:
        """Register one that is reached by SSH. Invalid: what cannot be; nothing of it is kept then."""
        self._check_free(worker_name(name))
        worker = self._made(Worker(name), request)
        return self._turn(name, lambda: self._add(worker, actor))

    def change(self, name: str, request: WorkerRequest, actor: str) -> str:
        """Other settings of one; what is not named stays."""
        if name == LOCAL and request.slots is not None:
            self._resize(request, actor)
            request = replace(request, slots=None)
        _check_key(request.key or None)
        return self._turn(name, lambda: self._change(self._known(name), request, actor))

    def want(self, name: str, wanted: Wanted, note: str, actor: str) -> str:
        """Let nothing begin there (draining: so that it becomes empty), or let it again."""

        def change() -> None:
            kind, at = _WORDS[wanted], self._services.local(self._services.loop.now())
            why = None if kind is None else Reason.of(kind, by=actor, at=at, note=note or None)
            worker_rows.write(self._services, self._known(name), why, wanted=wanted)
            self._act(actor, _ACTIONS[wanted], name, reason=note)

        return self._turn(name, change)

    def attempt(
        self, name: str, request: WorkerRequest, vouched: Mapping[str, str], new: bool
    ) -> tuple[list[ShownKey], bool]:
        """What a worker as it would be shows now, and whether it let us in; nothing is registered. Blocks.

        It is logged in to once every key on the way is vouched for (fingerprints by place) or pinned. Raises
        Invalid: what cannot be; SkerryError: it is not reached, or does not let the user in.
        """
        known = self._ask(lambda: self._services.workers.find(worker_name(name)))
        if new:
            self._check_free(name)
        _not_local(name, "this machine is reached without a network")
        worker = self._made(Worker(name) if known is None else known.worker, request)
        found = shown_keys(worker, known.row.host_keys if known else {}, vouched)
        if not found[-1].is_vouched(vouched):
            return found, False
        log_in(worker, _pinned(found), self._services.secret, root_of(self._services.workspace))
        return found, True

    def trust(
        self, name: str, fingerprint: str | None, actor: str, vouched: Mapping[str, str] = {}
    ) -> tuple[str, list[ShownKey]]:
        """Pin the keys that it, and each machine on the way to it, shows now.

        Of the machines on the way one that is pinned already counts. Blocks. Refused: it shows another
        key than that of ``fingerprint``, a machine another one than ``vouched`` says (fingerprints by
        place); SkerryError: it is not reached.
        """
        _not_local(name, "this machine is reached without a network")
        worker, known = self._ask(lambda: self._reached_by(name))
        assert worker.address is not None
        if fingerprint is not None:
            vouched = {**vouched, worker.address.place: fingerprint}
        found = self._vouched_keys(worker, known, dict(vouched))

        def pin() -> None:
            live = self._known(name)
            worker_rows.write(self._services, live, host_keys={**live.row.host_keys, **_pinned(found)})
            prints = {each.place: each.key.fingerprint for each in found}
            self._act(actor, "trust", name, keys=prints)

        return self._turn(name, pin), found

    def _vouched_keys(
        self, worker: Worker, known: Mapping[str, str], vouched: dict[str, str]
    ) -> list[ShownKey]:
        """Those of the whole way; where nothing is said about a machine, what it shows counts."""
        assert worker.address is not None
        given = dict(vouched)
        while True:
            found = shown_keys(worker, known, vouched)
            last = found[-1]
            on_the_way = last.pinned is not None and last.place != worker.address.place
            said = given.get(last.place, last.pinned.fingerprint if on_the_way and last.pinned else None)
            if said is not None and said != last.key.fingerprint:
                message = "{where} has the key {found}, not {pinned}"
                raise Refused.at(
                    HOST_KEY_CHANGED, message, last.place, found=last.key.fingerprint, pinned=said
                )
            if len(found) == len(worker.jumps) + 1:
                return found
            vouched[last.place] = last.key.fingerprint

    def gone(self, name: str, reason: str, actor: str) -> str:
        """A person vouches that nothing on it lives: it is paused, and its jobs may begin elsewhere."""
        if not reason.strip():
            raise Invalid(REASON_NEEDED, "a reason is needed: --reason TEXT", where=name)
        _not_local(name, "this machine is not gone: the engine runs on it")

        def change() -> None:
            at = self._services.local(self._services.loop.now())
            why = Reason.of(Kind.WORKER_GONE, by=actor, at=at, note=reason)
            self._vouch(name)
            worker_rows.write(self._services, self._known(name), why, wanted="paused")
            self._act(actor, "gone", name, reason=reason)

        return self._turn(name, change)

    def _vouch(self, name: str) -> None:
        """What was sent there until now is believed to be dead, under later engines too."""
        vouched = self._services.hosts.vouched
        vouched[name] = vouched.get(name, 0) + 1
        registry_file.keep(self._services, vouched=dict(vouched))

    def remove(self, name: str, actor: str) -> str:
        """Forget one; Refused while attempts on it have not ended."""
        _not_local(name, "this machine is always a worker")
        return self._turn(name, lambda: self._remove(self._known(name), actor))

    @staticmethod
    def _made(worker: Worker, request: WorkerRequest) -> Worker:
        """That worker with what was asked for. Invalid: what cannot be."""
        made = changed(worker, request)
        if made.address is None:
            raise Invalid(WORKER_INVALID, "a worker needs an address: --ssh USER@HOST", where=made.name)
        _check_key(made.key_file)
        return made

    # -- on the loop's thread -------------------------------------------------------------------

    def _turn(self, name: str, change: Callable[[], None]) -> str:
        in_turn(self._services, (), change)
        return name

    def _ask(self, question: Callable[[], Any]) -> Any:
        return self._services.loop.ask(question, durable=False)

    def _reached_by(self, name: str) -> tuple[Worker, dict[str, str]]:
        live = self._known(name)
        return live.worker, live.row.host_keys

    def _act(self, actor: str, action: str, name: str, **details: Any) -> None:
        self._services.changes.act(actor, action, f"worker {name}", **details)

    def _known(self, name: str) -> LiveWorker:
        found = self._services.workers.find(name)
        if found is None:
            raise Invalid.at(NO_SUCH_WORKER, "there is no worker {where!r}", name)
        return found

    def _check_free(self, name: str) -> None:
        if self._services.workers.find(name) is not None:
            raise Invalid.at(WORKER_EXISTS, "there is a worker {where!r} already", name)

    def _add(self, worker: Worker, actor: str) -> None:
        self._check_free(worker.name)
        now = self._services.now()
        live = self._services.workers.add(WorkerRow(worker.name, worker.kind, now, now))
        worker_rows.write(self._services, live, content=worker.to_json())
        self._act(actor, "add", worker.name, address=str(worker.address))

    def _change(self, live: LiveWorker, request: WorkerRequest, actor: str) -> None:
        worker_rows.write(self._services, live, content=changed(live.worker, request).to_json())
        given = {name: value for name, value in asdict(request).items() if value is not None}
        self._act(actor, "set", live.name, **given)

    def _remove(self, live: LiveWorker, actor: str) -> None:
        if there := self._services.store.attempts_on(live.name):
            message = "{n} attempts on worker {where!r} have not ended"
            raise Refused.at(WORKER_BUSY, message, live.name, n=len(there))
        self._services.changes.remove("worker", live.name, live.row.state)
        worker_rows.publish(self._services, live.row)
        self._services.queue.let_go(live)
        self._services.workers.remove(live.name)
        registry_file.keep(self._services)
        self._act(actor, "remove", live.name)

    def _resize(self, request: WorkerRequest, actor: str) -> None:
        slots = changed(Worker(LOCAL, "local"), WorkerRequest(slots=request.slots)).slots
        self._queue.resize("auto" if slots == AUTO else slots, actor)


def _pinned(found: Iterable[ShownKey]) -> dict[str, str]:
    """As a row keeps them: by place, the kind and the key."""
    return {each.place: f"{each.key.kind} {each.key.data}" for each in found}


def _not_local(name: str, message: str) -> None:
    if name == LOCAL:
        raise Refused(THIS_MACHINE, message, where=name)


def _check_key(path: str | None) -> None:
    """A private key that others can read is none; Invalid says so before anything is registered."""
    if path is None:
        return
    try:
        found = os.stat(path)
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    except OSError as error:
        raise Invalid.at(KEY_MISSING, "{where}: {error}", path, error=wording(error)) from error
    if not stat.S_ISREG(found.st_mode):
        raise Invalid.at(KEY_MISSING, "{where} is no plain file", path)
    if found.st_mode & 0o077:
        raise Invalid.at(KEY_READABLE, "others can read or change {where}: chmod 600", path)
