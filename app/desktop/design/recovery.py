"""Unsaved work on the disk: written a few seconds after an edit, found again when the window was killed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from app.desktop.design.canvas_extras import write_private
from app.desktop.design.definition_library import DefinitionLibrary, changed_part
from app.desktop.design.document import Document, Sheet
from app.desktop.design.tree import Tree, put

PAUSE = 3000  # ms from an edit to the disk


@dataclass(frozen=True, slots=True)
class Unsaved:
    """What a window that is gone had not saved: ``part`` are the changed trees, ``base`` what they were."""

    file: Path
    task: str
    part: Mapping[str, Any]
    base: Mapping[str, Any]
    extras: Tree
    time: str

    def base_of(self, library: DefinitionLibrary) -> DefinitionLibrary:
        """The workspace as it was when that work was begun."""
        raw: Tree = library.raw
        for section, trees in self.part.items():
            before = self.base.get(section) or {}
            kept = {
                id: each for id, each in library.section(section).items() if id not in trees or id in before
            }
            raw = put(raw, (section,), {**kept, **before})
        return replace(library, raw=raw)

    def sheet(self, now: Sheet) -> Sheet:
        """A document's state with that work in it."""
        tree = now.tree
        for section, trees in self.part.items():
            tree = put(tree, (section,), {**(tree.get(section) or {}), **trees})
        return Sheet(tree, self.extras)


def folder(workspace: Path) -> Path:
    return workspace / "design" / "unsaved"


def file_of(workspace: Path, task: str, window: str = "") -> Path:
    """The file of a task that this process edits; ``left`` for one whose window was closed meanwhile."""
    return folder(workspace) / f"{task}.{window or os.getpid()}.json"


def keep(file: Path, document: Document) -> None:
    """Write the unsaved work of a document; the window may die at any time, so it is there at once."""
    part = changed_part(document.tree, document.library)
    base = {
        section: {id: before[id] for id in trees if id in before}
        for section, trees in part.items()
        for before in (document.library.section(section),)
    }
    payload = {
        "task": document.task_id,
        "part": part,
        "base": base,
        "extras": document.sheet.extras,
        "time": datetime.now().astimezone().isoformat(timespec="seconds"),
    }
    write_private(file, json.dumps(payload, ensure_ascii=False), safe=False)


def left_behind(workspace: Path) -> Iterator[Unsaved]:
    """The unsaved work of windows that are gone, the oldest first; what cannot be read is left alone."""
    place = folder(workspace)
    files = sorted(place.glob("*.json"), key=lambda file: file.stat().st_mtime) if place.is_dir() else []
    for file in files:
        if not _alive(file):
            found = _read(file)
            if found is not None:
                yield found


def _read(file: Path) -> Unsaved | None:
    try:
        payload = json.loads(file.read_text("utf-8"))
        return Unsaved(
            file, payload["task"], payload["part"], payload["base"], payload["extras"], payload["time"]
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _alive(file: Path) -> bool:
    """Whether the window that wrote a file still runs."""
    number = file.stem.rpartition(".")[2]
    if not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
