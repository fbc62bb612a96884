"""What an operator decided about a delivery, and the delivery with it as the service takes both."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.api.documents import Document
from engine.model.codes.desk import FIX_INVALID
from engine.model.errors import Invalid
from export_import.delivery.content import Key
from export_import.delivery.references import Name


@dataclass(frozen=True, slots=True)
class Decisions:
    """What an operator decided: ``take`` and ``keep`` for conflicts, new ids, names for references."""

    take: Collection[Key] = frozenset()
    keep: Collection[Key] = frozenset()
    rename: Mapping[Key, str] = field(default_factory=dict)
    names: Mapping[Name, str] = field(default_factory=dict)
    allow_missing: bool = False
    allow_older: bool = False


UNDECIDED = Decisions()


def delivery_package(paths: list[Path], decisions: Decisions, seen: str | None = None) -> Document:
    """A delivery as the service takes it, with what was decided."""
    decided = {
        "take": [list(key) for key in decisions.take],
        "keep": [list(key) for key in decisions.keep],
        "rename": [[*key, id] for key, id in decisions.rename.items()],
        "names": [[*name, here] for name, here in decisions.names.items()],
        "allow_missing": decisions.allow_missing,
        "allow_older": decisions.allow_older,
    }
    parts = [str(each.absolute()) for each in paths]
    return {"kind": "delivery", "paths": parts, "seen": seen, "decisions": decided}


def decisions_of(tree: Mapping[str, Any]) -> Decisions:
    """The decisions of a document; Invalid when it has not their form."""
    try:
        take, keep = ({(str(kind), str(id)) for kind, id in tree.get(name, ())} for name in ("take", "keep"))
        rename, names = (
            {(str(kind), str(id)): str(new) for kind, id, new in tree.get(name, ())}
            for name in ("rename", "names")
        )
        missing, older = (tree.get(name, False) is True for name in ("allow_missing", "allow_older"))
    except (TypeError, ValueError, AttributeError) as problem:
        raise Invalid(FIX_INVALID, "these are no decisions") from problem
    return Decisions(take, keep, rename, names, missing, older)
