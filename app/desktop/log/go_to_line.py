"""Going to a place that was typed, and showing a long line whole."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QVBoxLayout, QWidget

from app.desktop.kernel.language import tr
from app.desktop.kernel.theme import Theme
from app.desktop.log.ansi import shown
from app.desktop.log.index import LineIndex
from app.desktop.log.lines import LogBytes, LogRow
from app.desktop.log.search import Query, search

_MOST = 512 * 1024 * 1024  # bytes looked through for a time, at once
_WHOLE = 1024 * 1024  # bytes of one line in a window of its own


def offset(typed: str, text: LogBytes, index: LineIndex) -> int | None:
    """Where a typed place is: ``1200`` a line, ``50%`` a part, ``13:42:06`` the first line with this time."""
    typed = typed.strip().replace("％", "%").replace("：", ":")
    if typed.isdigit():
        return index.offset(text, int(typed))
    if found := re.fullmatch(r"(\d+(?:\.\d+)?)\s*%", typed):
        return (
            text.start(min(text.size - 1, int(text.size * float(found.group(1)) / 100)))
            if text.size
            else None
        )
    if not typed:
        return None
    for step in search(text, min(text.size, _MOST), Query(typed, case=True)):
        if step.starts:
            return step.starts[0]
    return None


def show_row(parent: QWidget, theme: Theme, text: LogBytes, row: LogRow) -> QDialog:
    """A window with the whole of a long line, at most a mebibyte of it."""
    window = QDialog(parent)
    window.setWindowTitle(tr("The whole line"))
    window.resize(800, 500)
    box = QPlainTextEdit(window)
    box.setReadOnly(True)
    box.setFont(theme.mono())
    box.setPlainText(shown(text.read(row.start, min(row.end - row.start, _WHOLE)).rstrip(b"\r\n")).text)
    QVBoxLayout(window).addWidget(box)
    window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    window.open()
    return window
