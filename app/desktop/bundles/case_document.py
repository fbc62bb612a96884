"""The definitions of a case as they ran, to be changed in one document, and what differs then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.desktop.design.definition_library import DefinitionLibrary
from app.desktop.design.document import Document
from app.desktop.design.editable import Sheet
from app.desktop.design.tree import Tree, put, shared
from app.desktop.kernel.console import Console
from engine.definitions.writer import dump
from engine.model.findings import Finding
from engine.model.names import SECTIONS
from engine.planning.outline import map_of

_SECTIONS = ("tasks", "jobs", "resources", "calendars", "errors", "rules")


class CaseDocument(Document):
    """A copy of what was ``recorded``; the canvas shows the task ``task_id``, the text shows everything."""

    def __init__(self, console: Console, task_id: str, recorded: Tree) -> None:
        library = DefinitionLibrary({section: recorded.get(section) or {} for section in SECTIONS.values()})
        super().__init__(console, task_id, library, Sheet(recorded))
        self.recorded = recorded

    @property
    def tasks(self) -> tuple[str, ...]:
        """The task that ran, and those that it runs."""
        return tuple(self.tree.get("tasks") or ())

    @property
    def unsaved(self) -> bool:
        return bool(self.changes())

    def text(self) -> str:
        return dump(dict(self.tree))

    def applied(self, tree: Tree, typed: Tree) -> Tree:
        found: Tree = shared(tree, typed)
        return found

    def with_definitions(self, tree: Tree, typed: Tree) -> Tree:
        """A tree with the definitions of another one put over its own; the others stay."""
        for section in SECTIONS.values():
            if part := map_of(typed.get(section)):
                tree = put(tree, (section,), {**map_of(tree.get(section)), **part})
        return tree

    def changes(self) -> dict[str, Any]:
        """What a fix would bring: see ``differing``."""
        return differing(self.tree, self.recorded)

    def _findings(self, tree: Tree) -> tuple[Finding, ...]:
        return self.examined(dump(dict(tree)), tree)


def differing(now: Tree, recorded: Tree) -> dict[str, Any]:
    """What was changed or added, by section; the rest stays the site's. Empty where nothing was.

    >>> differing({"tasks": {"a": 1, "b": 2}}, {"tasks": {"a": 1, "b": 3}})
    {'skerry': 1, 'tasks': {'b': 2}}
    """
    found: dict[str, Any] = {}
    for section in _SECTIONS:
        new, old = now.get(section), recorded.get(section)
        if isinstance(new, Mapping) and isinstance(old, Mapping | None):
            changed: Any = {key: value for key, value in new.items() if (old or {}).get(key) != value}
        else:
            changed = new if new != old else None
        if changed:
            found[section] = changed
    return {"skerry": now.get("skerry", 1), **found} if found else {}
