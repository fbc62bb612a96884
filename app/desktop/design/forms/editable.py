"""What a form edits: a tree with undo and findings. A task's document is one, a draft of a job another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from app.desktop.design.tree import Path, Tree, put
from app.desktop.kernel.link import Link, LinkState
from engine.model.findings import Finding

_PAUSE = 250  # ms without an edit before it is checked
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
    """A definition on its way: edited with undo, checked on a worker, stored when its owner says so."""

    changed = Signal(object)
    findings_changed = Signal()

    def __init__(
        self,
        tree: Mapping[str, Any],
        check: Callable[[Tree], Sequence[Finding]] = lambda _tree: (),
        task_id: str = "",
        link: Link | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.task_id = task_id
        self.undo = QUndoStack(self)
        self.tree: Tree = tree
        self._check, self._link = check, link
        self.findings: Sequence[Finding] = ()
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE)
        self._timer.timeout.connect(self._examine)
        self._timer.start()

    def set(self, path: Path, value: Any, text: str, merge: str | None = None) -> None:
        """See ``Editable``; REMOVE takes the value away."""
        self._turn(put(self.tree, path, value), text, merge)

    def edit(self, change: Change, text: str) -> None:
        """See ``Editable``."""
        self._turn(change(self.tree), text, None)

    def _turn(self, tree: Tree, text: str, merge: str | None) -> None:
        if tree != self.tree:
            self.undo.push(_Step(self, tree, text, merge))

    def show(self, tree: Tree) -> None:
        """Make ``tree`` the present one (what a step does)."""
        self.tree = tree
        self._timer.start()
        self.changed.emit(None)

    def _examine(self) -> None:
        tree, check, link = self.tree, self._check, self._link
        if link is None or link.state is LinkState.CLOSED:
            return

        def done(found: Sequence[Finding]) -> None:
            if tree is self.tree:
                self.findings = tuple(found)
                self.findings_changed.emit()

        link.ask(lambda _service: check(tree), done, owner=self, failed=lambda _error: None)


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
