"""What forms edit: a tree with undo and findings, of a task or as the draft of a definition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from app.desktop.design.tree import Edit, Path, Tree, put
from app.desktop.kernel.link import Link
from engine.model.errors import SkerryError
from engine.model.findings import Finding

_PAUSE = 250  # ms without an edit before it is checked


@dataclass(frozen=True, slots=True)
class Sheet:
    """One state: the definitions, and of a task the frames, notes and pins that lie beside them."""

    tree: Tree
    extras: Tree = field(default_factory=dict)


class UndoStep(QUndoCommand):
    """From one state to the next by ``turn``; steps of the same ``merge`` key become one."""

    def __init__(
        self, turn: Callable[[Sheet], None], before: Sheet, after: Sheet, text: str, merge: str | None
    ) -> None:
        super().__init__(text)
        self._turn, self._before, self._after, self._merge = turn, before, after, merge

    def id(self) -> int:
        return 1 if self._merge else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, UndoStep) or other._merge != self._merge:
            return False
        self._after = other._after
        self.setText(other.text())
        return True

    def redo(self) -> None:
        self._turn(self._after)

    def undo(self) -> None:
        self._turn(self._before)


class Editable(QObject):
    """``findings`` have their path in the tree.

    The ``tree`` of its sheet has the sections of a definition file and is never changed in place: an edit
    makes a new one, which shares what it does not touch, and puts a step on the undo stack. ``check``
    finds what is wrong with a tree, on a worker thread.
    """

    changed = Signal()
    findings_changed = Signal()

    def __init__(
        self,
        task_id: str,
        sheet: Sheet,
        link: Link,
        check: Callable[[Tree], Sequence[Finding]] = lambda _tree: (),
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.task_id, self.sheet = task_id, sheet
        self.undo = QUndoStack(self)
        self.findings: tuple[Finding, ...] = ()
        self.checked: Sheet | None = None  # what ``findings`` were found in
        self._link, self._find = link, check
        self._check = QTimer(self, singleShot=True, interval=_PAUSE)
        self._check.timeout.connect(self._examine)
        self._check.start()

    @property
    def tree(self) -> Tree:
        """``{"tasks": {…}, "jobs": {…}, "resources": {…}}`` as in a definition file."""
        return self.sheet.tree

    def set(self, path: Path, value: Any, text: str, merge: str | None = None) -> None:
        """Give a value in the tree, as one step of undo; REMOVE deletes the key.

        ``text`` names the step (in the operator's language); steps in a row with the same ``merge``
        become one.
        """
        self.edit(lambda tree: put(tree, path, value), text, merge)

    def edit(self, change: Edit, text: str, merge: str | None = None) -> None:
        """Change the tree by a function, as one step of undo; nothing happens when it gives an equal tree."""
        self.turn(Sheet(change(self.tree), self.sheet.extras), text, merge)

    def turn(self, sheet: Sheet, text: str, merge: str | None = None) -> None:
        """Go on to another state, as one step of undo."""
        if sheet != self.sheet:
            self.undo.push(UndoStep(self._turn, self.sheet, sheet, text, merge))

    def _turn(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._check.start()
        self.changed.emit()

    def _examine(self) -> None:
        sheet, find, link = self.sheet, self._find, self._link

        def done(findings: Sequence[Finding]) -> None:
            if sheet is self.sheet:
                self.findings, self.checked = tuple(findings), sheet
                self.findings_changed.emit()

        def failed(error: SkerryError) -> None:
            if link.writable:  # without an engine the window already says so
                link.failed.emit(error)

        link.ask(lambda _service: find(sheet.tree), done, owner=self, failed=failed)
