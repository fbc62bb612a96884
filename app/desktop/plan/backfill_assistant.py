"""The assistant for past times: what would be run is shown at once, and is run with one button."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QDate, QDateTime, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDateEdit, QLineEdit, QSpinBox, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, trn
from app.desktop.kernel.link import Request
from app.desktop.kernel.reasons import error_line
from app.desktop.plan.backfill_rows import DECISIONS, ORDERS, REPROCESSED, summary
from app.desktop.run.throttle import Throttle
from app.desktop.widgets.layouts import hbox, resize_within_screen, vbox
from app.desktop.widgets.pane_widgets import choices, form, plain
from app.desktop.widgets.questions import do_or_cancel
from app.desktop.widgets.reading_order import ReadingDialog
from app.desktop.widgets.table import Row, TableView
from engine.model.errors import SkerryError
from engine.runtime.timing.backfill_request import BackfillRequest

_INTERVAL = 200  # milliseconds between two dry runs
_MOST = 10_000


class BackfillAssistant(ReadingDialog):
    """``started`` brings the number of the backfill that was begun."""

    started = Signal(int)

    def __init__(self, console: Console, tasks: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self._changed = False  # the fields, since the latest dry run was asked for
        self.setWindowTitle(tr("Run past times"))
        resize_within_screen(self, 980, 640)
        self.task = QComboBox()
        self.task.addItems(list(tasks))
        self.task.setMinimumContentsLength(8)
        self.task.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        yesterday = QDate.currentDate().addDays(-1)
        self.first, self.last = _day(yesterday), _day(yesterday)
        self.order, self.reprocess = choices(ORDERS), choices(REPROCESSED)
        self.parallel = QSpinBox(minimum=1, maximum=_MOST)
        self.downstream = QCheckBox(tr("then also the tasks that depend on it"))
        self.ignoring = QCheckBox(tr("without waiting for other tasks"))
        self.reason = QLineEdit(placeholderText=tr("Why, for those who come after you"))
        self.times = TableView(console, "What would be run", DECISIONS, _time, self)
        self.times.empty.say("There is no scheduled time in that range.")
        self.summary = plain(bold=True)
        self.buttons, self.start_button = do_or_cancel(self, tr("Run them"), self.start)
        self._again = Throttle(self._preview, _INTERVAL, self)
        self._lay_out()
        self._connect()
        self._look()

    def _lay_out(self) -> None:
        left = form(("Task", self.task), ("First day", self.first), ("Last day", self.last),
                    ("Reason", self.reason))  # fmt: skip
        right = form(("Which times", self.reprocess), ("Order", self.order), ("At once", self.parallel))
        right.addRow(self.downstream)
        right.addRow(self.ignoring)
        fields = hbox((left, 1), (right, 1), spacing=24)
        vbox(fields, (self.times, 1), self.summary, self.buttons, inside=self, margins=12, spacing=8)

    def _connect(self) -> None:
        for box in (self.task, self.order, self.reprocess):
            box.currentIndexChanged.connect(self._look)
        for day in (self.first, self.last):
            day.dateChanged.connect(self._look)
        for tick in (self.downstream, self.ignoring):
            tick.toggled.connect(self._look)

    def request(self) -> BackfillRequest:
        """What the fields say; the day of today ends now."""
        first, last = self.first.date(), self.last.date()
        until = _now() if last == QDate.currentDate() else last.toString(Qt.DateFormat.ISODate)
        return BackfillRequest(
            self.task.currentText(),
            first.toString(Qt.DateFormat.ISODate),
            until,
            self.order.currentData(),
            self.parallel.value(),
            self.reprocess.currentData(),
            self.downstream.isChecked(),
            self.ignoring.isChecked(),
            folder=os.getcwd(),
            reason=self.reason.text().strip(),
        )

    # -- what it comes to --------------------------------------------------------------------------

    def _look(self, _: Any = None) -> None:
        self._changed = True
        self.start_button.setEnabled(False)
        self._again.ask()

    def _preview(self) -> Request:
        request, self._changed = self.request(), False
        self.summary.setText(tr("Looking…"))
        return self._console.link.ask(
            lambda service: service.preview_backfill(request), self._show, owner=self, failed=self._refused
        )

    def _show(self, times: Sequence[Row]) -> None:
        self.times.show_rows(times)
        self.summary.setText(summary(times))
        run = sum(each["decision"] != "leave" for each in times)
        self.start_button.setText(trn(run, "Run 1 time", "Run {n} times"))
        self.start_button.setEnabled(run > 0 and not self._changed and self._console.link.writable)

    def _refused(self, error: SkerryError) -> None:
        self.start_button.setEnabled(False)
        self.times.show_rows([])
        self.summary.setText(error_line(error))

    def start(self) -> None:
        """Begin it, and close."""
        request = self.request()
        self.start_button.setEnabled(False)
        self._console.link.ask(
            lambda service: service.start_backfill(request), self._begun, owner=self, failed=self._refused
        )

    def _begun(self, number: int) -> None:
        self.started.emit(number)
        self.accept()


def _day(date: QDate) -> QDateEdit:
    made = QDateEdit(date)
    made.setCalendarPopup(True)
    made.setDisplayFormat("yyyy-MM-dd")
    made.setMaximumDate(QDate.currentDate())
    return made


def _now() -> str:
    now = QDateTime.currentDateTime()
    return now.toOffsetFromUtc(now.offsetFromUtc()).toString(Qt.DateFormat.ISODate)


def _time(row: Row) -> object:
    return row["task"], row["time"]
