"""The calendars of the workspace: seen by month, made, edited, imported, exported, deleted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFileDialog, QWidget

from app.desktop.design.definition_library import source_of
from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.kinds.schedule import FRESH_CALENDAR
from app.desktop.design.forms.plain_text import plain_label
from app.desktop.design.library.definition_editor import DefinitionEditor
from app.desktop.design.questions import QuestionDialog
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.times import zone
from app.desktop.plan.calendars.calendar_days import CalendarDays, with_days
from app.desktop.plan.calendars.calendar_fields import calendar_fields
from app.desktop.plan.calendars.calendar_files import read_calendars, write_calendar
from app.desktop.plan.calendars.calendar_words import day_line, month_line, rule_of
from app.desktop.plan.calendars.effect_words import changed_tasks, effect_lines
from app.desktop.plan.calendars.month_view import MonthView
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import button, holder
from engine.api.documents import Document, Source
from engine.model.clock import Clock
from engine.model.errors import SkerryError
from engine.plugins.resource_type import ResourceType


class CalendarLibrary(DefinitionEditor):
    """A month beside the fields; what a change does to coming times is asked before it is stored."""

    KIND, SECTION, ICON, NONE = "calendar", "calendars", "calendar", "Calendars"
    SIZES = 170, 610

    def __init__(self, console: Console, clock: Clock, parent: QWidget | None = None) -> None:
        self._today = clock.now().astimezone(zone()).date()
        super().__init__(console, parent)

    def fields(self) -> Sequence[Field]:
        return tuple(calendar_fields(self.id, self.own() or {})) if self.draft else ()

    def types(self) -> Mapping[str, ResourceType]:
        return {}

    def fresh(self, kind: str) -> dict[str, Any]:
        return dict(FRESH_CALENDAR)

    def _build(self) -> None:
        super()._build()
        self.imports = button("Import…", self.import_file, "Calendars of a definition file")
        self.exports = button("Export…", self.export_file, "A definition file with this calendar")
        self.left_column.addLayout(hbox((self.imports, 1), (self.exports, 1)))

    def _right(self) -> QWidget:
        page = super()._right()
        self.month = MonthView(self.console, self._today, page)
        self.month.turned.connect(self._describe)
        self.month.chosen.connect(self._turn_days)
        self.heading = plain_label("", page)
        before = self._tool("back", "Month before (Page Up)")
        after = self._tool("forward", "Month after (Page Down)")
        before.clicked.connect(lambda: self.month.turn(-1))
        after.clicked.connect(lambda: self.month.turn(1))
        self.meaning, self.day_words = plain_label("", page), plain_label("", page)
        self.turns = button("", lambda: self._turn_days(*self.month.marked))
        self.side = holder(
            vbox(
                hbox(before, (self.heading, 1), after),
                (self.month, 1),
                self.day_words,
                hbox(self.turns, 1),
                self.meaning,
                margins=(6, 0, 0, 0),
            )
        )
        self.column.removeItem(self.place)
        self.column.addLayout(hbox((self.place, 3), (self.side, 2)), 1)
        return page

    def _word(self) -> None:
        super()._word()
        self._describe()

    def definition_changed(self) -> None:
        if self.draft is not None:
            self.draft.changed.connect(self._describe)
        self._describe()

    def _show_head(self) -> None:
        super()._show_head()
        self.side.setVisible(self.draft is not None)
        self.exports.setEnabled(self.draft is not None)

    def _describe(self) -> None:
        """The month, the day in front of it and the whole rule, as they are now."""
        tree: Mapping[str, Any] = self.own() or {}
        first, last = self.month.marked
        self.month.show_calendar(tree)
        days = self.month.month()
        self.heading.setText(f"{self.month.day:%Y-%m}  ·  {month_line(tree, days)}")
        self.day_words.setText(day_line(tree, self.month.day))
        self.meaning.setText(" ".join(rule_of(tree)))
        off = CalendarDays(tree).kind(first).off
        one = tr("Make it a working day") if off else tr("Make it a day off")
        many = tr("Make them working days") if off else tr("Make them days off")
        self.turns.setText(one if first == last else many)

    def _turn_days(self, first: date, last: date) -> None:
        """Days off become working days, or the other way round, by the first of them; one step of undo."""
        if self.draft is None:
            return
        tree = self.own()
        off = not CalendarDays(tree).kind(first).off
        changed = with_days(tree, first, last, off=off)
        text = tr("Days off") if off else tr("Days of work")
        self.draft.set((self.SECTION, self.id), changed, text)

    # -- stored, after what it does was said ------------------------------------------------------

    def _store(self, id: str, tree: Any) -> None:
        self._ask_first(
            source_of({self.SECTION: {id: tree}}, f"{id}.yaml"), partial(super()._store, id, tree)
        )

    def _ask_first(self, source: Source, store: Callable[[], object]) -> None:
        def came(effects: Sequence[Document]) -> None:
            if not changed_tasks(effects):
                store()
                return
            text = "\n\n".join(effect_lines(effects))
            QuestionDialog(tr("Change the calendar"), text, ((tr("Save"), store),), self).open()

        self.console.link.ask(
            lambda service: service.calendar_effects([source]), came, owner=self, failed=self._failed
        )

    # -- files -------------------------------------------------------------------------------------

    def import_file(self) -> None:
        """Load the calendars of a file that the person chooses, and nothing else of it."""
        kinds = f"{tr('Definition files')} (*.yaml *.yml *.json)"
        chosen, _ = QFileDialog.getOpenFileName(self, tr("Import calendars"), filter=kinds)
        if chosen:
            self.import_from(Path(chosen))

    def import_from(self, path: Path) -> None:
        """The same of a file."""
        try:
            source = read_calendars(path)
        except SkerryError as error:
            self._failed(error)
            return
        self._ask_first(source, lambda: self._call(lambda service: service.load([source]), self._imported))

    def _imported(self) -> None:
        self.error.hide()
        self.standing.refresh()

    def export_file(self) -> None:
        """Write this calendar, as it is seen, to a file that the person chooses."""
        chosen, _ = QFileDialog.getSaveFileName(self, tr("Export the calendar"), f"{self.id}.yaml")
        if chosen:
            self.export_to(Path(chosen))

    def export_to(self, path: Path) -> None:
        """The same to a file."""
        try:
            write_calendar(path, self.id, self.own())
        except OSError as problem:
            words = tr("{path} cannot be written: {problem}", path=path, problem=problem.strerror)
            self.error.setText(words)
            self.error.show()
