"""What the dialogs on bundles have in common: long work with progress, a way to stop it, and plain words."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.reasons import failure_fact, failure_line
from app.desktop.kernel.visible_text import visible
from app.desktop.kernel.worker_thread import Report, Work, WorkerThread
from app.desktop.widgets.layouts import filled, vbox
from app.desktop.widgets.pane_widgets import Tall, button, column, holder, one_line, plain
from app.desktop.widgets.plain_label import beginning, tip_text
from app.desktop.widgets.reading_order import ReadingDialog
from engine.model.catalogue import engine_code
from engine.model.codes.commands import WRONG_USE
from engine.model.errors import SkerryError
from engine.model.plain_words import wording
from engine.runtime.clock import SystemClock
from export_import.keys import Keys

_KINDS = {"error": "catalogue entry", "group": "group of workers"}  # the others are called what they are
_MESSAGE = 1000  # characters of an error
_LETTER = 160  # pixels of a letter at most; the rest of it is scrolled to


class WorkDialog(ReadingDialog):
    """A dialog with a body, a line of words, and a row of buttons; ``begin`` runs work behind it."""

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.console = console
        self.task = WorkerThread(self)
        self.body = QVBoxLayout()
        self.said = plain()
        self.bar = QProgressBar()
        self.stop = button("&Stop", self.task.stop)
        self.leave = button("Close", self.reject)
        self.buttons = QHBoxLayout()
        self._actions: list[QPushButton] = []
        self._then: Callable[[Any], None] = lambda _: None
        self._lay_out()
        for each in (self.stop, self.leave):
            each.setAutoDefault(False)  # Enter is for what the dialog is about
        self.task.reported.connect(self._show_step)
        self.task.done.connect(self._finish)
        self.task.failed.connect(self.show_error)
        self._show_busy(False)

    def add_action(self, text: str, do: Callable[[], object]) -> QPushButton:
        """A button, with an English source text, that starts something; disabled while work is under way."""
        made = button(text, do)
        self.buttons.insertWidget(self.buttons.count() - 1, made)
        self._actions.append(made)
        return made

    def begin(self, work: Work, then: Callable[[Any], None]) -> None:
        """Do it on a thread; ``then`` gets the answer on this one."""
        self._then = then
        self.said.clear()
        self._show_busy(True)
        self.task.start(work)

    def show_error(self, error: Exception) -> None:
        """Say what went wrong, with its code."""
        self._show_busy(False)
        self.said.setText(beginning(error_text(error, self.console), _MESSAGE))

    def reject(self) -> None:
        self.task.end()
        super().reject()

    def _lay_out(self) -> None:
        filled(self.buttons, (self.bar, 1), 0, self.stop, self.leave)
        vbox((self.body, 1), self.said, self.buttons, inside=self)

    def _show_busy(self, busy: bool) -> None:
        self.stop.setVisible(busy)
        self.bar.setVisible(busy)
        self.bar.setRange(0, 0)
        for each in self._actions:
            each.setEnabled(not busy)

    def _show_step(self, step: Any) -> None:
        """A step has ``done`` and ``total``, and may have a ``name``."""
        done, total, name = step
        self.bar.setRange(0, 1000)
        self.bar.setValue(1000 * done // max(1, total))
        if name:
            self.said.setText(
                self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, self.width() - 60)
            )

    def _finish(self, answer: Any) -> None:
        self._show_busy(False)
        self._then(answer)


def error_text(error: Exception, console: Console) -> str:
    """What went wrong in the person's language, with its code and what helps."""
    if isinstance(error, SkerryError):
        return code_text(error.code, error.message, console)
    return wording(error)


def code_text(code: int, message: str, console: Console) -> str:
    """The message of a code, and what to do about it."""
    if code == WRONG_USE.number:  # of what was typed here; the code is that of the command line
        return failure_fact(code, message)
    entry, line = engine_code(code), f"{code}: {failure_line(code, message)}"
    if entry is None:
        return line
    remedy = entry.in_window(console.language.current)
    return f"{line}\n{remedy}"


def keys_at(root: Path) -> Keys:
    """The keys of the workspace in a folder."""
    return Keys(root, SystemClock())


def recipients(root: Path) -> QComboBox:
    """For whom a bundle is encrypted: nobody, or a trusted key, whose fingerprint is the data."""
    box = QComboBox()
    box.addItem("", "")
    for key in keys_at(root).trusted():
        if key.encryption and key.is_current:
            shown = key.name if key.name == key.id else f"{key.name}  ({key.id[:24]}…)"
            box.addItem(shown, key.id)
    translated(box, lambda: box.setItemText(0, tr("Anyone: not encrypted")))
    return box


def signed_by(signer: str | None, console: Console) -> str:
    """A signer as people here call it, with its fingerprint."""
    with suppress(SkerryError):
        for key in keys_at(console.workspace).trusted():
            if key.id == signer and key.name != signer:
                return f"{visible(key.name)} ({signer})"
    return str(signer)


def kind_word(kind: str) -> str:
    """What sort of thing a definition or a name is."""
    return tr(_KINDS.get(kind, kind))


def steps(report: Report) -> Callable[[Any], None]:
    """Reports a step of an export or import as the dialog shows it."""
    return lambda step: report((step.done, step.total, step.name))


def counts(report: Report) -> Callable[[int, int], None]:
    return lambda done, total: report((done, total, ""))


def letter_box(*labels: QLabel) -> QWidget:
    """What a person wrote, as long as it may be: it never pushes what is below it off the screen."""
    box = Tall(holder(column(*labels, margin=0)))
    box.setMaximumHeight(_LETTER)
    return box


def add_row(rows: QTreeWidget, *texts: object, data: object = None) -> QTreeWidgetItem:
    """A line of it; ``data`` is what it stands for."""
    item = QTreeWidgetItem([one_line(str(each)) for each in texts])
    item.setData(0, Qt.ItemDataRole.UserRole, data)
    for i, text in enumerate(texts):
        item.setToolTip(i, tip_text(str(text)))
    rows.addTopLevelItem(item)
    return item
