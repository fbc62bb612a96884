"""A file that was dropped or chosen: what kind of bundle it is, and the window that shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from app.desktop.bundles.bundle_dialog import WorkDialog, code_text, keys_at, signed_by, steps
from app.desktop.bundles.delivery_dialog import DeliveryDialog
from app.desktop.bundles.fix_dialog import FixDialog
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.times import local
from app.desktop.kernel.worker_thread import Cancelled, Report
from app.desktop.widgets.layouts import resize_within_screen
from app.desktop.widgets.pane_widgets import plain
from engine.runtime.clock import SystemClock
from export_import.container import open_bundle
from export_import.fix.applying import read_receipt
from export_import.importing import import_bundle

_CHANGING = ("fix", "delivery")


class OpeningDialog(WorkDialog):
    """Verifies a bundle, says who signed it, then imports or shows it.

    ``show_case`` is called with the folder of the case that a diagnostic bundle became.
    """

    left = Signal()  # it and what it opened are closed: something may have changed

    def __init__(
        self,
        console: Console,
        paths: Sequence[Path],
        show_case: Callable[[Path], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(console, parent)
        self._paths = [Path(each) for each in paths]
        self._clock = SystemClock()
        self._show_case = show_case
        self._kind = ""
        self.opened: WorkDialog | None = None
        self.facts: QLabel = plain()
        resize_within_screen(self, 620, 320)
        self.body.addWidget(self.facts)
        self.body.addStretch()
        self.go_on = self.add_action("&Open", self.proceed)
        translated(self, lambda: self.setWindowTitle(tr("A bundle")))
        self.begin(self._look, self._show)

    def show_error(self, error: Exception) -> None:
        super().show_error(error)
        self.go_on.setEnabled(bool(self._kind))  # what cannot be read cannot be opened

    def _look(self, report: Report, cancelled: Cancelled) -> Any:
        return open_bundle(self._paths, keys_at(self.console.workspace), clock=self._clock)

    def _show(self, bundle: Any) -> None:
        self._kind = str(bundle.kind)
        kind = {
            "diagnostic": tr("A diagnostic bundle: it becomes a case, read only, beside your own runs."),
            "fix": tr("A fix: you will see what it changes before anything is changed."),
            "delivery": tr("A delivery: you will see what it brings before anything is changed."),
            "receipt": tr("A receipt: what became of a fix at its site."),
        }.get(self._kind, self._kind)
        trust = {
            "known": tr("Signed by a trusted key: {signer}"),
            "unknown": tr("Signed by a key that nobody here trusts yet: {signer}"),
            "revoked": tr("Signed by a REVOKED key: {signer}"),
            "unsigned": tr("Not signed: nobody can say who made it."),
            "replaced": tr("Signed with an old key AFTER it was replaced: {signer}"),
            "not_allowed": tr("Signed by a trusted key that may NOT send this: {signer}"),
        }[str(bundle.trust)].replace("{signer}", signed_by(bundle.signer, self.console))
        lines = [kind, trust, *(code_text(each.code, each.message, self.console) for each in bundle.findings)]
        if self._kind in _CHANGING and bundle.trust != "known":
            lines.append(
                tr("It is not opened: it would change this site, and its signer is not trusted here.")
            )
            self.go_on.setEnabled(False)
        if self._kind == "receipt":
            lines += self._receipt_lines(bundle)
            self.go_on.hide()
        self.facts.setText("\n\n".join(lines))

    def _receipt_lines(self, bundle: Any) -> list[str]:
        content = read_receipt(bundle)
        run = content["run"] or {}
        status = tr(look_of(run["status"]).word) if run.get("status") else "–"
        facts = {"fix": content["fix"][:12], "when": local(content["applied_at"]), "status": status}
        return [tr("Fix {fix} was applied at {when}; the run afterwards: {status}", **facts)]

    def proceed(self) -> None:
        """Import it, or show it."""
        if self._kind == "diagnostic":
            self.begin(self._import, self._imported)
            return
        shown = FixDialog if self._kind == "fix" else DeliveryDialog
        self.opened = shown(self.console, self._paths, self.parentWidget())
        self.opened.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.opened.finished.connect(lambda _: self.left.emit())
        self.opened.open()
        self.accept()

    def _import(self, report: Report, cancelled: Cancelled) -> Any:
        root = self.console.workspace
        progress = steps(report)
        return import_bundle(root, self._paths, clock=self._clock, progress=progress, cancelled=cancelled)

    def _imported(self, case: Any) -> None:
        self._show_case(case.folder)
        self.accept()
