"""Which branch the value of a condition takes (contract 2.4)."""

from __future__ import annotations

from typing import Any

from engine.model.codes.planning import NO_BRANCH
from engine.model.control import ConditionKeys
from engine.model.errors import SkerryError
from engine.model.expression import as_text


def branch_key(keys: ConditionKeys, value: Any) -> str | None:
    """The branch for the value of a condition, compared as text; None where true or false has none.

    SkerryError when the value has no branch, is neither true nor false, and there is no default.
    """
    text = None if value is None else as_text(value)
    if text in keys.branches:
        return text
    if "default" in keys.branches:
        return "default"
    if text in ("true", "false"):
        return None
    known = ", ".join(f"'{key}'" for key in keys.branches) or "none"
    shown = "null" if text is None else f"'{text[:80]}'"
    raise SkerryError(NO_BRANCH, f"no branch is for the value {shown}; there are: {known}")
