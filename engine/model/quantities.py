"""Durations, sizes and kinds as they are written in definition files."""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["text", "number", "boolean", "file", "document", "list", "map"]

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|w)")
_SIZES = {"": 1, "b": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)


def seconds(value: object) -> float:
    """A duration in seconds from ``90``, ``1.5``, ``30s``, ``1h30m``; ValueError otherwise."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0:
        return float(value)
    text = value.replace(" ", "") if isinstance(value, str) else ""
    parts = _PART.findall(text)
    if not text or "".join(n + u for n, u in parts) != text:
        raise ValueError("expected a duration such as 30s, 5m, 1h30m or 2d")
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def size_bytes(value: object) -> int:
    """A size in bytes from ``1024``, ``64KiB``, ``10 MB`` (all powers of 1024)."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if not match:
        raise ValueError("expected a size such as 4096, 64KiB or 10MB")
    return int(float(match[1]) * _SIZES[match[2].lower()])


def kind_of(value: object) -> Kind | None:
    """The kind of a literal value; None for null (any kind fits)."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, dict):
        return "map"
    return "list" if isinstance(value, (list, tuple)) else "text"
