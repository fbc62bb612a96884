"""The workers that an engine knows: what is registered of each, how it is now, who runs there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from engine.execution.vitals import Vitals
from engine.model.reason import Reason
from engine.model.worker import LOCAL, Worker
from engine.store.rows import WorkerRow, local_row


class LiveWorker:
    """One of them; loop thread only. Only what is decided about its row is written down."""

    def __init__(self, row: WorkerRow, *, stored: bool = True) -> None:
        self.put(row)
        self.stored = stored  # this machine has a row once something was set about it
        self.reached = row.name == LOCAL
        self.unreached: Reason | None = None  # why it is not reached
        self.vitals = Vitals()

    def put(self, row: WorkerRow) -> None:
        """What is decided about it now."""
        self.row = row
        self.worker: Worker = row.worker

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def trusted(self) -> bool:
        """Whether a person has vouched for the host key of every machine on the way to it."""
        worker = self.worker
        if worker.kind == "local":
            return True
        way = (*worker.jumps, *((worker.address,) if worker.address else ()))
        return bool(way) and all(each.place in self.row.host_keys for each in way)


class WorkerRegistry:
    """By name; ``local`` is always there. Loop thread only, but to look one up."""

    def __init__(self, began: str) -> None:
        self.local = LiveWorker(local_row(began), stored=False)
        self._by_name = {LOCAL: self.local}
        self._on_change: list[Callable[[], None]] = []

    def restore(self, rows: Iterable[WorkerRow]) -> None:
        """What the store has; of an SSH worker nothing is known before it was reached."""
        for row in rows:
            if row.name == LOCAL:
                self.local.put(row)
                self.local.stored = True
            else:
                self._by_name[row.name] = LiveWorker(row)
        self.changed()

    def __iter__(self) -> Iterator[LiveWorker]:
        """This machine first, the others by name."""
        return iter([self.local, *(self._by_name[name] for name in sorted(self._by_name) if name != LOCAL)])

    def find(self, name: str) -> LiveWorker | None:
        return self._by_name.get(name)

    def add(self, row: WorkerRow) -> LiveWorker:
        """One that is only now registered."""
        added = self._by_name[row.name] = LiveWorker(row, stored=False)
        return added

    def remove(self, name: str) -> None:
        """It is no longer registered."""
        del self._by_name[name]
        self.changed()

    def on_change(self, call: Callable[[], None]) -> None:
        """Call this after each change of what may run where."""
        self._on_change.append(call)

    def changed(self) -> None:
        """Something of one of them is different now."""
        for call in self._on_change:
            call()
