"""The same task as YAML: what is typed here is drawn there, and the other way round."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from app.desktop.design.definition_library import tree_of
from app.desktop.design.document import Document, Sheet, follow
from app.desktop.design.forms.plain_text import plain_label
from app.desktop.design.tree import get
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import failure_line
from app.desktop.kernel.theme import Colours
from app.desktop.kernel.visibility import UpdatedPane, in_sight
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import named
from engine.model.findings import Finding

_PAUSE = 350  # ms without a key before the text is read
_LINE = re.compile(
    r"""(?P<comment>(?:^|(?<=\s))\#.*)|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')"""
    r"""|(?P<key>[A-Za-z_][\w.-]*(?=:(?:\s|$)))|(?P<plain>\b(?:true|false|null|-?\d+(?:\.\d+)?)\b)"""
)


class TextView(UpdatedPane):
    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self.document: Document | None = None
        self._mine = False  # the change that is being announced was made here
        self._untaken = False  # what was typed is not in the document
        self._beside: Sheet | None = None  # the document when it was typed
        self._filling = False
        self.edit = named(QPlainTextEdit(self), "The task as text", "Open a task to see its text here.")
        self.edit.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.edit.setAcceptDrops(False)  # a file is for the window around, which reads it
        self.label = plain_label("", self)
        self.label.setContentsMargins(8, 3, 8, 3)
        self.label.hide()
        vbox(self.edit, self.label, inside=self, margins=0, spacing=0)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._pause.timeout.connect(lambda: self._read())
        self.edit.textChanged.connect(self._typed)
        console.theme.changed.connect(self._colour)
        self._colours = YamlColours(self.edit.document(), console.theme.colours)
        self._colour()

    def sizeHint(self) -> QSize:
        return QSize(600, 170)

    def show_document(self, document: Document | None) -> None:
        slots = {"changed": self._changed, "findings_changed": self._mark}
        self.document = follow(self.document, document, **slots)
        self.refresh()

    def _changed(self) -> None:
        if not self._mine:
            self.refresh()

    def refresh(self) -> None:
        self.edit.setReadOnly(self.document is None)
        if not in_sight(self) or self._keeps():
            return
        text = self.document.text() if self.document is not None else ""
        if text != self.edit.toPlainText():
            self._filling = True
            replace_changed(self.edit, text)
            self._filling = False
        self._untaken = False
        self._say("")
        self._mark()

    def _keeps(self) -> bool:
        """Whether what was typed stays, though it cannot be read: the task is as it was when it was typed."""
        return self._untaken and self.document is not None and self._beside is self.document.sheet

    def _typed(self) -> None:
        if not self._filling and self.document is not None:
            self._untaken, self._beside = True, self.document.sheet
            self._pause.start()

    def settle(self, done: Callable[[], object]) -> None:
        """Take over what was typed, then go on; a text that cannot be read stays, and it is said why."""
        if not self._untaken:
            done()
            return

        def taken() -> None:
            if self._untaken:
                message = tr("Nothing was saved. {problem}", problem=self.label.text())
                self._console.navigator.notify(message, bad=True)
                self.edit.setFocus()
            else:
                done()

        self._pause.stop()
        self._read(taken)

    def _read(self, then: Callable[[], object] = lambda: None) -> None:
        """Read what was typed, on a worker; a text that cannot be read changes nothing."""
        document, text = self.document, self.edit.toPlainText()
        if document is None:
            return
        tree = document.tree

        def call(_service: object) -> tuple[Any, tuple[Finding, ...]]:
            return tree_of(text), document.examined(text, tree)

        def done(answer: tuple[Any, tuple[Finding, ...]]) -> None:
            if self.document is document and self.edit.toPlainText() == text:
                self._take(document, *answer)
                then()

        self._console.link.ask(call, done, owner=self)

    def _take(self, document: Document, payload: Any, findings: tuple[Finding, ...]) -> None:
        task = get(payload, ("tasks", document.task_id))
        errors = [finding for finding in findings if finding.severity == "error"]
        if not isinstance(task, dict) or not isinstance(task.get("nodes", {}), dict):
            undefined = tr("The text must define the task {id}", id=document.task_id)
            self._say(_line(errors[0]) if errors else undefined)
            self._underline(errors)
            return
        self._untaken = False
        self._mine = True
        document.edit(lambda tree: document.applied(tree, payload), tr("Edit of the text"), "text")
        self._mine = False
        self._say(_line(errors[0]) if errors else "")
        self._underline(findings)

    def _say(self, text: str) -> None:
        self.label.setText(text)
        self.label.setVisible(bool(text))

    def _mark(self) -> None:
        document = self.document
        if document is not None and in_sight(self) and document.checked is document.sheet and self._in_step():
            self._underline(document.findings)

    def _in_step(self) -> bool:
        return self.document is not None and self.edit.toPlainText() == self.document.text()

    def _underline(self, findings: tuple[Finding, ...] | list[Finding]) -> None:
        marks = []
        colours = self._console.theme.colours
        for finding in findings:
            block = self.edit.document().findBlockByNumber(max(0, finding.line - 1))
            mark = QTextEdit.ExtraSelection()
            colour = QColor(colours.danger if finding.severity == "error" else colours.warning)
            colour.setAlpha(50)
            mark.format.setBackground(colour)
            mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
            mark.cursor = QTextCursor(block)
            marks.append(mark)
        self.edit.setExtraSelections(marks)

    def go_to(self, line: int) -> None:
        """Select a line, counted from 1."""
        block = self.edit.document().findBlockByNumber(max(0, line - 1))
        if block.isValid():
            cursor = QTextCursor(block)
            cursor.select(QTextCursor.SelectionType.LineUnderCursor)
            self.edit.setTextCursor(cursor)
            self.edit.ensureCursorVisible()

    def _colour(self) -> None:
        colours = self._console.theme.colours
        self._colours.dress(colours)
        self.label.setStyleSheet(f"color: {colours.danger}; border-top: 1px solid {colours.border};")


def replace_changed(edit: QPlainTextEdit, text: str) -> None:
    """Give an editor another text by replacing only what differs: the cursor stays where it is."""
    old = edit.toPlainText()
    start = _common(old, text)
    rest = min(len(old), len(text)) - start
    end = _common(old[::-1][:rest], text[::-1][:rest])
    cursor = QTextCursor(edit.document())
    cursor.setPosition(_units(old[:start]))
    cursor.setPosition(_units(old[: len(old) - end]), QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(text[start : len(text) - end])


def _common(first: str, second: str) -> int:
    """How many signs two texts begin with alike."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if first[:middle] == second[:middle] else (low, middle - 1)
    return low


def _units(text: str) -> int:
    """The length of a text as Qt counts: in UTF-16."""
    return len(text) + sum(sign > "\uffff" for sign in text)


def _line(finding: Finding) -> str:
    message = failure_line(finding.code, finding.message)
    return tr("Line {line}: {message}", line=finding.line, message=message)


class YamlColours(QSyntaxHighlighter):
    """Keys, texts, numbers and comments."""

    def __init__(self, document: QTextDocument, colours: Colours) -> None:
        super().__init__(document)
        self._formats: dict[str, QTextCharFormat] = {}
        self.dress(colours)

    def dress(self, colours: Colours) -> None:
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
