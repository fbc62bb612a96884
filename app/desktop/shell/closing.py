"""What becomes of the engine when the window closes: decided alone where that is plain, asked where not."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtWidgets import QMessageBox, QWidget

from app.desktop.kernel.language import tr, trn
from app.desktop.kernel.overview import Snapshot
from app.desktop.widgets.questions import message_box
from engine.model.states import INSTANCE_UNFINISHED


class Choice(StrEnum):
    KEEP = "keep"
    STOP = "stop"
    ASK = "ask"
    STAY = "stay"  # do not close


def plain_choice(started_it: bool, snapshot: Snapshot | None) -> Choice:
    """What is plain without asking: an engine of others stays, an idle one of ours ends.

    >>> plain_choice(False, None)
    <Choice.KEEP: 'keep'>
    """
    if not started_it:
        return Choice.KEEP
    return Choice.ASK if snapshot is None or at_work(snapshot) or snapshot.coming else Choice.STOP


def at_work(snapshot: Snapshot) -> int:
    """How many instances go on."""
    return sum(snapshot.counts.get(status, 0) for status in INSTANCE_UNFINISHED)


def ask(window: QWidget, snapshot: Snapshot | None) -> Choice:
    """Whether the work goes on without the window."""
    more = (
        "If the engine stops, programs that run now go on to their end; "
        "nothing new starts until it runs again."
    )
    question = _question(at_work(snapshot) if snapshot else 0)
    box = message_box(window, tr("Close the window"), question, tr(more))
    box.setIcon(QMessageBox.Icon.Question)
    keep = box.addButton(tr("Work goes on"), QMessageBox.ButtonRole.AcceptRole)
    stop = box.addButton(tr("Stop the engine"), QMessageBox.ButtonRole.DestructiveRole)
    box.addButton(tr("Do not close"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(keep)
    box.exec()
    chosen = box.clickedButton()
    return Choice.KEEP if chosen is keep else Choice.STOP if chosen is stop else Choice.STAY


def _question(running: int) -> str:
    if not running:
        return tr("Shall the engine go on without the window, for what starts by its schedule?")
    return trn(
        running,
        "1 instance is still at work. Shall work go on without the window?",
        "{n} instances are still at work. Shall work go on without the window?",
    )
