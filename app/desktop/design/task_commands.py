"""What is done with whole tasks: new, copy, delete, on- and offline, save, close, run, undo."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QWidget

from app.desktop.design.document import Document
from app.desktop.design.edits import free_id
from app.desktop.design.open_tasks import OpenTasks
from app.desktop.design.questions import AskId, QuestionDialog
from app.desktop.design.state_question import ask_state, foreseen
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.subjects.launching import start_with


class TaskCommands:
    """The commands; questions are asked over ``owner``."""

    def __init__(self, console: Console, tasks: OpenTasks, owner: QWidget) -> None:
        self._console, self._tasks, self._owner = console, tasks, owner

    def do(self, what: str, id: str) -> None:
        """One of open, new, copy, start, online, offline and deleted."""
        match what:
            case "open":
                self._tasks.open(id)
            case "new":
                self.new()
            case "copy":
                self.copy(id)
            case "start":
                self.start(id)
            case "online" | "offline" | "deleted":
                self.ask_state(id, what)

    def new(self) -> None:
        """Ask for its name, which makes its id, then open it."""
        dialog = self._ask_id(
            tr("New task"), "task", lambda id: self._make(id, dialog.name.text().strip()), True
        )

    def _make(self, id: str, name: str) -> None:
        document = self._tasks.make(id)
        if name and name != id:
            document.set(("tasks", id, "name"), name, tr("Name"))

    def copy(self, id: str) -> None:
        self._ask_id(tr("Copy of {id}", id=id), id, partial(self._tasks.copy, id))

    def _ask_id(self, title: str, wanted: str, done: Callable[[str], object], naming: bool = False) -> AskId:
        known = {*self._tasks.library.section("tasks"), *self._tasks.documents}
        text = tr("The id has letters, digits and _ . - ; it names the task everywhere.")
        dialog = AskId(
            self._console, title, free_id(wanted, known), known, self._owner, text=text, naming=naming
        )
        dialog.chosen.connect(lambda id, _kind: done(id))
        dialog.open()
        return dialog

    def ask_state(self, id: str, state: str) -> None:
        """Make a task online, offline or deleted, after what becomes of instances and dependants is shown."""
        document = self._tasks.documents.get(id)
        unsaved = document is not None and document.unsaved
        self._console.link.ask(
            lambda service: foreseen(service, id, state),
            lambda found: ask_state(found, state, partial(self._set_state, id, state), self._owner, unsaved),
            owner=self._owner,
            failed=self._console.refused,
        )

    def _set_state(self, id: str, state: str) -> None:
        def done(_answer: object) -> None:
            if state == "deleted" and id in self._tasks.documents:
                self._tasks.close(self._tasks.documents[id])
            self._tasks.refresh()

        self._console.link.ask(
            lambda service: service.set_state(id, state),
            done,
            owner=self._owner,
            failed=self._console.refused,
        )

    def save(self) -> None:
        """Save the task in front as new revisions of what changed."""
        document = self._tasks.current
        if document is not None and document.conflict is None:
            message = tr("{id} is saved", id=document.task_id)
            self._tasks.save(document, lambda: self._console.navigator.notify(message))

    def close(self, document: Document | None = None) -> None:
        """Close a task, the one in front if none is named; unsaved work is asked about."""
        found = document or self._tasks.current
        if found is None:
            return
        close = partial(self._tasks.close, found)
        if not found.unsaved:
            close()
            return
        answers = ((tr("Save"), lambda: self._tasks.save(found, close)), (tr("Throw away"), close))
        text = tr("{id} has changes that are not saved.", id=found.task_id)
        QuestionDialog(tr("Close"), text, answers, self._owner).open()

    def run(self) -> None:
        """Run the task in front: saved first, then asked for its parameters."""
        document = self._tasks.current
        if document is None:
            return
        start = partial(start_run, self._console, document, self._owner)
        if document.unsaved:
            self._tasks.save(document, start)
        else:
            start()

    def start(self, id: str) -> None:
        """Run any task of the list; the one that is open is saved first."""
        if id in self._tasks.documents:
            self._tasks.open(id)
            return self.run()
        ask = self._console.link.ask
        ask(lambda service: service.definition("task", id)["definition"],
            lambda tree: start_with(self._console, id, (tree or {}).get("params"), self._owner),
            owner=self._owner, failed=self._console.refused)  # fmt: skip
        return None

    def undo(self) -> None:
        if self._tasks.current is not None:
            self._tasks.current.undo.undo()

    def redo(self) -> None:
        if self._tasks.current is not None:
            self._tasks.current.undo.redo()

    def name_steps(self, drawing: bool) -> None:
        """Show what can be undone and done again; nothing while a shelf is in front."""
        undo = self._tasks.current.undo if self._tasks.current and drawing else None
        self._name_step("undo", "Undo", undo.undoText() if undo and undo.canUndo() else None)
        self._name_step("redo", "Redo", undo.redoText() if undo and undo.canRedo() else None)

    def _name_step(self, id: str, word: str, step: str | None) -> None:
        action = self._console.actions.get(f"design.{id}")
        message = tr("{word}: {step}", word=tr(word), step=step) if step else tr(word)
        action.setEnabled(step is not None)
        action.setText(message)
        action.setIconText(tr(word))
        action.setToolTip(f"{message} ({action.shortcut().toString()})")


def start_run(console: Console, document: Document, parent: QWidget) -> None:
    """Start the task of a document."""
    start_with(console, document.task_id, document.task.get("params"), parent)
