"""A fix as the service takes it, bound to what a person was shown of it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from engine.context.tree import MISSING
from export_import.fix.effects import effects_of
from export_import.shown_hash import shown_hash

if TYPE_CHECKING:
    from engine.api.documents import Document
    from engine.runtime.interventions.amendment import Amendment
    from engine.store.port import Store


def fix_package(paths: list[Path], seen: str | None = None) -> Document:
    """A fix as the service takes it."""
    return {"kind": "fix", "paths": [str(each.absolute()) for each in paths], "seen": seen}


def fix_seen(amendment: Amendment, store: Store) -> str:
    """The hash of what is shown of a fix: what it changes, does and reaches, and what stands here."""
    return shown_hash(_document(amendment), effects_of(amendment, store), store)


def _document(amendment: Amendment) -> Document:
    """The amendment as JSON; a missing ``old`` is left out."""
    tree = asdict(amendment)
    for each, content in zip(amendment.values, tree["values"], strict=True):
        if each.old is MISSING:
            del content["old"]
    return {**tree, "origin": dict(amendment.origin or {})}
