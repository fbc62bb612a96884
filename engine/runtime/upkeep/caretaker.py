"""Periodic chores of a long-lived engine: retention, the disk reserve, database checks."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.model.codes.store import AUDIT_BROKEN, DAMAGED
from engine.model.errors import SkerryError
from engine.model.message import Message, facts_of
from engine.model.plain_words import wording
from engine.runtime.services import EngineServices
from engine.runtime.threads import Thread
from engine.runtime.upkeep import reserve
from engine.runtime.upkeep.database_opening import alert
from engine.runtime.upkeep.file_sync import Synced
from engine.runtime.upkeep.retention import AskedNow, Cleaner, Stopping
from engine.store.opening import mark_suspect

_SYNC = 10.0  # seconds until files are brought to the disk that are not there
_PATIENCE = 10.0  # seconds for the end of a chore under way
_MINUTE, _HOUR, _DAY, _NEVER = 60.0, 3600.0, 86400.0, float("inf")


@dataclass
class Chore:
    """Something to do now and then; ``due`` in seconds of the monotonic clock."""

    do: Callable[[], object]  # False: not now, but soon
    due: float
    every: float


class Caretaker:
    """One thread that does one chore after the other, none of them in anybody's way."""

    def __init__(self, services: EngineServices, asked: AskedNow) -> None:
        self._services = services
        self._stop = services.threads.event()
        self.cleaner = Cleaner(services, self._stop, asked)
        self.synced = Synced(services)
        self._woken = services.threads.event()
        services.unsynced.tell = lambda: self._woken.set()
        now = services.clock.monotonic()
        self._verified_by = now + _HOUR
        self.damage: dict[str, Any] | None = None  # ``{"since", "reason", "reason_facts"}`` while it lasts
        self._chores = [
            Chore(partial(reserve.keep, services.workspace.root), now + 1.0, _MINUTE),
            syncing := Chore(self.synced.work, _NEVER, _NEVER),
            Chore(self.cleaner.work, now + _MINUTE, _HOUR),
            Chore(self._verify_when_idle, now + _MINUTE, _DAY),
            Chore(self._verify_audit, now + _HOUR, _DAY),
        ]
        self._syncing = syncing
        self._thread: Thread | None = None

    def start(self) -> None:
        self._thread = self._services.threads.start(self._live, "skerry-caretaker")

    def stop(self) -> None:
        """End after this file; the next engine goes on."""
        self._stop.set()
        self._woken.set()
        if self._thread is not None:
            self._thread.join(_PATIENCE)

    def _live(self) -> None:
        while True:
            self._woken = woken = self._services.threads.event()
            if self._stop.is_set():
                return
            chore, now = self._next(), self._services.clock.monotonic()
            if woken.wait(max(chore.due - now, 0.0)):
                continue
            done: object = None
            try:
                done = chore.do()
            except Stopping:
                return
            except (OSError, SkerryError) as error:
                self._services.say(f"{wording(error)}; tried again later", logging.WARNING)
            chore.due = self._services.clock.monotonic() + (_MINUTE if done is False else chore.every)

    def _next(self) -> Chore:
        if self._services.unsynced.any:
            self._syncing.due = min(self._syncing.due, self._services.clock.monotonic() + _SYNC)
        return min(self._chores, key=lambda each: each.due)

    def _verify_audit(self) -> None:
        """A chain that is broken is reported; nothing else depends on it."""
        found = self._services.store.verify_audit()
        if found:
            message = Message.of("audit row {row}: {message}", row=found[0].key[0], message=found[0].message)
            self._services.say(message, logging.ERROR)
            alert(self._services.store, self._services.clock, AUDIT_BROKEN, message)

    def _verify_when_idle(self) -> bool:
        """As soon as nothing runs, after an hour in any case; what is damaged is looked at again soon."""
        now = self._services.clock.monotonic()
        if self._services.runs and now < self._verified_by:
            return False
        self._verified_by = now + _HOUR
        self._verify()
        return self.damage is None

    def _verify(self) -> None:
        """Every row against its checksum: what a disk spoilt is reported, once, before it is relied on."""
        found = self._services.store.verify()
        known, self.damage = self.damage, None
        if found:
            first = found[0]
            where = "/".join(map(str, (first.table, *first.key)))
            template = "{url}: {count} places are damaged, first {where}: {message}"
            facts = {"count": len(found), "where": where, "message": first.message}
            message = Message.of(template, url=self._services.store.url, **facts)
            since = known["since"] if known else self._services.clock.now().isoformat()
            self.damage = {"since": since, "reason": message, "reason_facts": facts_of(message)}
            if known and known["reason"] == message:
                return
            self._services.say(message, logging.ERROR)
            mark_suspect(self._services.workspace.database_url, message)
            alert(self._services.store, self._services.clock, DAMAGED, message)
