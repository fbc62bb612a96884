"""The context menu of what is selected: of a mode's own actions first, then those that it has everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractScrollArea, QMenu, QWidget

from app.desktop.kernel.actions import Actions
from app.desktop.subjects.table import MENU, OF_ANOTHER_KIND


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
    add_subject(menu, actions, own)
    return menu


def add_subject(menu: QMenu, actions: Actions, own: Iterable[str | None] = ()) -> None:
    """Behind what a menu has: what is grey says why; what is of another kind of thing is left out."""
    menu.setToolTipsVisible(True)
    for id in (*own, None, *MENU):
        if id is None:
            _add_line(menu)
        elif actions.refusal(id) not in OF_ANOTHER_KIND:
            _add(menu, actions.find(id))


def _add(menu: QMenu, action: QAction | None) -> None:
    """What another mode or window has is left out."""
    if action is not None and action.isVisible() and action not in menu.actions():
        menu.addAction(action)


def _add_line(menu: QMenu) -> None:
    """Lines are drawn between groups only."""
    if menu.actions() and not menu.actions()[-1].isSeparator():
        menu.addSeparator()
