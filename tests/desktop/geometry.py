"""Whether all of a window can be seen: no widget is cut off, squeezed or lies over another."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QComboBox,
    QDockWidget,
    QGraphicsView,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMenuBar,
    QSplitterHandle,
    QStackedWidget,
    QStatusBar,
    QTabBar,
    QToolBar,
    QWidget,
)

_SLACK = 2  # pixels: frames and rounding
_WHOLE = (QAbstractButton, QComboBox, QLabel, QLineEdit)  # what says little when a part of it is missing
_OWN = (
    QAbstractSpinBox,
    QAbstractScrollArea,
    QComboBox,
    QLineEdit,
    QTabBar,
    QMenuBar,
    QToolBar,
    QStatusBar,
)  # place their parts


def faults(window: QWidget) -> list[str]:
    """What is cut, squeezed or hidden behind another, in words; empty where all can be seen."""
    return [fault for widget in _shown(window) for fault in _faults_of(widget)]


def _shown(widget: QWidget) -> Iterator[QWidget]:
    """The visible widgets from the top down; not the parts of what places them itself."""
    yield widget
    if isinstance(widget, _OWN) and not _scrolled(widget):
        return
    for child in _inside(widget):
        yield from _shown(child)


def _scrolled(widget: QWidget) -> bool:
    """A scroll area around widgets: they may be larger than it, but must not lie over each other."""
    return isinstance(widget, QAbstractScrollArea) and not isinstance(widget, QGraphicsView) and bool(
        _inside(widget.viewport())
    )  # fmt: skip


def _inside(widget: QWidget) -> list[QWidget]:
    found = [each for each in widget.children() if isinstance(each, QWidget)]
    return [each for each in found if each.isVisible() and not each.isWindow() and not each.size().isEmpty()]


def _faults_of(widget: QWidget) -> Iterator[str]:
    inside = [each for each in _inside(widget) if not isinstance(each, QSplitterHandle)]
    if isinstance(widget, QMainWindow):  # docks that are tabs lie behind each other on purpose
        inside = [each for each in inside if not each.visibleRegion().isEmpty()]
    if not _places_itself(widget):
        for child in inside:
            if not _around(widget).contains(child.geometry()):
                yield f"{_name(child)} is cut off by {_name(widget)}: {_box(child.geometry())} in {_box(widget.rect())}"
        for one, other in combinations(inside, 2):
            common = one.geometry().intersected(other.geometry())
            if common.width() > _SLACK and common.height() > _SLACK:
                yield f"{_name(one)} lies over {_name(other)}: {_box(common)}"
    if isinstance(widget, _WHOLE) and (lacks := _lacking(widget)):
        yield f"{_name(widget)} is squeezed: {lacks}"


def _places_itself(widget: QWidget) -> bool:
    """Where the place of its parts is Qt's affair, or where one may lie over another on purpose."""
    parent = widget.parentWidget()
    viewport = isinstance(parent, QAbstractScrollArea) and parent.viewport() is widget
    return viewport or isinstance(widget, (*_OWN, QStackedWidget, QDockWidget))


def _around(widget: QWidget) -> QRect:
    return widget.rect().adjusted(-_SLACK, -_SLACK, _SLACK, _SLACK)


def _lacking(widget: QWidget) -> str:
    wanted = widget.minimumSizeHint()
    if isinstance(widget, QLabel) and (widget.wordWrap() or widget.minimumWidth() > 0):
        wanted = QSize(0, wanted.height() if not widget.wordWrap() else 0)
    lacks = wanted - widget.size()
    if lacks.width() > _SLACK or lacks.height() > _SLACK:
        return f"{widget.width()}x{widget.height()} of {wanted.width()}x{wanted.height()}"
    return ""


def _name(widget: QWidget) -> str:
    said = widget.accessibleName() or widget.objectName()
    if isinstance(widget, (QAbstractButton, QLabel)):
        said = said or widget.text()[:40]
    return f"{type(widget).__name__} “{said}”"


def _box(rect: QRect) -> str:
    return f"{rect.width()}x{rect.height()} at {rect.x()},{rect.y()}"
