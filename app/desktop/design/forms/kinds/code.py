"""Code of several lines, with its words coloured."""

from __future__ import annotations

from functools import cache
from typing import Any

from pygments.lexers import get_lexer_by_name
from pygments.token import Token
from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QColor, QFont, QFontDatabase, QSyntaxHighlighter, QTextCharFormat, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form_context import Editor, FormContext, goes_past
from app.desktop.design.tree import REMOVE

_LEAST, _MOST = 4, 18  # lines
_TOO_LONG = 200_000  # characters; beyond that colours cost more than they help


class CodeEditor(Editor):
    """A script: its own font, no wrapping, grows with what is in it."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.edit = CodeBox(self)
        self.edit.setUndoRedoEnabled(False)
        self.edit.setFont(_fixed_font(self))
        self.edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.edit.setTabStopDistance(4 * self.edit.fontMetrics().horizontalAdvance(" "))
        self.row.addWidget(self.edit)
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

    def _grow(self) -> None:
        lines = min(_MOST, max(self._least, self.edit.blockCount() + 1))
        self.edit.setFixedHeight(self.edit.fontMetrics().lineSpacing() * lines + 14)


class CodeBox(QPlainTextEdit):
    """The box; undo is the document's."""

    def event(self, e: QEvent) -> bool:
        return False if goes_past(e) else super().event(e)


class Highlighter(QSyntaxHighlighter):
    """Colours by Pygments: the whole text is read once after a change, each line looks up its part."""

    def __init__(self, document: QTextDocument, language: str, dark: bool) -> None:
        super().__init__(document)
        self._lexer = _lexer(language) if language else None
        self._formats = _formats(dark)
        self._text = ""
        self._lines: list[list[tuple[int, int, Any]]] = []

    def highlightBlock(self, text: str) -> None:
        whole = self.document().toPlainText()
        if self._lexer is None or len(whole) > _TOO_LONG:
            return
        if whole != self._text:
            self._text, self._lines = whole, _by_line(self._lexer.get_tokens(whole))
            QTimer.singleShot(0, self, self._again)
        line = self.currentBlock().blockNumber()
        for start, length, token in self._lines[line] if line < len(self._lines) else ():
            format = _nearest(self._formats, token)
            if format is not None:
                self.setFormat(start, length, format)

    def _again(self) -> None:
        """The lines below may mean something else now (a text that was begun)."""
        if self.document().blockCount() > 1:
            self.rehighlight()


def _by_line(tokens: Any) -> list[list[tuple[int, int, Any]]]:
    lines: list[list[tuple[int, int, Any]]] = [[]]
    column = 0
    for token, text in tokens:
        for count, part in enumerate(text.split("\n")):
            if count:
                lines.append([])
                column = 0
            if part:
                lines[-1].append((column, len(part), token))
                column += len(part)
    return lines


def _nearest(formats: dict[Any, QTextCharFormat], token: Any) -> QTextCharFormat | None:
    while token is not None:
        if token in formats:
            return formats[token]
        token = token.parent
    return None


@cache
def _lexer(language: str) -> Any:
    return get_lexer_by_name(language, stripnl=False, ensurenl=False)


def _formats(dark: bool) -> dict[Any, QTextCharFormat]:
    light_dark = {
        Token.Keyword: ("#0B5FB0", "#7DB8F2"),
        Token.Name.Builtin: ("#0B5FB0", "#7DB8F2"),
        Token.Literal.String: ("#176B54", "#6CD3B0"),
        Token.Literal.Number: ("#8A3FA0", "#D9A2F0"),
        Token.Comment: ("#6A727C", "#98A1AC"),
        Token.Name.Variable: ("#9A4A00", "#F0B070"),
        Token.Name.Function: ("#5A4A9A", "#B9AEF5"),
    }
    return {token: _format(pair[dark], token is Token.Comment) for token, pair in light_dark.items()}


def _format(colour: str, italic: bool) -> QTextCharFormat:
    format = QTextCharFormat()
    format.setForeground(QColor(colour))
    format.setFontItalic(italic)
    return format


def _fixed_font(widget: QWidget) -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(widget.font().pointSizeF())
    return font
