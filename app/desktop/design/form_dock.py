"""The form of the selected node: one form for each open task, the one in front is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.desktop.design.canvas import DesignCanvas
from app.desktop.design.document import Document
from app.desktop.design.forms.plain_text import plain_label
from app.desktop.design.tree import Path
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated

if TYPE_CHECKING:
    from app.desktop.design.forms.node_form import NodeForm


class FormDock(QStackedWidget):
    """Follows the selection of the canvas."""

    def __init__(self, console: Console, canvas: DesignCanvas, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console, self._canvas = console, canvas
        self._document: Document | None = None
        self.forms: dict[str, NodeForm] = {}
        self._empty = plain_label("", self)
        self._empty.setMargin(16)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.addWidget(self._empty)
        canvas.selection_changed.connect(lambda _ids: self._follow())
        translated(self, lambda: self._empty.setText(tr("Open a task to see its form here.")))

    def sizeHint(self) -> QSize:
        return QSize(350, 500)

    def show_document(self, document: Document | None) -> None:
        self._document = document
        if document is None:
            self.setCurrentWidget(self._empty)
            return
        if document.task_id not in self.forms:
            self.forms[document.task_id] = self._made(document)
        self.setCurrentWidget(self.forms[document.task_id])
        self._follow()

    def forget(self, document: Document) -> None:
        form = self.forms.pop(document.task_id, None)
        if form is not None:
            self.removeWidget(form)
            form.deleteLater()

    def focus_form(self) -> None:
        """Put the cursor into the first field."""
        form = self.form()
        if form is not None:
            form.form.focus_first()

    def focus(self, path: Path) -> None:
        """Put the cursor into the field of a path of the tree."""
        form = self.form()
        if form is not None:
            form.focus(path)

    def form(self) -> NodeForm | None:
        return self.forms.get(self._document.task_id) if self._document else None

    def _made(self, document: Document) -> NodeForm:
        from app.desktop.design.forms.node_form import NodeForm  # it brings every editor along

        form = NodeForm(self._console, document, self)
        form.hover.node.connect(self._show_source)
        self.addWidget(form)
        return form

    def _follow(self) -> None:
        form = self.form()
        if form is not None:
            chosen = sorted(self._canvas.selected())
            form.show_node(chosen[0] if len(chosen) == 1 else None)

    def _show_source(self, node: str) -> None:
        """The link over which a value comes, while the pointer is at its chip."""
        chosen = self._canvas.selected()
        self._canvas.show_links([(node, id) for id in chosen] if node else [])
        self._canvas.highlight([node, *chosen] if node else None)
