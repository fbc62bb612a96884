"""One window for each workspace: a second start raises the first."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, QSocketNotifier

from engine.api import sockets

_PATIENCE = 2.0  # seconds for the first window to take the call


class OneWindow(QObject):
    """Holds the workspace's place for a window; ``called`` runs when a person starts a second one."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.called: Callable[[], object] = lambda: None
        self._lock = os.open(root / ".window", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._path = root / "window.sock"
        self._socket = None
        if self._mine():
            self._socket = sockets.listen(self._path)
            self._notifier = QSocketNotifier(self._socket.fileno(), QSocketNotifier.Type.Read, self)
            self._notifier.activated.connect(self._answer)

    @property
    def first(self) -> bool:
        """Whether no other window has the workspace."""
        return self._socket is not None

    def call_first(self) -> bool:
        """Ask the first window to come to the front; False when it does not answer."""
        with suppress(OSError):
            sockets.connect(self._path, _PATIENCE).close()
            return True
        return False

    def close(self) -> None:
        """Let the place go."""
        if self._socket is not None:
            self._notifier.setEnabled(False)
            self._socket.close()
            self._socket = None
            with suppress(OSError):
                sockets.remove(self._path)
        with suppress(OSError):
            os.close(self._lock)

    def _mine(self) -> bool:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _answer(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.accept()[0].close()
                self.called()
