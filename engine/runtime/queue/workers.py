"""The workers that an engine knows: what is registered of each, how it is now, who runs there."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from engine.execution.strangers import Stranger
from engine.execution.vitals import Vitals
from engine.model.reason import Kind, Reason
from engine.model.reason_words import brief
from engine.model.states import WorkerState
from engine.model.worker import AUTO, LOCAL, Worker
from engine.planning.worker_choice import Room, Where, is_meant, obstacle, wanted_of
from engine.store.rows import WorkerRow, local_row

_GOES_ON = (WorkerState.ONLINE, WorkerState.PAUSED, WorkerState.DRAINING)  # what runs does, in all of them
_UNKNOWN_SLOTS = 1  # of an SSH worker sized automatically before its cores are known


class LiveWorker:
    """One of them; loop thread only. Only what is decided about its row is written down."""

    def __init__(
        self, row: WorkerRow, *, stored: bool = True, load: Callable[[], float | None] | None = None
    ) -> None:
        self._load = load or self._heard_load
        self.stored = stored  # this machine has a row once something was set about it
        self.reached = row.name == LOCAL
        self.unreached: Reason | None = None  # since when it is not reached, and why
        self.changed_key: Reason | None = None  # it shows another host key than the pinned one
        self.skewed: Reason | None = None  # its clock is off by more than max_skew
        self._settled = True  # whether what is known of it counts: not in the first moments of an engine
        self.vitals = Vitals()
        self.slots = 1  # how many attempts run there at once
        self.taken = 0  # how many do
        self.alone = 0  # exclusive ones that run, also of those beside
        self.beside: dict[Any, None] = {}  # claims of asynchronous ones that run without a slot
        self.next: Any = None  # the place in line of an exclusive one whose turn has come: nothing passes it
        self.strangers: tuple[Stranger, ...] = ()  # what runs there that no engine of this database knows
        self.aside: dict[int, tuple[Stranger, ...]] = {}  # of instances that a failing disk set aside
        self.put(row)

    def put(self, row: WorkerRow) -> None:
        """What is decided about it now."""
        self.row = row
        self.worker: Worker = row.worker
        if row.name != LOCAL:
            slots = self.worker.slots
            self.slots = slots if isinstance(slots, int) else self.vitals.cores or _UNKNOWN_SLOTS

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def known_slots(self) -> int | None:
        """How many slots it has; None while that goes by cores that nobody has seen yet."""
        return self.slots if self.worker.slots != AUTO or self.vitals.cores else None

    @property
    def trusted(self) -> bool:
        """Whether a person has vouched for the host key of every machine on the way to it."""
        worker = self.worker
        if worker.kind == "local":
            return True
        way = (*worker.jumps, *((worker.address,) if worker.address else ()))
        return bool(way) and all(each.place in self.row.host_keys for each in way)

    @property
    def is_gone(self) -> bool:
        """Whether a person has said so, and not since that it may have jobs again."""
        return self.row.because is not None and self.row.because.kind is Kind.WORKER_GONE

    def standing(self, within: Container[str]) -> tuple[str, Reason | None]:
        """Its state with the reason, for a job: what is part of an attempt under way there goes on.

        Whatever people want of it, and whatever its clock says; unless it is gone, or not reached.
        """
        state, why = WorkerState(self.row.state), self.row.because
        if self.name not in within or self.is_gone or state not in _GOES_ON:
            return state, why
        if self.reached:
            return WorkerState.ONLINE, None
        return WorkerState.OFFLINE, self.unreached or Reason(Kind.NOT_REACHED)

    @property
    def settled(self) -> bool:
        """Whether it has been waited for long enough, so that its work may go to others."""
        waits = self.row.wanted == "online" and self.trusted and self.changed_key is None
        return self._settled or self.reached or not waits

    def settle(self, settled: bool = True) -> None:
        """An engine that begins waits a little for the workers that it knows."""
        self._settled = settled

    @property
    def is_open(self) -> bool:
        """Whether one more may begin there: a slot is free, nothing exclusive runs or is the next."""
        return self.taken < self.slots and not self.alone and self.next is None and self.locked is None

    @property
    def is_empty(self) -> bool:
        """Whether nothing runs there, neither ours nor of strangers."""
        return not self.taken and not self.beside and not self.unclaimed

    @property
    def unclaimed(self) -> tuple[Stranger, ...]:
        """What runs there without a slot of this engine."""
        return (*self.strangers, *chain.from_iterable(self.aside.values())) if self.aside else self.strangers

    @property
    def locked(self) -> Stranger | None:
        """Something exclusive that runs there unknown to the engine: nothing begins beside it."""
        return next((each for each in self.unclaimed if each.alone), None)

    def runs_already(self, job_instance: int) -> bool:
        """Whether a JobInstance of that number runs there unknown to the engine."""
        return any(each.job_instance == job_instance for each in self.unclaimed)

    @property
    def room(self) -> Room:
        """What counts when one of several is chosen."""
        return Room(self.name, self.slots, self.taken, self._load())

    def _heard_load(self) -> float | None:
        load, cores = self.vitals.load, self.vitals.cores
        return None if load is None else load / (cores or 1)


class WorkerRegistry:
    """By name; ``local`` is always there. Loop thread only, but to look one up.

    ``load`` of this machine, for each core; that of others comes with their heartbeat.
    """

    def __init__(self, began: str, load: Callable[[], float | None] | None = None) -> None:
        self.local = LiveWorker(local_row(began), stored=False, load=load)
        self._by_name = {LOCAL: self.local}
        self._able: dict[Where, tuple[LiveWorker, ...]] = {}
        self._on_change: list[Callable[[], None]] = []
        self._watches: dict[object, tuple[Where | None, Callable[[], None]]] = {}

    def restore(self, rows: Iterable[WorkerRow], *, settled: bool = True) -> None:
        """What the store has; of an SSH worker nothing is known before it was reached.

        Not ``settled``: until it was, or ``settle`` is called, its work waits for it.
        """
        for row in rows:
            if row.name == LOCAL:
                self.local.put(row)
                self.local.stored = True
            else:
                self._by_name[row.name] = live = LiveWorker(row)
                live.settle(settled)
        self.changed()

    def __iter__(self) -> Iterator[LiveWorker]:
        """This machine first, the others by name."""
        return iter([self.local, *(self._by_name[name] for name in sorted(self._by_name) if name != LOCAL)])

    def find(self, name: str) -> LiveWorker | None:
        return self._by_name.get(name)

    @property
    def by_name(self) -> Mapping[str, LiveWorker]:
        return self._by_name

    def add(self, row: WorkerRow) -> LiveWorker:
        """One that is only now registered."""
        added = self._by_name[row.name] = LiveWorker(row, stored=False)
        return added

    def remove(self, name: str) -> None:
        """It is no longer registered."""
        del self._by_name[name]
        self.changed()

    def settle(self) -> None:
        """Who has not come by now is not waited for any longer."""
        for live in self:
            live.settle()
        self.changed()

    # -- who can run what -----------------------------------------------------------------------

    def able(self, where: Where) -> tuple[LiveWorker, ...]:
        """Those that can run it, whether or not they have a slot for it now."""
        found = self._able.get(where)
        if found is None:
            found = self._able[where] = tuple(self.able_now(where))
        return found

    def able_now(self, where: Where) -> Iterator[LiveWorker]:
        """The same, looked at afresh: from any thread."""
        return (each for each in self if is_meant(where, each.worker) and _obstacle(where, each) is None)

    def is_settled(self, where: Where) -> bool:
        """Whether it is known who can run it: an engine has only just begun otherwise."""
        return not self.coming(where)

    def coming(self, where: Where) -> list[str]:
        """Those that it means and that an engine which has only just begun still waits for."""
        return [live.name for live in self if is_meant(where, live.worker) and not live.settled]

    def meant(self, where: Where) -> list[str]:
        """Whom a job names, in the order of its list, else by name; of its list also who is not there."""
        found = [each.name for each in self if is_meant(where, each.worker)]
        missing = [name for name in where.workers if name not in self._by_name]
        listed = {name: place for place, name in enumerate(where.workers)}
        return sorted([*found, *missing], key=lambda name: (listed.get(name, 0), name))

    def obstacles(self, where: Where) -> Reason:
        """Why none can: each that is meant with its own reason."""
        meant = {each.name: each for each in self if is_meant(where, each.worker)}
        names = [*meant, *(name for name in where.workers if name not in self._by_name)]
        found = [(name, self._why_not(name, where)) for name in names]
        brief_ = [name if why is None else f"{name} ({brief(why)})" for name, why in found]
        workers = [{"name": name, "why": None if why is None else why.to_json()} for name, why in found]
        wanted = None if found else wanted_of(where)
        return Reason.of(Kind.NO_WORKER, names=brief_ or None, workers=workers or None, wanted=wanted)

    def _why_not(self, name: str, where: Where) -> Reason | None:
        live = self._by_name.get(name)
        return Reason(Kind.NOT_REGISTERED) if live is None else _obstacle(where, live)

    def on_change(self, call: Callable[[], None]) -> None:
        """Call this after each change of what may run where."""
        self._on_change.append(call)

    def watch(self, where: Where | None, call: Callable[[], None]) -> Callable[[], None]:
        """Make ``call`` once when a worker is there that can run it; None: at the next change.

        Gives what ends the watch.
        """
        key = object()

        def over() -> None:
            self._watches.pop(key, None)

        if where is not None and self.able(where):
            call()
        else:
            self._watches[key] = where, call
        return over

    def changed(self) -> None:
        """Something of one of them is different now."""
        self._able.clear()
        for call in self._on_change:
            call()
        for key, (where, call) in list(self._watches.items()):
            if key in self._watches and (where is None or self.able(where)):
                del self._watches[key]
                call()


def _obstacle(where: Where, live: LiveWorker) -> Reason | None:
    return obstacle(where, live.worker, *live.standing(where.within))
