"""At the site: a fix, what it would change and run, applied with one click, taken back with another."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QWidget

from app import wiring
from app.desktop.bundles.bundle_dialog import add_row, code_text, keys_at, signed_by
from app.desktop.bundles.package_dialog import PackageDialog
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr
from app.desktop.kernel.times import local
from app.desktop.kernel.worker_thread import Cancelled, Report
from app.desktop.widgets.pane_widgets import tree
from engine.api.service import Service
from engine.model.message import message_in
from export_import.fix.applying import answer_to, apply, receipt, write_receipt
from export_import.fix.checking import open_fix
from export_import.fix.preview import preview

_LOOK = 0.2  # seconds between two looks at the rerun
_JOBS = "Job", "What happens"
_WHAT = (("run", "runs again"), ("keep", "keeps its outcome"), ("skip", "is skipped"))


class FixDialog(PackageDialog):
    """The fix at ``paths``: verified before anything of it is read, then shown, then applied."""

    undone = "The fix is taken back."

    def __init__(self, console: Console, paths: Sequence[Path], parent: QWidget | None = None) -> None:
        super().__init__(console, paths, "A fix", "Definitions", parent)
        self.seen: str | None = None
        columns, widths = ("Path", "Here", "Fix", "Reason"), (250, 170, 170, 180)
        self.values = tree("Values", columns, widths=widths, empty="No values change.")
        self.nodes = tree("What runs", _JOBS, widths=(260, 260), empty="Nothing runs again.")
        self.apply_button = self.add_action("&Apply the fix", self.apply)
        pages = {"Definitions": self.diffs, "Values": self.values, "What runs": self.nodes}
        self.lay_out("A fix", pages)
        self.begin(self._look, self._show)

    # work

    def _look(self, report: Report, cancelled: Cancelled) -> Any:
        keys = keys_at(self.console.workspace)
        opened = open_fix(self.paths, keys, self.clock)
        with closing(wiring.open_reader(self.console.workspace)) as store:
            return preview(opened, self._service(), store, keys, self.clock)

    def apply(self) -> None:
        """All of it or nothing; then what it says runs again."""
        self.begin(self._apply, self._show_applied)

    def _apply(self, report: Report, cancelled: Cancelled) -> Any:
        keys = keys_at(self.console.workspace)
        opened = open_fix(self.paths, keys, self.clock)
        with closing(wiring.open_reader(self.console.workspace)) as store:
            return apply(opened, self._service(), store, keys, self.clock, seen=self.seen)

    def _service(self) -> Service:
        return self.console.link.service()

    # what is shown

    def _show(self, found: Any) -> None:
        facts = {"title": found.title, "signer": signed_by(found.signer, self.console)}
        head = tr("{title}\nSigned by {signer}, good until {until}", until=local(found.expires), **facts)
        self.show_changes(head, found.letter, found.definitions, tr("No definition changes."))
        for value in found.values:
            add_row(self.values, value.path, value.old, value.new, value.reason)
        for name, what in _WHAT:
            for node in (found.reruns or {}).get(name, ()):
                add_row(self.nodes, node, tr(what))
        self.seen = found.seen
        self.show_effects(found.effects)
        self.apply_button.setEnabled(found.refused is None)
        if error := (found.reruns or {}).get("error"):
            self.said.setText(code_text(int(error["code"]), message_in(error, "message"), self.console))
        if found.refused:
            refused = message_in(found.refused, "message")
            why = code_text(int(found.refused["code"]), refused, self.console)
            self.said.setText(tr("It cannot be applied: {why}", why=why))

    def show_error(self, error: Exception) -> None:
        super().show_error(error)
        self.apply_button.setEnabled(False)

    def _show_applied(self, done: Any) -> None:
        self.show_brought_in(done.record, self.apply_button)
        self.said.setText(tr("The fix is applied."))
        if done.instance is not None and done.run is not None:
            self.console.navigator.go(Target("instance", str(done.instance)))
        self._write_receipt(done)

    def _write_receipt(self, done: Any) -> None:
        """Later, when the rerun has ended: the receipt tells how."""
        if done.instance is None or done.run is None:
            self.begin(lambda report, cancelled: self._receipt(done, None), self._show_receipt)
        else:
            self.begin(lambda report, cancelled: self._receipt(done, self._seen_through(done, cancelled)),
                       self._show_receipt)  # fmt: skip

    def _seen_through(self, done: Any, cancelled: Cancelled) -> Any:
        """The run once it has ended, or as it is when the dialog is closed."""
        service = self._service()
        while True:
            run = service.instance(done.instance)
            if run["ended_at"] is not None or cancelled():
                return run
            time.sleep(_LOOK)

    def _receipt(self, done: Any, run: Any) -> Path:
        keys = keys_at(self.console.workspace)
        opened = open_fix(self.paths, keys, self.clock)
        content = receipt(done.record, run, keys, self.clock)
        target = self.console.workspace / "bundles" / f"receipt-{done.record['id'][:12]}.skerry"
        return write_receipt(content, target, keys, self.clock, answer_to(opened.signer, keys))

    def _show_receipt(self, path: Path) -> None:
        self.said.setText(tr("The fix is applied. The receipt for the supporter: {path}", path=path))
