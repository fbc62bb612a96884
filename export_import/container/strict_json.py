"""JSON from strangers: no duplicate keys, no depth, no numbers or texts that a reader could trip over."""

from __future__ import annotations

import json
import math
from typing import Any

from engine.model.json_text import no_constant
from engine.model.plain_words import wording
from export_import.container.form import ReadLimits, hostile

_INTEGER = 1 << 63


def parse(data: bytes, limits: ReadLimits, where: str) -> dict[str, Any]:
    """The map that ``data`` holds; Refused when it breaks a rule of docs/bundle-format.md."""
    if data.count(b"{") + data.count(b"[") > limits.containers or data.count(b",") > 6 * limits.containers:
        raise hostile("{where} has more than {most} lists and maps", where, most=limits.containers)
    try:
        tree = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_map,
            parse_constant=no_constant,
            parse_float=_float,
            parse_int=_integer,
        )
    except (ValueError, RecursionError) as error:
        raise hostile("{where} is no proper JSON: {error}", where, error=wording(error)) from None
    if not isinstance(tree, dict):
        raise hostile("{where} is no map", where)
    _check(tree, limits.depth, where)
    return tree


def _map(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key appears twice")
    return found


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return value


def _integer(text: str) -> int:
    if len(text) > 20 or not -_INTEGER <= int(text) < _INTEGER:
        raise ValueError("a number is too large")
    return int(text)


def _check(tree: Any, depth: int, where: str) -> None:
    """Depth and texts, without recursion."""
    level = [tree]
    for _ in range(depth):
        below: list[Any] = []
        for each in level:
            values = [*each, *each.values()] if isinstance(each, dict) else each
            below += [value for value in values if isinstance(value, (dict, list))]
            if not all(_is_text(value) for value in values if isinstance(value, str)):
                raise hostile("{where} has a text that is not valid Unicode", where)
        if not below:
            return
        level = below
    raise hostile("{where} is more than {depth} levels deep", where, depth=depth)


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
