"""A durable mark of the moment up to which the files of ended instances are synced to disk.

No file of a job is synced by itself. ``syncfs`` brings all of them to the disk at once, on a thread that
nobody waits for, and then the store is given the mark. What ended after it is examined after a restart of the
machine.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from engine.model.errors import SkerryError
from engine.store.changes import Changes
from engine.store.rows import time_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from engine.runtime.clock import MachineClock
    from engine.runtime.services import EngineServices
    from engine.store.sql_store import Store

MARK, TOUCHED = "synced", "unsynced"  # settings: {"boot", "until"}; ids of ended instances that were changed
_MARGIN = timedelta(seconds=60)  # for ends whose files are being written, and small steps of the clock
_UNMARKED = timedelta(hours=1)  # how far back, where no engine ever set a mark
_OLD = timedelta(hours=1)  # of a mark: then even an engine that ends at once sets a new one


class Synced:
    """Sets the mark."""

    def __init__(self, services: EngineServices) -> None:
        self._services = services
        self.unmended: set[int] = set()  # instances of which a cut took what could not be restored yet

    def recall(self) -> None:
        """What the latest mark says, before anything ends here: what is taken up may have ended meanwhile."""
        unsynced, store = self._services.unsynced, self._services.store
        unsynced.until = _until(store.setting(MARK))
        unsynced.touched.update(store.setting(TOUCHED, []))

    def begin(self) -> None:
        """At the start, when the instances are taken up: nothing of a new workspace has to be synced."""
        store = self._services.store
        self._services.unsynced.any = was_restarted(store, self._services.clock)
        if store.setting(MARK) is None and store.latest_end() is None:
            with suppress(SkerryError):  # a full disk: it is set later
                store.commit(_marked(self._services.clock))
        self._services.unsynced.until = _until(store.setting(MARK))

    def work(self) -> None:
        """Sync, if something ended or was changed since the latest time. Not on the loop's thread."""
        services = self._services
        until, touched = services.clock.now() - _MARGIN, frozenset(services.unsynced.touched)
        if (
            not services.unsynced.any
            or services.writes.reason is not None
            or services.changing
            or self.unmended
        ):
            return
        services.unsynced.any = False
        try:
            sync_files(services.workspace.root)
        except OSError:
            services.unsynced.any = True
            raise
        services.loop.post(lambda: self._note(until, touched))

    def leave(self) -> None:
        """At the end, when the loop has stopped: only where the mark is old, since a caller waits for it."""
        services = self._services
        if not services.unsynced.any or self.unmended or services.writes.reason is not None:
            return
        until = _until(services.store.setting(MARK))
        if until is None or services.clock.now() - until > _OLD:
            with suppress(OSError, SkerryError):  # then the next engine does it
                sync_files(services.workspace.root)
                services.store.commit(_marked(services.clock))

    def _note(self, until: datetime, touched: Collection[int]) -> None:
        services = self._services
        services.unsynced.until = until
        services.unsynced.touched.difference_update(touched)
        services.changes.setting(MARK, _mark(services.clock, until))
        services.changes.setting(TOUCHED, sorted(services.unsynced.touched))


def ended(services: EngineServices, instance: int) -> None:
    """Its files are not synced: its time says so, unless the clock was set back behind the mark."""
    services.unsynced.any = True
    until = services.unsynced.until
    if until is not None and services.clock.now() < until:
        touch(services, instance)


def touch(services: EngineServices, instance: int, changes: Changes | None = None) -> None:
    """Files of an ended instance change: should the power fail before a sync, nothing else says so.

    ``changes``: of the transaction that they belong to; by default of this turn.
    """
    services.unsynced.any = True
    if instance not in services.unsynced.touched:
        services.unsynced.touched.add(instance)
        changes = services.changes if changes is None else changes
        changes.setting(TOUCHED, sorted(services.unsynced.touched))


def _marked(clock: MachineClock) -> Changes:
    changes = Changes()
    changes.setting(MARK, _mark(clock, clock.now()))
    changes.setting(TOUCHED, [])
    return changes


def _mark(clock: MachineClock, until: datetime) -> dict[str, str]:
    return {"boot": clock.boot(), "until": time_text(until)}


def ended_unsynced(store: Store, clock: MachineClock) -> list[int]:
    """The ended instances of which files may be missing; none within one start of the machine."""
    mark = store.setting(MARK)
    if mark is not None and mark["boot"] == clock.boot():
        return []
    until = _until(mark)
    if until is None and (newest := store.latest_end()) is not None:
        until = datetime.fromisoformat(newest) - _UNMARKED
    ended = store.ended_since(time_text(until)) if until is not None else []
    return sorted({*ended, *store.setting(TOUCHED, [])})


def was_restarted(store: Store, clock: MachineClock) -> bool:
    """Whether the machine was restarted since the latest mark, or there is none."""
    mark = store.setting(MARK)
    return mark is None or mark["boot"] != clock.boot()


def sync_files(folder: Path) -> None:
    """Every file of the file system of ``folder`` to the disk; OSError when that failed."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if syncfs()(fd):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(folder))
    finally:
        os.close(fd)


@cache
def syncfs() -> Callable[[int], int]:
    return ctypes.CDLL(None, use_errno=True).syncfs


def _until(mark: Any) -> datetime | None:
    return None if mark is None else datetime.fromisoformat(mark["until"])
