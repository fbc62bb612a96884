"""The instances of a day, read page by page: what comes first at once, the rest when all of it is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.desktop.kernel.link import Link, Request
from app.desktop.plan.day_axis import Day
from app.desktop.plan.day_rows import DayInstance, DayRow, rows_of
from engine.api.documents import DayQuery, Document

if TYPE_CHECKING:
    from engine.api.service import Service

_FIRST, _PAGE = 1000, 5000  # instances: the first page is seen soon


@dataclass(frozen=True, slots=True)
class DayPicture:
    """What there is of a day; ``complete``: all pages are read. ``online``: whether any task is."""

    day: Day
    rows: tuple[DayRow, ...]
    statuses: Counter[str]
    complete: bool
    online: bool = True


class DayReading(QObject):
    """Reads one day at a time on a worker thread; ``show`` gets what is read so far, and then everything."""

    def __init__(self, link: Link, show: Callable[[DayPicture], None], parent: QObject) -> None:
        super().__init__(parent)
        self._link, self._show = link, show
        self._stop = Event()
        self._request: Request | None = None

    def first(self, day: str | None) -> Request:
        """Read another day (None: today), what comes first before the rest."""
        self.forget()
        stop = self._stop

        def came(picture: DayPicture) -> None:
            self._show(picture)
            if not picture.complete:  # painted first: reading would hold the interpreter meanwhile
                QTimer.singleShot(0, self, lambda: self._rest(picture, stop))

        self._request = self._link.ask(lambda service: read_day(service, day, _FIRST), came, owner=self)
        return self._request

    def _rest(self, picture: DayPicture, stop: Event) -> None:
        if not stop.is_set():
            self.again(picture.day.date.isoformat())

    def again(self, day: str | None) -> Request:
        """Read all of a day."""
        stop = self._stop
        self._request = self._link.ask(
            lambda service: read_day(service, day, stopped=stop.is_set), self._show, owner=self
        )
        return self._request

    def forget(self) -> None:
        """Stop reading; no picture comes."""
        self._stop.set()
        self._stop = Event()
        if self._request is not None:
            self._request.cancel()


def read_day(
    service: Service, day: str | None, most: int = 0, stopped: Callable[[], bool] = lambda: False
) -> DayPicture:
    """A day with all of its instances, or with so many at most."""
    query = DayQuery(day, limit=most or _PAGE)
    page = service.day(query)
    found = _instances(page)
    while page["next"] and not most and not stopped():
        page = service.day(replace(query, day=page["day"], **page["next"]))
        found += _instances(page)
    online = bool(found) or any(each["state"] == "online" for each in service.definitions("task"))
    statuses = Counter(each.status for each in found)
    return DayPicture(Day.read(page), tuple(rows_of(found)), statuses, not page["next"], online)


def _instances(page: Document) -> list[DayInstance]:
    return [DayInstance.read(each) for each in page["instances"]]
