"""The table of modes: where each lives, what it opens."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.desktop.kernel.mode import Mode


@dataclass(frozen=True, slots=True)
class ModeEntry:
    """One mode: ``location`` is ``module:Class``, ``handles`` the kinds of Target that it opens."""

    key: str
    title: str
    icon: str
    location: str
    handles: tuple[str, ...]
    tip: str

    def load(self) -> type[Mode]:
        """Its class, imported now."""
        module, _, name = self.location.partition(":")
        found: type[Mode] = getattr(import_module(module), name)
        return found


MODES = (
    ModeEntry(
        "home", "Home", "mode-home", "app.desktop.home.mode:HomeMode", (),
        "What needs you now, what runs, and what comes next",
    ),
    ModeEntry(
        "design", "Design", "mode-design", "app.desktop.design.mode:DesignMode",
        ("task", "job", "resource", "definitions"),
        "Draw tasks, jobs and resources",
    ),
    ModeEntry(
        "run", "Run", "mode-run", "app.desktop.run.mode:RunMode", ("instance",),
        "Watch, understand and repair runs",
    ),
    ModeEntry(
        "history", "History", "mode-history", "app.desktop.history.mode:HistoryMode", ("history",),
        "Find and compare everything that ever ran",
    ),
    ModeEntry(
        "queue", "Queue", "mode-queue", "app.desktop.queue.mode:QueueMode", ("queue", "worker"),
        "The jobs that wait for a slot, and the workers that have the slots",
    ),
    ModeEntry(
        "monitor", "Monitor", "mode-monitor", "app.desktop.monitor.mode:MonitorMode", ("monitor",),
        "This machine, the engine and the jobs over time",
    ),
    ModeEntry(
        "codes", "Codes", "mode-codes", "app.desktop.codes.mode:CodesMode", ("code", "exception", "rule"),
        "Error codes, exceptions, and the rules that handle them",
    ),
    ModeEntry(
        "admin", "Admin", "mode-admin", "app.desktop.admin.mode:AdminMode", ("file", "admin"),
        "Settings, secrets, keys and bundles",
    ),
    ModeEntry(
        "plan", "Plan", "mode-plan", "app.desktop.plan.mode:PlanMode", ("backfill", "calendar"),
        "What runs by time: the day on a time axis, past times that are run again, calendars",
    ),
)  # fmt: skip


def mode_for(kind: str, id: str = "") -> ModeEntry | None:
    """The mode that opens a kind of Target; with the kind ``mode`` the one of that key."""
    for entry in MODES:
        if kind in entry.handles or (kind == "mode" and entry.key == id):
            return entry
    return None
