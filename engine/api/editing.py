"""What a person types as a value, read as the kind of what it replaces; never evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.model.expression import as_kind
from engine.model.quantities import kind_of


def value_like(tree: Any, path: Sequence[str | int], text: str) -> Any:
    """``text`` as the kind of the value at ``path``; as text where there is none; SkerryError if unfit."""
    old = _value_at(tree, path)
    if old is None:
        return text
    kind = kind_of(old)
    return text if kind == "text" else as_kind(text, kind)


def _value_at(tree: Any, path: Sequence[str | int]) -> Any:
    for part in path:
        try:
            tree = tree[part]
        except (KeyError, IndexError, TypeError):
            return None
    return tree
