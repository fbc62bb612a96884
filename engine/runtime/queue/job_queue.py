"""The job queue: a number of slots, the most urgent first, then the longest waiting; exclusive jobs alone."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from engine.model.reason import Kind, Reason
from engine.runtime.fibers import Awaited, Fiber, Stopped
from engine.runtime.loop import Loop
from engine.runtime.timers import Timer

OnRefusal = Callable[[Reason | None], None]  # a reason: the worker refuses (busy); None: it waits for a slot


def _nobody(reason: Reason | None) -> None:
    return None


@dataclass(eq=False, slots=True)
class Claim:
    """One JobInstance's wish for a slot; ``key`` groups claims under a ``limit`` of their own (one run).

    A sub-task needs no slot (``slots`` is 0), but counts under the limit.
    """

    job: int
    key: int
    limit: int | None = None
    slots: int = 1
    priority: int = 0
    last: bool = False  # it comes after all that are not so, whatever its priority
    exclusive: bool = False
    node: str = ""
    owner: Any = None  # the job itself, for whoever lists the queue
    on_refusal: OnRefusal = _nobody
    refusal: Reason | None = None  # what it was last notified of
    since: float = 0.0  # monotonic: when it began to wait, then when it got its slot
    fiber: Fiber | None = None  # who waits; None: it waits no longer
    timeout: Timer | None = None  # ends the wait
    released: Callable[[], None] | None = None

    def stop_waiting(self) -> Fiber:
        """It waits no longer; gives who did."""
        fiber, self.fiber = self.fiber, None
        assert fiber is not None
        if self.timeout is not None:
            self.timeout.cancel()
        return fiber


_Place = tuple[bool, int, int, Claim]  # last, the highest priority first, the longest waiting first


class Queue:
    """Who waits for a slot and who has one; loop thread only."""

    def __init__(self, loop: Loop, slots: int, joined: Callable[[], None] = lambda: None) -> None:
        self._loop = loop
        self.slots = slots
        self.paused = False
        self.taken = 0
        self._joined = joined  # called after each that begins to wait
        self._holders: dict[int, Claim] = {}
        self._alone = 0  # exclusive ones among the holders
        self._next: Claim | None = None  # an exclusive one whose turn has come: none passes it
        self._of_key: dict[int, int] = {}
        self._heap: list[_Place] = []
        self._order = count()
        self._dispatching = False
        self._known_busy: dict[Claim, None] = {}  # in the order in which they learned of it

    @property
    def length(self) -> int:
        """About how many wait; from any thread."""
        return len(self._heap) + (self._next is not None)

    def waiting(self) -> Iterator[Claim]:
        """The claims that wait, in the order in which they will get a slot."""
        if self._next is not None and self._next.fiber is not None:
            yield self._next
        yield from (claim for *_, claim in sorted(self._heap) if claim.fiber is not None)

    def holders(self) -> Iterator[Claim]:
        """The claims that have a slot, the longest first."""
        having = (claim for claim in self._holders.values() if claim.slots)
        return iter(sorted(having, key=lambda claim: claim.since))

    # -- coming and going ----------------------------------------------------------------------

    def join(self, claim: Claim) -> None:
        """Wait in line; the fiber goes on when it has a slot."""
        claim.since = self._loop.clock.monotonic()
        heapq.heappush(self._heap, (claim.last, -claim.priority, next(self._order), claim))
        self.wake()
        self._joined()

    def take(self, claim: Claim) -> None:
        """Take a slot without waiting (an adopted job has one already)."""
        self.taken += claim.slots
        self._alone += claim.exclusive
        self._holders[claim.job] = claim
        self._of_key[claim.key] = self._of_key.get(claim.key, 0) + 1

    def give_back(self, claim: Claim) -> None:
        """A slot is free again."""
        self.taken -= claim.slots
        self._alone -= claim.exclusive
        del self._holders[claim.job]
        left = self._of_key[claim.key] - 1
        if left:
            self._of_key[claim.key] = left
        else:
            del self._of_key[claim.key]
        if claim.released is not None:
            claim.released()
        self.wake()

    def left(self, claim: Claim) -> None:
        """A claim waits no longer; it may have been the exclusive one that none passes."""
        self._known_busy.pop(claim, None)
        self.wake()

    def reorder(self, claim: Claim, priority: int) -> None:
        """Another priority for one that waits."""
        claim.priority = priority
        self._heap = [entry for entry in self._heap if entry[-1] is not claim]
        if claim is not self._next:
            self._heap.append((claim.last, -priority, next(self._order), claim))
        heapq.heapify(self._heap)
        self.wake()

    def wake(self) -> None:
        """Look later in this turn who may go on."""
        if not self._dispatching:
            self._dispatching = True
            self._loop.soon(self._dispatch)

    # -- whose turn it is ----------------------------------------------------------------------

    def _dispatch(self) -> None:
        self._dispatching = False
        held: list[_Place] = []
        while not self.paused and self.taken < self.slots and self._open():
            entry = heapq.heappop(self._heap) if self._heap else None
            if entry is None:
                break
            claim = entry[-1]
            if claim.fiber is None:
                continue
            if self._refused(claim):
                held.append(entry)
            elif claim.exclusive and self.taken:
                self._next = claim
                self._set_reason(claim, Reason(Kind.EXCLUSIVE_NEXT))
            else:
                self._grant(claim)
        for entry in held:
            heapq.heappush(self._heap, entry)
        self._tell_all()

    def _open(self) -> bool:
        """Whether anybody may get a slot: no exclusive job runs, and none waits to be the next."""
        if self._next is not None and self._next.fiber is None:
            self._next = None
        if self._next is not None and not self.taken:
            claim, self._next = self._next, None
            self._grant(claim)
        return not self._alone and self._next is None

    def _refused(self, claim: Claim) -> bool:
        if claim.job in self._holders:
            self._set_reason(claim, Reason(Kind.STILL_RUNS))
            return True
        return claim.limit is not None and self._of_key.get(claim.key, 0) >= claim.limit

    def _tell_all(self) -> None:
        """While an exclusive job runs everybody is refused; afterwards they just wait again."""
        if self._alone:
            alone = next(claim for claim in self._holders.values() if claim.exclusive)
            whose = {"instance": alone.key, "node": alone.node or None}
            reason = Reason.of(Kind.EXCLUSIVE, job_instance=alone.job, **whose)
            for *_, claim in self._heap:
                self._set_reason(claim, reason)
        elif self._known_busy:
            for claim in list(self._known_busy):
                waits_for_others = claim is self._next and self.taken > 0
                if not waits_for_others and claim.job not in self._holders:
                    self._set_reason(claim, None)

    def _set_reason(self, claim: Claim, reason: Reason | None) -> None:
        if claim.fiber is None or claim.refusal == reason:
            return
        claim.refusal = reason
        if reason is not None:
            self._known_busy[claim] = None
        else:
            self._known_busy.pop(claim, None)
        claim.on_refusal(reason)

    def _grant(self, claim: Claim) -> None:
        self._known_busy.pop(claim, None)
        self.take(claim)
        claim.since = self._loop.clock.monotonic()
        claim.stop_waiting().resume()


class SlotWait(Awaited):
    """Until there is a slot; a queue timeout raises :class:`Stopped` of kind ``queue_timeout``."""

    def __init__(self, queue: Queue, claim: Claim, timeout: float | None) -> None:
        self._queue = queue
        self._claim = claim
        self._timeout = timeout

    def begin(self, fiber: Fiber) -> None:
        self._claim.fiber = fiber
        if self._timeout is not None:
            self._claim.timeout = fiber.loop.later(self._timeout, lambda: self._too_long(fiber))
        self._queue.join(self._claim)

    def _too_long(self, fiber: Fiber) -> None:
        if self._claim.fiber is not None:
            self._leave()
            fiber.fail(Stopped("queue_timeout"))

    def interrupt(self, fiber: Fiber, stopped: Stopped) -> None:
        if self._claim.fiber is not None:
            self._leave()
            fiber.loop.soon(lambda: fiber.fail(stopped))

    def _leave(self) -> None:
        self._claim.stop_waiting()
        self._queue.left(self._claim)
