"""Garbage is collected by the window's own thread: a widget that another thread takes apart brings Qt down.

Python collects cycles in whatever thread happens to allocate; a cycle with a QObject in it may then be
destroyed on a worker. So the automatic collection is off, and a timer of the window does it.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QCoreApplication, QMimeData, QObject, QTimer
from PySide6.QtGui import QGuiApplication
from shiboken6 import createdByPython

_EVERY = 1000  # ms


class Garbage(QObject):
    """Collects as often as Python itself would: each generation when enough was allocated."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        self._timer = QTimer(self, interval=_EVERY)
        self._timer.timeout.connect(self.look)

    def begin(self) -> None:
        """From now on only this collects; ``gc.enable`` gives it back to Python."""
        gc.disable()
        self._timer.start()

    def look(self) -> None:
        """Collect the oldest generation that is due."""
        pairs = zip(gc.get_count(), self._thresholds, strict=True)
        due = [generation for generation, (count, most) in enumerate(pairs) if count > most > 0]
        if due:
            gc.collect(due[-1])


def collected_here(application: QCoreApplication) -> Garbage:
    """The collector of an application, made once."""
    found = application.findChild(Garbage)
    if not isinstance(found, Garbage):
        found = Garbage(application)
        application.aboutToQuit.connect(leave_clipboard_to_qt)
    found.begin()
    return found


def leave_clipboard_to_qt() -> None:
    """Before the end: what Python put on the clipboard becomes plain text of Qt's own.

    Qt destroys the clipboard's data after Python has ended, and data made by Python brings it down then.
    """
    clipboard = QGuiApplication.clipboard()
    data = clipboard.mimeData()
    if isinstance(data, QMimeData) and createdByPython(data):
        clipboard.setText(clipboard.text())
