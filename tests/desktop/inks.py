"""Texts of a screen that cannot be read well enough, measured in its picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from PySide6.QtCore import QAbstractListModel, QPoint, QRect
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from app.desktop.kernel.contrast import READABLE, ratio

_LETTERS = 2  # what is shorter, such as a dash, has no stroke of full colour
_SMALL = 6  # pixels; what is lower or narrower is out of sight


def faint_texts(screen: QWidget) -> dict[str, float]:
    """Each text that is shown and enabled whose best pixel has too little contrast, with that."""
    picture = screen.grab().toImage()
    best = {text: _contrast(picture, rect) for text, rect in shown_texts(screen)}
    return {text: round(found, 2) for text, found in best.items() if found < READABLE}


def shown_texts(screen: QWidget) -> Iterator[tuple[str, QRect]]:
    """Texts of labels, fields, buttons and tables, with where they are in the screen."""
    for widget in (screen, *screen.findChildren(QWidget)):
        if not widget.isVisible() or not widget.isEnabled():
            continue
        corner = widget.mapTo(screen, QPoint()) if widget is not screen else QPoint()
        for text, rect in _texts(widget):
            seen = rect.intersected(widget.visibleRegion().boundingRect())
            if len(text.strip()) >= _LETTERS and min(seen.width(), seen.height()) >= _SMALL:
                yield text, seen.translated(corner)


def _texts(widget: QWidget) -> Iterator[tuple[str, QRect]]:
    if isinstance(widget, QAbstractItemView) and not isinstance(widget, QHeaderView):
        yield from _cells(widget)
    elif isinstance(widget, QLineEdit | QPlainTextEdit):
        own = widget.text() if isinstance(widget, QLineEdit) else widget.toPlainText()
        yield own or widget.placeholderText(), widget.rect().adjusted(3, 3, -3, -3)
    elif isinstance(widget, QLabel | QAbstractButton):
        yield widget.text(), widget.rect().adjusted(3, 3, -3, -3)


def _cells(view: QAbstractItemView) -> Iterator[tuple[str, QRect]]:
    model, corner = view.model(), view.viewport().pos()
    for row in range(model.rowCount() if model is not None else 0):
        for column in range(1 if isinstance(model, QAbstractListModel) else model.columnCount()):
            index = model.index(row, column)
            rect = view.visualRect(index).intersected(view.viewport().rect())
            yield str(index.data() or ""), rect.translated(corner)


def _contrast(picture: QImage, rect: QRect) -> float:
    """Between the colour of most pixels, which is what is behind, and the one that differs most from it."""
    inside = rect.intersected(picture.rect())
    colours = Counter(
        picture.pixel(x, y)
        for x in range(inside.left(), inside.right() + 1)
        for y in range(inside.top(), inside.bottom() + 1)
    )
    names = [QColor(each).name() for each, _ in colours.most_common()]
    return max((ratio(each, names[0]) for each in names[1:]), default=1.0)
