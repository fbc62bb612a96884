"""Exceptions: from each one place leads to its job, its context, its queue entry and the choice of rerun."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtWidgets import QCheckBox, QGridLayout, QWidget

from app.desktop.codes.columns import EXCEPTIONS
from app.desktop.codes.page import Page
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.error_codes import Codes
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.overview import Snapshot
from app.desktop.kernel.reasons import failure_fact, in_words, reason_of
from app.desktop.kernel.subject import Subject
from app.desktop.kernel.times import when
from app.desktop.run.handler_links import handler_that_ran
from app.desktop.widgets.pane_widgets import button, choices, worded
from app.desktop.widgets.questions import Asking
from app.desktop.widgets.roomy_buttons import PushButton
from app.desktop.widgets.table import Row
from engine.api.documents import ExceptionQuery, RunDocument
from engine.api.service import Service
from engine.model.message import message_in
from engine.model.names import is_handler

_NEWEST = 1000
ANSWERS = {
    "retry": "Try it again",
    "skip": "Skip it",
    "succeed": "Count it as succeeded",
    "fail": "Count it as failed",
    "discard": "Discard it",
}


class ExceptionsPage(Page):
    """The newest first; only open ones unless asked for all."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(console, "Exceptions", EXCEPTIONS, parent)
        self.table.empty.say("No exceptions.")
        self._codes = Codes()
        self._wanted: int | None = None
        self.whole: dict[str, Any] | None = None
        self._ran: str | None = None  # the handler of the task's end
        self.all = worded(QCheckBox(self), "Also handled ones")
        self.all.toggled.connect(lambda _on: self.refresh())
        self.bar.addWidget(self.all)
        self.job = button("Job with its error", lambda: self._go("error"))
        self.context = button("Context", lambda: self._go("context"))
        self.queue = button("Queue entry", lambda: self._go_to("queue", "job_instance"))
        self.rerun = button("Rerun…", lambda: self._go("rerun"))
        self.code = button("Error code", lambda: self._go_to("code", "code"))
        self.handler = button("Handler that ran", self._go_to_handler)
        self.answer = PushButton(self)
        grid = QGridLayout()
        for place, each in enumerate(
            (self.job, self.context, self.queue, self.rerun, self.code, self.handler, self.answer)
        ):
            grid.addWidget(each, place // 2, place % 2)
        self.under.addLayout(grid)
        self._connect()
        translated(self, lambda: self._show(self.whole))
        self.refresh()

    def subject(self) -> Subject | None:
        """The job that the selected exception is about."""
        row = self.table.current
        if row is None:
            return None
        message = failure_fact(row["code"], message_in(row))
        return Subject(row["task"], row["instance"], row["node"], code=row["code"], message=message)

    def refresh(self) -> None:
        query = ExceptionQuery(status=None if self.all.isChecked() else "open", limit=_NEWEST)
        self.console.link.ask(lambda service: service.exceptions(query), self._came, owner=self)

    def show_row(self, id: str) -> None:
        self._wanted = int(id)
        self.search.clear()
        if not self.table.select(self._wanted):
            self.all.setChecked(True)
            self.refresh()

    def _connect(self) -> None:
        self.table.looked_at.connect(self._look)
        self.table.chosen.connect(lambda _row: self._go("error"))
        self.answer.clicked.connect(self._answer)
        self.console.overview.refreshed.connect(self._beat)

    def _beat(self, snapshot: Snapshot) -> None:
        open_ones = {row["id"] for row in snapshot.exceptions}
        shown = {row["id"] for row in self.table.shown if row["status"] == "open"}
        if open_ones != shown:
            self.refresh()

    def _came(self, rows: list[dict[str, Any]]) -> None:
        self.table.show_rows(rows)
        if self._wanted is not None and self.table.select(self._wanted):
            self._wanted = None
        if self.table.current is None:
            self._show(None)

    def _look(self, row: Row | None) -> None:
        if row is None:
            return self._show(None)
        id = int(row["id"])
        self.console.link.ask(lambda service: service.exception(id), self._show, owner=self)

    def _show(self, whole: dict[str, Any] | None) -> None:
        current = self.table.current
        if whole is not None and (current is None or current["id"] != whole["id"]):
            return  # another one was selected meanwhile
        self.whole, self._ran = whole, None
        if whole is not None and whole["instance"] is not None and not is_handler(whole["node"] or ""):
            self._look_for_handler(whole["id"], int(whole["instance"]))
        self.facts.show_facts(self._facts(whole) if whole else ())
        self._enable()

    def _look_for_handler(self, exception: int, instance: int) -> None:
        def came(run: RunDocument) -> None:
            if self.whole is not None and self.whole["id"] == exception:
                self._ran = handler_that_ran(run["jobs"])
                self._enable()

        ask = self.console.link.ask
        ask(lambda service: service.instance(instance), came, owner=self, failed=lambda _: None)

    def _facts(self, whole: dict[str, Any]) -> list[tuple[str, str]]:
        known = self._codes.explain(int(whole["code"]), self.console.language.current)
        place = f"{whole['task']} #{whole['instance']} · {whole['node']}"
        handled = f"{whole['handled_by'] or ''} {failure_fact(None, message_in(whole, 'note'))}".strip()
        return [
            ("Code", known.text if known else str(whole["code"])),
            ("Message", failure_fact(whole["code"], message_in(whole, "message"))),
            ("Where", place),
            ("When", when(whole["created_at"])),
            ("In the context", str(whole["context"])),
            ("Why it waits", in_words(reason_of(whole))),
            ("Handled by", handled),
            ("Cause", known.cause if known else ""),
            ("What to do", known.remedy if known else ""),
            (
                "On the command line",
                "\n".join(line for lines in whole["commands"].values() for line in lines),
            ),
        ]

    def _enable(self) -> None:
        whole, writable = self.whole, self.console.link.writable
        has_run = whole is not None and whole["instance"] is not None
        for each in (self.job, self.context, self.rerun):
            each.setEnabled(has_run)
        self.queue.setEnabled(has_run and whole is not None and whole["job_status"] in ("queued", "busy"))
        self.code.setEnabled(whole is not None)
        self.handler.setEnabled(self._ran is not None)
        self.answer.setEnabled(writable and whole is not None and whole["status"] == "open")
        waits = whole is not None and whole["waits"]
        self.answer.setText(tr("Answer…") if waits else tr("Close the exception…"))

    def _go(self, detail: str) -> None:
        whole = self.whole
        if whole is not None and whole["instance"] is not None:
            target = Target("instance", str(whole["instance"]), node=whole["node"], detail=detail)
            self.console.navigator.go(target)

    def _go_to(self, kind: str, key: str) -> None:
        if self.whole is not None:
            self.console.navigator.go(Target(kind, str(self.whole[key])))

    def _go_to_handler(self) -> None:
        if self.whole is not None and self._ran is not None:
            self.console.navigator.go(Target("instance", str(self.whole["instance"]), node=self._ran))

    def _answer(self) -> None:
        if self.whole is None:
            return
        id, waits = int(self.whole["id"]), bool(self.whole["waits"])
        text = tr("The job waits for this answer.") if waits else tr("It is marked as handled; nothing runs.")
        asked = Asking(self, self.answer.text().removesuffix("…"), text, tr("Do it"))
        choice = choices(ANSWERS)
        if waits:
            asked.add(tr("Answer"), choice)
        reason = asked.line(tr("Reason"), needed=True)

        def make() -> Callable[[Service], Any]:
            answer, why = (choice.currentData() if waits else None), reason.text()
            return lambda service: service.handle(id, why, answer)

        asked.carry_out(self.console.link, make, lambda _: self._done(), reason)

    def _done(self) -> None:
        self.console.navigator.notify(tr("The exception is handled"))
        self.console.overview.soon()
        self.refresh()
