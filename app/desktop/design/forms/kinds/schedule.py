"""The parts of a schedule: its level, a calendar with what happens on days off, numbers, days of the week."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QWidget

from app.desktop.design.definition_library import source_of
from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form_context import Editor, FormContext
from app.desktop.design.forms.kinds.choosing import ChoiceEditor, Combo
from app.desktop.design.forms.kinds.text import TextEditor
from app.desktop.design.questions import AskId
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.console import Target
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import hbox, vbox
from engine.definitions.schedules import COMMON, LEVELS, with_level

FRESH: Final[Mapping[str, Mapping[str, Any]]] = {  # what a level begins with
    "minute": {"every": 5}, "hour": {"every": 1}, "day": {"every": 1}, "week": {"day": "mon"},
    "month": {"day": 1}, "year": {"month": 1, "day": 1}, "custom_hour": {"hours": [8, 20]},
    "custom_day": {"days": [1, 15]}, "custom_week": {"days": ["mon", "tue", "wed", "thu", "fri"]},
    "custom_month": {"months": [1, 7]}, "crontab": {"cron": "0 0 8 * * ?"}, "interval": {"interval": "1h"},
    "once": {}, "condition": {"every": "10s"},
}  # fmt: skip
FRESH_CALENDAR: Final[Mapping[str, Any]] = {"weekend": ["sat", "sun"]}  # what a new one begins with
ON_DAYS_OFF: Final = (
    ("skip", "left out on days off"), ("next", "moved to the next working day"),
    ("previous", "moved to the working day before"),
)  # fmt: skip


class LevelEditor(ChoiceEditor):
    """What a schedule goes by; its value is the whole schedule."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        self._schedule: Any = REMOVE
        super().__init__(context, field, parent)
        self.combo.setMaxVisibleItems(len(LEVELS) + 2)

    def show_field(self, field: Field) -> None:
        self._schedule = field.value
        written = with_level(field.value).get("level") if isinstance(field.value, dict) else field.value
        super().show_field(replace(field, value=written))

    def _took(self, index: int) -> None:
        level = self._values[index]
        if level != self.field.value:
            self.settle(self._begun(level) if level in LEVELS else level)

    def _begun(self, level: str) -> dict[str, Any]:
        """The schedule of a level, with what the one before has that this one may have too."""
        before = self._schedule if isinstance(self._schedule, dict) else {}
        stay = (COMMON | LEVELS[level].optional) - {"level"}
        kept = {key: value for key, value in before.items() if key in stay}
        return {"level": level, **FRESH[level], **kept}


class CalendarEditor(Editor):
    """One of the workspace's calendars, and what happens on its days off."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.id: QComboBox = Combo(self)
        self.on: QComboBox = Combo(self)
        self.on.setAccessibleName(tr("On days off"))
        self.on.addItems([tr(words) for _, words in ON_DAYS_OFF])
        self.opens = self.tool("open", tr("See the calendar in Plan"), self._open)
        self.row.addLayout(vbox(hbox((self.id, 1), self.opens), self.on, spacing=2), 1)
        self.id.activated.connect(self._took)
        self.on.activated.connect(self._took)
        self._ids: list[str] = []
        self.show_field(field)

    def show_field(self, field: Field) -> None:
        super().show_field(field)
        use = field.value if isinstance(field.value, dict) else {"id": field.value} if field.given else {}
        chosen, on = str(use.get("id", "")), use.get("on")
        self._ids = sorted({*self.context.scope().section("calendars"), *([chosen] if chosen else [])})
        self.id.clear()
        self.id.addItems([tr("not set"), *self._ids, tr("New calendar…")])
        self.id.setCurrentIndex(self._ids.index(chosen) + 1 if chosen else 0)
        self.on.setCurrentIndex(next((at for at, (each, _) in enumerate(ON_DAYS_OFF) if each == on), 0))
        self.on.setVisible(bool(chosen))
        self.opens.setVisible(bool(chosen))

    def main(self) -> QWidget:
        return self.id

    def _open(self) -> None:
        self.context.console.navigator.go(Target("calendar", self.id.currentText()))

    def _make(self) -> None:
        """Ask for the id of a new calendar, store it, and use it here."""
        self.show_field(self.field)
        dialog = AskId(self.context.console, tr("New calendar"), "", self._ids, self.window())
        self.context.tie(dialog)
        dialog.chosen.connect(lambda id, _kind: self._store(id))
        dialog.open()

    def _store(self, id: str) -> None:
        source = source_of({"calendars": {id: FRESH_CALENDAR}}, f"{id}.yaml")
        context, field = self.context, self.field

        def stored(_: object) -> None:
            context.set(field, id)
            context.standing.refresh()

        # not owned by this widget: the form may be made again meanwhile
        context.console.link.ask(lambda service: service.load([source]), stored, owner=context.document)

    def _took(self, _index: int) -> None:
        chosen = self.id.currentIndex()
        if chosen > len(self._ids):
            self._make()
            return
        id, on = self._ids[chosen - 1], ON_DAYS_OFF[self.on.currentIndex()][0]
        self.settle(REMOVE if chosen == 0 else id if on == "skip" else {"id": id, "on": on})


class NumbersEditor(TextEditor):
    """Whole numbers with commas; what is none stays as it was typed, so that the check can say so."""

    def read(self, text: str) -> Any:
        words = [each.strip() for each in text.split(",") if each.strip()]
        return [int(each) if each.isdecimal() else each for each in words] or REMOVE

    def write(self, value: Any) -> str:
        return ", ".join(map(str, value)) if isinstance(value, list) else super().write(value)


class DatesEditor(TextEditor):
    """Dates and ranges of dates, one a line."""

    def read(self, text: str) -> Any:
        return [each.strip() for each in text.replace(",", "\n").splitlines() if each.strip()] or REMOVE

    def write(self, value: Any) -> str:
        return "\n".join(map(str, value)) if isinstance(value, list) else super().write(value)


class WeekdaysEditor(Editor):
    """A box to tick for each day of the week."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.days = {str(day): QCheckBox(context.say(words), self) for day, words in field.choices}
        grid = QGridLayout()
        for at, box in enumerate(self.days.values()):
            grid.addWidget(box, at // 3, at % 3)
            box.clicked.connect(self._took)
        self.row.addLayout(grid, 1)
        self.show_field(field)

    def show_field(self, field: Field) -> None:
        super().show_field(field)
        value = field.shown if isinstance(field.shown, (list, tuple)) else ()
        for day, box in self.days.items():
            box.setChecked(day in value)

    def main(self) -> QWidget:
        return next(iter(self.days.values()))

    def _took(self) -> None:
        self.settle([day for day, box in self.days.items() if box.isChecked()])
