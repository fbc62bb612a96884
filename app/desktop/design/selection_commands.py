"""What the commands of a canvas share: the document that is shown, and what is selected in it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from app.desktop.design.document import Document
from app.desktop.design.document_canvas import DocumentCanvas
from engine.model.names import is_handler

Commands = TypeVar("Commands", bound="SelectionCommands")
Rest = ParamSpec("Rest")
Given = TypeVar("Given")


class SelectionCommands:
    """What can be done on ``canvas``."""

    def __init__(self, canvas: DocumentCanvas) -> None:
        self._canvas = canvas

    def _chosen(self) -> list[str]:
        """The selected nodes in the order of the task."""
        chosen = self._canvas.selected()
        return [id for id in self._canvas.order() if id in chosen]

    def _nodes(self) -> list[str]:
        """The same without handlers of the task's end, which are linked to nothing."""
        return [id for id in self._chosen() if not is_handler(id)]


def command(
    do: Callable[Concatenate[Commands, Document, Rest], Given],
) -> Callable[Concatenate[Commands, Rest], Given | None]:
    """A command that gets the document of its canvas; without one it does nothing."""

    @wraps(do)
    def on_document(self: Commands, /, *args: Rest.args, **named: Rest.kwargs) -> Given | None:
        document = self._canvas.document
        return None if document is None else do(self, document, *args, **named)

    return on_document
