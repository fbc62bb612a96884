"""Tab in a form or dialog: from one field to the next as they are read, whenever they were made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QLayout, QPushButton, QWidget

from app.desktop.widgets.layouts import in_layout

_MOST = 1000  # steps in which everything inside has been left


def in_order(inside: QWidget) -> list[QWidget]:
    """What Tab reaches in it, in the order of its layouts."""
    return [each for each in parts(inside) if _takes_tab(each, inside)]


class ReadingDialog(QDialog):
    """Tab goes through it as it is read, and it begins at its first field: in Qt what was made with a
    parent comes first, so the buttons, and Enter would be that of *Cancel*.
    """

    def showEvent(self, event: QShowEvent) -> None:
        if not event.spontaneous():
            self._put_in_order(list(parts(self)))
        super().showEvent(event)

    def _put_in_order(self, everything: Sequence[QWidget]) -> None:
        """Also what is hidden now has its place. All of it is held meanwhile: where Python lets go of a
        widget that Qt made, such as the inside of tabs, it loses those in it as well.
        """
        stops = [each for each in everything if _is_tab_stop(each)]
        for one, other in pairwise(stops):
            QWidget.setTabOrder(one, other)
        fields = [each for each in stops if _takes_tab(each, self) and not isinstance(each, QPushButton)]
        if fields and self.focusWidget() is None:
            fields[0].setFocus(Qt.FocusReason.TabFocusReason)


def _takes_tab(widget: QWidget, inside: QWidget) -> bool:
    return _is_tab_stop(widget) and widget.isVisibleTo(inside) and widget.isEnabled()


def _is_tab_stop(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None


def parts(widget: QWidget) -> Iterator[QWidget]:
    """All that is in a widget, seen or not: what its layouts have, then what lies in it without one."""
    placed = list(_placed(layout)) if (layout := widget.layout()) is not None else []
    rest = [each for each in widget.children() if isinstance(each, QWidget) and each not in placed]
    for each in (*placed, *rest):
        if not each.isWindow():
            yield each
            yield from parts(each)


def _placed(layout: QLayout) -> Iterator[QWidget]:
    for each in in_layout(layout):
        if isinstance(each, QLayout):
            yield from _placed(each)
        else:
            yield each


def step(inside: QWidget, forward: bool, leave: Callable[[bool], bool]) -> bool:
    """Give the keyboard to what is read next, or before; ``leave`` (of Qt) goes on from the last one.

    Whether there was anything to go to.
    """
    order, here = in_order(inside), QApplication.focusWidget()
    at = order.index(here) + (1 if forward else -1) if here in order else -1
    if 0 <= at < len(order):
        reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
        order[at].setFocus(reason)
        return True
    for _ in range(_MOST):
        now = QApplication.focusWidget() if leave(forward) else None
        if now is None or not inside.isAncestorOf(now):
            return now is not None
    return False
