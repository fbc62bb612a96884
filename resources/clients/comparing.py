"""Comparing what was found with what a check expects, by the rule of conditions."""

from __future__ import annotations

from typing import Any

from engine.model.expression.values import equal


def alike(found: Any, expected: Any) -> bool:
    """Whether two values are the same: numbers as numbers, else as texts; lists item by item.

    Where true or false is expected, 1 and 0 will do: some databases have no other.
    """
    if isinstance(expected, list) or isinstance(found, list):
        same_shape = isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected)
        return same_shape and all(map(alike, found, expected))
    if isinstance(expected, bool):
        return found in (expected, str(expected).lower())
    return equal(found, expected)


def within(found: Any, expected: Any) -> bool:
    """Whether a JSON tree holds ``expected``: maps may have further keys, lists may not be longer."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            key in found and within(found[key], value) for key, value in expected.items()
        )
    if isinstance(expected, list):
        same_length = isinstance(found, list) and len(found) == len(expected)
        return same_length and all(map(within, found, expected))
    return not isinstance(found, (dict, list)) and alike(found, expected)
