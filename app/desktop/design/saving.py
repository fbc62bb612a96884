"""Saving a task: a revision of each changed definition, never over what another person changed meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.desktop.design.canvas_extras import write_extras
from app.desktop.design.definition_library import DefinitionLibrary, changed_part, read_library, source_of
from app.desktop.design.editable import Sheet
from app.desktop.design.tree import REMOVE, Tree, put
from engine.api.documents import Kind
from engine.api.service import Service
from engine.model.errors import Invalid

Item = tuple[str, str]  # section, id
_SECTIONS: dict[str, Kind] = {"tasks": "task", "jobs": "job", "resources": "resource"}  # their kinds


@dataclass(frozen=True, slots=True)
class Conflict:
    """Definitions that were changed here and elsewhere; ``theirs`` is the workspace as it is now."""

    items: tuple[Item, ...]
    theirs: DefinitionLibrary

    def names(self) -> str:
        return ", ".join(id for _, id in self.items)

    def taken(self, tree: Tree) -> Tree:
        """The tree with the workspace's version of what is in conflict."""
        for section, id in self.items:
            theirs = self.theirs.section(section).get(id)
            tree = put(tree, (section, id), REMOVE if theirs is None else theirs)
        return tree


def conflict(tree: Tree, base: DefinitionLibrary, now: DefinitionLibrary) -> Conflict | None:
    """What differs from ``base`` both in ``tree`` and, in another way, in ``now``."""
    found = []
    for section in _SECTIONS:
        was, latest = base.section(section), now.section(section)
        for id, mine in (tree.get(section) or {}).items():
            before, theirs = was.get(id), latest.get(id)
            if mine != before and theirs not in (before, mine):
                found.append((section, id))
    return Conflict(tuple(found), now) if found else None


def followed(tree: Tree, base: DefinitionLibrary, now: DefinitionLibrary, task: str) -> list[Item]:
    """What changed elsewhere of what this tree holds or may use."""
    changed = []
    for section in _SECTIONS:
        was, latest = base.section(section), now.section(section)
        ids = {task} if section == "tasks" else {*was, *latest}
        changed += [(section, id) for id in sorted(ids) if was.get(id) != latest.get(id)]
    return changed


@dataclass(frozen=True, slots=True)
class Saved:
    """What was stored, and the workspace afterwards."""

    items: frozenset[Item]
    library: DefinitionLibrary
    sheet: Sheet


def save(
    service: Service, sheet: Sheet, base: DefinitionLibrary, task: str, workspace: Path
) -> Saved | Conflict:
    """Store what differs from ``base``, on a worker; the conflict instead when the workspace has changed."""
    part = changed_part(sheet.tree, base)
    items = frozenset((section, id) for section, trees in part.items() for id in trees)
    if any(_stored(service, section, id) != base.section(section).get(id) for section, id in items):
        found = conflict(sheet.tree, base, read_library(service))
        if found is not None:
            return found
    if part:
        service.load([source_of(part, f"{task}.yaml")])
    write_extras(workspace, task, sheet.extras)
    return Saved(items, read_library(service), sheet)


def _stored(service: Service, section: str, id: str) -> object:
    try:
        return service.definition(_SECTIONS[section], id).get("definition")
    except Invalid:
        return None
