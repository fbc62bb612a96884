"""The day's pane: which day, which tasks of it, the timeline, and what is selected in words."""

from __future__ import annotations

from datetime import date, timedelta

from PySide6.QtCore import QDate, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QDateEdit, QLineEdit, QWidget

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated, trn
from app.desktop.kernel.link import Request
from app.desktop.kernel.times import length_text
from app.desktop.plan.day_axis import Day
from app.desktop.plan.day_facts import DayFacts
from app.desktop.plan.day_links import DayLinks
from app.desktop.plan.day_reading import DayPicture, DayReading
from app.desktop.plan.day_rows import DayInstance, chosen_rows
from app.desktop.plan.day_view import EMPTY, DayView
from app.desktop.plan.status_counts import StatusCounts
from app.desktop.run.throttle import Throttle
from app.desktop.widgets.layouts import PAGE, hbox, vbox
from app.desktop.widgets.pane_widgets import button, choices, named, plain, tipped
from app.desktop.widgets.tool_button import tool_button
from engine.api.documents import Document
from engine.model.clock import Clock

_INTERVAL = 300  # milliseconds between two readings of what changes
_SHARE = 8  # at most one part of the time is spent reading
_TICK = 5000  # milliseconds in which the line of the present moves
_TYPING = 150
_POINTING = 120  # milliseconds that the mouse rests on an instance before it is read
_NOTHING = "Nothing is scheduled on this day. What is to come is planned a day ahead."
_NO_MATCH = "No task of this day matches what is asked for."
_ONLY = {"all": "All states", "bad": "Went wrong", "unfinished": "Waits or runs", "planned": "Planned",
         "not_run": "Skipped, offline or cancelled"}  # fmt: skip
_ORDER = {"soonest": "The soonest first", "name": "By name"}


class DayPane(QWidget):
    """``gone`` brings the Target of an instance that is to be opened."""

    gone = Signal(object)

    def __init__(self, console: Console, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console, self._clock = console, clock
        self._picture: DayPicture | None = None
        self._day: str | None = None  # that is shown, an ISO date; None: today, whichever that is
        self._reading = DayReading(console.link, self._show, self)
        self._again = Throttle(self._reread, _INTERVAL, self, _SHARE)
        self.date = named(QDateEdit(), "Day")
        self.date.setCalendarPopup(True)
        self.date.setDisplayFormat("yyyy-MM-dd")
        named(self.date.lineEdit(), "Day")
        self.text = tipped(QLineEdit(clearButtonEnabled=True), "Find a task", hint="Find a task")
        self.only, self.order = named(choices(_ONLY), "States"), named(choices(_ORDER), "Order")
        self.note = plain(wrap=False)
        self.change = plain()  # of the clocks: a line of its own, which two days of a year have
        self.counts = StatusCounts(console)
        self.view = DayView(console)
        self.view.empty = "Reading…"
        self.facts = DayFacts(console, self.open_selected)
        self._ticking = QTimer(self, interval=_TICK)
        self._pointing = QTimer(self, singleShot=True, interval=_POINTING)
        wait = QApplication.doubleClickInterval()  # the second click of two is not for what is opened
        self._opening = QTimer(self, singleShot=True, interval=wait)
        self._links: Request | None = None
        self._typing = QTimer(self, singleShot=True, interval=_TYPING)
        self._lay_out()
        self._show_date(clock.now().date())
        self._connect()
        translated(self, self._word)

    def _lay_out(self) -> None:
        icons = self._console.icons
        before = tool_button(icons, "back", "Day before", lambda: self.turn(-1), self)
        after = tool_button(icons, "forward", "Day after", lambda: self.turn(1), self)
        self.today = button("Today", lambda: self.show_day(None))
        head = hbox(
            before, self.date, after, self.today, (self.note, 1), self.text, self.only, self.order, spacing=6
        )
        self.text.setMaximumWidth(220)
        vbox(head, self.change, self.counts, (self.view, 1), self.facts, inside=self, margins=PAGE, spacing=6)

    def _connect(self) -> None:
        self.date.dateChanged.connect(self._dated)
        self.text.textChanged.connect(lambda _: self._typing.start())
        for box in (self.only, self.order):
            box.currentIndexChanged.connect(self._draw)
        self._typing.timeout.connect(self._draw)
        self._ticking.timeout.connect(self.tick)
        self.view.looked_at.connect(self._selected)
        self.view.activated.connect(lambda _: self.open_selected())
        self.view.clicked.connect(lambda each: _not_begun(each) or self._opening.start())
        self._opening.timeout.connect(self.open_selected)
        self.view.hovered.connect(lambda _: self._pointing.start())
        self._pointing.timeout.connect(self._point)

    # -- which day -----------------------------------------------------------------------------

    def show_day(self, day: str | None) -> None:
        """Another day, an ISO date; None: today."""
        self._day = day
        self._again.forget()
        self._reading.first(day)

    def turn(self, by: int) -> None:
        """So many days later."""
        if self._picture is not None:
            self.show_day((self._picture.day.date + timedelta(days=by)).isoformat())

    def _dated(self, date: QDate) -> None:
        day = date.toString(Qt.DateFormat.ISODate)
        if self._picture is not None and day != self._picture.day.date.isoformat():
            self.show_day(day)

    def begin(self) -> None:
        """It is looked at: read it, and let time pass."""
        self._ticking.start()
        if self._picture is None:
            self.show_day(self._day)
        else:
            self._again.ask()

    def rest(self) -> None:
        """Nobody looks."""
        self._ticking.stop()

    def let_go(self) -> None:
        self.rest()
        self._again.forget()
        self._reading.forget()

    def refresh(self) -> None:
        """Something has changed: read it again soon."""
        if self._ticking.isActive() and self._picture is not None:
            self._again.ask()

    def _reread(self) -> Request:
        return self._reading.again(self._day)

    def tick(self) -> None:
        """The present has moved; past midnight today is another day."""
        now = self._now()
        self.view.show_now(now)
        if self._day is None and self._picture is not None and now >= self._picture.day.end:
            self.show_day(None)

    def _now(self) -> float:
        return self._clock.now().timestamp()

    # -- what is shown -------------------------------------------------------------------------

    def _show(self, picture: DayPicture) -> None:
        self._picture = picture
        self._show_date(picture.day.date)
        self.counts.show_counts(picture.statuses)
        self._draw()
        self._word()

    def _show_date(self, day: date) -> None:
        self.date.setDate(QDate(day.year, day.month, day.day))

    def _draw(self, _: object = None) -> None:
        picture = self._picture
        if picture is None:
            return
        now = self._now()
        text, only, order = self.text.text(), self.only.currentData(), self.order.currentData()
        rows = chosen_rows(picture.rows, text, only, order, now)
        self.view.empty = _NO_MATCH if picture.rows else _NOTHING if picture.online else EMPTY
        self.view.show_rows(picture.day, rows, now)
        self._selected(self.view.current)

    def _selected(self, _: DayInstance | None) -> None:
        self._pointing.stop()
        self._point()

    def _point(self) -> None:
        """What the mouse rests on, else what is selected: its facts and its links."""
        instance = self.view.pointed_at
        if self._picture is not None:
            self.facts.show_instance(self._picture.day, instance)
        if self._links is not None:
            self._links.cancel()
        if instance is None:
            self.view.show_links(None)
        else:
            self._read_links(instance.instance)

    def _read_links(self, number: int) -> None:
        def came(document: Document) -> None:
            self.view.show_links(DayLinks.read(number, document))

        self._links = self._console.link.ask(
            lambda service: service.links(number), came, owner=self, failed=lambda _: None
        )

    def _word(self) -> None:
        self.note.setText(_note(self._picture) if self._picture is not None else tr("Reading…"))
        self.change.setText(_change(self._picture.day) if self._picture is not None else "")
        self.change.setVisible(bool(self.change.text()))

    def show_task(self, task: str) -> None:
        """Select the instance of a task that is next to the present, where the day has one."""
        row = next((each for each in self.view.rows if each.task == task), None)
        if row is not None:
            self.view.select(row.nearest(self._now()), show=True)

    def open_selected(self) -> None:
        """Open the selected instance in Run, or say that it has not begun."""
        self._opening.stop()
        current = self.view.current
        if current is None:
            return
        if _not_begun(current):
            text = tr("Instance {n} has not begun: its time has not come.", n=current.instance)
            self._console.navigator.notify(text)
        else:
            self.gone.emit(Target("instance", str(current.instance)))


def _not_begun(instance: DayInstance) -> bool:
    return instance.status == "planned" and instance.run == 0


def _note(picture: DayPicture) -> str:
    """The zone, and how much of the day is there."""
    parts = [picture.day.zone.key]
    if not picture.complete:
        parts.append(trn(sum(picture.statuses.values()), "1 instance so far…", "{n} instances so far…"))
    return "  ·  ".join(parts)


def _change(day: Day) -> str:
    """What a clock change does to the day."""
    parts = []
    for change in day.changes:
        text = "{hours} hours: at {time} the clocks go back by {by}" if change.by < 0 else (
            "{hours} hours: at {time} the clocks go forward by {by}"
        )  # fmt: skip
        before = day.local(change.at - 1)
        time = f"{before + timedelta(seconds=1):%H:%M}"
        parts.append(tr(text, hours=f"{day.hours:g}", time=time, by=length_text(abs(change.by))))
    return "  ·  ".join(parts)
