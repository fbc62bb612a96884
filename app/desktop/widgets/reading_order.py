"""Tab in a form whose fields come and go: from one to the next as they are read, whenever they were made."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLayout, QWidget

_MOST = 1000  # steps in which everything inside has been left


def in_order(inside: QWidget) -> list[QWidget]:
    """What Tab reaches in it, in the order of its layouts."""
    return [each for each in parts(inside) if _takes_tab(each, inside)]


def _takes_tab(widget: QWidget, inside: QWidget) -> bool:
    tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None
    return tab and widget.isVisibleTo(inside) and widget.isEnabled()


def parts(widget: QWidget) -> Iterator[QWidget]:
    """All that is in a widget, seen or not: what its layouts have, then what lies in it without one."""
    placed = list(_placed(layout)) if (layout := widget.layout()) is not None else []
    rest = [each for each in widget.children() if isinstance(each, QWidget) and each not in placed]
    for each in (*placed, *rest):
        if not each.isWindow():
            yield each
            yield from parts(each)


def _placed(layout: QLayout) -> Iterator[QWidget]:
    items = [item for at in range(layout.count()) if (item := layout.itemAt(at)) is not None]
    for item in items:
        if (widget := item.widget()) is not None:
            yield widget
        elif (below := item.layout()) is not None:
            yield from _placed(below)


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
