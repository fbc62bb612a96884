"""The queue: what waits for a place, what has one, and every handle on it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.overview import Snapshot
from app.desktop.queue.queue_actions import add_handles
from app.desktop.queue.tables import QueueTables


class QueueMode(QueueTables):
    """The tables, with the handles as actions."""

    KEY = "queue"

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self._enable = add_handles(self)
        for table in (self.running, self.waiting):
            table.looked_at.connect(lambda _row: self._enable())
        console.link.state_changed.connect(lambda _state: self._enable())
        console.overview.refreshed.connect(self._enable_for)
        self._enable()

    def _enable_for(self, _snapshot: Snapshot) -> None:
        self._enable()
