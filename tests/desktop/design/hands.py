"""A person's hands on the canvas: where things are, and pressing, dragging, releasing there."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop.canvas.graph import HEIGHT, WIDTH
from app.desktop.canvas.view import GraphView

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


def middle(view: GraphView, id: str) -> QPoint:
    x, y = view.positions()[id]
    return view.mapFromScene(x + WIDTH / 2, y + HEIGHT / 2)


def port(view: GraphView, id: str) -> QPoint:
    x, y = view.positions()[id]
    return view.mapFromScene(x + WIDTH, y + HEIGHT / 2)


def click(view: GraphView, id: str, keys: Qt.KeyboardModifier = NONE) -> None:
    QTest.mouseClick(view.viewport(), LEFT, keys, middle(view, id))


def press(view: GraphView, start: QPoint, keys: Qt.KeyboardModifier = NONE) -> None:
    QTest.mousePress(view.viewport(), LEFT, keys, start)


def move(view: GraphView, start: QPoint, end: QPoint) -> None:
    for part in (0.3, 0.7, 1.0):
        QTest.mouseMove(view.viewport(), start + (end - start) * part)


def release(view: GraphView, end: QPoint) -> None:
    QTest.mouseRelease(view.viewport(), LEFT, NONE, end)


def drag(view: GraphView, start: QPoint, end: QPoint, keys: Qt.KeyboardModifier = NONE) -> None:
    press(view, start, keys)
    move(view, start, end)
    release(view, end)


def draw_link(view: GraphView, source: str, target: str) -> None:
    drag(view, port(view, source), middle(view, target))


def drop_files(widget: QWidget, *paths: Path) -> None:
    """Out of a file manager onto the middle of a widget; whatever is around may take them."""
    data, place = QMimeData(), widget.rect().center()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    copy = Qt.DropAction.CopyAction
    QApplication.sendEvent(widget, QDragEnterEvent(place, copy, data, LEFT, NONE))
    QApplication.sendEvent(widget, QDropEvent(place.toPointF(), copy, data, LEFT, NONE))
