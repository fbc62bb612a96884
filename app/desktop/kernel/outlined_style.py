"""Fusion with boxes to tick and buttons of docks that are seen in the dark; texts leave files alone."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPen, QPixmap
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
_Icon = QStyle.StandardPixmap
_OF_DOCKS = {_Icon.SP_TitleBarNormalButton, _Icon.SP_TitleBarCloseButton, _Icon.SP_DockWidgetCloseButton}
_GREY = "#808791"  # three times as light as the dark window, a third as light as the light one
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

    def standardIcon(
        self, which: _Icon, option: QStyleOption | None = None, widget: QWidget | None = None
    ) -> QIcon:
        """The buttons of docks in a grey that is seen in both looks: they keep it when the look changes."""
        icon = super().standardIcon(which, option, widget)
        return _in_grey(icon) if which in _OF_DOCKS else icon

    def drawPrimitive(
        self, element: _Part, option: QStyleOption, painter: QPainter, widget: QWidget | None = None
    ) -> None:
        super().drawPrimitive(element, option, painter, widget)
        if element in _SQUARE or element is _Part.PE_IndicatorRadioButton:
            _outline(painter, option, round=element not in _SQUARE)


def _in_grey(icon: QIcon) -> QIcon:
    made = QIcon()
    for size in icon.availableSizes():
        pixmap = icon.pixmap(size)
        painter = QPainter(pixmap)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        painter.fillRect(pixmap.rect(), QColor(_GREY))
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        for _ in range(2):  # what is drawn is half transparent
            painter.drawPixmap(0, 0, QPixmap(pixmap))
        painter.end()
        made.addPixmap(pixmap)
    return made


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
