"""Retention as a service: what is no longer kept, and having it taken away now."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from engine.api.documents import Document
from engine.api.no_engine import refuse

if TYPE_CHECKING:
    from engine.runtime.engine import Engine
    from engine.runtime.workspace import Workspace
    from engine.store.port import Store


class CleaningService(Protocol):
    """What ``skerry clean`` asks for."""

    def clean(self, dry_run: bool = False) -> Document:
        """Take away what the setting ``retention`` no longer keeps; with ``dry_run`` only tell what.

        ``{"removed": [{"instance", "task", "status", "ended_at", "size", "reason"}], "size", "problems",
        "dry_run"}``, the oldest first, sizes in bytes.
        """


class LocalCleaning:
    """Of an engine in this process."""

    _engine: Engine

    def clean(self, dry_run: bool = False) -> Document:
        """See ``CleaningService``."""
        return self._engine.caretaker.cleaner.clean(dry_run)


class CleaningClient:
    """Of an engine in another process."""

    _ask: Callable[..., Document]

    def clean(self, dry_run: bool = False) -> Document:
        """See ``CleaningService``."""
        return self._ask("POST", "/v1/clean", body={"dry_run": dry_run}, patience=None)


class CleaningReader:
    """While no engine runs: what would go; it is taken away by an engine only."""

    _store: Store
    _workspace: Workspace

    def clean(self, dry_run: bool = False) -> Document:
        """See ``CleaningService``; Refused without ``dry_run``."""
        from engine.runtime.clock import SystemClock
        from engine.runtime.upkeep.retention import Chooser

        if not dry_run:
            refuse("clean")
        choices = Chooser(self._store, self._workspace, SystemClock().now).choose(measured=True)
        removed = [each.document() for each in choices]
        return {"removed": removed, "size": sum(each.size for each in choices), "problems": [],
                "dry_run": True}  # fmt: skip
