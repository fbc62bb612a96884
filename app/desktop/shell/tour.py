"""The tour: a card that leads through the modes, one step after the other."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QFrame, QMainWindow, QPushButton

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated
from app.desktop.shell.modes import mode_for
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import button, plain

_WIDTH = 420
_MARGIN = 24


@dataclass(frozen=True, slots=True)
class TourStep:
    title: str
    text: str
    target: Target


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
        "Ctrl+K finds tasks, jobs, nodes, instances, commands and error codes. F1 shows all shortcuts.",
        Target("mode", "home"),
    ),
)


class Tour(QFrame):
    """Is in the lower right corner of the window; Escape or the last step ends it."""

    def __init__(self, console: Console, window: QMainWindow) -> None:
        super().__init__(window)
        self._console, self._window = console, window
        self._place = 0
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self._count, self._title, self._text = plain(), plain(bold=True), plain()
        self.back = button("Back", lambda: self._go(self._place - 1))
        self.next = QPushButton(self)
        self.next.clicked.connect(lambda: self._go(self._place + 1))
        self.end = button("End the tour", self.hide)
        self._lay_out()
        self.hide()
        translated(self, self._show)

    def begin(self) -> None:
        self.show()
        self._go(0)

    def _lay_out(self) -> None:
        row = hbox(self.end, 0, self.back, self.next)
        vbox(self._count, self._title, self._text, row, inside=self, margins=(16, 12, 16, 12))

    def _go(self, place: int) -> None:
        if place >= len(STEPS):
            return self.hide()
        self._place = place
        step = STEPS[place]
        entry = mode_for(step.target.kind, step.target.id)
        if entry is not None:
            self._console.navigator.go(step.target)
        self._show()
        self.next.setFocus()

    def _show(self) -> None:
        step = STEPS[self._place]
        last = self._place == len(STEPS) - 1
        self._count.setText(tr("Step {n} of {all}", n=self._place + 1, all=len(STEPS)))
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
