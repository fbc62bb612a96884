"""What a person was shown of a fix or delivery, as a hash: the engine applies only what has the same."""

from __future__ import annotations

from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.context.tree import MISSING
from export_import.container.form import canonical
from export_import.fix.effects import FixEffect, effects_of

if TYPE_CHECKING:
    from engine.api.documents import Document
    from engine.runtime.interventions.amendment import Amendment
    from engine.store.sql_store import Store

_KINDS = ("resource", "job", "task", "calendar", "rule", "error")


def shown_hash(shown: Any, effects: tuple[FixEffect, ...], store: Store) -> str:
    """Of ``shown`` (JSON), the effects of what would come, and the definitions that are in the store."""
    rows = (row for kind in _KINDS for row in store.definitions(kind))
    state = [[row.kind, row.id, row.hash, row.state] for row in rows]
    whole = {"shown": shown, "effects": [asdict(each) for each in effects], "state": state}
    return sha256(canonical(whole)).hexdigest()


def fix_package(paths: list[Path], seen: str | None = None) -> Document:
    """A fix as the service takes it."""
    return {"kind": "fix", "paths": [str(each.absolute()) for each in paths], "seen": seen}


def fix_seen(amendment: Amendment, store: Store) -> str:
    """The hash of what is shown of a fix: what it changes, does and reaches, and the definitions here."""
    return shown_hash(_document(amendment), effects_of(amendment, store), store)


def _document(amendment: Amendment) -> Document:
    """The amendment as JSON; a missing ``old`` is left out."""
    tree = asdict(amendment)
    for each, content in zip(amendment.values, tree["values"], strict=True):
        if each.old is MISSING:
            del content["old"]
    return {**tree, "origin": dict(amendment.origin or {})}
