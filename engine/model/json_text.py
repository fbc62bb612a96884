"""Compact JSON text in one call of the C encoder.

``json.JSONEncoder.encode`` sets a new C encoder up for each value, which for the small values of a
context costs more than the text itself. Here it is set up once; what it writes is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from json.encoder import c_make_encoder, encode_basestring  # type: ignore[attr-defined]
from typing import Any, NoReturn


def compact(*, nan: bool) -> Callable[[Any], str]:
    """The text of a JSON tree, nothing escaped that need not be, keys in their order.

    TypeError for what is no JSON value, RecursionError for what holds itself, ValueError for a NaN
    (unless ``nan``).
    """
    pieces = c_make_encoder(None, _refuse, encode_basestring, None, ":", ",", False, False, nan)
    return lambda value: "".join(pieces(value, 0))


def no_constant(name: str) -> NoReturn:
    """ValueError for NaN and the infinities, which are not JSON."""
    raise ValueError(f"{name} is no number of JSON")


def _refuse(value: Any) -> NoReturn:
    raise TypeError(f"{type(value).__name__} is no JSON value")
