"""A task that is being edited: its tree, the undo stack over it, and what the engine finds wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.desktop.canvas.graph import CanvasGraph
from app.desktop.canvas.task_picture import graph_of, with_handlers
from app.desktop.design.canvas_extras import renamed
from app.desktop.design.definition_library import DefinitionLibrary, changed_part, own_part
from app.desktop.design.editable import Editable, Sheet
from app.desktop.design.edits import handlers_of, rename_node
from app.desktop.design.saving import Conflict, Item, followed
from app.desktop.design.tree import REMOVE, Edit, Path, Tree, get, node_path, put, shared
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.workers.registered import registered
from engine.api.documents import Source
from engine.api.examine import examine
from engine.definitions.notes import id_problem
from engine.definitions.writer import dump
from engine.model.findings import Finding
from engine.model.names import SECTIONS
from engine.model.worker import Worker
from engine.planning.outline import Outline, map_of, outline_of


class Document(Editable):
    """The editable task.

    ``tree`` has this task alone, and all jobs and resources of the workspace.
    """

    selection_changed = Signal(object)
    renamed = Signal(str, str)  # a node is about to get another id: the old and the new one
    state_changed = Signal()  # saved, or in conflict, or no longer

    def __init__(
        self,
        console: Console,
        task_id: str,
        library: DefinitionLibrary,
        sheet: Sheet,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(task_id, sheet, console.link, self._findings, parent)
        self._console, self._overview = console, console.overview
        self.library = library
        self.kept = sheet.extras  # as they are in their file
        self.conflict: Conflict | None = None
        self.selection: frozenset[str] = frozenset()
        self._outdated: dict[Item, list[Any]] = {}

    @property
    def task(self) -> Tree:
        return map_of(get(self.tree, ("tasks", self.task_id)))

    @property
    def nodes(self) -> Mapping[str, Any]:
        return map_of(self.task.get("nodes"))

    @property
    def parts(self) -> Mapping[str, Any]:
        """The nodes and the handlers of the task's end, by id."""
        return {**self.nodes, **handlers_of(self.task)}

    def node(self, id: str) -> Tree:
        """One node's or handler's tree; empty when there is none."""
        return map_of(self.parts.get(id))

    def node_path(self, id: str, *rest: str | int) -> Path:
        return node_path(self.task_id, id, *rest)

    def job_path(self, id: str, *rest: str | int) -> Path:
        """The path of a node's job: at the node when it is inline."""
        node = self.node(id)
        return ("jobs", str(node["job"]), *rest) if "job" in node else self.node_path(id, *rest)

    def job(self, id: str) -> Tree:
        return map_of(get(self.tree, self.job_path(id)))

    def graph(self) -> CanvasGraph:
        """The picture of the task, without statuses."""
        jobs = self.tree.get("jobs") or {}
        return with_handlers(graph_of(self.task, jobs), self.task, jobs)

    def outline(self) -> Outline:
        """What each node of the task waits for, and their order."""
        return outline_of(self.task, self.tree.get("jobs") or {})

    def text(self) -> str:
        """The task as a definition file, with the jobs and resources that it uses."""
        return dump(own_part(self.tree, self.task_id))

    def applied(self, tree: Tree, typed: Tree) -> Tree:
        """A tree with what a text says of the task, its jobs and resources; equal parts are shared."""
        for section in ("resources", "jobs"):
            part = typed.get(section)
            if isinstance(part, dict):
                known = tree.get(section) or {}
                tree = put(tree, (section,), shared(known, {**known, **part}))
        old = get(tree, ("tasks", self.task_id)) or {}
        return put(tree, ("tasks", self.task_id), shared(old, typed["tasks"][self.task_id]))

    @property
    def unsaved(self) -> bool:
        """Whether anything differs from what the workspace has."""
        return self.sheet.extras != self.kept or bool(changed_part(self.tree, self.library))

    @property
    def new(self) -> bool:
        """Whether the workspace does not have this task yet."""
        return self.task_id not in self.library.section("tasks")

    def edit_extras(self, change: Edit, text: str) -> None:
        """Change frames, notes and pins by a function, as one step of undo."""
        self.turn(Sheet(self.tree, change(self.sheet.extras)), text)

    def id_problem(self, new: str) -> str:
        """Why no node can get an id; empty when one can."""
        return id_problem(new) or (tr("There is a node {id} already", id=new) if new in self.nodes else "")

    def rename_node(self, old: str, new: str) -> None:
        """Another id for a node, wherever it is named; it is selected under that."""
        self.renamed.emit(old, new)
        tree = rename_node(self.task_id, old, new)(self.tree)
        extras = renamed(old, new)(self.sheet.extras)
        self.turn(Sheet(tree, extras), tr("Rename {old} to {new}", old=old, new=new))
        self.select(frozenset([new]))

    def select(self, ids: frozenset[str]) -> None:
        """Select nodes; every view of the document follows."""
        wanted = ids & self.parts.keys()
        if wanted != self.selection:
            self.selection = wanted
            self.selection_changed.emit(wanted)

    def take(self, library: DefinitionLibrary, own: frozenset[Item] = frozenset()) -> None:
        """The workspace as it is now: what was not edited here follows it, without a step of undo.

        ``own`` are the definitions that were just saved from here.
        """
        for item in followed(self.tree, self.library, library, self.task_id):
            if item not in own:
                section, id = item
                self._outdated.setdefault(item, []).append(self.library.section(section).get(id))
        self.library = library
        self._turn(self.sheet)

    def _current(self, sheet: Sheet) -> Sheet:
        """The sheet with what others changed meanwhile: no step may bring an old version of it back."""
        tree = sheet.tree
        for (section, id), olds in self._outdated.items():
            here, latest = get(tree, (section, id)), self.library.section(section).get(id)
            if here != latest and here in olds:
                tree = put(tree, (section, id), REMOVE if latest is None else latest)
        return sheet if tree is sheet.tree else Sheet(tree, sheet.extras)

    def _turn(self, sheet: Sheet) -> None:
        current = self._current(sheet)
        if current != self.sheet:
            super()._turn(current)
            self.select(self.selection & self.parts.keys())

    def _findings(self, tree: Tree) -> tuple[Finding, ...]:
        return self.examined(dump(own_part(tree, self.task_id)), tree)

    def examined(self, text: str, tree: Tree) -> tuple[Finding, ...]:
        """What is wrong with a text of this task, for a worker thread.

        What the text only names is taken from ``tree``, else from the workspace.
        """

        def standing(kind: str, id: str) -> Any:
            return get(tree, (SECTIONS.get(kind, ""), id)) or self.library.find(kind, id)

        types = self._console.job_types, self._console.resource_types
        source = Source(name=f"{self.task_id}.yaml", text=text)
        return examine([source], *types, standing, workers=self._workers).findings

    def _workers(self) -> list[Worker] | None:
        """Those that are registered; None while they are not known."""
        latest = self._overview.latest
        return None if latest is None or not latest.workers else registered(latest.workers)


def follow(before: Document | None, after: Document | None, **slots: Callable[..., None]) -> Document | None:
    """Connect slots to the signals of another document, by name, instead of to those of the one before."""
    for name, slot in slots.items():
        if before is not None:
            getattr(before, name).disconnect(slot)
        if after is not None:
            getattr(after, name).connect(slot)
    return after


def opened(
    console: Console, task_id: str, library: DefinitionLibrary, extras: Tree | None = None
) -> Document:
    """The document of a task of the workspace, or of a new one that is not there yet."""
    tasks = {task_id: library.section("tasks").get(task_id) or {"nodes": {}}}
    tree = {"resources": library.section("resources"), "jobs": library.section("jobs"), "tasks": tasks}
    return Document(console, task_id, library, Sheet(tree, extras or {}))


__all__ = ["REMOVE", "Document", "Sheet", "opened"]
