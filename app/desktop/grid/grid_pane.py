"""The pane with the last runs of a task: a click shows a job, several jobs are rerun or settled together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from app.desktop.grid.grid_table import GridTable
from app.desktop.grid.run_grid import RunGrid, by_instance, read_grid
from app.desktop.kernel.actions import ActionSpec
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated, trn
from app.desktop.kernel.link import Request
from app.desktop.kernel.subject import Subject
from app.desktop.kernel.visibility import UpdatedPane, in_sight
from app.desktop.kernel.visible_text import visible
from app.desktop.run.confirmation import Confirm, Confirmation
from app.desktop.run.throttle import Throttle
from app.desktop.subjects.menu import offer_menu
from app.desktop.widgets.empty_words import EmptyWords
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import named, plain
from engine.api.documents import Document, Rerun
from engine.api.service import Service

_OFTEN = 1000  # milliseconds between two readings
_SHARE = 6
_LINES = 12  # of what will run
Chosen = Mapping[int, tuple[str, ...]]  # nodes by instance


class GridPane(UpdatedPane):
    """``chosen`` brings an instance and a node (empty: the whole run). ``mode`` is that of its actions.

    ``looked_at`` brings the Subject of the cell whose menu opens.
    """

    chosen = Signal(int, str)
    looked_at = Signal(object)

    def __init__(self, console: Console, mode: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console, self._mode = console, mode
        self._task: str | None = None
        self._was_read = True  # its runs are known; of no task there are none
        self._stale: set[int] = set()
        self.question: Confirm | None = None  # the one that is open
        self.title = plain(wrap=False)
        self.table = named(GridTable(console, self), "The last runs of the task")
        EmptyWords(self.table, "Each run is a column here, each node a row.")
        self._again = Throttle(self._read, _OFTEN, self, _SHARE)
        again = ActionSpec(f"{mode}.grid_rerun", "Rerun the selected jobs…", (), "rerun", "Run", 3, mode,
                           "All that are selected in the grid, with what comes after them")  # fmt: skip
        settle = ActionSpec(
            f"{mode}.grid_settle", "Settle the selected jobs…", (), "force", "Run", 3, mode,
            "All that are selected in the grid, by hand",
        )  # fmt: skip
        self.again = console.actions.add(again, self, self.rerun)
        self.settle = console.actions.add(settle, self, self.force)
        buttons = [QToolButton(self) for _ in range(2)]
        for button, action in zip(buttons, (self.again, self.settle), strict=True):
            button.setDefaultAction(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        vbox(hbox((self.title, 1), *buttons, margins=0), (self.table, 1), inside=self, margins=4, spacing=4)
        self._connect()
        translated(self, self._word)

    def _connect(self) -> None:
        self.table.chosen.connect(self.chosen)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._enable())
        self.table.cells.modelReset.connect(self._enable)
        own = (f"{self._mode}.grid_rerun", f"{self._mode}.grid_settle")
        self.table.customContextMenuRequested.connect(lambda _: self._look_at_cell())
        offer_menu(self.table, self._console.actions, own)
        self._console.link.changed.connect(self._heard)
        self._console.link.state_changed.connect(self._enable)
        self._console.theme.changed.connect(self.table.viewport().update)

    def show_task(self, task: str | None, instance: int | None = None) -> None:
        """The runs of a task; ``instance`` is what the other panes show."""
        self.table.mark(instance)
        if task != self._task:
            self._task, self._was_read = task, task is None
            self.table.show_grid(RunGrid(task or ""))
            self._word()
        self.refresh()

    def refresh(self) -> None:
        """Read soon; not while nobody sees it."""
        self._again.ask()

    def _read(self) -> Request | None:
        task = self._task
        if task is None or not in_sight(self):
            return None
        stale, self._stale = self._stale, set()
        known = {run.instance: run for run in self.table.cells.grid.runs if run.instance not in stale}
        return self._console.link.ask(
            lambda service: read_grid(service, task, datetime.now(UTC), known), self._show, owner=self,
            failed=lambda _: None,
        )  # fmt: skip

    def _show(self, grid: RunGrid) -> None:
        if grid.task == self._task:
            self._was_read = True
            self.table.show_grid(grid)
            self._word()

    def _heard(self, events: Sequence[Mapping[str, Any]]) -> None:
        changed = {each["instance"] for each in events if each.get("kind") in ("instance", "job")}
        if changed or any(each.get("kind") == "resync" for each in events):
            self._stale |= changed
            self.refresh()

    def _word(self) -> None:
        runs = len(self.table.cells.grid.runs)
        text = trn(runs, "{task}: its only run", "{task}: its last {n} runs, the newest on the right",
                   task=visible(self._task or ""))  # fmt: skip
        none = tr("No runs yet.") if self._was_read else tr("Reading…")
        self.title.setText(text if runs else none)
        self._enable()

    # -- several jobs at once ------------------------------------------------------------------

    def selected(self) -> Chosen:
        return by_instance(self.table.cells.grid, self.table.selected_cells())

    def _enable(self) -> None:
        chosen = self.selected()
        over = {run.instance for run in self.table.cells.grid.runs if run.over}
        writable = self._console.link.writable and bool(chosen)
        self.again.setEnabled(writable and set(chosen) <= over)
        self.settle.setEnabled(writable)

    def _look_at_cell(self) -> None:
        """Before its menu opens: what that is about."""
        grid, index = self.table.cells.grid, self.table.currentIndex()
        status = grid.status(index.row(), index.column()) if index.isValid() else None
        if status is not None:
            run = grid.runs[index.column()]
            self.looked_at.emit(Subject(grid.task, run.instance, grid.nodes[index.row()], run.status, status))

    def rerun(self) -> None:
        """Run the selected jobs and what comes after them again, after saying what that is."""
        wanted = [Rerun(instance, "from", nodes) for instance, nodes in self.selected().items()]

        def previewed(found: list[Document]) -> None:
            lines = _listed(
                {each.instance: tuple(one["run"]) for each, one in zip(wanted, found, strict=True)}
            )
            what = f"{tr('Runs again:')}\n{lines}"
            question = Confirmation(tr("Rerun the selected jobs"), what, tr("Rerun"))
            self._ask(question, lambda service, *_: service.rerun(wanted))

        ask = self._console.link.ask
        ask(lambda service: [service.preview(each) for each in wanted], previewed, owner=self,
            failed=self._console.refused)  # fmt: skip

    def force(self) -> None:
        """Settle all that are selected by hand, for one reason."""
        chosen = self.selected()
        what = f"{tr('Nothing is run; these only count as what you say:')}\n{_listed(chosen)}"
        choices = ((tr("succeeded"), "succeeded"), (tr("failed"), "failed"))
        question = Confirmation(
            tr("Settle the selected jobs"), what, tr("Settle them"), tr("They count as"), choices, reason=True
        )

        def settle(service: Service, state: str, reason: str) -> None:
            for instance, nodes in chosen.items():
                for node in nodes:
                    service.force(instance, node, state, reason)

        self._ask(question, settle)

    def _ask(self, question: Confirmation, call: Any) -> None:
        def agreed(value: Any, reason: str) -> None:
            self._console.link.ask(
                lambda service: call(service, value, reason), lambda _: self._done(), owner=self,
                failed=self._console.refused,
            )  # fmt: skip

        self.question = Confirm(question, agreed, self)
        self.question.open()

    def _done(self) -> None:
        self._stale |= {run.instance for run in self.table.cells.grid.runs}
        self._console.navigator.notify(tr("It is done."))
        self.refresh()


def _listed(chosen: Chosen) -> str:
    lines = [f"#{instance}: {', '.join(nodes)}" for instance, nodes in chosen.items()]
    return "\n".join(lines[:_LINES] + (["…"] if len(lines) > _LINES else []))
