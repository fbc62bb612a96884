"""What opens over a run: the rerun assistant, and the comparison with another run."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.run.compare_dialog import CompareDialog
from app.desktop.run.rerun_dialog import RerunDialog
from app.desktop.run.rerun_model import RerunChoice, usual
from app.desktop.run.session import Session


class RunAssistants:
    """Opens them for the run that a session shows; ``rerunning`` and ``comparison`` are the latest ones."""

    def __init__(self, console: Console, session: Session, owner: QWidget) -> None:
        self._console, self._session, self._owner = console, session, owner
        self.rerunning: RerunDialog | None = None
        self.comparison: CompareDialog | None = None

    def retry(self) -> None:
        node = self._session.selection.now.node
        self._assist(RerunChoice("failed", (node,) if node else ()))

    def rerun(self) -> None:
        if self._session.look is not None:
            self._assist(usual(self._session.look.run, self._session.selection.now.node))

    def rerun_from(self) -> None:
        node = self._session.selection.now.node
        if node is not None:
            self._assist(RerunChoice("from", (node,)))

    def _assist(self, choice: RerunChoice) -> None:
        if self._session.look is None:
            return
        self.rerunning = RerunDialog(self._console, self._session, choice, self._owner)
        self.rerunning.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.rerunning.started.connect(self._started)
        self.rerunning.open()

    def _started(self, run: int) -> None:
        instance = self._session.selection.now.instance
        text = tr("Run {run} of instance {instance} has begun.", run=run, instance=instance)
        self._console.navigator.notify(text)
        self._session.refresh()

    def compare(self) -> None:
        """This run with another one: its own run before, or else one to be chosen."""
        look = self._session.look
        if look is None:
            return
        instance, run = look.run["instance"], look.run["run"]
        self._compare((instance, run - 1) if run > 1 else (instance, run), (instance, run))

    def compare_with(self, other: int) -> None:
        """The latest run of another instance with this one."""
        look = self._session.look
        if look is None:
            return
        here = (look.run["instance"], look.run["run"])
        self._session.link.ask(
            lambda service: service.instance(other),
            lambda found: self._compare((other, found["run"]), here),
            owner=self._owner,
            failed=self._session.failed.emit,
        )

    def _compare(self, left: tuple[int, int], right: tuple[int, int]) -> None:
        self.comparison = CompareDialog(self._console, self._session.link, left, right, self._owner)
        self.comparison.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.comparison.show()
