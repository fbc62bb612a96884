"""Faults of the disk and the database, and blows that fall in the middle of what the engine does."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping
from typing import Any

from engine.model.codes.store import BUSY, DISK_FULL, FAILED
from engine.model.errors import SkerryError
from engine.store.sqlite import BUSY_SECONDS
from tests.simulation.invariants.life import Life

Facts = Mapping[str, Any]
_FAILING = {  # what of the disk's operations a fault means
    "write": ("write", "pwrite"), "sync": ("fsync", "sync"), "rename": ("rename",), "open": ("create",),
    "mkdir": ("mkdir",), "read": (),
}  # fmt: skip


_OF_PROCESSES = ("begun", "ended", "left")


class FaultInjection:
    """What is to fail in a life, from its actions; asked at each operation with files and each commit."""

    def __init__(self, life: Life) -> None:
        self._life = life
        self._blow: tuple[str, int, Callable[[], None]] | None = (
            None  # at which operation, how many more, what
        )
        self._io_error: tuple[str, int, int] | None = None  # operation, how many until, how many times
        self._refusals: tuple[int, int] | None = None  # of commits: how many until, how many times
        self._locked_until = self._slow_until = self._delay = 0.0
        self._database_has_room = False  # when the disk is full

    # -- planned ---------------------------------------------------------------------------------

    def strike(self, facts: Facts, blow: Callable[[], None]) -> None:
        """Now, or at one of the next operations of the engine."""
        if facts.get("when", "now") == "now":
            blow()
        else:
            self._blow = facts["when"], int(facts["after"]), blow

    def fill(self, facts: Facts) -> None:
        """The disk is full for a while."""
        disk, seconds = self._life.disk, float(facts["seconds"])
        disk.full, disk.room = not facts["left"], int(facts["left"])
        self._database_has_room = not facts.get("database", True)
        self._life.trouble.lasts(seconds)
        self._life.hub.after(seconds, self._free)

    def _free(self) -> None:
        self._life.disk.full, self._life.disk.room = False, None

    def lock(self, facts: Facts) -> None:
        """Another program has the database."""
        self._locked_until = self._life.hub.now + float(facts["seconds"])
        self._life.trouble.lasts(float(facts["seconds"]))

    def slow(self, facts: Facts) -> None:
        """Each commit and sync takes long."""
        self._slow_until = self._life.hub.now + float(facts["seconds"])
        self._life.trouble.lasts(float(facts["seconds"]))
        self._delay = float(facts["delay"])

    def refuse(self, facts: Facts) -> None:
        """Commits fail for good."""
        self._refusals = int(facts["after"]), int(facts["times"])

    def io_error(self, facts: Facts) -> None:
        """An operation with files fails."""
        self._io_error = str(facts["operation"]), int(facts["after"]), int(facts["times"])

    def forget_blow(self) -> None:
        """The engine that it was for is gone."""
        self._blow = None

    def forget(self) -> None:
        """Nothing that is still to come fails."""
        self._blow = self._io_error = self._refusals = None

    # -- struck ----------------------------------------------------------------------------------

    def before_commit(self) -> None:
        """Raises what the database would."""
        hub, disk = self._life.hub, self._life.disk
        self.due("before commit")
        if hub.current is not None and hub.now < self._slow_until:
            hub.sleep(self._delay)
        if self._is_locked():
            raise SkerryError(BUSY, "the database is locked")
        if self._refuses():
            raise SkerryError(FAILED, "the database failed")
        if (disk.full or disk.room is not None) and not self._database_has_room:
            raise SkerryError(DISK_FULL, "no room for the database")

    def _is_locked(self) -> bool:
        """Whether it still is after the time that SQLite's busy handler waits, which looks ten times a second."""
        hub = self._life.hub
        until = hub.now + BUSY_SECONDS
        while hub.current is not None and hub.now < min(until, self._locked_until):
            hub.sleep(min(until, self._locked_until) - hub.now)
        return hub.now < self._locked_until

    def _refuses(self) -> bool:
        if self._refusals is None:
            return False
        until, times = self._refusals
        if until > 1:
            self._refusals = until - 1, times
            return False
        self._refusals = (1, times - 1) if times > 1 else None
        return True

    def before_operation(self, operation: str, path: str) -> None:
        """With a file: raises what the disk would."""
        if not self._by_the_engine():
            return
        if self._life.hub.now < self._slow_until and operation in ("fsync", "fdatasync", "sync"):
            self._life.hub.sleep(self._delay)
        if self._io_error is not None and operation in _FAILING[self._io_error[0]]:
            self._fail_sometimes(operation, path)
        self.due("file")

    def _fail_sometimes(self, operation: str, path: str) -> None:
        assert self._io_error is not None
        kind, until, times = self._io_error
        if until > 1:
            self._io_error = kind, until - 1, times
            return
        self._io_error = (kind, 1, times - 1) if times > 1 else None
        self._life.note(f"{operation} {path} fails")
        self._life.history.failed_files.append(path)
        raise OSError(errno.EIO, os.strerror(errno.EIO), path)

    def started(self, mark: str) -> None:
        """A process was, of the attempt with that mark."""
        self.due("start")
        if mark.split(".")[1] != "1":
            self.due("again")

    def due(self, moment: str) -> None:
        """Count down to a blow at such a moment; from the one that it falls on there is no way back for the engine."""
        if self._blow is None or self._blow[0] != moment:
            return
        if moment not in _OF_PROCESSES and not self._by_the_engine():
            return
        _, left, strike = self._blow
        self._blow = (moment, left - 1, strike)
        if left <= 1:
            self._blow = None
            self._life.note(f"it happens at a {moment}")
            strike()

    def _by_the_engine(self) -> bool:
        owner = self._life.hub.owner
        return isinstance(owner, tuple) and owner[0] == "engine"
