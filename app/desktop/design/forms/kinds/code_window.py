"""A script in a window of its own: numbered lines, wrapping by choice, words coloured."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QPlainTextEdit, QWidget

from app.desktop.design.forms.highlighter import Highlighter
from app.desktop.design.forms.kinds.script_text import ScriptText
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import hbox, resize_within_screen, vbox
from app.desktop.widgets.questions import do_or_cancel
from app.desktop.widgets.reading_order import ReadingDialog

_ROOM = 12  # pixels around a number


class NumberedEdit(ScriptText):
    """A text with the number of each line at its left."""

    def __init__(self, console: Console, language: str, parent: QWidget | None = None) -> None:
        super().__init__(language, parent)
        self._console = console
        self.setFont(console.theme.mono())
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self.margin = _Margin(self)
        self.blockCountChanged.connect(lambda _: self._make_room())
        self.updateRequest.connect(lambda *_: self.margin.update())
        self._make_room()

    def wide(self) -> int:
        """What the numbers need, in pixels."""
        return self.fontMetrics().horizontalAdvance("0" * max(2, len(str(self.blockCount())))) + _ROOM

    def paint_numbers(self, event: QPaintEvent) -> None:
        """The numbers of the lines that are in sight; of a wrapped one beside its first part."""
        painter, colours = QPainter(self.margin), self._console.theme.colours
        painter.fillRect(event.rect(), QColor(colours.window))
        painter.setPen(QColor(colours.muted))
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        while block.isValid():
            top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
            if top > event.rect().bottom():
                break
            box = QRect(0, round(top), self.margin.width() - _ROOM // 2, self.fontMetrics().height())
            painter.drawText(box, Qt.AlignmentFlag.AlignRight, str(block.blockNumber() + 1))
            block = block.next()
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        self.setViewportMargins(self.wide(), 0, 0, 0)
        inside = self.contentsRect()
        self.margin.setGeometry(QRect(inside.left(), inside.top(), self.wide(), inside.height()))


class _Margin(QWidget):
    def __init__(self, edit: NumberedEdit) -> None:
        super().__init__(edit)
        self._edit = edit

    def sizeHint(self) -> QSize:
        return QSize(self._edit.wide(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._edit.paint_numbers(event)


class CodeWindow(ReadingDialog):
    """``done`` gets the text when the person takes it over; else nothing has changed."""

    def __init__(
        self,
        console: Console,
        title: str,
        text: str,
        language: str,
        done: Callable[[str], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.edit = NumberedEdit(console, language, self)
        self.edit.setAccessibleName(title)
        self.edit.setPlainText(text)
        self._colours = Highlighter(self.edit.document(), language, console.theme.dark)
        self.wrap = QCheckBox(tr("Wrap long lines"), self)
        self.wrap.toggled.connect(self._wrap)
        self._wrap(False)
        buttons, self.take = do_or_cancel(self, tr("Take it over"), self.accept)
        self.take.setAutoDefault(False)  # Enter is a line of the script
        self.accepted.connect(lambda: done(self.edit.toPlainText()))
        vbox((self.edit, 1), hbox(self.wrap, 1, buttons), inside=self)
        resize_within_screen(self, 980, 680)
        self.edit.setFocus()

    def _wrap(self, on: bool) -> None:
        modes = QPlainTextEdit.LineWrapMode
        self.edit.setLineWrapMode(modes.WidgetWidth if on else modes.NoWrap)
