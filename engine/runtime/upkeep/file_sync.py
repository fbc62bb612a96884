"""A durable mark of the instances whose files are synced to disk.

No file of a job is synced by itself. ``syncfs`` brings all of them to the disk at once, on a thread that
nobody waits for, and then the store is given the mark: the highest number of an instance by then. What has
a higher one, or is listed beside the mark because it ended or was changed after it, is examined after a
restart of the machine. No clock says what that is: any can be set.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from engine.model.errors import SkerryError
from engine.store.changes import Changes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from engine.runtime.clock import MachineClock
    from engine.runtime.services import EngineServices
    from engine.store.sql_store import Store

# Settings: {"boot", "last"}; ids up to "last" that ended or were changed since.
MARK, TOUCHED = "synced", "unsynced"
_UNMARKED = 1000  # how many ended instances are examined where no engine set such a mark
_MUCH = 100  # ended since the mark: then even an engine that ends at once sets a new one


class Synced:
    """Sets the mark."""

    def __init__(self, services: EngineServices) -> None:
        self._services = services
        self.unmended: set[int] = set()  # instances of which a cut took what could not be restored yet

    def recall(self) -> None:
        """What the latest mark says, before anything ends here: what is taken up may have ended meanwhile."""
        unsynced, store = self._services.unsynced, self._services.store
        unsynced.last = _last(store.setting(MARK))
        unsynced.touched.update(store.setting(TOUCHED, []))

    def begin(self) -> None:
        """At the start, when the instances are taken up: nothing of a new workspace has to be synced."""
        store = self._services.store
        if was_restarted(store, self._services.clock):
            self._services.unsynced.add()
        if store.setting(MARK) is None and not store.newest_ended(1):
            with suppress(SkerryError):  # a full disk: it is set later
                store.commit(_marked(store, self._services.clock))
        self._services.unsynced.last = _last(store.setting(MARK))

    def work(self) -> None:
        """Sync, if something ended or was changed since the latest time. Not on the loop's thread."""
        services = self._services
        if (
            not services.unsynced.any
            or services.writes.reason is not None
            or services.changing
            or self.unmended
        ):
            return
        services.unsynced.any = False
        touched = frozenset(
            services.unsynced.touched
        )  # first: what ends from now on is listed after the sync
        last = services.store.last_instance()
        try:
            sync_files(services.workspace.root)
        except OSError:
            services.unsynced.any = True
            raise
        services.loop.post(lambda: self._note(last, touched))

    def leave(self) -> None:
        """At the end, when the loop has stopped: only where much has ended, since a caller waits for it."""
        services = self._services
        if not services.unsynced.any or self.unmended or services.writes.reason is not None:
            return
        if len(_since(services.store, services.store.setting(MARK), _MUCH)) == _MUCH:
            with suppress(OSError, SkerryError):  # then the next engine does it
                sync_files(services.workspace.root)
                services.store.commit(_marked(services.store, services.clock))

    def _note(self, last: int, touched: Collection[int]) -> None:
        services = self._services
        services.unsynced.last = last
        services.unsynced.touched.difference_update(touched)
        services.changes.setting(MARK, _mark(services.clock, last))
        services.changes.setting(TOUCHED, sorted(services.unsynced.touched))


def ended(services: EngineServices, instance: int) -> None:
    """Its files are not synced: its number says so, or else the list."""
    unsynced = services.unsynced
    if unsynced.last is None or instance <= unsynced.last:
        return touch(services, instance)
    unsynced.add()
    unsynced.touched.add(instance)  # a sync that is under way may set the mark behind it
    return None


def touch(services: EngineServices, instance: int, changes: Changes | None = None) -> None:
    """Files of an ended instance change: should the engine or the power fail, they are examined.

    ``changes``: of the transaction that they belong to; by default of this turn.
    """
    services.unsynced.add()
    services.unsynced.touched.add(instance)
    changes = services.changes if changes is None else changes
    changes.setting(TOUCHED, sorted(services.unsynced.touched))


def _marked(store: Store, clock: MachineClock) -> Changes:
    changes = Changes()
    changes.setting(MARK, _mark(clock, store.last_instance()))
    changes.setting(TOUCHED, [])
    return changes


def _mark(clock: MachineClock, last: int) -> dict[str, Any]:
    return {"boot": clock.boot(), "last": last}


def ended_unsynced(store: Store) -> set[int]:
    """The ended instances of which files may be missing after a restart of the machine."""
    return {*_since(store, store.setting(MARK)), *store.setting(TOUCHED, [])}


def _since(store: Store, mark: Any, limit: int | None = None) -> list[int]:
    """The ended instances that the mark does not speak of; earlier versions wrote a time down in it."""
    last = _last(mark)
    return store.newest_ended(_UNMARKED) if last is None else store.newest_ended(limit, after=last)


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


def _last(mark: Any) -> int | None:
    return None if mark is None else mark.get("last")
