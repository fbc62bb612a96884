"""What the whole window watches: a small picture of the workspace, taken again when something happens."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, get_args

from PySide6.QtCore import QObject, QTimer, Signal

from app.desktop.kernel.link import Link, LinkState, Request
from engine.model.states import INSTANCE_BAD, INSTANCE_UNFINISHED

if TYPE_CHECKING:
    from engine.api.service import Service

Row = Mapping[str, Any]
NEWEST = 300  # instances that are looked at, of all and of each status that is older but not done with
_AT_MOST = 700  # milliseconds between two looks while things happen
_AT_LEAST = 15_000  # milliseconds between two looks while nothing does
_COMING = 20
_WITH_OPEN = (*INSTANCE_BAD, "cancelled")  # ended, and perhaps with an exception that is still open
_SHARE = 20  # of the time at most one part in so many is spent on counting a million ended instances


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The newest instances and older ones that are not done with, the queue, what asks for a person,
    what comes next; bytes of the disk."""

    instances: tuple[Row, ...] = ()
    queue: Row = field(default_factory=dict)
    exceptions: tuple[Row, ...] = ()  # the open ones
    questions: tuple[Row, ...] = ()  # what jobs ask, the nearest deadline first
    alerts: tuple[Row, ...] = ()  # those that nobody has seen
    coming: tuple[Row, ...] = ()  # the next first
    stats: tuple[Row, ...] = ()
    workers: tuple[Row, ...] = ()  # this machine first
    new: bool = False  # no task, and nothing ever ran
    free: int | None = None
    room: int | None = None
    clock: Row = field(default_factory=dict)  # whether schedules are held, and why
    damaged: tuple[Row, ...] = ()  # definitions whose stored row does not fit its checksum, with their kind
    damage: Row | None = None  # what else of the database does not
    hold_up: Row | None = None  # what keeps the engine from writing down what happens
    counted: Mapping[str, int] | None = None  # of all instances, by status
    jobs: Mapping[int, Mapping[str, int]] = field(default_factory=dict)  # by status, of what goes on
    counted_for: float = 0.0  # seconds that counting all of them took

    @property
    def counts(self) -> Mapping[str, int]:
        """By status; where nobody counted, of the instances that are known."""
        own = self.counted
        return Counter(str(each["status"]) for each in self.instances) if own is None else own


def look(service: Service, root: Path, before: Snapshot | None = None) -> Snapshot:
    """Take the picture; on a worker thread. After ``before`` only what goes on is counted again."""
    from engine.api.documents import ExceptionQuery, InstanceQuery

    exceptions = tuple(service.exceptions(ExceptionQuery(status="open", limit=NEWEST)))
    instances = _instances(service, exceptions)
    planned = service.instances(InstanceQuery(status="planned", planned=True, limit=NEWEST))
    free, room = _disk(root)
    began = perf_counter()
    counted = service.counts(before is None)
    damaged = before.damaged if before is not None else tuple(_damaged(service))
    took = perf_counter() - began
    known = before.counts if before is not None else {}
    ended = {status: n for status, n in known.items() if status not in INSTANCE_UNFINISHED}
    about = service.about()
    return Snapshot(
        instances=instances,
        queue=service.queue(),
        exceptions=exceptions,
        questions=tuple(service.questions()),
        alerts=tuple(service.alerts(limit=NEWEST)),
        coming=tuple(sorted(planned, key=lambda each: each["scheduled_time"] or "")[:_COMING]),
        stats=tuple(service.stats()),
        workers=tuple(service.workers()),
        new=not instances and not service.definitions("task"),
        free=free,
        room=room,
        clock=service.clock(),
        damaged=damaged,
        damage=about.get("damage"),
        hold_up=about.get("hold_up"),
        counted={**ended, **counted["instances"]},
        jobs={int(each["instance"]): each["statuses"] for each in counted["jobs"]},
        counted_for=took if before is None else 0.0,
    )


def _damaged(service: Service) -> Iterator[Row]:
    """The definitions that cannot be read, of all kinds."""
    from engine.api.documents import Kind

    for kind in get_args(Kind):
        yield from ({**row, "kind": kind} for row in service.definitions(kind) if row.get("error_code"))


def _instances(service: Service, exceptions: Iterable[Row]) -> tuple[Row, ...]:
    """What still runs, and what failed and nobody has dealt with, is among them, however much came later."""
    from engine.api.documents import InstanceQuery

    found: dict[int, Row] = {row["instance"]: row for row in service.instances(InstanceQuery(limit=NEWEST))}
    if len(found) < NEWEST:
        return tuple(found.values())
    open_ones = {each["instance"] for each in exceptions} - {None}
    for status in INSTANCE_UNFINISHED + (_WITH_OPEN if open_ones - set(found) else ()):
        older = service.instances(InstanceQuery(status=status, limit=NEWEST))
        not_done = [row for row in older if status in INSTANCE_UNFINISHED or row["instance"] in open_ones]
        found |= {row["instance"]: row for row in not_done}
    return tuple(found.values())


def _disk(root: Path) -> tuple[int | None, int | None]:
    with suppress(OSError):
        usage = shutil.disk_usage(root)
        return usage.free, usage.total
    return None, None


class Overview(QObject):
    """``refreshed`` brings each new Snapshot; ``latest`` keeps it."""

    refreshed = Signal(object)

    def __init__(self, link: Link, root: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._link, self._root = link, root
        self.latest: Snapshot | None = None
        self._request: Request | None = None
        self._count_after = 0.0  # when all instances are counted again: seconds of the process's clock
        self._again = QTimer(self, interval=_AT_MOST, singleShot=True)
        self._again.timeout.connect(self._ask)
        self._always = QTimer(self, interval=_AT_LEAST)
        self._always.timeout.connect(self._ask)
        link.changed.connect(self._received)
        link.state_changed.connect(self._state_changed)
        self._always.start()
        self._ask()

    def soon(self) -> None:
        """Take a new picture soon; many wishes become one."""
        if not self._again.isActive():
            self._again.start()

    def stop(self) -> None:
        """Look no more."""
        self._always.stop()
        self._again.stop()

    def _received(self, events: Iterable[Row]) -> None:
        if any(event["kind"] != "progress" for event in events):
            self.soon()

    def _state_changed(self, state: LinkState) -> None:
        if state is LinkState.CLOSED:
            self.stop()
        else:
            self._ask()

    def _ask(self) -> None:
        if self._request is not None and self._request.open:
            return self.soon()
        root, latest = self._root, self.latest
        before = latest if monotonic() < self._count_after else None
        self._request = self._link.ask(
            lambda service: look(service, root, before), self._came, owner=self, failed=lambda _: None
        )

    def _came(self, snapshot: Snapshot) -> None:
        if snapshot.counted_for:
            self._count_after = monotonic() + snapshot.counted_for * _SHARE
        self.latest = snapshot
        self.refreshed.emit(snapshot)
