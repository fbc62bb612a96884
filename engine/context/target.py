"""Where in the context a path that a person wrote leads: the place of the value that an edit sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.context.fields import ORDERED
from engine.model.codes.expressions import MISSING_VALUE
from engine.model.errors import SkerryError
from engine.model.expression import Path, format_path


def target(tree: Mapping[str, Any], path: Path) -> Path:
    """``path`` with a position below PARAMS or RESULT as the name that stands there (``RESULT[0]``).

    SkerryError when there is no such position.
    """
    found: list[str | int] = []
    value: Any = tree
    for step in path:
        if isinstance(step, int) and found and found[-1] in ORDERED and isinstance(value, Mapping):
            step = _name(value, step, path)
        value = _below(value, step)
        found.append(step)
    return tuple(found)


def _name(holder: Mapping[str, Any], position: int, path: Path) -> str:
    names = list(holder)
    if not -len(names) <= position < len(names):
        raise SkerryError(MISSING_VALUE, f"{format_path(path)}: there are {len(names)} values")
    return names[position]


def _below(value: Any, step: str | int) -> Any:
    try:
        return value[step]
    except (KeyError, IndexError, TypeError):
        return None
