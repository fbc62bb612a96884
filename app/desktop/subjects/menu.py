"""The context menu of what is selected: of a mode's own actions first, then those that it has everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractScrollArea, QMenu, QWidget

from app.desktop.kernel.actions import Actions
from app.desktop.subjects.table import MENU


def offer_menu(view: QAbstractScrollArea, actions: Actions, own: Sequence[str | None] = ()) -> None:
    """Give a list its menu, by the right button and the menu key; ``own``: ids of the mode, None a line."""

    def pop_up(at: QPoint) -> None:
        subject_menu(view, actions, own).popup(view.viewport().mapToGlobal(at))

    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    view.customContextMenuRequested.connect(pop_up)


def subject_menu(parent: QWidget, actions: Actions, own: Iterable[str | None] = ()) -> QMenu:
    """A menu with those of the ids that the window has now; it is gone once it is closed."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    wanted = [*own, None, *MENU]
    for action in (actions.find(id) if id is not None else None for id in wanted):
        _add(menu, action)
    return menu


def _add(menu: QMenu, action: QAction | None) -> None:
    """Lines are drawn between groups only; what another mode has is left out."""
    if action is None:
        if menu.actions() and not menu.actions()[-1].isSeparator():
            menu.addSeparator()
    elif action.isVisible():
        menu.addAction(action)
