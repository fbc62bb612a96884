"""The definitions: as each run had them, and as they are in the workspace now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from engine.runtime.library import tree_of
from export_import.collecting import BundleItem
from export_import.export_source import Site

DEADLINE = 30.0


def items(site: Site) -> Iterator[BundleItem]:
    """``definitions/<instance>-<run>.json``, ``definitions/current.json``, ``definitions/errors.json``."""
    for each in site.chosen:
        for run in site.store.runs(each.row.id):
            raw = site.store.snapshot(each.row.id, run.run)
            if raw:
                yield _item(f"definitions/{each.row.id}-{run.run}.json", raw)
    yield _item("definitions/current.json", _current(site))


def _current(site: Site) -> dict[str, Any]:
    """What the chosen tasks use, the handling rules, and the user's own catalogue."""
    found: dict[str, Any] = {"skerry": 1}
    for task in sorted({each.row.task for each in site.chosen}):
        for section, trees in tree_of(site.store, "task", task).items():
            found.setdefault(section, {}).update(trees)
    rules, errors = (
        [row for row in site.store.definitions(kind) if row.error is None] for kind in ("rule", "error")
    )
    found["rules"] = [row.content for row in rules]
    found["errors"] = {row.id: row.content for row in errors}
    return {key: value for key, value in found.items() if value}


def _item(name: str, tree: dict[str, Any]) -> BundleItem:
    data = json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode()
    return BundleItem(name, "definition", 1, len(data), lambda: [data], "json")
