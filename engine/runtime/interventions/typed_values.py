"""Values as a person types them, converted to the kind of what they replace; never evaluated."""

from __future__ import annotations

from typing import Any

from engine.context.tree import at_path
from engine.model.codes.runtime import EDIT_INVALID
from engine.model.errors import Invalid, SkerryError
from engine.model.expression import as_kind, parse_path
from engine.model.quantities import kind_of


def value_like(tree: Any, path: str, text: str) -> Any:
    """``text`` as the kind of the value at ``path``; as text where there is none or null.

    Invalid when the path is none, or the text does not fit.
    """
    try:
        old = at_path(tree, parse_path(path))
        kind = old.get("kind", "text") if isinstance(old, dict) and "$file" in old else kind_of(old)
        return text if kind in (None, "text") else as_kind(text, kind)
    except SkerryError as error:
        raise Invalid.at(EDIT_INVALID, "{where}: {message}", path, message=error.message) from error
