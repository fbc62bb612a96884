"""A mode of the window: a main window of its own inside the big one; its docks are remembered apart."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.visibility import Comes


class Mode(QMainWindow):
    """One of the window's modes.

    A subclass sets ``KEY`` (also its shortcut context and layout key), ``TITLE`` (English), ``ICON``,
    ``HANDLES`` (the kinds of Target it opens), builds its central widget and docks, and adds its
    actions to ``console.actions``.
    """

    KEY: ClassVar[str]
    TITLE: ClassVar[str]
    ICON: ClassVar[str]
    HANDLES: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Widget)
        self.console = console
        self.setObjectName(f"mode-{self.KEY}")
        self.setDockNestingEnabled(True)

    def dock(self, name: str, title: str, widget: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        """Put a widget into a dock of this mode; ``title`` is an English source text."""
        dock = QDockWidget(self)
        dock.setObjectName(f"dock-{self.KEY}-{name}")
        dock.setWidget(widget)
        self.addDockWidget(area, dock)
        translated(dock, lambda: dock.setWindowTitle(tr(title)))
        if isinstance(widget, Comes):
            come = widget.come
            dock.visibilityChanged.connect(lambda shown: come() if shown else None)
        return dock

    def open(self, target: Target) -> None:
        """Show something of a kind in ``HANDLES``."""

    def entered(self) -> None:
        """The mode has come to the front."""

    def left(self) -> None:
        """Another mode has come to the front."""

    def may_close(self) -> bool:
        """Whether the window may close now (unsaved work asks first); nothing is let go yet."""
        return True

    def let_go(self) -> None:
        """The window closes for good: end every thread, give back what is open."""

    def restore_layout(self) -> None:
        """The docks as they were left."""
        state = self.console.settings.blob(f"layout/{self.KEY}")
        if not state.isEmpty():
            self.restoreState(state)

    def save_layout(self) -> None:
        """Remember the docks."""
        self.console.settings.set(f"layout/{self.KEY}", self.saveState())
