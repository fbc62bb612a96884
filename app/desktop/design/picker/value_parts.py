"""A part of a value: an item of a list, a field of a map, one within the other."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QSpinBox, QWidget

from app.desktop.kernel.icons import Icons
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import dropped, filled, hbox
from app.desktop.widgets.roomy_buttons import PushButton
from app.desktop.widgets.tool_button import tool_button

Step = str | int


def with_steps(path: str, steps: Iterable[Step]) -> str:
    """A path that leads further into its value."""
    return path + "".join(_written(step) for step in steps)


def _written(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return "['" + step.replace("\\", "\\\\").replace("'", "\\'") + "']"


class ValueSteps(QWidget):
    """The steps into a value, each in a small box; ``changed`` when one of them is."""

    changed = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._boxes: list[QSpinBox | QLineEdit] = []
        self._row = hbox(inside=self, margins=0)
        self.item = PushButton(icons.get("add"), tr("Item"), self)
        self.item.setToolTip(tr("Only one item of the list"))
        self.item.clicked.connect(lambda: self._add(0, focus=True))
        self.field = PushButton(icons.get("add"), tr("Field"), self)
        self.field.setToolTip(tr("Only one field of the map"))
        self.field.clicked.connect(lambda: self._add("", focus=True))
        self._whole = tool_button(icons, "close", tr("The whole value"), lambda: self.show_steps(()), self)
        filled(self._row, self.item, self.field, self._whole, 1)
        self._whole.setVisible(False)

    def steps(self) -> tuple[Step, ...]:
        """The steps; names that are still empty are left out."""
        found = (each.value() - 1 if isinstance(each, QSpinBox) else each.text() for each in self._boxes)
        return tuple(each for each in found if each != "")

    def show_steps(self, steps: Iterable[Step]) -> None:
        for box in self._boxes:
            dropped(self._row, box)
        self._boxes = []
        for step in steps:
            self._add(step)
        self._whole.setVisible(bool(self._boxes))
        self.changed.emit()

    def _add(self, step: Step, *, focus: bool = False) -> None:
        box = self._spin(step) if isinstance(step, int) else self._line(step)
        self._row.insertWidget(len(self._boxes), box)
        self._boxes.append(box)
        self._whole.setVisible(True)
        if focus:
            box.setFocus()
            self.changed.emit()

    def _spin(self, index: int) -> QSpinBox:
        box = QSpinBox(self)
        box.setRange(1, 999_999)
        box.setPrefix(tr("item "))
        box.setValue(index + 1)
        box.setAccessibleName(tr("Number of the item, from 1"))
        box.valueChanged.connect(lambda _value: self.changed.emit())
        return box

    def _line(self, name: str) -> QLineEdit:
        box = QLineEdit(name, self)
        box.setPlaceholderText(tr("name of the field"))
        box.setAccessibleName(tr("name of the field"))
        box.textChanged.connect(lambda _text: self.changed.emit())
        return box
