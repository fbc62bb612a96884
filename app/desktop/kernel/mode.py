"""A mode of the window: a main window of its own inside the big one; its docks are remembered apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, TypeVar

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from app.desktop.kernel.actions import ActionSpec
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.subject import Subject
from app.desktop.kernel.visibility import UpdatedPane

Pane = TypeVar("Pane", bound=QWidget)
_UNDER = 0.45  # of the height of a narrow mode for the docks below its centre
_LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
_RIGHT, _BOTTOM = Qt.DockWidgetArea.RightDockWidgetArea, Qt.DockWidgetArea.BottomDockWidgetArea
_NARROWEST = 150  # pixels of a dock: a few words
_NARROW = 1000  # pixels of a mode: below, there is no room for docks at both sides of the centre
_LOW = 560  # pixels of a mode: below, there is no room for docks one above the other beside the centre


@dataclass(frozen=True, slots=True)
class PaneEntry:
    """A pane beside the centre of a mode: all that the mode has to know of it.

    ``title`` and ``show`` (the action that brings it to the front; its key is Alt with its number) are
    English source texts; ``make`` gets the mode. It is a tab behind the pane before it in its area.
    """

    name: str
    title: str
    show: str
    area: Qt.DockWidgetArea
    make: Callable[[Any], QWidget]


class Mode(QMainWindow):
    """One of the window's modes.

    A subclass sets ``KEY`` (that of its ``ModeEntry``, its shortcut context and layout key), builds its
    central widget and docks, and adds its actions to ``console.actions``.
    """

    subject_changed = Signal()  # what is selected, or what is known of it
    KEY: ClassVar[str]
    PANES: ClassVar[tuple[PaneEntry, ...]] = ()

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Widget)
        self.console = console
        self.setObjectName(f"mode-{self.KEY}")
        self.setDockNestingEnabled(True)
        self.docks: dict[str, QDockWidget] = {}
        self._shown = False
        self._asked_for: str | None = None
        self._first = QByteArray()  # the docks as they were made
        self._roomy: QByteArray | None = None  # as they were before there was too little room
        self._folded = (False, False)

    def add_panes(self) -> None:
        """Make those of the table, each in its dock, with the actions that lead there."""
        for number, entry in enumerate(self.PANES, 1):
            self.dock(entry.name, entry.title, entry.make(self), entry.area)
            id = f"{self.KEY}.pane_{entry.name}"
            spec = ActionSpec(id, entry.show, (f"Alt+{number}",), None, "View", 8, self.KEY)
            self.console.actions.add(spec, self, partial(self.raise_dock, entry.name, focus=True))

    def pane(self, name: str, kind: type[Pane]) -> Pane:
        """The pane of a name; TypeError where it is of another kind."""
        found = self.docks[name].widget()
        if not isinstance(found, kind):
            raise TypeError(f"{name} is a {type(found).__name__}")
        return found

    def tabify_panes(self) -> None:
        """Put those of one area behind each other, the first in front; only once the mode is shown."""
        first: dict[Qt.DockWidgetArea, QDockWidget] = {}
        before: dict[Qt.DockWidgetArea, QDockWidget] = {}
        for entry in self.PANES:
            dock = self.docks[entry.name]
            if entry.area in before:
                self.tabifyDockWidget(before[entry.area], dock)
            first.setdefault(entry.area, dock)
            before[entry.area] = dock
        for dock in first.values():
            dock.raise_()
        if self._asked_for is not None:  # before the mode was shown for the first time
            self.docks[self._asked_for].raise_()

    def raise_dock(self, name: str, *, focus: bool = False) -> None:
        dock = self.docks[name]
        self._asked_for = name
        dock.show()
        dock.raise_()
        if focus:
            dock.widget().setFocus(Qt.FocusReason.ShortcutFocusReason)
            dock.widget().focusNextChild()

    def dock(self, name: str, title: str, widget: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        """Put a widget into a dock of this mode; ``title`` is an English source text."""
        dock = QDockWidget(self)
        self.docks[name] = dock
        dock.setObjectName(f"dock-{self.KEY}-{name}")
        dock.setWidget(widget)
        dock.setMinimumWidth(_NARROWEST)
        self.addDockWidget(area, dock)
        translated(dock, lambda: dock.setWindowTitle(tr(title)))
        if isinstance(widget, UpdatedPane):
            refresh = widget.refresh
            dock.visibilityChanged.connect(lambda shown: refresh() if shown else None)
        return dock

    def open(self, target: Target) -> None:
        """Show something of a kind that its ``ModeEntry`` handles."""

    def subject(self) -> Subject | None:
        """What is selected, for the actions that are the same in every mode."""
        return None

    def entered(self) -> None:
        """The mode has come to the front."""

    def left(self) -> None:
        """Another mode has come to the front."""

    def may_close(self) -> bool:
        """Whether the window may close now (unsaved work asks first); nothing is let go yet."""
        return True

    def let_go(self) -> None:
        """The window closes for good: end every thread, give back what is open."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._shown:
            self._shown = True
            self.setUpdatesEnabled(False)  # not painted before its panes are where they belong
            QTimer.singleShot(0, self, self._arrange)  # before it is shown Qt leaves tabs behind
        else:
            QTimer.singleShot(0, self, self._fold)

    def _arrange(self) -> None:
        """Its panes for the first time: as they were left, else as they are at first."""
        state = self.console.settings.blob(f"layout/{self.KEY}")
        if state.isEmpty():
            self.share_room()
        else:
            self.restoreState(state)  # again: before it had its size they were pressed to their least width
            if self._asked_for is not None:
                self.docks[self._asked_for].raise_()
        self._fold()
        self.setUpdatesEnabled(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._shown and not self.settled:
            QTimer.singleShot(0, self, self._fold)

    @property
    def settled(self) -> bool:
        """Whether its docks lie as its size wants it."""
        return self._folded == self._cramped()

    @property
    def narrow(self) -> bool:
        """Whether the docks of the right are tabs at the bottom, for want of room."""
        return self.width() < _NARROW

    def _cramped(self) -> tuple[bool, bool]:
        return self.narrow, self.height() < _LOW

    def _fold(self) -> None:
        """With little width the docks of the right are tabs at the bottom; with little height those of the
        left are tabs. They go back to where they were when there is room again.
        """
        if self.settled:
            return
        self._folded = narrow, low = self._cramped()
        if self._roomy is not None:
            self.restoreState(self._roomy)
        self._roomy = self.saveState() if narrow or low else None
        if narrow:
            self._lay_under(self._docks_at(_RIGHT))
        if low:
            self._lay_behind(self._docks_at(_LEFT))

    def while_roomy(self, lay_out: Callable[[], None]) -> None:
        """Lay docks out where they belong when there is room for them; they are folded again afterwards."""
        if self._roomy is not None:
            self.restoreState(self._roomy)
        lay_out()
        self._roomy, self._folded = None, (False, False)
        self._fold()

    def _lay_behind(self, docks: Sequence[QDockWidget]) -> None:
        """Make them tabs, the first in front; those that are tabs already stay as they are."""
        stacked = [each for each in docks if not each.visibleRegion().isEmpty()]
        for before, dock in pairwise(stacked):
            self.tabifyDockWidget(before, dock)
        for dock in stacked[:1]:
            dock.raise_()

    def _lay_under(self, docks: Sequence[QDockWidget]) -> None:
        front = [each for each in docks if not each.visibleRegion().isEmpty()]
        under = self._docks_at(_BOTTOM)
        for dock in docks:
            if under:
                self.tabifyDockWidget(under[-1], dock)
            else:
                self.addDockWidget(_BOTTOM, dock)
            under.append(dock)
        for dock in front[:1]:
            dock.raise_()
            self.resizeDocks([dock], [int(self.height() * _UNDER)], Qt.Orientation.Vertical)

    def _docks_at(self, area: Qt.DockWidgetArea) -> list[QDockWidget]:
        shown = [each for each in self.docks.values() if not each.isFloating() and not each.isHidden()]
        return [each for each in shown if self.dockWidgetArea(each) == area]

    def share_room(self) -> None:
        """Give the docks their sizes for the first time; afterwards they are as they were left."""

    def restore_layout(self) -> None:
        """The docks as they were left."""
        self._first = self.saveState()
        state = self.console.settings.blob(f"layout/{self.KEY}")
        if not state.isEmpty():
            self.restoreState(state)

    def reset_layout(self) -> None:
        """Every dock where it was at first, in its first size."""
        for dock in self.docks.values():
            dock.setFloating(False)
        self.restoreState(self._first)
        self._roomy, self._folded = None, (False, False)
        self.share_room()
        self._fold()

    def save_layout(self) -> None:
        """Remember the docks; what was never shown has no sizes yet."""
        if not self._shown:
            return
        state = self.saveState() if self._roomy is None else self._roomy
        self.console.settings.set(f"layout/{self.KEY}", state)
