"""Layouts in one call: what is below or beside what, with which margins and spacing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QFormLayout, QHBoxLayout, QLayout, QSplitter, QVBoxLayout, QWidget

Item = QWidget | QLayout | int | tuple[QWidget | QLayout, int]
Margins = int | tuple[int, int, int, int]
_FRAME = (20, 50)  # pixels: the edges of a window and its title
Box = TypeVar("Box", bound=QBoxLayout)

PAGE = (8, 8, 8, 8)  # pixels around what a page of a mode shows


def vbox(
    *items: Item, inside: QWidget | None = None, margins: Margins | None = None, spacing: int | None = None
) -> QVBoxLayout:
    """The items from top to bottom; see ``filled``."""
    box = QVBoxLayout() if inside is None else QVBoxLayout(inside)
    return filled(box, *items, margins=margins, spacing=spacing)


def hbox(
    *items: Item, inside: QWidget | None = None, margins: Margins | None = None, spacing: int | None = None
) -> QHBoxLayout:
    """The items from left to right; see ``filled``."""
    box = QHBoxLayout() if inside is None else QHBoxLayout(inside)
    return filled(box, *items, margins=margins, spacing=spacing)


def filled(box: Box, *items: Item, margins: Margins | None = None, spacing: int | None = None) -> Box:
    """``box`` with its items: widgets, layouts, either with a stretch, or a stretch of empty space.

    ``margins`` and ``spacing`` are pixels; None leaves those of the style.
    """
    if margins is not None:
        box.setContentsMargins(*(margins if isinstance(margins, tuple) else (margins,) * 4))
    if spacing is not None:
        box.setSpacing(spacing)
    for item in items:
        if isinstance(item, int):
            box.addStretch(item)
            continue
        what, stretch = item if isinstance(item, tuple) else (item, 0)
        if isinstance(what, QWidget):
            box.addWidget(what, stretch)
        else:
            box.addLayout(what, stretch)
    return box


def split(
    *items: QWidget | tuple[QWidget, int],
    sizes: Sequence[int] = (),
    across: bool = True,
    collapsible: bool = True,
) -> QSplitter:
    """The widgets, some with a stretch, beside or below each other with handles between; sizes in pixels."""
    made = QSplitter(Qt.Orientation.Horizontal if across else Qt.Orientation.Vertical)
    made.setChildrenCollapsible(collapsible)
    for place, item in enumerate(items):
        widget, stretch = item if isinstance(item, tuple) else (item, 0)
        made.addWidget(widget)
        made.setStretchFactor(place, stretch)
    if sizes:
        made.setSizes(sizes)
    return made


def resize_within_screen(window: QWidget, width: int, height: int) -> None:
    """Make it that large, in pixels, or as large as its screen allows."""
    room = window.screen().availableSize()
    window.resize(min(width, room.width() - _FRAME[0]), min(height, room.height() - _FRAME[1]))


def emptied(box: QLayout) -> None:
    """Take everything out of a layout; its widgets go."""
    while item := box.takeAt(0):
        if widget := item.widget():
            dropped(box, widget)


def dropped(box: QLayout, widget: QWidget) -> None:
    """Take a widget out of a layout; it goes."""
    box.removeWidget(widget)
    widget.hide()
    widget.deleteLater()


def in_layout(layout: QLayout) -> list[QWidget | QLayout]:
    """What is directly in a layout, in its order.

    Never by ``itemAt``: Python keeps what that gives as long as the layout, also when Qt has deleted it, and
    takes the next object at the same address for it.
    """
    holder = layout.parentWidget()
    beside = holder.children() if holder is not None else []
    widgets = [each for each in beside if isinstance(each, QWidget)]
    layouts = [each for each in layout.children() if isinstance(each, QLayout)]
    places: list[tuple[int, QWidget | QLayout]] = [(layout.indexOf(each), each) for each in widgets]
    places += [(layout.indexOf(each), each) for each in layouts]
    return [each for at, each in sorted(places, key=lambda place: place[0]) if at >= 0]


def row_of(form: QFormLayout, field: QWidget) -> int:
    """The row of a form in which a widget is, by itself or within something; LookupError: in none."""
    rows = {each: _row(form, each) for each in in_layout(form)}
    widget: QWidget | None = field
    while widget is not None:
        for each, row in rows.items():
            if each is widget or (isinstance(each, QLayout) and each.indexOf(widget) >= 0):
                return row
        widget = widget.parentWidget()
    raise LookupError(field.objectName())


def _row(form: QFormLayout, part: QWidget | QLayout) -> int:
    place: Any = form.getLayoutPosition(part) if isinstance(part, QLayout) else form.getWidgetPosition(part)
    return int(place[0])
