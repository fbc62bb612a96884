"""The case beside another one, a bundle or this workspace: what differs between two runs of a task."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QComboBox, QFileDialog, QTreeWidgetItem, QWidget

from app.desktop.bundles.bundle_dialog import add_row
from app.desktop.bundles.desk_panes import RowsPane
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.times import length_text
from app.desktop.kernel.visible_text import visible
from app.desktop.kernel.worker_thread import Cancelled, Report
from app.desktop.run.context_rows import whole
from app.desktop.widgets.layouts import filled, hbox
from app.desktop.widgets.pane_widgets import button, named, tree
from app.desktop.widgets.plain_label import beginning
from engine.runtime.clock import SystemClock
from export_import.case import cases_at
from export_import.desk.comparing import compare, pair
from export_import.desk.evidence import Evidence, folder_at

_GROUPS = {
    "statuses": "Outcomes",
    "results": "Results",
    "params": "Parameters",
    "versions": "Versions",
    "configuration": "Settings",
    "environment": "Environment",
}
_LONGEST = 200  # characters of a value

_BEFORE = "Nothing was compared yet."


class ComparePane(RowsPane):
    """Chosen is a case of this workspace, the workspace itself, or a bundle from anywhere."""

    def __init__(self, console: Console, site: Console, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(console, folder, parent)
        self._site = site
        self.others = named(QComboBox(), "Compare with")
        self.rows = tree(
            "Differences", ("What", "This case", "The other"), widths=(360, 260, 260), empty=_BEFORE
        )
        self.rows.setRootIsDecorated(True)
        head = hbox((self.others, 1), button("Choose…", self._ask))
        filled(self.column, head, (self.rows, 1), self.said)
        self.others.activated.connect(lambda _: self.compare_with(self.others.currentData()))
        self.task.done.connect(self._show)
        translated(self, self._retranslate)

    def compare_with(self, path: Path | None) -> None:
        """Compare with the same task's newest run there; a bundle is unpacked for as long as that takes."""
        if path is None or not self.instance:
            return
        here, instance, root = self.folder, self.instance, self._site.workspace

        def work(report: Report, cancelled: Cancelled) -> Any:
            with (
                folder_at([path], root, SystemClock()) as there,
                Evidence.open(here) as one,
                Evidence.open(there) as other,
            ):
                return compare(one, instance, other, pair(one, other, instance)[1])

        self.task.start(work)

    def _ask(self) -> None:
        title, kinds = tr("Choose a bundle"), tr("Bundles (*.skerry BUNDLE.json)")
        chosen, _ = QFileDialog.getOpenFileName(self, title, filter=kinds)
        if chosen:
            path = Path(chosen)
            self.compare_with(path.parent if path.name == "BUNDLE.json" else path)

    def _show(self, found: Any) -> None:
        self.rows.clear()
        for key, title in _GROUPS.items():
            self._group(tr(title), [(each.name, each.a, each.b) for each in getattr(found, key)])
        took = [(each.node or tr("The whole run"), length_text(each.a), length_text(each.b))
                for each in found.durations if each.notable]  # fmt: skip
        self._group(tr("Durations"), took)
        self._group(tr("Definitions"), [(line, None, None) for line in found.definitions])
        numbers = {"a": found.a, "b": found.b}
        same = tr("Nothing differs but the times (run {a} here, run {b} there).", **numbers)
        differs = tr("Run {a} here, run {b} there.", **numbers)
        self.said.setText(same if found.same else differs)

    def _group(self, title: str, rows: list[tuple[str, Any, Any]]) -> None:
        if not rows:
            return
        head = add_row(self.rows, title)
        for name, a, b in rows:
            head.addChild(QTreeWidgetItem([visible(name), _text(a), _text(b)]))
        head.setExpanded(True)

    def _retranslate(self) -> None:
        self.others.clear()
        self.others.addItem(tr("Compare with…"), None)
        for name, path in _known(self._site.workspace, self.folder):
            self.others.addItem(name or tr("This workspace"), path)


def _known(workspace: Path, here: Path) -> Iterator[tuple[str, Path]]:
    found, _ = cases_at(workspace)
    yield from ((case.name, case.folder) for case in found if case.folder != here)
    yield "", workspace


def _text(value: Any) -> str:
    if value is None:
        return ""
    return visible(beginning(whole(value), _LONGEST))
