"""Short dialogs of the window: about, a failure, what a report is for. All of it plain text."""

from __future__ import annotations

import shutil
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app.desktop.kernel.language import tr
from app.desktop.widgets.questions import message_box
from engine import __version__


def about(parent: QWidget, workspace: Path) -> None:
    box = message_box(
        parent,
        tr("About Skerry"),
        tr("Skerry {version}", version=__version__),
        tr("Workspace: {path}", path=str(workspace)),
    )
    box.exec()


def failed(parent: QWidget | None, report: Path, summary: str) -> None:
    """The window failed at something; the report can be carried out."""
    box = message_box(
        parent,
        tr("Something went wrong in the window"),
        summary,
        tr("Running work is not touched by this. A report was written: {path}", path=str(report)),
    )
    box.setIcon(QMessageBox.Icon.Warning)
    save = box.addButton(tr("Save the report as…"), QMessageBox.ButtonRole.ActionRole)
    go_on = box.addButton(tr("Go on"), QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(go_on)
    box.exec()
    if box.clickedButton() is save:
        save_as(parent, report)


def save_as(parent: QWidget | None, report: Path) -> Path | None:
    """Copy a report to where the person wants it: a stick, say."""
    chosen, _ = QFileDialog.getSaveFileName(parent, tr("Save the report as…"), report.name)
    if not chosen:
        return None
    shutil.copyfile(report, chosen)
    return Path(chosen)
