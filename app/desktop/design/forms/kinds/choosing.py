"""Choosing one of some: a fixed choice, yes or no, the id of something that exists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QWidget

from app.desktop.design.forms.fields import Choice, Field
from app.desktop.design.forms.form_context import Editor, FormContext
from app.desktop.design.forms.plain_text import short
from app.desktop.design.resources.new_resource_dialog import adding_tool
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.console import Target
from app.desktop.kernel.language import tr


class Combo(QComboBox):
    """A choice that a wheel on its way down the form does not change.

    ``opening`` comes before the list is shown: what is dear to find out can wait until then.
    """

    opening = Signal()

    def showPopup(self) -> None:
        self.opening.emit()
        super().showPopup()

    def keyPressEvent(self, e: QKeyEvent) -> None:
        """Up and Down open the list: only Enter in it chooses."""
        if e.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and not e.modifiers():
            self.showPopup()
        else:
            super().keyPressEvent(e)

    def wheelEvent(self, e: QWheelEvent) -> None:
        e.ignore()


class ChoiceEditor(Editor):
    """One of the field's choices; the first entry takes the value away."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.combo = Combo(self)
        self.combo.setMinimumContentsLength(8)
        self.combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.combo.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.row.addWidget(self.combo, 1)
        self._values: list[Any] = []
        self.combo.activated.connect(self._took)
        self.show_field(field)

    def choices(self) -> Iterable[Choice]:
        """What can be chosen: value and words."""
        return self.field.choices

    def show_field(self, field: Field) -> None:
        super().show_field(field)
        choices = ((value, self.context.say(words)) for value, words in self.choices())
        pairs = [(REMOVE, self._unset(field)), *choices]
        if field.given and field.value not in [value for value, _ in pairs]:
            pairs.append((field.value, short(field.value)))
        self._values = [value for value, _ in pairs]
        self.combo.clear()
        self.combo.addItems([words for _, words in pairs])
        self.combo.setCurrentIndex(self._values.index(field.value) if field.given else 0)

    def main(self) -> QWidget:
        return self.combo

    def _took(self, index: int) -> None:
        self.edited.emit(self._values[index])
        self.settled.emit()

    def _unset(self, field: Field) -> str:
        words = {
            value: self.context.say(said) for value, said in self.choices() if not isinstance(value, dict)
        }
        if field.default in (None, "", ()):
            return tr("not set")
        shown = words.get(field.default) if field.default in words else short(field.default)
        return tr("{value} (as usual)", value=shown)


class BooleanEditor(ChoiceEditor):
    """Yes, no, or as usual."""

    def choices(self) -> Iterable[Choice]:
        return ((True, "yes"), (False, "no"))


class IdEditor(ChoiceEditor):
    """The id of something that exists, with the way to it."""

    section, kind = "", ""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        if self.kind:
            self.row.addWidget(self.tool("open", tr("Open it"), self._open))

    def choices(self) -> Iterable[Choice]:
        found = self.context.scope().section(self.section)
        return tuple((id, _named(id, tree)) for id, tree in sorted(found.items()) if self.fits(id, tree))

    def fits(self, id: str, tree: Any) -> bool:
        return True

    def _open(self) -> None:
        if self.field.given:
            self.context.console.navigator.go(Target(self.kind, str(self.field.value)))


def _named(id: str, tree: Any) -> str | tuple[str, str]:
    name = tree.get("name") if isinstance(tree, dict) else None
    words = f"{id}  ·  {name}" if name else id
    return (words, words)


class ResourceChooser(IdEditor):
    section, kind = "resources", "resource"

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.adds = adding_tool(self, self.settle)


class TaskEditor(IdEditor):
    section, kind = "tasks", "task"

    def fits(self, id: str, tree: Any) -> bool:
        return id != self.context.document.task_id


class SecretEditor(IdEditor):
    """A stored secret by its name; its value is never shown."""

    def choices(self) -> Iterable[Choice]:
        return tuple((name, (name, name)) for name in self.context.standing.secrets)
