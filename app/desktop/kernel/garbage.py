"""Garbage is collected by the window's own thread: a widget that another thread takes apart brings Qt down.

Python collects cycles in whatever thread happens to allocate; a cycle with a QObject in it may then be
destroyed on a worker. So the automatic collection is off, and a timer of the window does it. Looking
through everything that a long run has in memory would hold the window up, so what has lived through a whole
collection is set aside, and looked through again only now and then.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QCoreApplication, QMimeData, QObject, QTimer
from PySide6.QtGui import QGuiApplication
from shiboken6 import createdByPython

_OWN = "garbage"  # the property of the application that holds its collector
_EVERY = 1000  # ms
_THRESHOLDS = (700, 10, 10)  # Python's own
_OLDEST = 2  # the generation of what has lived long
_ASIDE = 600  # looks after which what was set aside is looked through again: ten minutes


class Garbage(QObject):
    """Collects as often as Python itself would: each generation when enough was allocated."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._looks = 0
        self._timer = QTimer(self, interval=_EVERY)
        self._timer.timeout.connect(self.look)

    def begin(self) -> None:
        """From now on only this collects; ``gc.enable`` and ``gc.unfreeze`` give it back to Python."""
        gc.disable()
        self._timer.start()

    def look(self) -> None:
        """Collect the oldest generation that is due; rarely all there is."""
        self._looks += 1
        if self._looks >= _ASIDE:
            self._looks = 0
            gc.unfreeze()
            self._whole()
            return
        pairs = zip(gc.get_count(), _THRESHOLDS, strict=True)
        due = [generation for generation, (count, most) in enumerate(pairs) if count > most > 0]
        if due and due[-1] == _OLDEST:
            self._whole()
        elif due:
            gc.collect(due[-1])

    def _whole(self) -> None:
        gc.collect()
        gc.freeze()


def collected_here(application: QCoreApplication) -> Garbage:
    """The collector of an application, made once."""
    found = application.property(_OWN)  # a search among the children would load all that Qt's style is
    if not isinstance(found, Garbage):
        found = Garbage(application)
        application.setProperty(_OWN, found)
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
