"""When a schedule fires next, as it is edited: the ten times, and what was moved or left out and why."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QWidget

from app.desktop.design.forms.coming_times import ComingTimes, coming_times, note_of
from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form_context import Editor, FormContext
from app.desktop.design.forms.plain_text import plain_label, tinted_label
from app.desktop.design.forms.schedule_fields import LEVEL_WORDS, WEEKDAYS
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import emptied, hbox, vbox
from app.desktop.widgets.pane_widgets import holder
from engine.model.schedule import Schedule
from engine.planning.schedules.fire_times import Fire
from engine.planning.schedules.levels import cron_text
from engine.planning.schedules.timetable import Timetable

_PAUSE = 150  # ms without a change
_SOONEST, _LATEST = 1, 3600  # s until the first time has passed and the list is made anew


class ComingEditor(Editor):
    """The list; nothing can be changed in it."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self._column = vbox(spacing=1)
        self.row.addLayout(self._column, 1)
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE)
        self._timer.timeout.connect(self._look)
        self._shown: list[tuple[str, str]] | None = None
        self.show_field(field)

    def show_field(self, field: Field) -> None:
        super().show_field(field)
        self._timer.start(_PAUSE)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start(_PAUSE)

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Each line that is shown, with its note."""
        return list(self._shown or ())

    def _look(self) -> None:
        found = coming_times(self.context)
        lines = _lines(found)
        if lines != self._shown:
            self._shown = lines
            self._draw(lines)
        if found.fires and self.isVisible():
            wait = (found.fires[0].at - self.context.clock.now()).total_seconds()
            self._timer.start(int(min(max(wait, _SOONEST), _LATEST) * 1000))

    def _draw(self, lines: list[tuple[str, str]]) -> None:
        emptied(self._column)
        theme, icons = self.context.console.theme, self.context.console.icons
        for text, note in lines:
            self._column.addWidget(plain_label(text, self))
            if note:
                mark = QLabel(self)
                mark.setPixmap(icons.get("info", theme.colours.warning).pixmap(14, 14))
                words = tinted_label(theme, "warning", note, self)
                self._column.addWidget(holder(hbox(mark, (words, 1), margins=(14, 0, 0, 2), spacing=4)))


def _lines(found: ComingTimes) -> list[tuple[str, str]]:
    """What the times come from, or why there are none; then each time with its note."""
    table = found.table
    if table is None:
        return [(tr("The times are shown once the schedule can be read."), "")]
    if table.rule is None:
        return [(tr("It has no times: its condition decides."), "")]
    if not found.fires:
        return [(tr("It never fires."), "")]
    return [(_about(found, table), ""), *((_time(fire, table), note_of(fire, table)) for fire in found.fires)]


def _about(found: ComingTimes, table: Timetable) -> str:
    schedule, zone = found.task.schedule, table.zone.key
    if not isinstance(schedule, Schedule):
        return ""
    if schedule.level == "interval" and schedule.first is None:
        return tr("As if it went online now, in {zone}", zone=zone)
    when = cron_text(schedule) or tr(LEVEL_WORDS[schedule.level or "once"])
    return tr("{when}, in {zone}", when=when, zone=zone)


def _time(fire: Fire, table: Timetable) -> str:
    """With the offset, which differs where a time comes twice; of a fire that is left out the day."""
    local = fire.at.astimezone(table.zone)
    day = tr(list(WEEKDAYS.values())[local.weekday()])
    return f"{local:%Y-%m-%d} {day}  –" if fire.left_out else f"{local.isoformat(' ', 'seconds')} {day}"
