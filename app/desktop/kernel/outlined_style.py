"""Fusion with boxes to tick that are seen in the dark, and fields of text that leave files to the window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QPlainTextEdit,
    QProxyStyle,
    QStyle,
    QStyleOption,
    QTextEdit,
    QWidget,
)

from app.desktop.kernel.dropped_files import FileDrops

_Part = QStyle.PrimitiveElement
_SQUARE = {_Part.PE_IndicatorCheckBox, _Part.PE_IndicatorItemViewItemCheck}


class OutlinedStyle(QProxyStyle):
    """What is ticked, or is not, has an outline in the colour of quiet text."""

    def __init__(self) -> None:
        super().__init__("Fusion")
        self._drops = FileDrops(self)

    def polish(self, what: QApplication | QWidget | QPalette | Qt.GlobalColor | QColor, /) -> None:
        """Each field of text is watched from its first showing on, whoever made it."""
        super().polish(what)
        if isinstance(what, QLineEdit | QTextEdit | QPlainTextEdit):
            self._drops.watch(what)

    def drawPrimitive(
        self, element: _Part, option: QStyleOption, painter: QPainter, widget: QWidget | None = None
    ) -> None:
        super().drawPrimitive(element, option, painter, widget)
        if element in _SQUARE or element is _Part.PE_IndicatorRadioButton:
            _outline(painter, option, round=element not in _SQUARE)


def _outline(painter: QPainter, option: QStyleOption, *, round: bool) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, round)
    painter.setPen(QPen(option.palette.placeholderText().color(), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    box = option.rect.adjusted(0, 0, -1, -1)
    if round:
        painter.drawEllipse(box)
    else:
        painter.drawRect(box)
    painter.restore()
