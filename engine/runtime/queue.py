"""The job queue: a fixed number of places, the most urgent first, then the longest waiting."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from itertools import count

from engine.runtime.fibers import Fiber, Stopped, Wait
from engine.runtime.loop import Loop


class Ticket:
    """One job's wait for a place; ``key`` groups tickets under a limit of their own (one run)."""

    __slots__ = ("fiber", "key", "limit", "priority", "since")

    def __init__(self, fiber: Fiber, priority: int, key: int, limit: int | None, since: float) -> None:
        self.fiber: Fiber | None = fiber
        self.priority = priority
        self.key = key
        self.limit = limit
        self.since = since


class Queue:
    """Who waits for a place and how many are taken; loop thread only."""

    def __init__(self, loop: Loop, places: int) -> None:
        self._loop = loop
        self.places = places
        self.taken = 0
        self._of_key: dict[int, int] = {}
        self._heap: list[tuple[int, int, Ticket]] = []
        self._order = count()
        self._dispatching = False

    @property
    def length(self) -> int:
        """About how many wait; from any thread."""
        return len(self._heap)

    def waiting(self) -> Iterator[Ticket]:
        """The tickets that wait, in no particular order."""
        return (ticket for _, _, ticket in self._heap if ticket.fiber is not None)

    def join(self, ticket: Ticket) -> None:
        """Wait in line; the fiber goes on when it has a place."""
        heapq.heappush(self._heap, (-ticket.priority, next(self._order), ticket))
        self._wake()

    def take(self, key: int) -> None:
        """Take a place without waiting (an adopted job has one already)."""
        self.taken += 1
        self._of_key[key] = self._of_key.get(key, 0) + 1

    def give_back(self, key: int) -> None:
        """A place is free again."""
        self.taken -= 1
        left = self._of_key[key] - 1
        if left:
            self._of_key[key] = left
        else:
            del self._of_key[key]
        self._wake()

    def _wake(self) -> None:
        if not self._dispatching:
            self._dispatching = True
            self._loop.soon(self._dispatch)

    def _dispatch(self) -> None:
        self._dispatching = False
        held: list[tuple[int, int, Ticket]] = []
        while self._heap and self.taken < self.places:
            entry = heapq.heappop(self._heap)
            ticket = entry[2]
            if ticket.fiber is None:
                continue
            if ticket.limit is not None and self._of_key.get(ticket.key, 0) >= ticket.limit:
                held.append(entry)
                continue
            self._grant(ticket)
        for entry in held:
            heapq.heappush(self._heap, entry)

    def _grant(self, ticket: Ticket) -> None:
        self.take(ticket.key)
        fiber, ticket.fiber = ticket.fiber, None
        assert fiber is not None
        fiber.resume()


class Place(Wait):
    """Until there is a place; a queue timeout raises :class:`Stopped` of kind ``queue_timeout``."""

    def __init__(
        self,
        queue: Queue,
        *,
        priority: int,
        key: int,
        limit: int | None,
        timeout: float | None,
        queued: Callable[[], None] = lambda: None,
    ) -> None:
        self._queue = queue
        self._arguments = (priority, key, limit)
        self._timeout = timeout
        self._queued = queued

    def begin(self, fiber: Fiber) -> None:
        loop = fiber.loop
        self._ticket = Ticket(fiber, *self._arguments, since=loop.clock.monotonic())
        self._timer = None
        if self._timeout is not None:
            self._timer = loop.later(self._timeout, lambda: self._too_long(fiber))
        self._queue.join(self._ticket)

    def _too_long(self, fiber: Fiber) -> None:
        if self._ticket.fiber is not None:
            self._ticket.fiber = None
            fiber.fail(Stopped("queue_timeout"))

    def interrupt(self, fiber: Fiber, stopped: Stopped) -> None:
        if self._ticket.fiber is not None:
            self._ticket.fiber = None
            fiber.loop.soon(lambda: fiber.fail(stopped))
