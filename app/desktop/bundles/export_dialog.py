"""The export assistant: which runs, for whom, how much; what would leave the site; then the bundle."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QFileDialog,
    QLineEdit,
    QTreeWidgetItem,
    QWidget,
)

from app.desktop.bundles.bundle_dialog import WorkDialog, add_row, keys_at, recipients, steps
from app.desktop.bundles.removable import LAST, medium, mounted, place_for
from app.desktop.bundles.replaced_lines import ReplacedLines
from app.desktop.bundles.run_picker import RunPicker
from app.desktop.kernel.console import Console
from app.desktop.kernel.dropped_files import Takes, takes_files
from app.desktop.kernel.language import tr, translated, trn
from app.desktop.kernel.worker_thread import Cancelled, Report
from app.desktop.widgets.layouts import hbox, resize_within_screen
from app.desktop.widgets.pane_widgets import button, form, holder, tree, worded
from engine.model.errors import SkerryError
from engine.model.quantities import size_bytes
from engine.runtime.clock import SystemClock
from engine.secrets.vault import Vault
from export_import.export import export, preview
from export_import.export_request import ExportPreview, ExportRequest, Result
from export_import.export_source import InstanceChoice
from export_import.replacements import Replacement, replacements

_COLUMNS, _BEFORE = ("File", "Bytes", "Replaced"), "Preview shows what would be written."
_SHOWN = 2000  # files listed in the preview


class ExportDialog(WorkDialog):
    """For the runs ``chosen`` (``12``, ``12:load``). ``written`` is the finished bundle's path."""

    def __init__(self, console: Console, chosen: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self.written: Path | None = None
        self.runs = QLineEdit(" ".join(chosen))
        self.recipient = recipients(console.workspace)
        self.recipient.setCurrentIndex(min(1, self.recipient.count() - 1))
        self.redact = worded(QCheckBox(), "Replace secrets, hosts, addresses and users")
        self.redact.setChecked(True)
        self.passphrase = QLineEdit()
        self.passphrase.setEchoMode(QLineEdit.EchoMode.Password)
        self.budget = QLineEdit()
        self.volume = QLineEdit()
        place = place_for(console, console.workspace, medium(mounted()))
        self.target = QLineEdit(str(place / _default_name(chosen)))
        takes_files(self.target, Takes.PATH)
        self.files = tree("What would be written", _COLUMNS, widths=(420, 110, 200), empty=_BEFORE)
        self.files.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._without: set[str] = set()  # files that the person leaves out
        self.replaced = button("What is &replaced…", self.show_replaced)
        self.look = self.add_action("&Preview", self.preview)
        self.write = self.add_action("&Write the bundle", self.export)
        self._fill()
        self._connect()
        translated(self, self._retranslate)

    # layout

    def _fill(self) -> None:
        resize_within_screen(self, 820, 620)
        place = holder(hbox((self.target, 1), button("Choose…", self._choose_target), margins=0))
        runs = holder(hbox((self.runs, 1), button("Choose…", self.choose_runs), margins=0))
        self.body.addLayout(form(
            ("Runs", runs), ("For", self.recipient), ("Privacy", self.redact),
            ("Passphrase of the secrets", self.passphrase), ("At most", self.budget),
            ("Split into", self.volume), ("Write to", place),
        ))  # fmt: skip
        self.body.addWidget(self.files, 1)
        self.body.addLayout(hbox(0, self.replaced, margins=0))
        self.write.setDefault(True)

    def _connect(self) -> None:
        self.recipient.currentIndexChanged.connect(lambda _: self._warn())
        self.redact.toggled.connect(lambda _: self._warn())
        self.files.itemChanged.connect(self._leave_out)
        self.files.currentItemChanged.connect(lambda *_: self._offer_replaced())
        self.files.itemActivated.connect(lambda *_: self.show_replaced())
        self._offer_replaced()

    def _retranslate(self) -> None:
        self.setWindowTitle(tr("Export a diagnostic bundle"))
        self.passphrase.setPlaceholderText(tr("Only where the secrets are locked"))
        self.budget.setPlaceholderText(tr("no limit; for example 200 MB"))
        self.volume.setPlaceholderText(tr("no parts; for example 2 GB for small media"))
        self._warn()

    # what is chosen

    def _choose_target(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(self, tr("Write to"), self.target.text())
        if chosen:
            self.target.setText(chosen)

    def _warn(self) -> None:
        """What an operator should know before he gives it away."""
        lines = []
        if not self.recipient.currentData():
            lines.append(tr("It is not encrypted: whoever finds the stick can read it."))
        if not self.redact.isChecked():
            lines.append(tr("Secrets and names are left in it."))
        self.said.setForegroundRole(QPalette.ColorRole.BrightText)
        self.said.setText("\n".join(lines))

    def _wanted(self) -> ExportRequest:
        """What is chosen; SkerryError or ValueError when it cannot be meant."""
        choices = tuple(
            InstanceChoice.of_text(text.lstrip("#")) for text in self.runs.text().replace(",", " ").split()
        )
        key = str(self.recipient.currentData() or "")
        to = (keys_at(self.console.workspace).recipient_for(key),) if key else ()
        return ExportRequest(
            choices, to, self.redact.isChecked(), _size(self.budget.text()), _size(self.volume.text()),
            frozenset(self._without),
        )  # fmt: skip

    def _vault(self) -> Vault | None:
        if not self.redact.isChecked():
            return None
        vault = Vault(self.console.workspace / "secrets.vault", os.environ)
        if self.passphrase.text() and vault.exists:
            vault.unlock(passphrase=self.passphrase.text())
        return vault

    def choose_runs(self) -> None:
        """Tick runs in a list instead of typing their numbers."""
        picker = RunPicker(self.console, self.runs.text().replace(",", " ").split(), self)
        picker.picked.connect(lambda chosen: self.runs.setText(" ".join(chosen)))
        picker.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        picker.open()

    def _leave_out(self, item: QTreeWidgetItem) -> None:
        """A file whose box was cleared stays here."""
        if item.flags() & Qt.ItemFlag.ItemIsUserCheckable:
            gone = item.checkState(0) is Qt.CheckState.Unchecked
            (self._without.add if gone else self._without.discard)(item.text(0))

    def _offer_replaced(self) -> None:
        item = self.files.currentItem()
        self.replaced.setEnabled(item is not None and bool(item.data(0, Qt.ItemDataRole.UserRole)))

    def show_replaced(self) -> None:
        """The lines of the selected file that are changed, as they are here and as they would be there."""
        item = self.files.currentItem()
        if self.task.busy or item is None or not item.data(0, Qt.ItemDataRole.UserRole):
            return
        name = item.text(0)
        wanted, vault, root = self._wanted(), self._vault(), self.console.workspace

        def read(_report: Report, _cancelled: Cancelled) -> tuple[Replacement, ...]:
            return replacements(root, wanted, name, clock=SystemClock(), vault=vault)

        def show(found: tuple[Replacement, ...]) -> None:
            shown = ReplacedLines(name, found, self)
            shown.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            shown.open()

        self.begin(read, show)

    # work

    def preview(self) -> None:
        """Read everything and show what would be written; nothing is."""
        self._begin(partial(preview, self.console.workspace))

    def export(self) -> None:
        self._begin(partial(export, self.console.workspace, Path(self.target.text())))

    def _begin(self, work: Callable[..., ExportPreview | Result]) -> None:
        try:
            wanted, vault = self._wanted(), self._vault()
        except (SkerryError, ValueError) as error:
            self.show_error(error)
            return
        self.files.clear()
        self.said.setForegroundRole(QPalette.ColorRole.WindowText)

        def begun(report: Report, cancelled: Cancelled) -> ExportPreview | Result:
            clock, progress = SystemClock(), steps(report)
            return work(wanted, clock=clock, vault=vault, progress=progress, cancelled=cancelled)

        self.begin(begun, self._show_answer)

    def _show_answer(self, answer: ExportPreview | Result) -> None:
        if isinstance(answer, ExportPreview):
            self._show_preview(answer)
        else:
            self._show_result(answer)

    def _show_preview(self, found: ExportPreview) -> None:
        for each in found.files[:_SHOWN]:
            replaced = ", ".join(f"{rule} {count}" for rule, count in sorted(each.redactions.items()))
            row = add_row(
                self.files, each.name, f"{each.size:,}", replaced, data=sum(each.redactions.values())
            )
            if not each.needed:
                row.setCheckState(0, Qt.CheckState.Checked)
        for omitted in found.omitted:
            row = add_row(self.files, omitted.name, tr("left out"), tr(omitted.reason))
            if omitted.name in self._without:
                row.setCheckState(0, Qt.CheckState.Unchecked)
        self.said.setText(
            "\n".join([
                trn(len(found.files), "{n} file, {size} bytes before compression",
                    "{n} files, {size} bytes before compression", size=f"{found.size:,}"),
                *found.remarks,
            ])
        )  # fmt: skip

    def _show_result(self, done: Result) -> None:
        self.written = done.path
        self.console.settings.set(LAST, str(done.path.parent))
        for omitted in done.omitted:
            add_row(self.files, omitted.name, tr("left out"), omitted.reason)
        lines = [
            tr("The bundle is written: {path}", path=done.path),
            trn(done.files, "{n} file, {size} bytes on the medium", "{n} files, {size} bytes on the medium",
                size=f"{done.size:,}"),
            tr("Encrypted and signed.") if done.encrypted else tr("Signed, but not encrypted."),
            *done.remarks,
        ]  # fmt: skip
        self.said.setText("\n".join(lines))
        self.leave.setDefault(True)  # Enter writes it once
        self.leave.setFocus()


def _size(text: str) -> int | None:
    """A size as people write it; ValueError when it is none."""
    text = text.strip()
    try:
        return None if not text else int(size_bytes(int(text) if text.isdigit() else text))
    except ValueError as error:
        raise ValueError(tr("{size} is no size: for example 200 MB", size=text)) from error


def _default_name(chosen: Sequence[str]) -> str:
    numbers = "-".join(each.partition(":")[0] for each in list(chosen)[:3]) or "runs"
    return f"skerry-{numbers}-{SystemClock().now():%Y%m%d-%H%M%S}.skerry"
