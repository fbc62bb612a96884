"""What the whole window watches: a small picture of the workspace, taken again when something happens."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    new: bool = False  # no task, and nothing ever ran
    free: int | None = None
    room: int | None = None
    clock: Row = field(default_factory=dict)  # whether schedules are held, and why
    hold_up: Row | None = None  # what keeps the engine from writing down what happens

    @property
    def counts(self) -> Mapping[str, int]:
        return Counter(str(each["status"]) for each in self.instances)


def look(service: Service, root: Path) -> Snapshot:
    """Take the picture; on a worker thread."""
    from engine.api.documents import ExceptionQuery, InstanceQuery

    exceptions = tuple(service.exceptions(ExceptionQuery(status="open", limit=NEWEST)))
    instances = _instances(service, exceptions)
    planned = service.instances(InstanceQuery(status="planned", planned=True, limit=NEWEST))
    free, room = _disk(root)
    return Snapshot(
        instances=instances,
        queue=service.queue(),
        exceptions=exceptions,
        questions=tuple(service.questions()),
        alerts=tuple(service.alerts(limit=NEWEST)),
        coming=tuple(sorted(planned, key=lambda each: each["scheduled_time"] or "")[:_COMING]),
        stats=tuple(service.stats()),
        new=not instances and not service.definitions("task"),
        free=free,
        room=room,
        clock=service.clock(),
        hold_up=service.about().get("hold_up"),
    )


def _instances(service: Service, exceptions: Iterable[Row]) -> tuple[Row, ...]:
    """What still runs, and what failed and nobody has dealt with, is among them, however much came later."""
    from engine.api.documents import InstanceQuery

    found: dict[int, Row] = {row["instance"]: row for row in service.instances(InstanceQuery(limit=NEWEST))}
    if len(found) < NEWEST:
        return tuple(found.values())
    open_ones = {each["instance"] for each in exceptions} - {None}
    for status in INSTANCE_UNFINISHED + (INSTANCE_BAD if open_ones - set(found) else ()):
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
        root = self._root
        self._request = self._link.ask(
            lambda service: look(service, root), self._came, owner=self, failed=lambda _: None
        )

    def _came(self, snapshot: Snapshot) -> None:
        self.latest = snapshot
        self.refreshed.emit(snapshot)
