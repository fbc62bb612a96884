"""What is wrong with the instance: failures, what waits for an answer, what does not start and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QTreeWidgetItem, QWidget

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.reasons import what_is_wrong
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.visibility import UpdatedPane, in_sight
from app.desktop.run.node_states import NEEDS_HELP, member_name
from app.desktop.run.reading import RunLook
from app.desktop.run.session import Session
from app.desktop.run.throttle import Throttle
from app.desktop.run.why import why_job
from app.desktop.run.why_line import said
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import row, tree
from engine.api.documents import JobDocument

_MOST = 200  # rows; nobody reads more of them


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """One row: the job, what is wrong in words, and what to look at (None: the job itself)."""

    job: JobDocument
    words: str
    target: Target | None = None


def problems(look: RunLook) -> Iterator[ProblemRow]:
    """What went wrong first, then what does not start."""
    for job in look.run["jobs"]:
        if job["status"] in NEEDS_HELP:
            code = f"{job['error_code']} " if job["error_code"] is not None else ""
            yield ProblemRow(job, f"{code}{what_is_wrong(job)}")
    if not look.unfinished:
        return
    for job in look.run["jobs"]:
        why = why_job(job, look) if job["status"] not in ("pending", "skipped") else None
        if why is not None:
            yield ProblemRow(job, said(why), why.blocker)


def _said(problem: ProblemRow) -> tuple[object, ...]:
    job = problem.job
    return job["node"], job["round"], job["index"], job["status"], problem.words


class ProblemsPane(UpdatedPane):
    """``gone`` brings a Target."""

    gone = Signal(object)

    def __init__(self, console: Console, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console, self._session = console, session
        self.found: list[ProblemRow] = []
        self._shown: object = None  # what the rows say
        self.table = tree("Problems", ("Status", "Job", "What is wrong"), stretch=2, empty="No problems.")
        vbox(self.table, inside=self, margins=0)
        self._again = Throttle(self.refresh, 300, self)
        session.looked.connect(lambda _: self._again.ask())
        session.selection.follow(
            lambda now, before: self._again.ask() if now.instance != before.instance else None
        )
        self.table.itemClicked.connect(lambda item, _: self._select(item))
        self.table.itemActivated.connect(lambda item, _: self._go(item))
        console.theme.changed.connect(self._anew)
        translated(self, self._anew)

    def _anew(self) -> None:
        self._shown = None
        self.refresh()

    def refresh(self) -> None:
        """List them again; not while nobody sees them."""
        look = self._session.look
        found = list(islice(problems(look), _MOST)) if look is not None and in_sight(self) else []
        self.found = found
        said = [_said(each) for each in found]
        if said == self._shown:
            return
        self._shown = said
        self.table.clear()
        for at, problem in enumerate(self.found):
            self.table.addTopLevelItem(self._item(at, problem))
        self.table.resizeColumnToContents(0)
        self.table.resizeColumnToContents(1)

    def _item(self, at: int, problem: ProblemRow) -> QTreeWidgetItem:
        job = problem.job
        item = row(
            (tr(look_of(job["status"]).word), member_name(job["node"], job["index"]), problem.words), at
        )
        item.setIcon(0, self._console.status_icon(job["status"]))
        return item

    def step(self, by: int) -> None:
        """Select the next problem, or the one before."""
        self.refresh()
        if not self.found:
            return
        current = self.table.currentItem()
        at = (self.table.indexOfTopLevelItem(current) + by) % len(self.found) if current else 0
        item = self.table.topLevelItem(at)
        if item is not None:
            self.table.setCurrentItem(item)
            self._select(item)

    def _select(self, item: QTreeWidgetItem) -> None:
        job = self.found[item.data(0, Qt.ItemDataRole.UserRole)].job
        self._session.selection.choose(node=job["node"], round=job["round"], index=job["index"])

    def _go(self, item: QTreeWidgetItem) -> None:
        self._select(item)
        problem = self.found[item.data(0, Qt.ItemDataRole.UserRole)]
        if problem.target is not None:
            self.gone.emit(problem.target)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.table.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self._go(item)
        else:
            super().keyPressEvent(event)
