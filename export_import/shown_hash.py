"""The hash of what a person was shown of a fix or delivery: the engine applies only what has the same."""

from __future__ import annotations

from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from export_import.container.form import canonical

if TYPE_CHECKING:
    from engine.store.port import Store
    from export_import.fix.effects import Effect

_KINDS = ("resource", "job", "task", "rule", "error")


def shown_hash(shown: Any, effects: tuple[Effect, ...], store: Store) -> str:
    """Of ``shown`` (JSON), the effects of what would come, and the definitions that are in the store."""
    rows = (row for kind in _KINDS for row in store.definitions(kind))
    state = [[row.kind, row.id, row.hash, row.state] for row in rows]
    whole = {"shown": shown, "effects": [asdict(each) for each in effects], "state": state}
    return sha256(canonical(whole)).hexdigest()
