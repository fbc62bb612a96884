"""Menus and tool bar, built again from the table of actions whenever another mode comes to the front."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu, QToolBar

from app.desktop.kernel.actions import MENUS, Actions, ActionSpec
from app.desktop.kernel.language import tr, translated

Made = tuple[ActionSpec, QAction]
_TITLES = {
    "File": "&File", "Edit": "&Edit", "View": "&View", "Run": "&Run",
    "Tools": "&Tools", "Window": "&Window", "Help": "&Help",
}  # fmt: skip
_ICON = 20


class Menus:
    """The menu bar and the tool bar of a window."""

    def __init__(self, window: QMainWindow, actions: Actions, modes: Sequence[str] = ()) -> None:
        """``modes``: those whose actions a window has beside the mode's, on its tool bar no others."""
        self._always = modes
        self._window, self._actions = window, actions
        self._menus = {name: QMenu(window) for name in MENUS}
        for menu in self._menus.values():
            menu.setToolTipsVisible(True)  # of what is grey, why
            window.menuBar().addMenu(menu)
        self._panes = QMenu(window)
        self.bar = QToolBar(window)
        self.bar.setObjectName("tool-bar")
        self.bar.setMovable(False)
        self.bar.setIconSize(QSize(_ICON, _ICON))
        self.bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        window.addToolBar(Qt.ToolBarArea.TopToolBarArea, self.bar)
        translated(self.bar, self._word)

    def show_mode(self, mode: str, docks: Iterable[QDockWidget] = ()) -> None:
        """What can be done in a mode, beside everywhere; its panes are hidden and shown."""
        here = (None, mode, *self._always)
        shown = [made for made in self._actions.all() if made[0].mode in here]
        for name, menu in self._menus.items():
            _fill(menu, [made for made in shown if made[0].menu == name])
            menu.menuAction().setVisible(not menu.isEmpty())
        self._list_panes(docks)
        tools = [made for made in shown if self._is_tool(made[0])]
        _fill(self.bar, sorted(tools, key=lambda made: made[0].mode or ""))
        self.bar.setVisible(bool(self.bar.actions()))

    def _is_tool(self, spec: ActionSpec) -> bool:
        return spec.tool and (not self._always or spec.mode in self._always)

    def _list_panes(self, docks: Iterable[QDockWidget]) -> None:
        self._panes.clear()
        for dock in docks:
            self._panes.addAction(dock.toggleViewAction())
        if not self._panes.isEmpty():
            self._menus["View"].addMenu(self._panes)

    def _word(self) -> None:
        self._panes.setTitle(tr("Panes"))
        for name, menu in self._menus.items():
            menu.setTitle(tr(_TITLES[name]))
        self.bar.setWindowTitle(tr("Tools"))
        self.bar.setAccessibleName(tr("Tools"))


def _fill(place: QMenu | QToolBar, made: list[Made]) -> None:
    place.clear()
    in_order = sorted(made, key=lambda each: each[0].group)
    for _, group in groupby(in_order, key=lambda each: each[0].group):
        if place.actions():
            place.addSeparator()
        for _, action in group:
            place.addAction(action)
