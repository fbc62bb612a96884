"""What the commands of a canvas share: the document that is shown, and what is selected in it."""

from __future__ import annotations

from app.desktop.design.document import Document
from app.desktop.design.document_canvas import DocumentCanvas


class SelectionCommands:
    """The hand of a canvas; without a document it does nothing."""

    def __init__(self, canvas: DocumentCanvas) -> None:
        self._canvas = canvas

    @property
    def _document(self) -> Document | None:
        return self._canvas.document

    def _chosen(self) -> list[str]:
        """The selected nodes in the order of the task."""
        chosen = self._canvas.selected()
        return [id for id in self._canvas.order() if id in chosen]
