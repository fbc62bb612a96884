"""Streams of events inside the engine's process: filtered, batched, with ticks when all is quiet."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event as Flag
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.runtime.events import Subscription

Event = dict[str, Any]
QUIET = 5.0  # seconds without an event until a tick
_LARGEST_BATCH = 1000
_BREATH = 0.01  # seconds between two batches: a listener shall not wake up for every single event


class LocalStream:
    """Events of one instance, or of all."""

    def __init__(self, subscription: Subscription, instance: int | None = None, quiet: float = QUIET) -> None:
        self._subscription = subscription
        self._instance = instance
        self._quiet = quiet
        self._ended = Flag()

    def __iter__(self) -> Iterator[Event]:
        while not self.closed:
            yield from self.batch() or ({"kind": "tick"},)
            self.pause(_BREATH)

    def batch(self) -> list[Event]:
        """What has come by now, after waiting for the first; empty when it stayed quiet or was closed."""
        while (first := self._subscription.next(self._quiet)) is not None:
            events = [first]
            while len(events) < _LARGEST_BATCH and (more := self._subscription.next(0)) is not None:
                events.append(more)
            if self._instance is not None:
                events = [e for e in events if e.get("instance") == self._instance or e["kind"] == "resync"]
            if events:
                return events
        return []

    @property
    def closed(self) -> bool:
        """Whether nobody listens any more."""
        return self._ended.is_set()

    def pause(self, seconds: float) -> None:
        """Let some events gather; returns at once when closed."""
        self._ended.wait(seconds)

    def close(self) -> None:
        """Listen no more; who waits wakes up."""
        self._ended.set()
        self._subscription.close()
