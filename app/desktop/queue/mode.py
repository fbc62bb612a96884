"""The queue with every handle on it as an action; what cannot be taken back is asked about first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QSpinBox, QWidget

from app.desktop.kernel.actions import ActionSpec
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, trn
from app.desktop.kernel.mode import PaneEntry
from app.desktop.queue.add_job import add_job
from app.desktop.queue.columns import node_text
from app.desktop.queue.reordering import HIGHEST, moves
from app.desktop.queue.tables import QueueTables
from app.desktop.subjects.menu import offer_menu
from app.desktop.widgets.questions import Asking, confirm
from app.desktop.workers.workers_pane import WorkersPane

if TYPE_CHECKING:
    from engine.api.service import Service
    from engine.planning.places import Size

_MOST_PLACES = 10_000
_OF_WORKERS = 0.4  # of the height
PAUSE = ActionSpec("queue.pause", "Pause the queue", ("Ctrl+P",), "pause", "Run", 0, "queue", tool=True,
                   tip="Start nothing more; what runs goes on")  # fmt: skip
RESUME = ActionSpec(
    "queue.resume", "Resume the queue", ("Ctrl+Shift+R",), "resume", "Run", 0, "queue", tool=True,
    tip="Start what waits again",
)  # fmt: skip
SIZE = ActionSpec("queue.size", "Slots…", (), "machine", "Run", 1, "queue", tool=True,
                  tip="How many jobs run at once: a number, by load, or as the settings say")  # fmt: skip
ADD = ActionSpec("queue.add", "Add a job…", ("Ctrl+N",), "add", "Run", 2, "queue", tool=True,
                 tip="Queue a reusable job by hand")  # fmt: skip
PRIORITY = ActionSpec(
    "queue.priority", "Priority…", ("Ctrl+Shift+Up",), "priority", "Run", 3, "queue", tool=True,
    tip="The highest comes first",
)  # fmt: skip
NEXT = ActionSpec("queue.next", "Run it next", ("Ctrl+Shift+Home",), "up", "Run", 3, "queue", tool=True,
                  tip="Before all others that wait for a slot")  # fmt: skip
HOLD = ActionSpec("queue.hold", "Hold it…", ("Ctrl+Shift+H",), "pause", "Run", 3, "queue", tool=True,
                  tip="It begins only when it is released; it keeps its place in line")  # fmt: skip
RELEASE = ActionSpec("queue.release", "Release it", ("Ctrl+Shift+L",), "resume", "Run", 3, "queue",
                     tool=True, tip="Let a job that is held wait for its slot again")  # fmt: skip
EARLIER = ActionSpec("queue.earlier", "Earlier", ("Alt+Up",), "up", "Run", 3, "queue",
                     tip="Before the job that is before it in line")  # fmt: skip
LATER = ActionSpec("queue.later", "Later", ("Alt+Down",), "down", "Run", 3, "queue",
                   tip="Behind the job that is behind it in line")  # fmt: skip
REMOVE = ActionSpec("queue.remove", "Take out", ("Del",), "delete", "Run", 3, "queue", tool=True,
                    tip="Take the selected job out of the queue")  # fmt: skip
CLEAR = ActionSpec("queue.clear", "Clear…", (), "remove", "Run", 4, "queue", tool=True,
                   tip="Take everything that waits out of the queue")  # fmt: skip
CLEAN = ActionSpec("queue.clean", "End long ones…", (), "stop", "Run", 4, "queue", tool=True,
                   tip="End the jobs that have been running for longer than some minutes")  # fmt: skip


def _workers(mode: QueueTables) -> QWidget:
    pane = WorkersPane(mode.console, mode)
    pane.looked_at.connect(mode.look_at_workers)
    return pane


_OF_ONE = (
    "queue.next", "queue.earlier", "queue.later", "queue.priority", "queue.hold", "queue.remove",
)  # fmt: skip
_OF_WAITING = (*_OF_ONE[:4], None, "queue.hold", "queue.release", "queue.remove")
_NOTHING = "No job that waits is selected."
_HELD = "The job is held: release it first."
_NOT_HELD = "The job is not held."
_IS_PAUSED = "The queue is paused already."
_NOT_PAUSED = "The queue is not paused."
_NONE_WAIT = "Nothing waits."
_NONE_RUN = "Nothing runs."


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
                 (NEXT, run_next), (EARLIER, partial(shift, by=-1)), (LATER, partial(shift, by=1)),
                 (HOLD, hold), (RELEASE, release), (REMOVE, remove), (CLEAR, clear),
                 (CLEAN, clean))  # fmt: skip
        self._handles = {spec.id: console.actions.add(spec, self, partial(do, self)) for spec, do in table}
        for signal in (self.running.looked_at, self.waiting.looked_at, console.link.state_changed,
                       console.overview.refreshed):  # fmt: skip
            signal.connect(self._enable)
        self._enable()
        self.waiting.moved.connect(lambda job, before: move(self, job, before or None))
        offer_menu(self.waiting, console.actions, _OF_WAITING)
        offer_menu(self.running, console.actions)

    def share_room(self) -> None:
        """The workers have two fifths of the height."""
        self.tabify_panes()
        self.resizeDocks([self.docks["workers"]], [int(self.height() * _OF_WORKERS)], Qt.Orientation.Vertical)

    def _enable(self, _: object = None) -> None:
        """What makes sense now."""
        row, locked = self.waiting.current, self.console.link.locked
        held = row is not None and bool(row.get("held"))
        in_line = _NOTHING if row is None else _HELD if held else ""
        paused = bool(self.state.get("paused"))
        refusals = dict.fromkeys(_OF_ONE, in_line) | {
            "queue.pause": _IS_PAUSED if paused else "",
            "queue.resume": "" if paused else _NOT_PAUSED,
            "queue.release": _NOTHING if row is None else "" if held else _NOT_HELD,
            "queue.clear": "" if self.state.get("waiting") else _NONE_WAIT,
            "queue.clean": "" if self.state.get("running") else _NONE_RUN,
        }
        for id in self._handles:
            self.console.actions.refuse(id, locked or refusals.get(id, ""))


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

    def call() -> Callable[[Service], Any]:
        chosen = how.currentData()
        wanted: Size = number.value() if chosen == "number" else "auto" if chosen == "auto" else None
        return lambda service: service.queue_size(wanted)

    mode.asked(asked, call, lambda found: tr("{n} slots now", n=found["places"]), number)


def priority(mode: QueueTables) -> None:
    """Another priority for the selected job."""
    row = mode.waiting.current
    if row is None:
        return
    text = tr("The waiting job with the highest priority gets the next slot.")
    asked = Asking(mode, tr("Priority of {node}", node=node_text(row)), text, tr("Set"))
    number = QSpinBox(asked)
    number.setRange(-HIGHEST, HIGHEST)
    number.setValue(int(row["priority"]))
    asked.add(tr("Priority"), number)
    id = int(row["job_instance"])

    def call() -> Callable[[Service], Any]:
        wanted = number.value()
        return lambda service: service.queue_priority(id, wanted)

    text = "Job instance {id} has priority {n}"
    mode.asked(asked, call, lambda answer: tr(text, id=id, n=answer["priority"]), number)


def run_next(mode: QueueTables) -> None:
    """The selected job before all others: one more than the highest priority."""
    row, waiting = mode.waiting.current, mode.state.get("waiting", ())
    if row is None or not waiting:
        return
    id, wanted = int(row["job_instance"]), min(HIGHEST, max(int(each["priority"]) for each in waiting) + 1)
    done = tr("{node} is the next one", node=node_text(row))
    mode.command(lambda service: service.queue_priority(id, wanted), lambda _: done)


def move(mode: QueueTables, job_instance: int, before: int | None) -> None:
    """A waiting job before another one (None: to the end of the line)."""
    wanted = moves(mode.state.get("waiting", ()), job_instance, before)

    def set_all(service: Service) -> None:
        for job, priority in wanted:
            service.queue_priority(job, priority)

    if wanted:
        mode.command(set_all, lambda _: tr("The order of the queue is changed"))


def shift(mode: QueueTables, by: int) -> None:
    """The selected job one place earlier or later."""
    row, line = mode.waiting.current, [each["job_instance"] for each in mode.state.get("waiting", ())]
    if row is None or row["job_instance"] not in line:
        return
    at = line.index(row["job_instance"])
    if 0 <= at + by < len(line):
        place = at - 1 if by < 0 else at + 2
        move(mode, int(row["job_instance"]), line[place] if place < len(line) else None)


def hold(mode: QueueTables) -> None:
    """The selected job begins only when it is released; a reason may be given."""
    row = mode.waiting.current
    if row is None:
        return
    text = tr("It begins only when it is released, also after a restart of the engine. Others go on.")
    asked = Asking(mode, tr("Hold {node}", node=node_text(row)), text, tr("Hold it"))
    note = asked.line(tr("Why (everyone sees it)"))
    id, done = int(row["job_instance"]), tr("{node} is held", node=node_text(row))

    def call() -> Callable[[Service], Any]:
        reason = note.text()
        return lambda service: service.queue_hold(id, True, reason)

    mode.asked(asked, call, lambda _: done, note)


def release(mode: QueueTables) -> None:
    """The selected job that is held waits for its slot again."""
    row = mode.waiting.current
    if row is not None:
        id, done = int(row["job_instance"]), tr("{node} waits for its slot again", node=node_text(row))
        mode.command(lambda service: service.queue_hold(id, False), lambda _: done)


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

    def call() -> Callable[[Service], Any]:
        longest = minutes.value()
        return lambda service: service.queue_clean(longest)

    mode.asked(
        asked, call, lambda found: trn(len(found["ended"]), "1 job was ended", "{n} jobs were ended"), minutes
    )


def _taken(n: int) -> str:
    return trn(n, "1 job was taken out of the queue", "{n} jobs were taken out of the queue")
