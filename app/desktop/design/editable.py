"""What forms edit: a tree with undo and findings, of a task or as the draft of a definition."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from app.desktop.design.tree import Edit, Path, Tree, put
from app.desktop.kernel.link import Link, LinkState
from engine.model.findings import Finding

_PAUSE = 250  # ms without an edit before it is checked


class Step(QUndoCommand):
    """From one state to the next by ``turn``; steps of the same ``merge`` key become one."""

    def __init__(
        self, turn: Callable[[Any], None], before: object, after: object, text: str, merge: str | None
    ) -> None:
        super().__init__(text)
        self._turn, self._before, self._after, self._merge = turn, before, after, merge

    def id(self) -> int:
        return 1 if self._merge else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, Step) or other._merge != self._merge:
            return False
        self._after = other._after
        self.setText(other.text())
        return True

    def redo(self) -> None:
        self._turn(self._after)

    def undo(self) -> None:
        self._turn(self._before)


class Editable(QObject):
    """``changed`` brings what an edit touched; ``findings`` have their path in the tree.

    ``tree`` has the sections of a definition file and is never changed in place: an edit makes a new
    one, which shares what it does not touch, and puts a step on the undo stack.
    """

    changed = Signal(object)
    findings_changed = Signal()

    def __init__(self, task_id: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.task_id = task_id
        self.undo = QUndoStack(self)
        self.findings: tuple[Finding, ...] = ()
        self._check = QTimer(self, singleShot=True, interval=_PAUSE)
        self._check.timeout.connect(self._examine)
        self._check.start()

    @property
    def tree(self) -> Tree:
        """``{"tasks": {…}, "jobs": {…}, "resources": {…}}`` as in a definition file."""
        raise NotImplementedError

    def set(self, path: Path, value: Any, text: str, merge: str | None = None) -> None:
        """Give a value in the tree, as one step of undo; REMOVE deletes the key.

        ``text`` names the step (in the operator's language); steps in a row with the same ``merge``
        become one.
        """
        self.edit(lambda tree: put(tree, path, value), text, merge)

    def edit(self, change: Edit, text: str, merge: str | None = None) -> None:
        """Change the tree by a function, as one step of undo; nothing happens when it gives an equal tree."""
        raise NotImplementedError

    def _examine(self) -> None:
        """Check what is edited, on a worker."""
        raise NotImplementedError


class Draft(Editable):
    """A definition on its way: edited with undo, stored when its owner says so."""

    def __init__(
        self,
        tree: Mapping[str, Any],
        check: Callable[[Tree], Sequence[Finding]] = lambda _tree: (),
        task_id: str = "",
        link: Link | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(task_id, parent)
        self._tree: Tree = tree
        self._find, self._link = check, link

    @property
    def tree(self) -> Tree:
        return self._tree

    def edit(self, change: Edit, text: str, merge: str | None = None) -> None:
        tree = change(self._tree)
        if tree != self._tree:
            self.undo.push(Step(self._show, self._tree, tree, text, merge))

    def _show(self, tree: Tree) -> None:
        self._tree = tree
        self._check.start()
        self.changed.emit(None)

    def _examine(self) -> None:
        tree, find, link = self._tree, self._find, self._link
        if link is None or link.state is LinkState.CLOSED:
            return

        def done(found: Sequence[Finding]) -> None:
            if tree is self._tree:
                self.findings = tuple(found)
                self.findings_changed.emit()

        link.ask(lambda _service: find(tree), done, owner=self, failed=lambda _error: None)
