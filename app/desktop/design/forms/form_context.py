"""What the widgets of a form are given, and the port of those that edit one kind of value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QToolButton, QWidget

from app.desktop.design.editable import Editable
from app.desktop.design.forms.definition_scope import DefinitionScope
from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.labels import Words, said
from app.desktop.design.forms.workspace_definitions import WorkspaceDefinitions
from app.desktop.design.picker.samples import Sample, Samples
from app.desktop.design.tree import REMOVE, Path, get
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import hbox
from app.desktop.widgets.tool_button import tool_button
from engine.model.clock import Clock
from engine.runtime.clock import SystemClock

_OWN = ("params", "retry", "recovery", "limits", "on", "check", "request", "dst", "depends_on")
_PASSED = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)  # of text boxes


class Hover(QObject):
    """``node`` brings the node that the value under the pointer comes from; "": none any more."""

    node = Signal(str)


@dataclass(slots=True)
class FormContext:
    """Made once by a form, handed to each of its widgets: the window's parts, the document, past runs.

    ``editor`` makes the editor of a field, ``node`` is the one being edited.
    """

    console: Console
    document: Editable
    standing: WorkspaceDefinitions
    samples: Samples
    hover: Hover
    editor: Callable[[FormContext, Field, QWidget], Editor]
    node: Callable[[], str | None] = lambda: None
    owner: str = ""  # the job of the library that is edited, when it is one
    clock: Clock = field(default_factory=SystemClock)

    def tie(self, dialog: QDialog) -> None:
        """A dialog on what is edited here goes when that does: a task may be closed below it."""
        self.hover.destroyed.connect(dialog.hide)
        self.hover.destroyed.connect(dialog.deleteLater)

    def scope(self) -> DefinitionScope:
        """Everything that fields and the picker are made from, as it is now."""
        return DefinitionScope(
            self.document.tree,
            self.document.task_id,
            self.console.job_types,
            self.console.resource_types,
            self.standing.library.raw,
            self.standing.secrets,
            self.owner,
        )

    def say(self, words: Words) -> str:
        return said(words, self.console.language.current)

    def set(self, field: Field, value: Any, merge: str | None = None) -> None:
        """Give a field a value as one undo step; REMOVE takes it away."""
        text = tr("Clear {field}" if value is REMOVE else "Change {field}", field=self.say(field.label))
        path = self._emptied(field.path) if value is REMOVE else field.path
        self.document.set(path, value, text, merge)

    def _emptied(self, path: Path) -> Path:
        """Where to take away: what would be left empty goes too, as long as it is a key's own."""
        above = get(self.document.tree, path[:-1])
        alone = isinstance(above, (Mapping, list)) and len(above) == 1
        return path[:-1] if alone and path[-2] in _OWN else path

    def sample(self, value: Any, done: Callable[[Sample | None], None], owner: QObject) -> None:
        """What a value of the edited node gave in the latest run; the answer comes later."""
        self.samples.value(value, done, owner=owner, items=self.items())

    def items(self) -> Any:
        """The list that the edited node runs for each item of; None for other nodes."""
        node = self.node()
        return self.scope().node(node).get("for_each") if node else None


class Editor(QWidget):
    """Shows and changes one value.

    ``edited`` brings the new value (REMOVE: emptied) for each change of a person; ``settled`` says
    that what follows is another change.
    """

    edited = Signal(object)
    settled = Signal()

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context, self.field = context, field
        self.row = hbox(inside=self, margins=0, spacing=4)

    def show_field(self, field: Field) -> None:
        """Show another state of the same field."""
        self.field = field

    def main(self) -> QWidget:
        """The widget that gets the focus and the accessible name."""
        return self

    def takes_paths(self) -> bool:
        """Whether it can mix paths with other text."""
        return False

    def insert_path(self, path: str) -> None:
        """Put a path where the cursor is."""
        raise NotImplementedError

    def tool(self, icon: str, name: str, do: Callable[[], object]) -> QToolButton:
        return tool_button(self.context.console.icons, icon, name, do, self)

    def settle(self, value: Any) -> None:
        """Emit a change that is complete at once; an empty value is taken away."""
        self.settled.emit()
        self.edited.emit(value or REMOVE)
        self.settled.emit()


def goes_past(event: QEvent) -> bool:
    """Whether a text box must leave this event to the window: undo is the document's. It is marked so."""
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    if not any(event.matches(key) for key in _PASSED):
        return False
    event.ignore()
    return True
