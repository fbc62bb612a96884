"""Events for listeners: small, coalesced per job, never blocking the engine."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from engine.model.message import with_facts

Event = dict[str, Any]
_ABOUT = ("kind", "instance", "job_instance", "alert", "backfill", "worker", "of")
_MOST_WAITING = 100_000  # events kept for a listener that does not read


class Subscription:
    """One listener's stream; of several changes of one thing only the latest is kept for it."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._ready = threading.Condition()
        self._waiting: OrderedDict[object, Event] = OrderedDict()
        self._closed = False

    def put(self, event: Event) -> None:
        """Offer an event; from any thread."""
        key = tuple(event.get(name) for name in _ABOUT)
        with self._ready:
            self._waiting.pop(key, None)
            self._waiting[key] = event
            while len(self._waiting) > _MOST_WAITING:
                self._waiting.popitem(last=False)
            self._ready.notify()

    def next(self, timeout: float | None = None) -> Event | None:
        """The next event; None after ``timeout`` seconds or when closed."""
        with self._ready:
            self._ready.wait_for(lambda: self._waiting or self._closed, timeout)
            return self._waiting.popitem(last=False)[1] if self._waiting else None

    def __iter__(self) -> Iterator[Event]:
        while not self._closed:
            event = self.next()
            if event is not None:
                yield event

    def close(self) -> None:
        """Listen no more."""
        self._events.forget(self)
        with self._ready:
            self._closed = True
            self._ready.notify_all()


class Events:
    """All listeners."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: tuple[Subscription, ...] = ()

    def __bool__(self) -> bool:
        return bool(self._listeners)

    def subscribe(self) -> Subscription:
        """A new listener; it receives what happens from now on."""
        subscription = Subscription(self)
        with self._lock:
            self._listeners = (*self._listeners, subscription)
        return subscription

    def forget(self, subscription: Subscription) -> None:
        """Send it nothing more."""
        with self._lock:
            self._listeners = tuple(each for each in self._listeners if each is not subscription)

    def publish(self, event: Event) -> None:
        """Its messages get their facts beside them."""
        for listener in self._listeners:
            listener.put(with_facts(event))
