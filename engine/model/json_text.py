"""Compact JSON text in one call of the C encoder, and its value in one of the C scanner.

``json.JSONEncoder.encode`` sets a new C encoder up for each value, which for the small values of a
context costs more than the text itself. Here it is set up once; what it writes is the same. ``json.loads``
takes three calls and two regular expressions to the scanner, which cost as much as a small text.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from json.encoder import c_make_encoder, encode_basestring  # type: ignore[attr-defined]
from typing import Any, NoReturn

_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


def compact(*, nan: bool) -> Callable[[Any], str]:
    """The text of a JSON tree, nothing escaped that need not be, keys in their order.

    TypeError for what is no JSON value, RecursionError for what holds itself, ValueError for a NaN
    (unless ``nan``).
    """
    pieces = c_make_encoder(None, _refuse, encode_basestring, None, ":", ",", False, False, nan)
    return lambda value: "".join(pieces(value, 0))


def read_json(text: str) -> Any:
    """What ``json.loads`` gives for a text, or raises; meant for what ``compact`` wrote."""
    try:
        value, end = _scan(text, 0)
    except StopIteration:  # no value at its beginning
        return json.loads(text)
    return value if end == len(text) else json.loads(text)


def no_constant(name: str) -> NoReturn:
    """ValueError for NaN and the infinities, which are not JSON."""
    raise ValueError(f"{name} is no number of JSON")


def _refuse(value: Any) -> NoReturn:
    raise TypeError(f"{type(value).__name__} is no JSON value")
