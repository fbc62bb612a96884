"""The words of a script in colours, by Pygments."""

from __future__ import annotations

from functools import cache
from typing import Any

from pygments.lexers import get_lexer_by_name
from pygments.token import Token
from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextDocument

_TOO_LONG = 200_000  # characters; beyond that colours cost more than they help
PAIRS = {  # of a token: its colour in the light and in the dark
    Token.Keyword: ("#0B5FB0", "#7DB8F2"),
    Token.Name.Builtin: ("#0B5FB0", "#7DB8F2"),
    Token.Literal.String: ("#176B54", "#6CD3B0"),
    Token.Literal.Number: ("#8A3FA0", "#D9A2F0"),
    Token.Comment: ("#6A727C", "#98A1AC"),
    Token.Name.Variable: ("#9A4A00", "#F0B070"),
    Token.Name.Function: ("#5A4A9A", "#B9AEF5"),
}


class Highlighter(QSyntaxHighlighter):
    """The whole text is read once after a change, each line looks up its part."""

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
    return {token: _format(pair[dark], token is Token.Comment) for token, pair in PAIRS.items()}


def _format(colour: str, italic: bool) -> QTextCharFormat:
    format = QTextCharFormat()
    format.setForeground(QColor(colour))
    format.setFontItalic(italic)
    return format
