"""The form of the selected node, or of several: one for each open task, the one in front is seen."""

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
    from app.desktop.design.forms.shared_form import SharedForm


class FormDock(QStackedWidget):
    """Follows the selection of the canvas."""

    def __init__(self, console: Console, canvas: DesignCanvas, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console, self._canvas = console, canvas
        self._document: Document | None = None
        self.forms: dict[str, NodeForm] = {}
        self.shared: dict[str, SharedForm] = {}  # of those of which several nodes were selected
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
        self._follow()

    def forget(self, document: Document) -> None:
        for form in (self.shared.pop(document.task_id, None), self.forms.pop(document.task_id, None)):
            if form is not None:
                self.removeWidget(form)
                form.deleteLater()

    def focus_form(self) -> None:
        """Put the cursor into the first field."""
        forms: list[NodeForm | SharedForm] = [*self.forms.values(), *self.shared.values()]
        for shown in forms:
            if shown is self.currentWidget():
                shown.form.focus_first()

    def focus(self, path: Path) -> None:
        """Put the cursor into the field of a path of the tree."""
        form = self.form()
        if form is not None:
            self.setCurrentWidget(form)
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
        form, document = self.form(), self._document
        if form is None or document is None:
            return
        chosen = sorted(self._canvas.selected() & document.nodes.keys())
        if len(chosen) > 1:
            shared = self._shared(form, document)
            shared.show_nodes(chosen)
            self.setCurrentWidget(shared)
            return
        if document.task_id in self.shared:
            self.shared[document.task_id].show_nodes(())
        only = sorted(self._canvas.selected())
        form.show_node(only[0] if len(only) == 1 else None)
        self.setCurrentWidget(form)

    def _shared(self, form: NodeForm, document: Document) -> SharedForm:
        if document.task_id not in self.shared:
            self.shared[document.task_id] = form.of_several(self)
            self.addWidget(self.shared[document.task_id])
        return self.shared[document.task_id]

    def _show_source(self, node: str) -> None:
        """The link over which a value comes, while the pointer is at its chip."""
        chosen = self._canvas.selected()
        self._canvas.show_links([(node, id) for id in chosen] if node else [])
        self._canvas.highlight([node, *chosen] if node else None)
