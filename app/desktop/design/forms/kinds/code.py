"""Code of several lines, with its words coloured."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form_context import Editor, FormContext, goes_past
from app.desktop.design.forms.highlighter import Highlighter
from app.desktop.design.forms.kinds.code_window import CodeWindow
from app.desktop.design.forms.kinds.script_text import ScriptText
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.language import tr

_LEAST, _MOST = 4, 18  # lines


class CodeEditor(Editor):
    """A script: its own font, no wrapping, grows with what is in it."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.edit = CodeBox(field.language, self)
        self.edit.setUndoRedoEnabled(False)
        self.edit.setFont(_fixed_font(self))
        self.edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.edit.setTabStopDistance(4 * self.edit.fontMetrics().horizontalAdvance(" "))
        self.row.addWidget(self.edit, 1)
        self.larger = self.tool("fit", tr("Edit in a window of its own"), self._enlarge)
        self.row.addWidget(self.larger, 0, Qt.AlignmentFlag.AlignTop)
        self._colours = Highlighter(self.edit.document(), field.language, context.console.theme.dark)
        self._least = 2 if isinstance(field.path[-1], int) else _LEAST
        self._showing = False
        self._rest = QTimer(self, singleShot=True, interval=1500)
        self._rest.timeout.connect(self.settled)
        self.edit.textChanged.connect(self._changed)
        self.show_field(field)

    def show_field(self, field: Field) -> None:
        super().show_field(field)
        text = field.value if field.given and isinstance(field.value, str) else ""
        if text != self.edit.toPlainText():
            self._showing = True
            self.edit.setPlainText(text)
            self._showing = False
        self.edit.setPlaceholderText(str(field.default or ""))
        self._grow()

    def main(self) -> QWidget:
        return self.edit

    def _changed(self) -> None:
        text = self.edit.toPlainText()
        if self._showing or text == (self.field.value if self.field.given else ""):
            return  # new colours are a change of the document too
        self._grow()
        self._rest.start()
        self.edited.emit(text or REMOVE)

    def _enlarge(self) -> None:
        """The same text with room around it; what is taken over is one step of undo."""
        title = tr("{label}: {node}", label=self.field.label, node=self.context.node() or "")
        language, text = self.field.language, self.edit.toPlainText()
        CodeWindow(self.context.console, title, text, language, self._take, self).open()

    def _take(self, text: str) -> None:
        if text != self.edit.toPlainText():
            self.edit.setPlainText(text)
            self.settled.emit()

    def _grow(self) -> None:
        lines = min(_MOST, max(self._least, self.edit.blockCount() + 1))
        self.edit.setFixedHeight(self.edit.fontMetrics().lineSpacing() * lines + 14)


class CodeBox(ScriptText):
    """The box; undo is the document's. Tab leads on: whoever writes much has the window."""

    def __init__(self, language: str, parent: QWidget | None = None) -> None:
        super().__init__(language, parent)
        self.setTabChangesFocus(True)

    def event(self, e: QEvent) -> bool:
        return False if goes_past(e) else super().event(e)


def _fixed_font(widget: QWidget) -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(widget.font().pointSizeF())
    return font
