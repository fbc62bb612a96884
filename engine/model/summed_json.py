"""JSON in a file of its own with its checksum: what is damaged never passes for what was written.

``{"sum": "…", "value": …}``; the sum is the sha256 of the value as compact JSON, its keys in their order.
What an earlier version wrote without one is read as it is.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any


def summed(value: Any) -> bytes:
    """The content of the file."""
    return json.dumps({"sum": _sum(value), "value": value}, ensure_ascii=False, indent=1).encode()


def unsummed(data: bytes) -> Any:
    """What was written into it; ValueError when it is something else now."""
    tree = json.loads(data)
    if not isinstance(tree, dict) or tree.keys() != {"sum", "value"}:
        return tree
    if tree["sum"] != _sum(tree["value"]):
        raise ValueError("it does not fit its checksum")
    return tree["value"]


def _sum(value: Any) -> str:
    return sha256(json.dumps(value, separators=(",", ":")).encode()).hexdigest()
