"""When the task of a form fires next, and what it waits for then: asked of the engine's own evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from app.desktop.design.forms.form_context import FormContext
from app.desktop.kernel.language import tr
from engine.api.next_fires import FireSources, FireTimes, ScheduledTask, counted
from engine.model.fire_note import WORDS
from engine.planning.schedules.fire_times import Fire
from engine.planning.schedules.timetable import Timetable

_UNREADABLE = (ValueError, KeyError, TypeError, OSError, OverflowError)  # the check says what is wrong


class ComingTimes(NamedTuple):
    """The next fires, and those that are left out before them; ``table`` None: nothing fires by the clock."""

    asked: FireTimes
    task: ScheduledTask
    raw: Mapping[str, Any]
    table: Timetable | None = None
    fires: tuple[Fire, ...] = ()

    @property
    def following(self) -> datetime | None:
        """The next time, in the zone of the schedule."""
        found = next((each.at for each in self.fires if not each.left_out), None)
        return found.astimezone(self.table.zone) if found and self.table else None

    def partners(self, spec: Any) -> list[tuple[str, datetime]]:
        """Task and local time of what the next fire waits for by one entry of ``depends_on``."""
        following = self.following
        if following is None or self.table is None:
            return []
        task, table = ScheduledTask(self.task.id, {**self.raw, "depends_on": [spec]}), self.table
        try:
            return [
                (each["task"], datetime.fromisoformat(each["time"]))
                for dependency in task.dependencies
                for each in self.asked.waits_for(dependency, task, table, following)
            ]
        except _UNREADABLE:
            return []


def coming_times(context: FormContext, count: int = 10) -> ComingTimes:
    """Of the task that is edited, as if it went online now."""
    scope = context.scope()
    tasks: Mapping[str, Any] = {**scope.section("tasks"), scope.task: scope.raw_task}
    sources = FireSources(tasks.get, lambda: scope.section("calendars"))
    asked = FireTimes(sources, ZoneInfo(context.standing.zone), context.clock.now())
    task = ScheduledTask(scope.task, scope.raw_task)
    if not task.readable:
        return ComingTimes(asked, task, scope.raw_task)
    try:
        table = asked.timetable(task)
        fires = tuple(counted(table, context.clock.now(), count))
        return ComingTimes(asked, task, scope.raw_task, table, fires)
    except _UNREADABLE:
        return ComingTimes(asked, task, scope.raw_task)


def note_of(fire: Fire, table: Timetable) -> str:
    """What a clock change or the calendar did to it."""
    if fire.note is None:
        return ""
    return tr(WORDS[fire.note.kind], **fire.note.facts(table.days.id if table.days else None))
