"""Calls that come too often, gathered: the first at once, the last one surely."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, QTimer


class Throttle(QObject):
    """Calls ``do`` at most once in ``interval`` milliseconds, and once more after the last request."""

    def __init__(self, do: Callable[[], None], interval: int, parent: QObject) -> None:
        super().__init__(parent)
        self._do = do
        self.interval = interval
        self._since = QElapsedTimer()
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._now)

    def ask(self) -> None:
        """Let it be done soon."""
        if self._timer.isActive():
            return
        passed = self._since.elapsed() if self._since.isValid() else self.interval
        self._timer.start(max(0, self.interval - passed))

    def forget(self) -> None:
        """Do not do what was asked for."""
        self._timer.stop()

    def _now(self) -> None:
        self._since.start()
        self._do()
