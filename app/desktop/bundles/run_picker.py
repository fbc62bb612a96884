"""Choosing the runs of a bundle from a list, with a text to find them by."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QTreeWidgetItem, QWidget

from app.desktop.bundles.bundle_dialog import add_row
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import failure_line
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.times import local
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import named, tree
from app.desktop.widgets.questions import do_or_cancel
from app.desktop.widgets.reading_order import ReadingDialog
from app.desktop.widgets.tree_items import tops
from engine.api.documents import InstanceQuery, Summary
from engine.model.message import message_in

_NEWEST = 1000


class RunPicker(ReadingDialog):
    """``picked`` brings the choices (``12``, ``12:load``); one that was there before keeps its nodes."""

    picked = Signal(list)

    def __init__(self, console: Console, chosen: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self._console = console
        self._before = {each.lstrip("#").partition(":")[0]: each for each in chosen}
        self.setWindowTitle(tr("Choose runs"))
        self.resize(760, 480)
        self.text = named(QLineEdit(self), "Find a run", "Find a run")
        columns = ("Run", "Task", "Status", "Started", "Message")
        self.runs = tree("Runs", columns, widths=(90, 150, 110, 150), stretch=4, empty="No runs.")
        buttons, self.take = do_or_cancel(self, tr("Take these"), self._take)
        vbox(self.text, (self.runs, 1), buttons, inside=self)
        self.text.textChanged.connect(self._sift)
        self.runs.itemChanged.connect(lambda *_: self._enable())
        query = InstanceQuery(limit=_NEWEST)
        console.link.ask(lambda service: service.instances(query), self._show, owner=self,
                         failed=console.refused)  # fmt: skip
        self._enable()

    def _show(self, rows: Sequence[Summary]) -> None:
        self.runs.blockSignals(True)
        for row in rows:
            number, word = str(row["instance"]), tr(look_of(row["status"]).word)
            message = failure_line(row["error_code"], message_in(row))
            item = add_row(self.runs, f"#{number}", row["task"], word, local(row["started_at"]), message,
                           data=number)  # fmt: skip
            item.setIcon(2, self._console.status_icon(row["status"]))
            ticked = number in self._before
            item.setCheckState(0, Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        self.runs.blockSignals(False)
        self._sift()

    def _sift(self) -> None:
        wanted = self.text.text().strip().casefold()
        for item in tops(self.runs):
            item.setHidden(not any(wanted in item.text(at).casefold() for at in range(5)))
        self._enable()

    def _ticked(self) -> list[QTreeWidgetItem]:
        return [each for each in tops(self.runs) if each.checkState(0) is Qt.CheckState.Checked]

    def _enable(self) -> None:
        self.take.setEnabled(bool(self._ticked()))

    def _take(self) -> None:
        numbers = [str(each.data(0, Qt.ItemDataRole.UserRole)) for each in self._ticked()]
        self.accept()
        self.picked.emit([self._before.get(number, number) for number in numbers])
