"""What keeps the engine from writing its state: since when, and how many instances wait for it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class WriteStall:
    """A full disk, or a database that does not answer."""

    since: str  # ISO 8601, UTC
    reason: str  # the error, which names the disk or the server
    instances: int  # that run and whose outcomes or files wait for it

    def to_json(self) -> dict[str, Any]:
        """For ``about`` and events."""
        return asdict(self)
