"""The tour: a card that leads through the modes, one step after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QMainWindow

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated
from app.desktop.shell.modes import mode_for
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import button, plain
from app.desktop.widgets.roomy_buttons import PushButton
from engine.model.errors import SkerryError

_WIDTH = 420
_MARGIN = 24


@dataclass(frozen=True, slots=True)
class TourStep:
    title: str
    text: str
    target: Target
    action: str = ""  # the id of what a person does in this step


FIRST_TASK = (
    TourStep(
        "A first task",
        "This workspace has no task yet, so you draw one now. Give it a name first.",
        Target("mode", "design"),
        "design.new",
    ),
    TourStep(
        "Its first job",
        "Type shell and press Enter: the job is on the canvas. "
        "The form beside it takes the script, for example echo hello.",
        Target("mode", "design"),
        "design.insert",
    ),
    TourStep(
        "Save and run",
        "This saves the task and runs it. The run is shown as soon as it has started.",
        Target("mode", "design"),
        "design.run",
    ),
)
STEPS = (
    TourStep(
        "Home",
        "What needs you comes first here: what failed, what waits for an answer, a disk that fills up. "
        "Enter leads to the failed job with its error and what to do about it.",
        Target("mode", "home"),
    ),
    TourStep(
        "Draw a task",
        "A task is a graph of jobs. Drag a job type onto the canvas, draw links between the nodes, "
        "and pick values from the results before them. F5 runs the task.",
        Target("task", "tour"),
    ),
    TourStep(
        "Watch a run",
        "The graph shows every state as colour, shape and word. Select a node to see its inputs, "
        "results, log and error. From here a run is repaired and run again.",
        Target("mode", "run"),
    ),
    TourStep(
        "The queue",
        "Jobs wait here for a slot. Pause it, change the order, or take a job out.",
        Target("mode", "queue"),
    ),
    TourStep(
        "Error codes",
        "Every error has a code with its cause and remedy. "
        "An exception leads to the place where it happened.",
        Target("mode", "codes"),
    ),
    TourStep(
        "Find anything",
        "Ctrl+K finds tasks, jobs, nodes, instances, commands and error codes. "
        "F1 is the guide, Ctrl+F1 shows all shortcuts.",
        Target("mode", "home"),
    ),
)


class Tour(QFrame):
    """Is in the lower right corner of the window; Escape or the last step ends it."""

    def __init__(self, console: Console, window: QMainWindow) -> None:
        super().__init__(window)
        self._console, self._window = console, window
        self._steps: tuple[TourStep, ...] = STEPS
        self._doing: QAction | None = None  # what a person does in this step
        self._place = 0
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self._count, self._title, self._text = plain(), plain(bold=True), plain()
        self.back = button("Back", lambda: self._go(self._place - 1))
        self.next = PushButton(self)
        self.next.clicked.connect(lambda: self._go(self._place + 1))
        self.act = PushButton(self)
        self.act.clicked.connect(self._act)
        self.end = button("End the tour", self.hide)
        self._lay_out()
        self.hide()
        translated(self, self._show)

    def begin(self) -> None:
        """Lead through the tasks that are there; where there is none, draw the first one with the person."""

        def lead(tasks: Sequence[object] | SkerryError) -> None:
            self._steps = STEPS if tasks else FIRST_TASK + STEPS[2:-1] + STEPS[:1] + STEPS[-1:]
            self.show()
            self._go(0)

        self._console.link.ask(lambda service: service.definitions("task"), lead, owner=self, failed=lead)

    def _lay_out(self) -> None:
        row = hbox(self.end, 0, self.act, self.back, self.next)
        vbox(self._count, self._title, self._text, row, inside=self, margins=(16, 12, 16, 12))

    def _go(self, place: int) -> None:
        if place >= len(self._steps):
            return self.hide()
        self._place = place
        step = self._steps[place]
        entry = mode_for(step.target.kind, step.target.id)
        if entry is not None:
            self._console.navigator.go(step.target)
        self._show()
        (self.act if self.act.isEnabled() and step.action else self.next).setFocus()

    def _act(self) -> None:
        """It stays at this step, which says what to type there, also where that is given up."""
        if self._doing is not None:
            self._doing.trigger()
            self.raise_()

    def _offer(self, id: str) -> None:
        """The button for what is done in this step, as long as that can be done."""
        if self._doing is not None:
            self._doing.changed.disconnect(self._judge)
        self._doing = self._console.actions.get(id) if id else None
        self.act.setVisible(self._doing is not None)
        if self._doing is not None:
            self.act.setText(self._doing.text())
            self._doing.changed.connect(self._judge)
            self._judge()

    def _judge(self) -> None:
        self.act.setEnabled(self._doing is not None and self._doing.isEnabled())

    def _show(self) -> None:
        step = self._steps[self._place]
        last = self._place == len(self._steps) - 1
        self._count.setText(tr("Step {n} of {all}", n=self._place + 1, all=len(self._steps)))
        self._offer(step.action)
        self._title.setText(tr(step.title))
        self._text.setText(tr(step.text))
        self.next.setText(tr("Done") if last else tr("Next"))
        self.back.setEnabled(self._place > 0)
        self.setAccessibleName(tr(step.title))
        self.settle()

    def settle(self) -> None:
        """Take its place in the window."""
        self.resize(_WIDTH, self.heightForWidth(_WIDTH))
        corner = self._window.rect().bottomRight()
        low = self._window.statusBar().height() if self._window.statusBar() else 0
        self.move(corner.x() - self.width() - _MARGIN, corner.y() - self.height() - low - _MARGIN)
        self.raise_()
