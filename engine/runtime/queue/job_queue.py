"""The job queue: slots of workers, the most urgent first, then the longest waiting; exclusive jobs alone."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from random import choice
from typing import Any, NamedTuple

from engine.model.reason import Kind, Reason
from engine.model.worker import LOCAL
from engine.planning.worker_choice import HERE, Where, best
from engine.runtime.fibers import Awaited, Fiber, Stopped
from engine.runtime.loop import Loop
from engine.runtime.queue.holds import JobHolds
from engine.runtime.queue.workers import LiveWorker, WorkerRegistry
from engine.runtime.timers import Timer

OnRefusal = Callable[[Reason | None], None]  # a reason: the worker refuses (busy); None: it waits for a slot


def _nobody(reason: Reason | None) -> None:
    return None


class QueueLine(NamedTuple):
    """What those who wait together have in common."""

    where: Where
    key: int | None = None
    limit: int = 0


@dataclass(eq=False, slots=True)
class Claim:
    """One JobInstance's wish for a slot; ``key`` groups claims under a ``limit`` of their own (one run).

    A sub-task needs no slot (``slots`` is 0), but counts under the limit.
    """

    job: int
    key: int
    part: str = ""  # of several claims of one JobInstance
    where: Where = HERE
    worker: str = LOCAL  # that it has a slot of, once it has one
    at: LiveWorker | None = None
    order: int | None = None  # in line: who waits again keeps it
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

    @property
    def line(self) -> QueueLine:
        """Where it stands: who waits for the same workers, under the same limit if it has one."""
        return QueueLine(self.where) if self.limit is None else QueueLine(self.where, self.key, self.limit)

    def stop_waiting(self) -> Fiber:
        """It waits no longer; gives who did."""
        fiber, self.fiber = self.fiber, None
        assert fiber is not None
        if self.timeout is not None:
            self.timeout.cancel()
        return fiber


class Waiting(NamedTuple):
    """The place of a claim in line: what comes last, the highest priority, the longest waiting first."""

    last: bool
    urgency: int
    order: int
    entry: int  # different of each, so that claims are never compared
    claim: Claim


class Queue:
    """Who waits for a slot of a worker and who has one; loop thread only.

    It is one line for all workers. Those that wait for the same ones under the same limit are kept together,
    so that who cannot go on is not looked at again for each of the others.
    """

    def __init__(
        self,
        loop: Loop,
        slots: int,
        joined: Callable[[], None] = lambda: None,
        workers: WorkerRegistry | None = None,
        pick: Callable[[Sequence[str]], str] = choice,
    ) -> None:
        self._loop = loop
        self._workers = workers or WorkerRegistry("")
        self._local = self._workers.local
        self._pick = pick
        self.slots = slots
        self.paused = False
        self.holds = JobHolds()
        self._joined = joined  # called after each that begins to wait
        self._holders: dict[tuple[int, str], Claim] = {}  # by JobInstance and part of it
        self._of_key: dict[int, int] = {}
        self._lines: dict[QueueLine, list[Waiting]] = {}
        self._order = count()
        self._entries = count()
        self._dispatching = False
        self._known_busy: dict[Claim, None] = {}  # in the order in which they learned of it
        self._workers.on_change(self.wake)

    @property
    def slots(self) -> int:
        """How many attempts run on this machine at once."""
        return self._local.slots

    @slots.setter
    def slots(self, slots: int) -> None:
        self._local.slots = slots

    @property
    def taken(self) -> int:
        """How many do."""
        return self._local.taken

    @property
    def running(self) -> int:
        """How many jobs run, on whichever worker."""
        return len(self._holders)

    @property
    def length(self) -> int:
        """About how many wait; from any thread."""
        kept = sum(worker.next is not None for worker in list(self._workers.by_name.values()))
        return sum(map(len, list(self._lines.values()))) + kept

    def waiting(self) -> Iterator[Claim]:
        """The claims that wait, in the order in which they will get a slot."""
        kept = sorted(worker.next for worker in self._workers if worker.next is not None)
        for *_, claim in (*kept, *sorted(chain.from_iterable(self._lines.values()))):
            if claim.fiber is not None:
                yield claim

    def waits_for(self, claim: Claim) -> list[str]:
        """The workers of which one that waits would take a slot; from any thread."""
        kept = self._kept_for(claim)
        found = self._workers.able_now(claim.where) if kept is None else [kept]
        return [each.name for each in found]

    def holders(self) -> Iterator[Claim]:
        """The claims that have a slot, the longest first."""
        having = (claim for claim in self._holders.values() if claim.slots)
        return iter(sorted(having, key=lambda claim: claim.since))

    def next_at(self, worker: str, count: int) -> list[Claim]:
        """The first that wait for a slot of this worker and can run on no other."""
        lines = [
            waiting
            for line, waiting in self._lines.items()
            if [each.name for each in self._workers.able(line.where)] == [worker]
        ]
        found = heapq.nsmallest(count, chain.from_iterable(lines))
        return [each.claim for each in found if each.claim.fiber is not None]

    # -- coming and going ----------------------------------------------------------------------

    def join(self, claim: Claim) -> None:
        """Wait in line; the fiber goes on when it has a slot."""
        claim.since = self._loop.clock.monotonic()
        self._put(claim)
        self.wake()
        self._joined()

    def _put(self, claim: Claim) -> None:
        if claim.order is None:
            claim.order = next(self._order)
        heapq.heappush(self._lines.setdefault(claim.line, []), self._place(claim))

    def _place(self, claim: Claim) -> Waiting:
        assert claim.order is not None
        return Waiting(claim.last, -claim.priority, claim.order, next(self._entries), claim)

    def take(self, claim: Claim) -> None:
        """Take a slot of its worker without waiting (an adopted job has one already)."""
        claim.at = at = self._workers.find(claim.worker) or self._local
        at.taken += claim.slots
        at.alone += claim.exclusive
        self._holders[claim.job, claim.part] = claim
        self._of_key[claim.key] = self._of_key.get(claim.key, 0) + 1

    def go_on_beside(self, claim: Claim) -> None:
        """An asynchronous one that has a slot runs on its worker without it, until it ``ends_beside``."""
        assert claim.at is not None
        claim.at.beside[claim] = None
        claim.at.alone += claim.exclusive

    def ends_beside(self, claim: Claim) -> None:
        """It runs no more."""
        assert claim.at is not None
        del claim.at.beside[claim]
        claim.at.alone -= claim.exclusive
        self.wake()

    def give_back(self, claim: Claim) -> None:
        """A slot is free again."""
        assert claim.at is not None
        claim.at.taken -= claim.slots
        claim.at.alone -= claim.exclusive
        del self._holders[claim.job, claim.part]
        left = self._of_key[claim.key] - 1
        if left:
            self._of_key[claim.key] = left
        else:
            del self._of_key[claim.key]
        if claim.released is not None:
            claim.released()
        self.wake()

    def let_go(self, worker: LiveWorker) -> None:
        """It is no worker any more: an exclusive one that it was kept free for waits like others."""
        kept, worker.next = worker.next, None
        if kept is not None:
            self._put(kept.claim)

    def left(self, claim: Claim) -> None:
        """A claim waits no longer; it may have been the exclusive one that none passes."""
        self._known_busy.pop(claim, None)
        self.wake()

    def reorder(self, claim: Claim, priority: int) -> None:
        """Another priority for one that waits."""
        claim.priority = priority
        claim.order = next(self._order)
        line = [entry for entry in self._lines.get(claim.line, ()) if entry.claim is not claim]
        if self._kept_for(claim) is None:
            line.append(self._place(claim))
        heapq.heapify(line)
        self._lines[claim.line] = line
        self.wake()

    def wake(self) -> None:
        """Look later in this turn who may go on."""
        if not self._dispatching:
            self._dispatching = True
            self._loop.soon(self._dispatch)

    # -- whose turn it is ----------------------------------------------------------------------

    def _dispatch(self) -> None:
        self._dispatching = False
        held: list[Claim] = []
        if not self.paused:
            self._grant_kept()
            while (found := self._first()) is not None:
                claim, free = found
                if claim.fiber is None:
                    continue
                willing = [worker for worker in free if not worker.runs_already(claim.job)]
                if self._refused(claim) or not willing:
                    held.append(claim)
                else:
                    self._serve(claim, willing)
        for claim in held:
            self._put(claim)
        self._tell_all()

    def _grant_kept(self) -> None:
        """Exclusive ones that a worker is kept free for: their turn, once nothing runs there or elsewhere."""
        for worker in self._workers.by_name.values():
            kept = worker.next
            if kept is None:
                continue
            if kept.claim.fiber is None:
                worker.next = None
            elif worker not in self._workers.able(kept.claim.where):
                worker.next = None
                self._put(kept.claim)
            elif worker.is_empty:
                worker.next = None
                self._grant(kept.claim, worker)
            elif empty := self._empty_elsewhere(kept.claim):
                worker.next = None
                self._grant(kept.claim, self._best(kept.claim, empty))

    def _empty_elsewhere(self, claim: Claim) -> list[LiveWorker]:
        """Where an exclusive one may run now, though another worker is kept free for it."""
        able = self._workers.able(claim.where)
        return [each for each in able if each.is_open and each.is_empty and not each.runs_already(claim.job)]

    def _first(self) -> tuple[Claim, list[LiveWorker]] | None:
        """The first in line of those for whom a worker is open, taken out; with these workers."""
        best: list[Waiting] | None = None
        of_best: list[LiveWorker] = []
        places: Counter[int] | None = None
        free: dict[Where, list[LiveWorker]] = {}
        for line, waiting in list(self._lines.items()):
            if not waiting:
                del self._lines[line]
                continue
            if best is not None and best[0] < waiting[0]:
                continue
            if line.key is not None:
                if places is None:
                    places = self._places()
                if places[line.key] >= line.limit:
                    continue
            found = free.get(line.where)
            if found is None:
                found = free[line.where] = self._free(line.where)
            if found:
                best, of_best = waiting, found
        return None if best is None else (heapq.heappop(best).claim, of_best)

    def _free(self, where: Where) -> list[LiveWorker]:
        free = [worker for worker in self._workers.able(where) if worker.is_open]
        return free if free and self._workers.is_settled(where) else []

    def _refused(self, claim: Claim) -> bool:
        if (claim.job, claim.part) not in self._holders:
            return False
        self._set_reason(claim, Reason(Kind.STILL_RUNS))
        return True

    def _places(self) -> Counter[int]:
        """How many places each run has under its limit; a worker kept free for an exclusive one is one."""
        kept = (worker.next.claim for worker in self._workers.by_name.values() if worker.next is not None)
        return Counter(self._of_key) + Counter(claim.key for claim in kept if claim.fiber is not None)

    def _serve(self, claim: Claim, free: list[LiveWorker]) -> None:
        """A slot, or for an exclusive one a worker that is kept free until nothing runs there."""
        if not claim.exclusive:
            return self._grant(claim, self._best(claim, free))
        if empty := [worker for worker in free if worker.is_empty]:
            return self._grant(claim, self._best(claim, empty))
        self._best(claim, free).next = self._place(claim)
        self._set_reason(claim, Reason(Kind.EXCLUSIVE_NEXT))

    def _best(self, claim: Claim, free: list[LiveWorker]) -> LiveWorker:
        if len(free) == 1:
            return free[0]
        name = best(claim.where, [worker.room for worker in free], self._pick)
        return next(worker for worker in free if worker.name == name)

    def _tell_all(self) -> None:
        """Those for whom no worker is there learn of it, and those whom an exclusive job keeps waiting."""
        places = {*(line.where for line in self._lines), *(claim.where for claim in self._known_busy)}
        refusals = {where: self._refusal_of(where) for where in places}
        for line, waiting in self._lines.items():
            if (why := refusals[line.where]) is not None:
                waiting[:] = [entry for entry in waiting if entry.claim.fiber is not None]
                heapq.heapify(waiting)
                for entry in list(waiting):
                    self._set_reason(entry.claim, why)
            elif any(worker.unclaimed for worker in self._workers.able(line.where)):
                for entry in list(waiting):
                    self._tell_of_strangers(entry.claim)
        for claim in list(self._known_busy):
            if refusals[claim.where] is None and not self._is_held_up(claim):
                self._set_reason(claim, None)

    def _is_held_up(self, claim: Claim) -> bool:
        """Whether what it waits for is more than a slot, though a worker may be there for it."""
        kept = self._kept_for(claim)
        waits_for_others = kept is not None and not kept.is_empty
        holds = (claim.job, claim.part) in self._holders
        return waits_for_others or holds or self._runs_unknown(claim) is not None

    def _tell_of_strangers(self, claim: Claim) -> None:
        """One that waits only because what nobody here knows still runs it."""
        worker = self._runs_unknown(claim)
        if worker is not None:
            self._set_reason(claim, Reason.of(Kind.STILL_RUNS_THERE, worker=worker.name))

    def _runs_unknown(self, claim: Claim) -> LiveWorker | None:
        """A worker that refuses it since it runs it already, unknown to the engine, where all do that."""
        able = self._workers.able(claim.where)
        return able[0] if able and all(worker.runs_already(claim.job) for worker in able) else None

    def _kept_for(self, claim: Claim) -> LiveWorker | None:
        """The worker that is kept free for it, an exclusive one whose turn has come."""
        workers = list(self._workers.by_name.values())
        return next((each for each in workers if each.next is not None and each.next.claim is claim), None)

    def _refusal_of(self, where: Where) -> Reason | None:
        """Why nobody who waits there goes on, but for want of a slot."""
        able = self._workers.able(where)
        if not able and not self._workers.is_settled(where):
            return None
        if not able:
            return self._workers.obstacles(where)
        if not all(worker.alone or worker.locked for worker in able):
            return None
        if locked := next((worker for worker in able if worker.locked), None):
            return Reason.of(Kind.EXCLUSIVE_THERE, worker=locked.name)
        beside = (each for worker in able for each in worker.beside)
        running = chain(self._holders.values(), beside)
        alone = next(each for each in running if each.exclusive and each.at in able)
        whose = {"instance": alone.key, "node": alone.node or None}
        return Reason.of(Kind.EXCLUSIVE, job_instance=alone.job, **whose)

    def _set_reason(self, claim: Claim, reason: Reason | None) -> None:
        if claim.fiber is None or claim.refusal == reason:
            return
        claim.refusal = reason
        if reason is not None:
            self._known_busy[claim] = None
        else:
            self._known_busy.pop(claim, None)
        claim.on_refusal(reason)

    def _grant(self, claim: Claim, worker: LiveWorker) -> None:
        self._known_busy.pop(claim, None)
        claim.worker = worker.name
        self.take(claim)
        claim.order = None
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
