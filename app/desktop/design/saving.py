"""Saving a document: one revision of each changed definition, never over what another person changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.desktop.design.canvas_extras import write_extras
from app.desktop.design.conflicts import Conflict, Item, conflict
from app.desktop.design.definition_library import (
    DefinitionLibrary,
    changed_part,
    kind_of_section,
    read_library,
    source_of,
)
from app.desktop.design.document import Document, Sheet
from engine.api.documents import Loaded
from engine.api.service import Service
from engine.model.errors import Invalid


@dataclass(frozen=True, slots=True)
class Saved:
    """What was stored, and the workspace afterwards."""

    loaded: tuple[Loaded, ...]
    items: frozenset[Item]
    library: DefinitionLibrary
    sheet: Sheet


class Saving:
    """One save: made from a document on the window's thread, done on a worker's."""

    def __init__(self, document: Document, workspace: Path) -> None:
        self._sheet, self._base, self._task = document.sheet, document.library, document.task_id
        self._workspace = workspace

    def __call__(self, service: Service) -> Saved | Conflict:
        """Store it; the conflict instead when the workspace has changed meanwhile."""
        part = changed_part(self._sheet.tree, self._base)
        items = frozenset((section, id) for section, trees in part.items() for id in trees)
        if any(self._moved_on(service, section, id) for section, id in items):
            now = read_library(service)
            found = conflict(self._sheet.tree, self._base, now)
            if found is not None:
                return found
        loaded = tuple(service.load([source_of(part, f"{self._task}.yaml")])) if part else ()
        write_extras(self._workspace, self._task, self._sheet.extras)
        return Saved(loaded, items, read_library(service), self._sheet)

    def _moved_on(self, service: Service, section: str, id: str) -> bool:
        try:
            now = service.definition(kind_of_section(section), id).get("definition")
        except Invalid:
            now = None
        return now != self._base.section(section).get(id)
