"""Events gathered between two looks: of one job only the latest counts."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

Event = Mapping[str, Any]
RESYNC: Event = {"kind": "resync"}
_ABOUT = ("kind", "instance", "job_instance", "alert", "worker")
_MOST = 20_000  # events kept; beyond that reading everything again is cheaper


class Batches:
    """Put from any thread, take from any other."""

    def __init__(self, most: int = _MOST) -> None:
        self._lock = threading.Lock()
        self._gathered: dict[object, Event] = {}
        self._most = most

    def put(self, event: Event) -> bool:
        """Add one; True if it is the first since the last ``take``."""
        with self._lock:
            first = not self._gathered
            self._add(event)
            return first

    def take(self) -> tuple[Event, ...]:
        """Everything since the last time, in the order of the latest changes."""
        with self._lock:
            taken = tuple(self._gathered.values())
            self._gathered = {}
            return taken

    def _add(self, event: Event) -> None:
        if event["kind"] == "resync" or len(self._gathered) >= self._most:
            self._gathered = {"resync": RESYNC}
            return
        key = tuple(map(event.get, _ABOUT))
        self._gathered.pop(key, None)
        self._gathered[key] = event
