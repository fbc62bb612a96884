"""The queue with every handle on it as an action; what cannot be taken back is asked about first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QSpinBox, QWidget

from app.desktop.kernel.actions import ActionSpec
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, trn
from app.desktop.kernel.mode import PaneEntry
from app.desktop.queue.add_job import add_job
from app.desktop.queue.columns import node_text
from app.desktop.queue.tables import QueueTables
from app.desktop.subjects.menu import offer_menu
from app.desktop.widgets.questions import Asking, confirm
from app.desktop.workers.workers_pane import WorkersPane

if TYPE_CHECKING:
    from engine.planning.places import Size

_HIGHEST = 2**31 - 1
_MOST_PLACES = 10_000
_OF_WORKERS = 0.4  # of the height
PAUSE = ActionSpec("queue.pause", "Pause the queue", ("Ctrl+P",), "pause", "Run", 0, "queue", tool=True,
                   tip="Start nothing more; what runs goes on")  # fmt: skip
RESUME = ActionSpec(
    "queue.resume", "Resume the queue", ("Ctrl+Shift+R",), "resume", "Run", 0, "queue", tool=True,
    tip="Start what waits again",
)  # fmt: skip
SIZE = ActionSpec("queue.size", "Slots …", (), "machine", "Run", 1, "queue", tool=True,
                  tip="How many jobs run at once: a number, by load, or as the settings say")  # fmt: skip
ADD = ActionSpec("queue.add", "Add a job …", ("Ctrl+N",), "add", "Run", 2, "queue", tool=True,
                 tip="Queue a reusable job by hand")  # fmt: skip
PRIORITY = ActionSpec(
    "queue.priority", "Priority …", ("Ctrl+Shift+Up",), "priority", "Run", 3, "queue", tool=True,
    tip="The highest comes first",
)  # fmt: skip
NEXT = ActionSpec("queue.next", "Run it next", ("Ctrl+Shift+Home",), "up", "Run", 3, "queue", tool=True,
                  tip="Before all others that wait for a slot")  # fmt: skip
REMOVE = ActionSpec("queue.remove", "Take out", ("Del",), "delete", "Run", 3, "queue", tool=True,
                    tip="Take the selected job out of the queue")  # fmt: skip
CLEAR = ActionSpec("queue.clear", "Clear …", (), "remove", "Run", 4, "queue", tool=True,
                   tip="Take everything that waits out of the queue")  # fmt: skip
CLEAN = ActionSpec("queue.clean", "End long ones …", (), "stop", "Run", 4, "queue", tool=True,
                   tip="End the jobs that have been running for longer than some minutes")  # fmt: skip


def _workers(mode: QueueTables) -> QWidget:
    pane = WorkersPane(mode.console, mode)
    pane.looked_at.connect(mode.look_at_workers)
    return pane


class QueueMode(QueueTables):
    """The tables, with the handles as actions."""

    KEY = "queue"
    PANES = (
        PaneEntry("workers", "Workers", "Show the workers", Qt.DockWidgetArea.BottomDockWidgetArea, _workers),
    )

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self.add_panes()
        table = ((PAUSE, pause), (RESUME, resume), (SIZE, size), (ADD, add_job), (PRIORITY, priority),
                 (NEXT, run_next),
                 (REMOVE, remove), (CLEAR, clear), (CLEAN, clean))  # fmt: skip
        self._handles = {spec.id: console.actions.add(spec, self, partial(do, self)) for spec, do in table}
        for signal in (self.running.looked_at, self.waiting.looked_at, console.link.state_changed,
                       console.overview.refreshed):  # fmt: skip
            signal.connect(self._enable)
        self._enable()
        offer_menu(self.waiting, console.actions, ("queue.next", "queue.priority", "queue.remove"))
        offer_menu(self.running, console.actions)

    def share_room(self) -> None:
        """The workers have two fifths of the height."""
        self.tabify_panes()
        self.resizeDocks([self.docks["workers"]], [int(self.height() * _OF_WORKERS)], Qt.Orientation.Vertical)

    def _enable(self, _: object = None) -> None:
        """What makes sense now."""
        chosen, waits = self.waiting.current is not None, bool(self.state.get("waiting"))
        paused, runs = bool(self.state.get("paused")), bool(self.state.get("running"))
        allowed = {"queue.pause": not paused, "queue.resume": paused, "queue.priority": chosen,
                   "queue.next": chosen,
                   "queue.remove": chosen, "queue.clear": waits, "queue.clean": runs}  # fmt: skip
        for id, action in self._handles.items():
            action.setEnabled(self.console.link.writable and allowed.get(id, True))


def pause(mode: QueueTables) -> None:
    """Start nothing more."""
    mode.command(lambda service: service.queue_pause(True), lambda _: tr("The queue is paused"))


def resume(mode: QueueTables) -> None:
    """Start what waits again."""
    mode.command(lambda service: service.queue_pause(False), lambda _: tr("The queue goes on"))


def size(mode: QueueTables) -> None:
    """How many places: a number, by load, or as the settings say."""
    asked = Asking(mode, tr("Slots"), tr("How many jobs may run at once on this machine?"), tr("Set"))
    how, number = QComboBox(asked), QSpinBox(asked)
    for text, value in ((tr("A fixed number"), "number"), (tr("By the load of the machine"), "auto"),
                        (tr("As the settings of the workspace say"), "default")):  # fmt: skip
        how.addItem(text, value)
    number.setRange(1, _MOST_PLACES)
    number.setValue(int(mode.state.get("places") or 1))
    how.currentIndexChanged.connect(lambda _: number.setEnabled(how.currentData() == "number"))
    asked.add(tr("How it is decided"), how)
    asked.add(tr("Number"), number)
    if asked.wanted:
        chosen = how.currentData()
        wanted: Size = number.value() if chosen == "number" else "auto" if chosen == "auto" else None
        mode.command(lambda service: service.queue_size(wanted),
                  lambda found: tr("{n} slots now", n=found["places"]))  # fmt: skip


def priority(mode: QueueTables) -> None:
    """Another priority for the selected job."""
    row = mode.waiting.current
    if row is None:
        return
    text = tr("The waiting job with the highest priority gets the next slot.")
    asked = Asking(mode, tr("Priority of {node}", node=node_text(row)), text, tr("Set"))
    number = QSpinBox(asked)
    number.setRange(-_HIGHEST, _HIGHEST)
    number.setValue(int(row["priority"]))
    asked.add(tr("Priority"), number)
    if asked.wanted:
        id, wanted = int(row["job_instance"]), number.value()
        done = tr("Job instance {id} has priority {n}", id=id, n=wanted)
        mode.command(lambda service: service.queue_priority(id, wanted), lambda _: done)


def run_next(mode: QueueTables) -> None:
    """The selected job before all others: one more than the highest priority."""
    row, waiting = mode.waiting.current, mode.state.get("waiting", ())
    if row is None or not waiting:
        return
    id, wanted = int(row["job_instance"]), min(_HIGHEST, max(int(each["priority"]) for each in waiting) + 1)
    done = tr("{node} is the next one", node=node_text(row))
    mode.command(lambda service: service.queue_priority(id, wanted), lambda _: done)


def remove(mode: QueueTables) -> None:
    """Take the selected jobs out."""
    ids = [int(row["job_instance"]) for row in mode.waiting.selected]
    text = trn(
        len(ids),
        "1 job is taken out of the queue. It fails with a code that its retry may act on.",
        "{n} jobs are taken out of the queue. They fail with a code that their retry may act on.",
    )
    if ids and confirm(mode, tr("Take out"), text, tr("Take out")):
        mode.command(lambda service: [service.queue_remove(id) for id in ids], lambda _: _taken(len(ids)))


def clear(mode: QueueTables) -> None:
    """Take everything that waits out."""
    n = len(mode.state.get("waiting", ()))
    text = trn(
        n,
        "The only job that waits is taken out of the queue. It fails with a code that its retry may act on.",
        "All {n} jobs that wait are taken out of the queue. "
        "They fail with a code that their retry may act on; what comes after them may not run. "
        "What runs goes on.",
    )
    if confirm(mode, tr("Clear the queue"), text, tr("Clear")):
        mode.command(lambda service: service.queue_clear(), lambda found: _taken(len(found["removed"])))


def clean(mode: QueueTables) -> None:
    """End what has been running for long."""
    text = tr("Jobs that have been running for longer are ended with all they started.")
    asked = Asking(mode, tr("End long ones"), text, tr("End them"))
    minutes = QDoubleSpinBox(asked)
    minutes.setRange(0, 1e6)
    minutes.setDecimals(1)
    minutes.setValue(60)
    asked.add(tr("Minutes"), minutes)
    if asked.wanted:
        longest = minutes.value()
        mode.command(
            lambda service: service.queue_clean(longest),
            lambda found: trn(len(found["ended"]), "1 job was ended", "{n} jobs were ended"),
        )


def _taken(n: int) -> str:
    return trn(n, "1 job was taken out of the queue", "{n} jobs were taken out of the queue")
