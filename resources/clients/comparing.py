"""Comparing what was found with what a check expects, by the rule of conditions."""

from __future__ import annotations

import re
from typing import Any

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")  # of JSON: 0012 is a text


def alike(found: Any, expected: Any) -> bool:
    """Whether two values are the same: numbers as numbers, else as texts; lists item by item.

    Where true or false is expected, 1 and 0 will do: some databases have no other.
    """
    if isinstance(expected, list) or isinstance(found, list):
        same_shape = isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected)
        return same_shape and all(map(alike, found, expected))
    if isinstance(expected, bool):
        return found in (expected, str(expected).lower())
    if found is None or expected is None or isinstance(found, (bool, dict)) or isinstance(expected, dict):
        return bool(found == expected) or (isinstance(found, bool) and str(found).lower() == expected)
    return _same_number(found, expected) or str(found) == str(expected)


def within(found: Any, expected: Any) -> bool:
    """Whether a JSON tree holds ``expected``: maps may have further keys, lists may not be longer."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            key in found and within(found[key], value) for key, value in expected.items()
        )
    if isinstance(expected, list):
        same_length = isinstance(found, list) and len(found) == len(expected)
        return same_length and all(map(within, found, expected))
    return alike(found, expected)


def _same_number(found: Any, expected: Any) -> bool:
    texts = [str(each).strip() for each in (found, expected)]
    return all(map(_NUMBER.fullmatch, texts)) and float(texts[0]) == float(texts[1])
