"""The window's link to the engine's process: calls to it while it answers, to the store while it does not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.desktop.kernel.link import Link, LinkState
from app.desktop.shell.engine_keeper import EngineKeeper
from app.desktop.shell.event_batches import Batches
from engine.runtime.workspace import Workspace

if TYPE_CHECKING:
    from subprocess import Popen

    from engine.api.service import Service

_BATCH = 33  # milliseconds between two batches of events
_WATCH = 1500  # milliseconds between two looks whether the engine is stopped
_SETTLING = 20.0  # seconds that a call waits while the engine starts


class EngineLink(Link):
    """See ``Link``; ``words`` says why no engine runs or answers, when none does."""

    _seen = Signal(object, str)
    _came = Signal()

    def __init__(
        self,
        workspace: Workspace,
        spawn: Callable[[Workspace], Popen[bytes]],
        open_reader: Callable[[Workspace], tuple[Service, Callable[[], None]]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._open_reader = open_reader
        self._reading = threading.Lock()
        self._reader: tuple[Service, Callable[[], None]] | None = None
        self._settled = threading.Event()
        self._alive = False  # as the keeper sees it; ``state`` follows on the window's thread
        self._batches = Batches()
        self.words = ""
        self._keeper = EngineKeeper(workspace, spawn, self._sighted, self._received)
        self._timer = QTimer(self, interval=_BATCH, singleShot=True)
        self._timer.timeout.connect(self._hand_on)
        self._watch = QTimer(self, interval=_WATCH)
        self._watch.timeout.connect(self._keeper.look)
        self._seen.connect(self._show, Qt.ConnectionType.QueuedConnection)
        self._came.connect(self._timer.start, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        """Look for an engine, or start one; returns at once."""
        self._keeper.start()
        self._watch.start()

    @property
    def started_it(self) -> bool:
        """Whether this window started the engine that runs."""
        return self._keeper.started_it

    @property
    def engine_pid(self) -> int | None:
        process = self._keeper.process
        return process.pid if process is not None else None

    def service(self) -> Service:
        """See ``Link``; waits while the engine starts."""
        self._settled.wait(_SETTLING)
        if self._alive:
            from engine.api.client import Client

            return Client(self._workspace.socket)
        with self._reading:
            if self._reader is None:
                self._reader = self._open_reader(self._workspace)
            return self._reader[0]

    def close(self, *, stop: bool = False) -> None:
        """See ``Link``; with ``stop`` the engine ends too."""
        self._settled.set()
        self._timer.stop()
        self._watch.stop()
        self._keeper.close(stop=stop)
        super().close(stop=stop)
        if self._reader is not None:
            self._reader[1]()
            self._reader = None

    def _sighted(self, state: LinkState, words: str) -> None:
        """On the keeper's thread, or on the window's."""
        self._alive = state is LinkState.CONNECTED
        if state is not LinkState.STARTING:
            self._settled.set()
        self._seen.emit(state, words)

    def _received(self, event: Mapping[str, Any]) -> None:
        """On the keeper's thread."""
        if self._batches.put(event):
            self._came.emit()

    def _show(self, state: LinkState, words: str) -> None:
        self.words = words
        self._set_state(state)

    def _hand_on(self) -> None:
        if taken := self._batches.take():
            self.changed.emit(taken)
