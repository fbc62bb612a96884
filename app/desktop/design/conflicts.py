"""What two people changed at the same time, and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass

from app.desktop.design.definition_library import DefinitionLibrary
from app.desktop.design.tree import REMOVE, Tree, put

Item = tuple[str, str]  # section, id


@dataclass(frozen=True, slots=True)
class Conflict:
    """Definitions that were changed here and elsewhere; ``theirs`` is the workspace as it is now."""

    items: tuple[Item, ...]
    theirs: DefinitionLibrary

    def names(self) -> str:
        """The ids, for a sentence."""
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
    for section in ("tasks", "jobs", "resources"):
        was, latest = base.section(section), now.section(section)
        for id, mine in (tree.get(section) or {}).items():
            before, theirs = was.get(id), latest.get(id)
            if mine != before and theirs not in (before, mine):
                found.append((section, id))
    return Conflict(tuple(found), now) if found else None


def followed(tree: Tree, base: DefinitionLibrary, now: DefinitionLibrary, task: str) -> list[Item]:
    """What changed elsewhere of what this tree holds or may use."""
    changed = []
    for section in ("tasks", "jobs", "resources"):
        was, latest = base.section(section), now.section(section)
        ids = {task} if section == "tasks" else {*was, *latest}
        changed += [(section, id) for id in sorted(ids) if was.get(id) != latest.get(id)]
    return changed
