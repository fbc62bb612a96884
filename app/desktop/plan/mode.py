"""Plan mode: the timeline of a day, the map of tasks, and backfills with the assistant that begins one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from app.desktop.kernel.actions import ActionSpec
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.link import Event, Request
from app.desktop.kernel.mode import Mode
from app.desktop.kernel.subject import Subject
from app.desktop.plan.backfill_assistant import BackfillAssistant
from app.desktop.plan.backfill_rows import BACKFILLS, TIMES
from app.desktop.plan.calendars.calendar_page import CalendarPage
from app.desktop.plan.day_pane import DayPane
from app.desktop.plan.map_pane import MapPane
from app.desktop.run.throttle import Throttle
from app.desktop.subjects.menu import offer_menu, subject_menu
from app.desktop.widgets.layouts import PAGE, split, vbox
from app.desktop.widgets.pane_widgets import holder, plain, tabs
from app.desktop.widgets.questions import confirm
from app.desktop.widgets.table import Row, TableView
from engine.model.clock import Clock
from engine.runtime.clock import SystemClock

if TYPE_CHECKING:
    from engine.api.service import Service

_INTERVAL = 300  # milliseconds between two looks
_SHARE = 5  # at most one part of the time is spent looking
BEFORE = ActionSpec("plan.before", "Day before", ("Alt+PgUp",), "back", "View", 3, "plan")
AFTER = ActionSpec("plan.after", "Day after", ("Alt+PgDown",), "forward", "View", 3, "plan")
TODAY = ActionSpec("plan.today", "Today", ("Ctrl+T",), "calendar", "View", 3, "plan")
NEW = ActionSpec("plan.backfill", "Run past times…", ("Ctrl+N",), "add", "Run", 0, "plan", tool=True,
                 tip="Run scheduled times that have passed: missed ones, failed ones, or all")  # fmt: skip
PAUSE = ActionSpec("plan.pause", "Pause the backfill", ("Ctrl+P",), "pause", "Run", 1, "plan", tool=True,
                   tip="Begin nothing more of it; what runs goes on")  # fmt: skip
RESUME = ActionSpec("plan.resume", "Resume the backfill", ("Ctrl+Shift+R",), "resume", "Run", 1, "plan",
                    tool=True, tip="Let it go on")  # fmt: skip
CANCEL = ActionSpec("plan.cancel", "Cancel the backfill…", ("Del",), "stop", "Run", 2, "plan", tool=True,
                    tip="Drop what has not begun; what runs goes on")  # fmt: skip


class PlanMode(Mode):
    """A page each; backfills: the list above, the times of the selected one below."""

    KEY = "plan"

    def __init__(self, console: Console, parent: QWidget | None = None, clock: Clock | None = None) -> None:
        super().__init__(console, parent)
        clock = clock or SystemClock()
        self.day = DayPane(console, clock)
        self.calendars = CalendarPage(console, clock)
        self.map = MapPane(console)
        self._wanted: int | None = None
        self.assistant: BackfillAssistant | None = None
        self._list_title, self._times_title = plain(bold=True), plain(bold=True)
        self.backfills = TableView(console, "Backfills", BACKFILLS, lambda row: row["backfill"], self)
        self.times = TableView(console, "Times of the backfill", TIMES, _time, self)
        self.backfills.empty.say("No past times were run yet.")
        self._list = Throttle(self._read, _INTERVAL, self, _SHARE)
        self._detail = Throttle(self._read_times, _INTERVAL, self, _SHARE)
        self._lay_out()
        for spec, turn in ((BEFORE, partial(self.day.turn, -1)), (AFTER, partial(self.day.turn, 1)),
                           (TODAY, partial(self.day.show_day, None))):  # fmt: skip
            console.actions.add(spec, self, turn)
        table = ((NEW, self.begin), (PAUSE, self._pause), (RESUME, self._resume), (CANCEL, self._cancel))
        self._handles = {spec.id: console.actions.add(spec, self, do) for spec, do in table}
        console.link.changed.connect(self._changed)
        console.link.state_changed.connect(self._list.ask)
        self.backfills.looked_at.connect(self._selected)
        self.times.chosen.connect(self._go)
        self.day.gone.connect(console.navigator.go)
        self.map.selected.connect(self.day.show_task)
        self.map.activated.connect(self._show_task)
        self.tabs.currentChanged.connect(lambda _: self.map.ask())
        self._offer_menus()
        translated(self, self._word)
        self._enable()

    def _offer_menus(self) -> None:
        """What is selected on the page in sight is what actions act upon."""
        actions, of_backfill = self.console.actions, (PAUSE.id, RESUME.id, CANCEL.id)
        offer_menu(self.day.view, actions, (NEW.id,))
        offer_menu(self.map.table, actions, (NEW.id,))
        offer_menu(self.backfills, actions, (NEW.id, *of_backfill))
        offer_menu(self.times, actions, of_backfill)
        self.map.graph.menu_wanted.connect(
            lambda _task, at: subject_menu(self.map, actions, (NEW.id,)).popup(at)
        )
        for signal in (self.day.view.looked_at, self.map.selected, self.map.table.looked_at,
                       self.backfills.looked_at, self.times.looked_at, self.tabs.currentChanged):  # fmt: skip
            signal.connect(lambda _: self.subject_changed.emit())
        self.map.drawn.connect(self.subject_changed)

    def subject(self) -> Subject | None:
        """An instance of the day, a task of the map, a time of a backfill or what that runs."""
        page = self.tabs.currentWidget()
        if page is self.day:
            shown = self.day.view.current
            return Subject(shown.task, shown.instance, None, shown.status) if shown is not None else None
        if page is self.map:
            row = self.map.table.current
            return Subject(str(row["task"])) if row is not None else None
        time = self.times.current if self.times.hasFocus() else None
        if time is not None and time["instance"] is not None:
            return Subject(str(time["task"]), int(time["instance"]))
        return Subject(task) if (task := self._looked_at()) is not None else None

    def _lay_out(self) -> None:
        above = holder(vbox(self._list_title, self.backfills, margins=0))
        below = holder(vbox(self._times_title, self.times, margins=0))
        both = split(above, below, across=False, collapsible=False)
        both.setContentsMargins(*PAGE)
        self._backfills_page = both
        pages = {"Day": self.day, "Map": self.map, "Backfills": both, "Calendars": self.calendars}
        self.tabs = tabs("Plan", pages)
        self.tabs.setDocumentMode(True)
        self.setCentralWidget(holder(vbox((self.tabs, 1), margins=8)))

    def open(self, target: Target) -> None:
        """A backfill by its number, or a calendar by its id."""
        if target.kind == "calendar":
            self.tabs.setCurrentWidget(self.calendars)
            self.calendars.open(target.id)
            return
        self._wanted = int(target.id) if target.id else None
        if target.kind == "backfill":
            self.tabs.setCurrentWidget(self._backfills_page)
        self._list.ask()

    def entered(self) -> None:
        self._list.ask()
        self.day.begin()
        self.map.ask()
        page = self.tabs.currentWidget()
        focus = {self.day: self.day.view, self.map: self.map.graph}
        focus.get(page, self.backfills).setFocus()

    def left(self) -> None:
        self.day.rest()

    def let_go(self) -> None:
        self.day.let_go()
        self.map.forget()
        self._list.forget()
        self._detail.forget()

    # -- what there is -----------------------------------------------------------------------------

    def _changed(self, events: Iterable[Event]) -> None:
        kinds = {each["kind"] for each in events}
        if kinds & {"backfill", "resync"}:
            self._list.ask()
        if kinds & {"instance", "resync"}:
            self.day.refresh()
            self._detail.ask()  # one of a time may have begun
        if kinds & {"instance", "definition", "resync"}:
            self.map.ask()

    def _read(self) -> Request:
        return self.console.link.ask(lambda service: service.backfills(), self._show, owner=self)

    def _show(self, found: Sequence[Row]) -> None:
        self.backfills.show_rows(found)
        if self._wanted is not None and self.backfills.select(self._wanted):
            self._wanted = None
        self._selected()

    def _selected(self, _: object = None) -> None:
        self._enable()
        self._word()
        if self.backfills.current is None:
            self.times.empty.say("No backfill is selected.")
            self.times.show_rows(())
        else:
            self.times.empty.say("There is no scheduled time in that range.")
            self._detail.ask()

    def _read_times(self) -> Request | None:
        current = self.backfills.current
        if current is None:
            return None
        number = int(current["backfill"])
        return self.console.link.ask(lambda service: service.backfill(number), self._show_times, owner=self)

    def _show_times(self, document: Row) -> None:
        current = self.backfills.current
        if current is not None and current["backfill"] == document["backfill"]:
            self.times.show_rows(document["instances"])

    def _word(self) -> None:
        current = self.backfills.current
        self._list_title.setText(tr("Backfills"))
        self._times_title.setText(
            tr("Times of backfill #{n}", n=current["backfill"]) if current else tr("Times")
        )

    def _show_task(self, task: str) -> None:
        """The day's page with an instance of a task."""
        self.tabs.setCurrentWidget(self.day)
        self.day.show_task(task)
        self.day.view.setFocus()

    def _go(self, row: Row) -> None:
        if row["instance"] is not None:
            self.console.navigator.go(Target("instance", str(row["instance"])))

    # -- what is done ------------------------------------------------------------------------------

    def _enable(self) -> None:
        status = (self.backfills.current or {}).get("status")
        allowed = {"plan.pause": status == "running", "plan.resume": status == "paused",
                   "plan.cancel": status in ("running", "paused")}  # fmt: skip
        for id, action in self._handles.items():
            action.setEnabled(self.console.link.writable and allowed.get(id, True))

    def begin(self) -> None:
        """Open the assistant, with the tasks that there are: those first that have a next time."""
        self.console.link.ask(lambda service: service.task_map(), self._assist, owner=self)

    def _assist(self, tasks: Sequence[Row]) -> None:
        scheduled = sorted(tasks, key=lambda each: (each["next"] is None, each["task"]))
        self.assistant = BackfillAssistant(self.console, [str(each["task"]) for each in scheduled], self)
        if (task := self._looked_at()) is not None:
            self.assistant.task.setCurrentText(task)
        self.assistant.started.connect(self._begun)
        self.assistant.open()

    def _looked_at(self) -> str | None:
        """The task that is selected on the page in sight."""
        if self.tabs.currentWidget() is self.day:
            return self.day.view.current.task if self.day.view.current else None
        row = self.map.table.current if self.tabs.currentWidget() is self.map else self.backfills.current
        return str(row["task"]) if row is not None else None

    def _begun(self, number: int) -> None:
        self.console.navigator.notify(tr("Backfill #{n} has begun", n=number))
        self._wanted = number
        self._list.ask()

    def _pause(self) -> None:
        self._command(lambda number, service: service.pause_backfill(number), "Backfill #{n} is paused")

    def _resume(self) -> None:
        self._command(lambda number, service: service.resume_backfill(number), "Backfill #{n} goes on")

    def _cancel(self) -> None:
        text = tr("What has not begun is dropped. What runs goes on.")
        if confirm(self, tr("Cancel the backfill"), text, tr("Cancel it")):
            self._command(
                lambda number, service: service.cancel_backfill(number), "Backfill #{n} is cancelled"
            )

    def _command(self, call: Callable[[int, Service], Any], done: str) -> None:
        current = self.backfills.current
        if current is None:
            return
        number = int(current["backfill"])

        def came(_: Any) -> None:
            self.console.navigator.notify(tr(done, n=number))
            self._list.ask()

        self.console.link.ask(partial(call, number), came, owner=self)


def _time(row: Row) -> object:
    return row["task"], row["time"]
