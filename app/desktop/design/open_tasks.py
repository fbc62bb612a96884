"""The tasks that are open in the designer, what the workspace has, and what was not saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.desktop.design import recovery
from app.desktop.design.canvas_extras import read_extras
from app.desktop.design.definition_library import KINDS, DefinitionLibrary, read_library
from app.desktop.design.document import Document, Sheet, opened
from app.desktop.design.recovery import Unsaved
from app.desktop.design.saving import Conflict, Saved, conflict, save
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.link import LinkState
from engine.api.service import Service
from engine.model.errors import Invalid, SkerryError

_LOOK = 3000  # ms between two looks at what others changed


class OpenTasks(QObject):
    """``documents`` by task id, ``current`` the one in front or None, ``library`` the workspace.

    ``listed``: the workspace was read; ``current_changed`` brings a Document or None; ``opened`` and
    ``closed`` bring documents; ``state_changed``: a star or a conflict came or went;
    ``recovered`` brings a Document whose unsaved work was found again; ``refused``: the one that was to be
    saved has problems.
    """

    listed = Signal()
    current_changed = Signal(object)
    opened = Signal(object)
    closed = Signal(object)
    state_changed = Signal()
    recovered = Signal(object, object)
    refused = Signal()

    def __init__(self, console: Console, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self.library = DefinitionLibrary()
        self.documents: dict[str, Document] = {}
        self.current: Document | None = None
        self._looked = False
        self._wanted: str | None = None
        self._look = QTimer(self, interval=_LOOK)
        self._look.timeout.connect(self._look_around)
        self._keep = QTimer(self, singleShot=True, interval=recovery.PAUSE)
        self._keep.timeout.connect(self._keep_unsaved)
        self._to_keep: set[str] = set()
        console.link.state_changed.connect(self._link_changed)

    def watch(self, on: bool) -> None:
        """Look at what others change, or not (while the designer is not in front)."""
        if on:
            self.refresh()
            self._look.start()
        else:
            self._look.stop()

    def refresh(self) -> None:
        self._console.link.ask(read_library, self._took, owner=self, failed=lambda _: None)

    def _link_changed(self, state: LinkState) -> None:
        if state is LinkState.CONNECTED:
            self.refresh()

    def _look_around(self) -> None:
        def versions(service: Service) -> dict[tuple[str, str], object]:
            return {
                (kind, str(each["id"])): _version(each)
                for kind in KINDS
                for each in service.definitions(kind)
            }

        def done(found: dict[tuple[str, str], object]) -> None:
            if found != {key: _version(each) for key, each in self.library.about.items()}:
                self.refresh()

        self._console.link.ask(versions, done, owner=self, failed=lambda _: None)

    def _took(self, library: DefinitionLibrary) -> None:
        self.library = library
        for document in list(self.documents.values()):
            self._update(document, library)
        self.listed.emit()
        if not self._looked:
            self._looked = True
            self._recover()
        if self._wanted is not None and self._wanted in library.section("tasks"):
            wanted, self._wanted = self._wanted, None
            self.open(wanted)

    def _look_for(self, task: str) -> None:
        """Open a task that the last look did not find; an answer under way may be older than it."""

        def took(library: DefinitionLibrary) -> None:
            self._took(library)
            if self._wanted == task:
                self._wanted = None
                self._console.navigator.notify(tr("There is no task {id}", id=task), bad=True)

        self._wanted = task
        self._console.link.ask(read_library, took, owner=self, failed=lambda _: None)

    def _update(self, document: Document, library: DefinitionLibrary) -> None:
        gone = not document.new and document.task_id not in library.section("tasks")
        if gone and not document.unsaved:
            message = tr("The task {id} was deleted elsewhere", id=document.task_id)
            self._console.navigator.notify(message, bad=True)
            self.close(document)
            return
        found = conflict(document.tree, document.library, library)
        if found is not None:
            self._set_conflict(document, found)
        else:
            self._set_conflict(document, None)
            document.take(library)

    def _set_conflict(self, document: Document, found: Conflict | None) -> None:
        if found != document.conflict:
            document.conflict = found
            document.state_changed.emit()
            self.state_changed.emit()

    def open(self, task: str) -> None:
        """Bring a task to the front, opened if need be."""
        if task not in self.documents:
            if task not in self.library.section("tasks"):
                self._look_for(task)
                return
            self._add(opened(self._console, task, self.library, read_extras(self._console.workspace, task)))
        self.bring(self.documents[task])

    def make(self, task: str) -> Document:
        """A new task, empty, not in the workspace until it is saved."""
        document = opened(self._console, task, self.library)
        self._add(document)
        self.bring(document)
        return document

    def copy(self, task: str, new: str) -> Document:
        document = self.make(new)
        tree = self.library.section("tasks").get(task) or {"nodes": {}}
        copied = {key: value for key, value in tree.items() if key not in ("schedule", "state")}
        document.set(("tasks", new), copied, tr("Copy of {task}", task=task))
        return document

    def bring(self, document: Document | None) -> None:
        if document is not self.current:
            self.current = document
            self.current_changed.emit(document)

    def close(self, document: Document) -> None:
        """Close a task; what was not saved in it is gone."""
        del self.documents[document.task_id]
        self._forget(document.task_id)
        if document is self.current:
            rest = list(self.documents.values())
            self.bring(rest[-1] if rest else None)
        self.closed.emit(document)
        document.deleteLater()

    def _add(self, document: Document) -> None:
        document.setParent(self)
        self.documents[document.task_id] = document
        document.changed.connect(lambda: self._edited(document))
        document.undo.indexChanged.connect(self._stepped)
        self.opened.emit(document)

    def _stepped(self, _index: int) -> None:
        """The undo stack has moved, after what the step changed was announced."""
        self.state_changed.emit()

    def unsaved(self) -> list[Document]:
        return [document for document in self.documents.values() if document.unsaved]

    def save(
        self,
        document: Document,
        done: Callable[[], object] = lambda: None,
        failed: Callable[[SkerryError], object] | None = None,
    ) -> None:
        """Store what changed as new revisions; a conflict is shown and nothing stored."""

        def answered(answer: Saved | Conflict) -> None:
            if isinstance(answer, Conflict):
                self._set_conflict(document, answer)
                return
            self._saved(document, answer)
            done()

        def refused(error: SkerryError) -> None:
            if isinstance(error, Invalid):
                self._keep_draft(document)
            else:
                self._console.refused(error)
            if failed is not None:
                failed(error)

        now = document.sheet, document.library, document.task_id, self._console.workspace
        self._console.link.ask(lambda service: save(service, *now), answered, owner=document, failed=refused)

    def _keep_draft(self, document: Document) -> None:
        """Work with problems stays on the disk, as unsaved work does, until it can be stored."""
        recovery.keep(recovery.file_of(self._console.workspace, document.task_id), document)
        message = tr(
            "{id} is kept as a draft: it can be run once its problems are solved.", id=document.task_id
        )
        self._console.navigator.notify(message, bad=True)
        self.refused.emit()

    def _saved(self, document: Document, saved: Saved) -> None:
        document.kept = saved.sheet.extras
        document.take(saved.library, saved.items)
        document.undo.setClean()
        self._set_conflict(document, None)
        if not document.unsaved:
            self._forget(document.task_id)
        self._took(saved.library)
        document.state_changed.emit()
        self.state_changed.emit()

    def keep_mine(self, document: Document) -> None:
        """In a conflict: my version stays, and the next save puts it over theirs as a further revision."""
        found = document.conflict
        if found is not None:
            self._set_conflict(document, None)
            document.take(found.theirs, frozenset(found.items))
            document.state_changed.emit()

    def take_theirs(self, document: Document) -> None:
        """In a conflict: the workspace's version; mine can be had back with undo."""
        found = document.conflict
        if found is not None:
            self.keep_mine(document)
            document.edit(found.taken, tr("Take over what was changed elsewhere"))

    def _edited(self, document: Document) -> None:
        self._to_keep.add(document.task_id)
        if not self._keep.isActive():
            self._keep.start()
        self.state_changed.emit()

    def _keep_unsaved(self) -> None:
        """Write unsaved work to the disk, where a later window finds it."""
        tasks, self._to_keep = self._to_keep, set()
        for task in tasks & self.documents.keys():
            file = recovery.file_of(self._console.workspace, task)
            if self.documents[task].unsaved:
                recovery.keep(file, self.documents[task])
            else:
                file.unlink(missing_ok=True)

    def keep_for_later(self, document: Document) -> None:
        """The window closes: leave unsaved work where the next one finds it."""
        recovery.keep(recovery.file_of(self._console.workspace, document.task_id, "left"), document)
        recovery.file_of(self._console.workspace, document.task_id).unlink(missing_ok=True)

    def _forget(self, task: str) -> None:
        self._to_keep.discard(task)
        recovery.file_of(self._console.workspace, task).unlink(missing_ok=True)

    def _recover(self) -> None:
        """Unsaved work of a window that is gone: opened again, as a step that can be undone."""
        for found in recovery.left_behind(self._console.workspace):
            if found.task not in self.documents:
                self._restore(found)

    def _restore(self, found: Unsaved) -> None:
        library = found.base_of(self.library)
        extras = read_extras(self._console.workspace, found.task)
        document = opened(self._console, found.task, library, extras)
        self._add(document)
        document.turn(
            found.sheet(Sheet(document.tree, extras)), tr("Unsaved work of {time}", time=found.time)
        )
        self._keep_unsaved()
        found.file.unlink(missing_ok=True)
        self._update(document, self.library)
        if not document.unsaved:  # it was saved after all, from elsewhere
            self.close(document)
            return
        self.bring(document)
        self.recovered.emit(document, found)


def _version(about: Mapping[str, Any]) -> object:
    """What another command changes of a definition: its revision, of a task also its state."""
    return about.get("revision"), about.get("state")
