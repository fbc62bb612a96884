"""The bar on the left: one button for each mode, with Ctrl+1 to Ctrl+9."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolBar, QToolButton, QWidget

from app.desktop.kernel.actions import Actions, ActionSpec
from app.desktop.kernel.language import tr, translated
from app.desktop.shell.modes import MODES, ModeEntry

_ICON = 24
_WIDTH = 76
_MARGIN = 8
_ICON_ONLY = Qt.ToolButtonStyle.ToolButtonIconOnly


class ModeBar(QToolBar):
    """Buttons in the order of the table."""

    def __init__(self, actions: Actions, window: QWidget, choose: Callable[[str], object]) -> None:
        super().__init__(window)
        self.setObjectName("mode-bar")
        self.setMovable(False)
        self.setOrientation(Qt.Orientation.Vertical)
        self.setIconSize(QSize(_ICON, _ICON))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self._group = QActionGroup(self)
        self._actions = {each.key: self._add(actions, window, place, each, choose)
                         for place, each in enumerate(MODES, 1)}  # fmt: skip
        translated(self, self._word)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Without words where these would hide some of the modes."""
        super().resizeEvent(event)
        button = self.widgetForAction(next(iter(self._actions.values())))
        text = self.fontMetrics().height() if self.toolButtonStyle() is _ICON_ONLY else 0
        needed = (button.sizeHint().height() + text) * len(self._actions) + _MARGIN
        wanted = _ICON_ONLY if needed > self.height() else Qt.ToolButtonStyle.ToolButtonTextUnderIcon
        if wanted is not self.toolButtonStyle():
            self.setToolButtonStyle(wanted)

    def show_chosen(self, key: str) -> None:
        """Press a mode's button without doing anything else."""
        self._actions[key].setChecked(True)

    def _add(
        self, actions: Actions, window: QWidget, place: int, entry: ModeEntry, choose: Callable[[str], object]
    ) -> QAction:
        spec = ActionSpec(
            f"mode.{entry.key}", entry.title, (f"Ctrl+{place}",), entry.icon, "View", 0,
            checkable=True, tip=entry.tip,
        )  # fmt: skip
        action = actions.add(spec, window, lambda: choose(entry.key))
        self._group.addAction(action)
        self.addAction(action)
        button = self.widgetForAction(action)
        if isinstance(button, QToolButton):
            button.setMinimumWidth(_WIDTH)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return action

    def _word(self) -> None:
        self.setWindowTitle(tr("Modes"))
        self.setAccessibleName(tr("Modes"))
