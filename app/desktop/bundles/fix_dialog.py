"""At the site: a fix, what it would change and run, applied with one click, taken back with another."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QWidget

from app import wiring
from app.desktop.bundles.bundle_dialog import (
    WorkDialog,
    add_row,
    code_box,
    code_text,
    differences,
    effects_table,
    letter_box,
    reason_for_taking_back,
    show_effects,
    signed_by,
)
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.times import local
from app.desktop.kernel.worker_thread import Cancelled, Report
from app.desktop.widgets.pane_widgets import named, plain, tabs, tree
from engine.api.service import Service
from engine.runtime.clock import SystemClock

_LOOK = 0.2  # seconds between two looks at the rerun
_WHAT = (("run", "runs again"), ("keep", "keeps its outcome"), ("skip", "is skipped"))


class FixDialog(WorkDialog):
    """The fix at ``paths``: verified before anything of it is read, then shown, then applied."""

    def __init__(self, console: Console, paths: Sequence[Path], parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self._paths = [Path(each) for each in paths]
        self._clock = SystemClock()
        self.applied: str | None = None
        self.head, self.letter = plain(), plain()
        self.definitions = named(code_box(console, read_only=True), "Definitions")
        self.values = tree("Values", ("Path", "Here", "Fix", "Reason"), widths=(250, 170, 170, 180))
        self.nodes = tree("What runs", ("Job", "What happens"), widths=(260, 260))
        self.effects = effects_table()
        self.seen: str | None = None
        self.apply_button = self.add_action("&Apply the fix", self.apply)
        self.undo_button = self.add_action("&Take it back…", self._ask_undo)
        self._fill()
        translated(self, lambda: self.setWindowTitle(tr("A fix")))
        self.begin(self._look, self._show)

    def _fill(self) -> None:
        self.resize(820, 620)
        self.body.addWidget(letter_box(self.head, self.letter))
        self.tabs = tabs("A fix", {
            "Definitions": self.definitions, "Values": self.values, "What runs": self.nodes,
            "What it does beyond that": self.effects,
        })  # fmt: skip
        self.body.addWidget(self.tabs, 1)
        self.undo_button.hide()

    # work

    def _look(self, report: Report, cancelled: Cancelled) -> Any:
        from export_import.fix.checking import open_fix
        from export_import.fix.preview import preview

        keys = self._keys()
        opened = open_fix(self._paths, keys, self._clock)
        with closing(wiring.open_reader(self.console.workspace)) as store:
            return preview(opened, self._service(), store, keys, self._clock)

    def apply(self) -> None:
        """All of it or nothing; then what it says runs again."""
        self.begin(self._apply, self._show_applied)

    def _apply(self, report: Report, cancelled: Cancelled) -> Any:
        from export_import.fix.applying import apply
        from export_import.fix.checking import open_fix

        keys = self._keys()
        opened = open_fix(self._paths, keys, self._clock)
        with closing(wiring.open_reader(self.console.workspace)) as store:
            return apply(opened, self._service(), store, keys, self._clock, seen=self.seen)

    def undo(self, reason: str) -> None:
        """Take back what was applied."""
        id = self.applied or ""
        self.begin(lambda report, cancelled: self._service().take_back(id, reason), self._show_undone)

    def _ask_undo(self) -> None:
        if reason := reason_for_taking_back(self, self.head.text()):
            self.undo(reason)

    def _keys(self) -> Any:
        from export_import.keys import Keys

        return Keys(self.console.workspace, self._clock)

    def _service(self) -> Service:
        return self.console.link.service()

    # what is shown

    def _show(self, found: Any) -> None:
        facts = {
            "title": found.title,
            "signer": signed_by(found.signer, self.console),
            "until": local(found.expires),
        }
        self.head.setText(tr("{title}\nSigned by {signer}, good until {until}", **facts))
        self.letter.setText(found.letter)
        self.letter.setVisible(bool(found.letter))
        self.definitions.setPlainText(differences(found.definitions) or tr("No definition changes."))
        for value in found.values:
            add_row(self.values, value.path, value.old, value.new, value.reason)
        for name, what in _WHAT:
            for node in (found.reruns or {}).get(name, ()):
                add_row(self.nodes, node, tr(what))
        self.seen = found.seen
        show_effects(self.effects, found.effects)
        self.tabs.setTabText(3, tr("What it does beyond that ({n})", n=len(found.effects)))
        self.apply_button.setEnabled(found.refused is None)
        if error := (found.reruns or {}).get("error"):
            self.said.setText(code_text(int(error["code"]), str(error["message"]), self.console))
        if found.refused:
            why = code_text(int(found.refused["code"]), str(found.refused["message"]), self.console)
            self.said.setText(tr("It cannot be applied: {why}", why=why))

    def show_error(self, error: Exception) -> None:
        super().show_error(error)
        self.apply_button.setEnabled(False)
        self.tabs.setVisible(bool(self.head.text()))  # nothing of it was read

    def _show_applied(self, done: Any) -> None:
        self.applied = str(done.record["id"])
        self.apply_button.hide()
        self.undo_button.show()
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
        from export_import.fix.applying import answer_to, receipt, write_receipt
        from export_import.fix.checking import open_fix

        keys = self._keys()
        opened = open_fix(self._paths, keys, self._clock)
        content = receipt(done.record, run, keys.fingerprint, self._clock)
        target = self.console.workspace / "bundles" / f"receipt-{done.record['id'][:12]}.skerry"
        return write_receipt(content, target, keys, self._clock, answer_to(opened.signer, keys))

    def _show_receipt(self, path: Path) -> None:
        self.said.setText(tr("The fix is applied. The receipt for the supporter: {path}", path=path))

    def _show_undone(self, record: Any) -> None:
        self.undo_button.hide()
        self.said.setText(tr("The fix is taken back."))
