"""What a form edits: a tree with undo and findings. A task's document is one, a draft of a job another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from app.desktop.design.tree import Path, Tree, put
from engine.model.findings import Finding

Change = Callable[[Tree], Tree]


class Editable(Protocol):
    """The part of a document that forms use."""

    task_id: str
    changed: Any  # Signal(object)
    findings_changed: Any  # Signal
    undo: QUndoStack

    @property
    def tree(self) -> Tree:
        """``{"tasks": {…}, "jobs": {…}, "resources": {…}}`` as in a definition file."""
        ...

    @property
    def findings(self) -> Sequence[Finding]:
        """What is wrong, each with its path in the tree."""
        ...

    def set(self, path: Path, value: Any, text: str, merge: str | None = None) -> None:
        """One undo step with its name; steps with the same ``merge`` in a row become one."""
        ...

    def edit(self, change: Change, text: str) -> None:
        """Several changes as one undo step."""
        ...


class Draft(QObject):
    """A definition on its way: edited with undo, checked at once, stored when its owner says so."""

    changed = Signal(object)
    findings_changed = Signal()

    def __init__(
        self,
        tree: Mapping[str, Any],
        check: Callable[[Tree], Sequence[Finding]] = lambda _tree: (),
        task_id: str = "",
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.task_id = task_id
        self.undo = QUndoStack(self)
        self.tree: Tree = tree
        self._check = check
        self.findings: Sequence[Finding] = tuple(check(tree))

    def set(self, path: Path, value: Any, text: str, merge: str | None = None) -> None:
        """See ``Editable``; REMOVE takes the value away."""
        self.undo.push(_Step(self, put(self.tree, path, value), text, merge))

    def edit(self, change: Change, text: str) -> None:
        """See ``Editable``."""
        self.undo.push(_Step(self, change(self.tree), text, None))

    def show(self, tree: Tree) -> None:
        """Make ``tree`` the present one (what a step does)."""
        self.tree = tree
        self.findings = tuple(self._check(tree))
        self.changed.emit(None)
        self.findings_changed.emit()


class _Step(QUndoCommand):
    """From one tree to the next."""

    def __init__(self, draft: Draft, after: Tree, text: str, merge: str | None) -> None:
        super().__init__(text)
        self._draft, self._before, self._after, self._merge = draft, draft.tree, after, merge

    def id(self) -> int:
        return hash(self._merge) & 0x7FFFFFFF if self._merge else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, _Step) or other._merge != self._merge:
            return False
        self._after = other._after
        return True

    def redo(self) -> None:
        self._draft.show(self._after)

    def undo(self) -> None:
        self._draft.show(self._before)
