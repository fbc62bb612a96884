"""Copy, cut, paste and duplicate: a fragment on the clipboard, also between windows."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QMimeData, QPointF
from PySide6.QtGui import QGuiApplication

from app.desktop.canvas.graph import Point
from app.desktop.design import fragments
from app.desktop.design.definition_library import tree_of
from app.desktop.design.document import Document
from app.desktop.design.node_commands import NodeCommands
from app.desktop.design.selection_commands import command
from app.desktop.kernel.language import tr, trn
from engine.api.documents import Source
from engine.definitions.writer import dump
from engine.model.names import SECTIONS


class Clipboard(NodeCommands):
    """Commands about the clipboard."""

    _pastes = 0
    _pasted = b""

    @command
    def copy(self, document: Document) -> None:
        """The selected nodes onto the clipboard, as a fragment and as YAML."""
        chosen = self._nodes()
        if not chosen:
            return
        piece = fragments.fragment(document.tree, document.task_id, chosen, self._canvas.positions())
        data = QMimeData()
        data.setData(fragments.MIME, fragments.to_bytes(piece))
        data.setText(dump(piece))
        QGuiApplication.clipboard().setMimeData(data)
        self._pastes, self._pasted = 0, fragments.to_bytes(piece)

    @command
    def cut(self, document: Document) -> None:
        self.copy()
        self._take_away(document, self._nodes())

    @command
    def paste(self, document: Document) -> None:
        """What is on the clipboard into this task, further away at each time."""
        data = QGuiApplication.clipboard().mimeData()
        found = bytes(data.data(fragments.MIME).data()) if data else b""
        piece = fragments.from_bytes(found)
        if piece is None:
            self._offer(data.text() if data else "")
            return
        self._pastes = self._pastes + 1 if found == self._pasted else 1
        self._pasted = found
        self._put(document, piece, self._paste_position(piece), "Paste of {n} node", "Paste of {n} nodes")

    def _offer(self, text: str) -> None:
        """Definitions as text: what they would change is shown first."""
        read = tree_of(text) if text.strip() else None
        if isinstance(read, dict) and read.keys() & {"skerry", *SECTIONS.values()}:
            self._canvas.offered.emit([Source(name="clipboard", text=text)])
        else:
            self._canvas.console.navigator.notify(tr("There are no nodes or definitions on the clipboard."))

    @command
    def duplicate(self, document: Document) -> None:
        """The selected nodes once more, beside themselves; the clipboard is left alone."""
        chosen = self._nodes()
        if chosen:
            piece = fragments.fragment(document.tree, document.task_id, chosen, self._canvas.positions())
            at = fragments.shifted(fragments.corner(piece), 1)
            self._put(document, piece, at, "Duplicate of {n} node", "Duplicate of {n} nodes")

    def _paste_position(self, piece: Mapping[str, object]) -> Point:
        """Near where it was copied when that is in sight, else in the middle."""
        at = fragments.shifted(fragments.corner(piece), self._pastes)
        seen = self._canvas.mapToScene(self._canvas.viewport().rect()).boundingRect()
        if seen.contains(QPointF(*at)):
            return at
        return fragments.shifted((seen.center().x(), seen.center().y()), self._pastes)

    def _put(self, document: Document, piece: Mapping[str, object], at: Point, one: str, many: str) -> None:
        change, ids = fragments.pasted(document.tree, document.task_id, piece, at)
        document.edit(change, trn(len(ids), one, many))
        self._canvas.select(ids)
