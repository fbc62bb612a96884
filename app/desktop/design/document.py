"""A task that is being edited: its tree, the undo stack over it, and what the engine finds wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.desktop.canvas.graph import Graph
from app.desktop.canvas.task_picture import graph_of
from app.desktop.design.canvas_extras import renamed
from app.desktop.design.conflicts import Conflict, Item, followed
from app.desktop.design.definition_library import DefinitionLibrary, changed_part, own_part
from app.desktop.design.editable import Editable, Step
from app.desktop.design.edits import rename_node
from app.desktop.design.tree import REMOVE, Edit, Path, Tree, get, put
from app.desktop.design.validation import examined
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.link import LinkState
from engine.definitions.notes import id_problem
from engine.definitions.writer import dump
from engine.model.errors import SkerryError
from engine.model.findings import Finding
from engine.planning.outline import Outline, map_of, outline_of


@dataclass(frozen=True, slots=True)
class Change:
    """What an edit touched: ids of nodes, and ``task``, ``jobs``, ``resources`` or ``extras``.

    ``"load" in change`` asks for either.
    """

    nodes: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()

    def __contains__(self, name: str) -> bool:
        return name in self.nodes or name in self.parts

    def __bool__(self) -> bool:
        return bool(self.nodes or self.parts)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One state of a document: the definitions, and the frames, notes and pins that lie beside them."""

    tree: Tree
    extras: Tree


class Document(Editable):
    """The editable task.

    ``tree`` has this task alone, and all jobs and resources of the workspace. ``changed`` brings a Change.
    """

    selection_changed = Signal(object)
    state_changed = Signal()  # saved, or in conflict, or no longer

    def __init__(
        self,
        console: Console,
        task_id: str,
        library: DefinitionLibrary,
        sheet: Sheet,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(task_id, parent)
        self._console = console
        self.library = library
        self.sheet = sheet
        self.kept = sheet.extras  # as they are in their file
        self.conflict: Conflict | None = None
        self.checked: Sheet | None = None  # what ``findings`` were found in
        self.selection: frozenset[str] = frozenset()
        self._outdated: dict[Item, list[Any]] = {}

    # -- reading -------------------------------------------------------------------------------

    @property
    def tree(self) -> Tree:
        return self.sheet.tree

    @property
    def task(self) -> Tree:
        """The task's own tree."""
        return map_of(get(self.tree, ("tasks", self.task_id)))

    @property
    def nodes(self) -> Mapping[str, Any]:
        """The task's nodes by id."""
        return map_of(self.task.get("nodes"))

    def node(self, id: str) -> Tree:
        """One node's tree; empty when there is none."""
        return map_of(self.nodes.get(id))

    def node_path(self, id: str, *rest: str | int) -> Path:
        """The path of a node in the tree."""
        return ("tasks", self.task_id, "nodes", id, *rest)

    def job_path(self, id: str, *rest: str | int) -> Path:
        """The path of a node's job: at the node when it is inline."""
        node = self.node(id)
        return ("jobs", str(node["job"]), *rest) if "job" in node else self.node_path(id, *rest)

    def job(self, id: str) -> Tree:
        """The keys of a node's job."""
        return map_of(get(self.tree, self.job_path(id)))

    def value(self, path: Path, default: Any = None) -> Any:
        """What a path of the tree leads to."""
        return get(self.tree, path, default)

    def graph(self) -> Graph:
        """The picture of the task, without statuses."""
        return graph_of(self.task, self.tree.get("jobs") or {})

    def outline(self) -> Outline:
        """What each node of the task waits for, and their order."""
        return outline_of(self.task, self.tree.get("jobs") or {})

    def text(self) -> str:
        """The task as a definition file, with the jobs and resources that it uses."""
        return dump(own_part(self.tree, self.task_id))

    @property
    def unsaved(self) -> bool:
        """Whether anything differs from what the workspace has."""
        return self.sheet.extras != self.kept or bool(changed_part(self.tree, self.library))

    @property
    def new(self) -> bool:
        """Whether the workspace does not have this task yet."""
        return self.task_id not in self.library.section("tasks")

    # -- changing ------------------------------------------------------------------------------

    def edit(self, change: Edit, text: str, merge: str | None = None) -> None:
        self.turn(Sheet(change(self.tree), self.sheet.extras), text, merge)

    def edit_extras(self, change: Edit, text: str, merge: str | None = None) -> None:
        """The same for frames, notes and pins."""
        self.turn(Sheet(self.tree, change(self.sheet.extras)), text, merge)

    def turn(self, sheet: Sheet, text: str, merge: str | None = None) -> None:
        """Go on to another state, as one step of undo."""
        if sheet != self.sheet:
            self.undo.push(Step(self._turn, self.sheet, sheet, text, merge))

    def id_problem(self, new: str) -> str:
        """Why no node can get an id; empty when one can."""
        return id_problem(new) or (tr("There is a node {id} already", id=new) if new in self.nodes else "")

    def rename_node(self, old: str, new: str) -> None:
        """Another id for a node, wherever it is named."""
        tree = rename_node(self.task_id, old, new)(self.tree)
        extras = renamed(old, new)(self.sheet.extras)
        self.turn(Sheet(tree, extras), tr("Rename {old} to {new}", old=old, new=new))

    def select(self, ids: frozenset[str]) -> None:
        """Select nodes; every view of the document follows."""
        wanted = ids & self.nodes.keys()
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
        before, self.sheet = self.sheet, self._current(sheet)
        if self.sheet == before:
            return
        sheet = self.sheet
        change = difference(before, sheet, self.task_id)
        self._check.start()
        self.changed.emit(change)
        self.select(self.selection & self.nodes.keys())

    # -- checking ------------------------------------------------------------------------------

    def _examine(self) -> None:
        sheet, task, library = self.sheet, self.task_id, self.library
        console = self._console
        if console.link.state is LinkState.CLOSED:
            return

        def call(_service: object) -> tuple[Finding, ...]:
            return examined(sheet.tree, task, library, console.job_types, console.resource_types)

        def done(findings: tuple[Finding, ...]) -> None:
            if sheet is self.sheet:
                self.findings, self.checked = findings, sheet
                self.findings_changed.emit()

        def failed(error: SkerryError) -> None:
            if console.link.writable:  # without an engine the window already says so
                console.link.failed.emit(error)

        console.link.ask(call, done, owner=self, failed=failed)


def follow(before: Document | None, after: Document | None, **slots: Callable[..., None]) -> Document | None:
    """Connect slots to the signals of another document, by name, instead of to those of the one before."""
    for name, slot in slots.items():
        if before is not None:
            getattr(before, name).disconnect(slot)
        if after is not None:
            getattr(after, name).connect(slot)
    return after


def difference(before: Sheet, after: Sheet, task: str) -> Change:
    """What two states differ in; shared parts are not looked into."""
    old, new = (get(sheet.tree, ("tasks", task)) or {} for sheet in (before, after))
    was, now = (each.get("nodes") or {} for each in (old, new))
    nodes = {id for id in {*was, *now} if was.get(id, REMOVE) is not now.get(id, REMOVE)}
    parts = {name for name in ("jobs", "resources") if before.tree.get(name) is not after.tree.get(name)}
    if any(old.get(key) is not new.get(key) for key in {*old, *new} - {"nodes"}):
        parts.add("task")
    if before.extras is not after.extras:
        parts.add("extras")
    return Change(frozenset(nodes), frozenset(parts))


def opened(
    console: Console, task_id: str, library: DefinitionLibrary, extras: Tree | None = None
) -> Document:
    """The document of a task of the workspace, or of a new one that is not there yet."""
    tasks = {task_id: library.section("tasks").get(task_id) or {"nodes": {}}}
    tree = {"resources": library.section("resources"), "jobs": library.section("jobs"), "tasks": tasks}
    return Document(console, task_id, library, Sheet(tree, extras or {}))


__all__ = ["REMOVE", "Change", "Document", "Sheet", "difference", "opened"]
