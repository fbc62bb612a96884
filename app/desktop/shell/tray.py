"""The tray: the state of things at a glance, and a word on the desktop when a run ends or fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QSystemTrayIcon

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.overview import Snapshot
from app.desktop.shell.run_notices import RunNotice, run_notice
from engine.model.states import INSTANCE_BAD

_SIZE = 64
_SHOWN = 10_000  # milliseconds


class Tray(QObject):
    """Where the desktop has no tray, the window itself asks for attention."""

    def __init__(self, console: Console, window: QMainWindow, come: Callable[[], None]) -> None:
        """``come`` brings the window to the front."""
        super().__init__(window)
        self._console, self._window, self._come = console, window, come
        self._target: Target | None = None
        self.state = ""
        self.icon: QSystemTrayIcon | None = None
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._add_icon()
        console.link.changed.connect(self._happened)
        console.overview.refreshed.connect(self._show)

    def _add_icon(self) -> None:
        self.icon = QSystemTrayIcon(self)
        menu = QMenu(self._window)
        self._open, self._quit = menu.addAction(""), menu.addAction("")
        self._open.triggered.connect(self._come)
        self._quit.triggered.connect(self._window.close)
        self.icon.setContextMenu(menu)
        self.icon.activated.connect(lambda _reason: self._come())
        self.icon.messageClicked.connect(self._follow)
        translated(menu, self._word)
        self._show(self._console.overview.latest or Snapshot())
        self.icon.show()

    def _happened(self, events: Iterable[Mapping[str, Any]]) -> None:
        if found := run_notice(events):
            self._notify(found)

    def _notify(self, found: RunNotice) -> None:
        self._console.navigator.notify(found.text, bad=found.bad, target=found.target)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._window, found.text))
        if self._window.isActiveWindow() or not self._console.settings.flag("notify", True):
            return
        self._target = found.target
        if self.icon is not None:
            kind = QSystemTrayIcon.MessageIcon
            self.icon.showMessage(
                "Skerry", found.text, kind.Warning if found.bad else kind.Information, _SHOWN
            )
        elif found.bad:
            QApplication.alert(self._window)

    def _show(self, snapshot: Snapshot) -> None:
        open_ones = {row["instance"] for row in snapshot.exceptions}
        bad = any(
            row["status"] in INSTANCE_BAD and row["instance"] in open_ones for row in snapshot.instances
        )
        running = snapshot.counts.get("running", 0)
        state = "failed" if bad else "running" if running else ""
        self.state = state
        if self.icon is not None:
            self.icon.setIcon(self._drawn(state))
            self.icon.setToolTip(self._words(state, running))

    def _drawn(self, state: str) -> QIcon:
        """Our sign with the shape of the state in its corner."""
        colours = self._console.theme.colours
        pixmap = QPixmap(_SIZE, _SIZE)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self._console.icons.paint(painter, "skerry", QRectF(0, 0, _SIZE, _SIZE), colours.accent)
        if state:
            corner = QRectF(_SIZE * 0.45, _SIZE * 0.45, _SIZE * 0.55, _SIZE * 0.55)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.base))
            painter.drawEllipse(corner)
            colour = self._console.theme.status_ink(state)
            self._console.icons.paint(painter, f"status-{state}", corner.adjusted(4, 4, -4, -4), colour)
        painter.end()
        return QIcon(pixmap)

    def _words(self, state: str, running: int) -> str:
        if state == "failed":
            return tr("Skerry: something needs you")
        return tr("Skerry: {n} running", n=running) if running else tr("Skerry: all is quiet")

    def _follow(self) -> None:
        self._come()
        if self._target is not None:
            self._console.navigator.go(self._target)

    def _word(self) -> None:
        self._open.setText(tr("Show the window"))
        self._quit.setText(tr("Quit"))
