"""A text in which paths are shown as chips between the letters."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QPointF, QRect, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPyTextObject,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from app.desktop.design.forms.form_context import FormContext, goes_past
from app.desktop.design.picker.binding_labels import label_of
from app.desktop.design.picker.bindings import PathBinding, TextPiece, joined, node_of, pieces
from app.desktop.kernel.dropped_files import Takes, files_of, taken_by, takes_files

_CHIP = int(QTextFormat.ObjectTypes.UserObject.value) + 1
_PATH = int(QTextFormat.Property.UserProperty.value) + 1
_LABEL = _PATH + 1
_OBJECT = "\ufffc"


class _ChipPainter(QPyTextObject):
    """Draws a chip inside a line of text."""

    def __init__(self, context: FormContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context

    def intrinsicSize(self, doc: QTextDocument, posInDocument: int, format: QTextFormat) -> QSizeF:
        metrics = QFontMetricsF(doc.defaultFont())
        return QSizeF(metrics.horizontalAdvance(str(format.property(_LABEL))) + 14, metrics.height() + 1)

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        doc: QTextDocument,
        posInDocument: int,
        format: QTextFormat,
    ) -> None:
        colours = self._context.console.theme.colours
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(colours.accent))
        painter.setBrush(QColor(colours.selection))
        inner = QRectF(rect).adjusted(1.5, 1, -1.5, -1)
        painter.drawRoundedRect(inner, inner.height() / 2, inner.height() / 2)
        painter.setPen(QColor(colours.text))
        painter.setFont(doc.defaultFont())
        painter.drawText(inner, Qt.AlignmentFlag.AlignCenter, str(format.property(_LABEL)))
        painter.restore()


class ChipText(QTextEdit):
    """``typed`` brings the source text whenever a person changed it; Enter and Tab leave a single line."""

    typed = Signal(str)
    left = Signal()

    def __init__(self, context: FormContext, *, lines: int = 1, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._single, self._showing = context, lines == 1, False
        self.document().documentLayout().registerHandler(_CHIP, _ChipPainter(context, self))
        self.setAcceptRichText(False)
        takes_files(self, Takes.PLAIN)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setMouseTracking(True)
        self.document().setDocumentMargin(5)
        self._hint = ""
        if self._single:
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
        self.setFixedHeight(round(self.fontMetrics().lineSpacing() * lines) + 13)
        self.textChanged.connect(self._changed)

    def text(self) -> str:
        """The source text, chips as ``{path}``."""
        return joined(self._pieces())

    def show_text(self, text: str) -> None:
        """Show a source text; nothing happens when it is the one shown, so the cursor stays."""
        if text == self.text() and not self._hidden_paths():
            return
        self._showing = True
        self.clear()
        cursor = self.textCursor()
        for piece in pieces(text):
            self._insert(cursor, piece)
        self._showing = False

    def show_hint(self, text: str) -> None:
        """What holds while nothing is typed, in grey."""
        self._hint = text
        self.setAccessibleDescription(text)
        self.viewport().update()

    def paintEvent(self, e: QPaintEvent) -> None:
        super().paintEvent(e)
        if self._hint and self.document().isEmpty():
            painter = QPainter(self.viewport())
            painter.setPen(self.palette().placeholderText().color())
            inner = self.viewport().rect().adjusted(6, 5, -6, 0)
            painter.drawText(inner, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft, self._hint)
            painter.end()

    def insert_path(self, path: str) -> None:
        """Put a chip where the cursor is, instead of what is selected."""
        cursor = self.textCursor()
        self._insert(cursor, TextPiece(path, path=True))
        self.setTextCursor(cursor)
        self.setFocus()

    def _insert(self, cursor: QTextCursor, piece: TextPiece) -> None:
        if not piece.path:
            cursor.insertText(piece.text, QTextCharFormat())
            return
        format = QTextCharFormat()
        format.setObjectType(_CHIP)
        format.setProperty(_PATH, piece.text)
        format.setProperty(_LABEL, label_of(self._context, PathBinding(piece.text)))
        format.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignBottom)
        cursor.insertText(_OBJECT, format)
        cursor.setCharFormat(QTextCharFormat())

    def _pieces(self) -> list[TextPiece]:
        made: list[TextPiece] = []
        block = self.document().begin()
        while block.isValid():
            made += [TextPiece("\n")] if made or block.blockNumber() else []
            found = block.begin()
            while not found.atEnd():
                fragment = found.fragment()
                path = fragment.charFormat().property(_PATH)
                for chip in fragment.text() if path else (fragment.text(),):
                    made.append(TextPiece(str(path), path=True) if path else TextPiece(_plain(chip)))
                found += 1
            block = block.next()
        return made

    def _hidden_paths(self) -> bool:
        """Whether a path is written in letters that could be a chip."""
        shown = sum(each.path for each in self._pieces())
        return sum(each.path for each in pieces(self.text())) > shown

    def _changed(self) -> None:
        if not self._showing:
            self.typed.emit(self.text())

    def event(self, e: QEvent) -> bool:
        return False if goes_past(e) else super().event(e)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Text, with its paths as chips; files by their paths."""
        text = " ".join(map(str, files_of(source))) or source.text()
        cursor = self.textCursor()
        if files_of(source) and taken_by(self) == Takes.PATH:
            cursor.select(QTextCursor.SelectionType.Document)
        cursor.removeSelectedText()
        for piece in pieces(" ".join(text.splitlines()) if self._single else text):
            self._insert(cursor, piece)
        self.setTextCursor(cursor)

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        data.setText(self._selected())
        return data

    def _selected(self) -> str:
        cursor = self.textCursor()
        parts: list[str] = []
        for position in range(cursor.selectionStart(), cursor.selectionEnd()):
            one = QTextCursor(self.document())
            one.setPosition(position)
            one.setPosition(position + 1, QTextCursor.MoveMode.KeepAnchor)
            path = one.charFormat().property(_PATH)
            parts.append(f"{{{path}}}" if path else _plain(one.selectedText()))
        return "".join(parts)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._single and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.left.emit()
            event.ignore()
            return
        super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self._hidden_paths():
            self.show_text(self.text())
        self.left.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        path = self._path_at(event.position())
        self._context.hover.node.emit((node_of(path) or "") if path else "")

    def _path_at(self, place: QPointF) -> str | None:
        cursor = self.cursorForPosition(place.toPoint())
        for step in (QTextCursor.MoveOperation.Right, QTextCursor.MoveOperation.Left):
            one = QTextCursor(cursor)
            one.movePosition(step, QTextCursor.MoveMode.KeepAnchor)
            path = one.charFormat().property(_PATH)
            if path and one.selectedText() == _OBJECT:
                return str(path)
        return None


def _plain(text: str) -> str:
    return text.replace("\u2028", "\n").replace("\u2029", "\n")
