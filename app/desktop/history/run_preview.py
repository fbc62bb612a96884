"""A look at one run without leaving the history: what it is, its jobs, why it failed."""

from __future__ import annotations

from PySide6.QtWidgets import QTreeWidgetItem, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.reasons import error_line, failure_line, what_is_wrong
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.times import local, took_text
from app.desktop.kernel.visible_text import visible
from app.desktop.run.node_states import member_name
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import tree
from app.desktop.widgets.plain_label import PlainLabel, beginning, tip_text
from engine.api.documents import JobDocument, RunDocument
from engine.model.message import message_in

_SHOWN, _VALUE = 600, 120  # characters of a text, of a parameter
_MOST = 500  # jobs listed; those that went wrong come first
_ORDER = {"failed": 0, "timed_out": 0, "lost": 0, "running": 1}


class RunPreview(QWidget):
    """Shows one instance's document, read through the link."""

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self._instance: int | None = None
        self.title, self.error = PlainLabel(), PlainLabel()
        self.jobs = tree("Jobs of the run", ("Job", "Status", "Duration"), stretch=0)
        vbox(self.title, self.error, (self.jobs, 1), 0, inside=self)
        self.jobs.hide()
        translated(self, self._retranslate)

    def show_instance(self, instance: int) -> None:
        self._instance = instance
        self._console.link.ask(
            lambda service: service.instance(instance),
            self._show,
            owner=self,
            failed=lambda error: self.error.setText(error_line(error)),
        )

    def _retranslate(self) -> None:
        if self._instance is None:
            self.title.setText(tr("Choose a run and press Space to look at it here."))
        else:
            self.show_instance(self._instance)

    def _show(self, run: RunDocument) -> None:
        if run["instance"] != self._instance:
            return
        word = tr(look_of(run["status"]).word)
        took = took_text(run["started_at"], run["ended_at"])
        params = ", ".join(
            f"{name} = {beginning(str(value), _VALUE)}" for name, value in run["params"].items()
        )
        lines = [f"#{run['instance']}  {run['task']}  {word}  {took}", local(run["scheduled_time"]), params]
        self.title.setText(beginning("\n".join(line for line in lines if line), _SHOWN))
        self.error.setText(beginning(failure_line(run["error_code"], message_in(run)), _SHOWN))
        self.error.setVisible(bool(run["error_message"]))
        self._fill(run["jobs"])

    def _fill(self, jobs: list[JobDocument]) -> None:
        self.jobs.show()
        self.jobs.clear()
        chosen = sorted(jobs, key=lambda job: _ORDER.get(job["status"], 2))[:_MOST]
        for job in chosen:
            look = look_of(job["status"])
            took = took_text(job["started_at"], job["ended_at"])
            item = QTreeWidgetItem([visible(member_name(job["node"], job["index"])), tr(look.word), took])
            item.setIcon(1, self._console.status_icon(job["status"]))
            item.setToolTip(0, tip_text(what_is_wrong(job)))
            self.jobs.addTopLevelItem(item)
