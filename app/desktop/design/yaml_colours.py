"""Colours for YAML, line by line: fast enough for tasks of thousands of lines."""

from __future__ import annotations

import re

from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from app.desktop.kernel.theme import Colours

_LINE = re.compile(
    r"""(?P<comment>(?:^|(?<=\s))\#.*)|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')"""
    r"""|(?P<key>[A-Za-z_][\w.-]*(?=:(?:\s|$)))|(?P<plain>\b(?:true|false|null|-?\d+(?:\.\d+)?)\b)"""
)


class YamlColours(QSyntaxHighlighter):
    """Keys, texts, numbers and comments."""

    def __init__(self, document: QTextDocument, colours: Colours) -> None:
        super().__init__(document)
        self._formats: dict[str, QTextCharFormat] = {}
        self.dress(colours)

    def dress(self, colours: Colours) -> None:
        """Other colours are on."""
        found = {
            "comment": colours.muted,
            "text": colours.good,
            "key": colours.accent,
            "plain": colours.warning,
        }
        self._formats = {name: _format(colour, name == "key") for name, colour in found.items()}
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        for found in _LINE.finditer(text):
            self.setFormat(found.start(), len(found[0]), self._formats[found.lastgroup or "plain"])


def _format(colour: str, bold: bool) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(QColor(colour))
    if bold:
        made.setFontWeight(QFont.Weight.DemiBold)
    return made
