"""Calls that come too often, gathered: the first at once, the last one always, one reading at a time."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, QTimer

from app.desktop.kernel.link import Request


class Throttle(QObject):
    """Calls ``do`` at most once in ``interval`` milliseconds, and once more after the last request.

    While the Request that ``do`` returned is under way, ``do`` waits. With a ``share`` at most one part
    in so many of the time is spent on these requests: after a slow one the interval is longer.
    """

    def __init__(
        self, do: Callable[[], Request | None], interval: int, parent: QObject, share: int = 0
    ) -> None:
        super().__init__(parent)
        self._do = do
        self._least, self._share = interval, share
        self.interval = interval
        self._request: Request | None = None
        self._since = QElapsedTimer()
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._due)

    @property
    def busy(self) -> bool:
        return self._request is not None and self._request.open

    def ask(self) -> None:
        """Let it be done soon."""
        if self._timer.isActive():
            return
        self._adapt()
        passed = self._since.elapsed() if self._since.isValid() else self.interval
        self._timer.start(max(0, self.interval - passed))

    def now(self) -> None:
        """Do it at once; soon, while a request is under way."""
        if self.busy:
            self.ask()
        else:
            self._adapt()
            self._request = self._do()

    def forget(self) -> None:
        """Do not do what was asked for; no answer comes of what is under way."""
        self._timer.stop()
        if self._request is not None:
            self._request.cancel()

    def _adapt(self) -> None:
        if self._share and self._request is not None and self._request.took is not None:
            self.interval = max(self._least, self._request.took * self._share)

    def _due(self) -> None:
        self._since.start()
        self.now()
