"""Looking through a million instances: their ids in any order, piece by piece, then rows by id."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

import sqlalchemy as sa

from engine.model.states import InstanceState
from engine.store.filters import InstanceCursor, InstanceFilter
from engine.store.prepared import Prepared
from engine.store.rows import InstanceRow
from engine.store.schema import NOT_PLANNED, instance, job_instance
from engine.store.sound_rows import selected, stand_in

FIRST = 200  # ids in the first piece: a screen or more
_PIECE = 50_000
_AT_ONCE = 2_000
_DAY = 86_400  # seconds
_DIGITS = 19  # a number of so many may be too large for the database
_FIRST_OF = itemgetter(0)
_COLUMNS = (
    "scheduled_time",
    "id",
    "task",
    "status",
    "trigger",
    "started_at",
    "ended_at",
    "error_code",
    "error_message",
)
SORTABLE = (*_COLUMNS, "duration")
_BAD = ("failed", "timed_out", "lost")
_PLAIN = ("task", "project", "trigger", "since", "until", "offline_until", "offline_after", "node")
_AFTER_TIME: Any = sa.bindparam("after_time")
_AFTER: Any = sa.bindparam("after")
Connect = Callable[[], AbstractContextManager[sa.Connection]]


@dataclass(frozen=True, slots=True)
class SortedFilter(InstanceFilter):
    """Which instances, and in which order."""

    order: str = "scheduled_time"  # one of SORTABLE
    ascending: bool = False


class RunSpan(NamedTuple):
    """When an instance ran, from the begin of its first run; ``ended_at`` None while it has not ended."""

    id: int
    task: str
    status: str
    started_at: str
    ended_at: str | None


class Browser:
    """Reads on connections that never wait for the writer."""

    def __init__(self, connect: Connect, dialect: str) -> None:
        self._connect = connect
        self._dialect = dialect

    def ids(self, which: SortedFilter) -> Iterator[array[int]]:
        """The ids in order, a small piece first; stopping in between costs nothing."""
        status = instance.c.status.in_(which.statuses) if which.statuses else NOT_PLANNED
        query = (
            sa.select(instance.c.id).where(status, *conditions(which)).order_by(*_order(which, self._dialect))
        )
        with self._connect() as connection:
            found, size = connection.execute(query), FIRST
            while piece := _gathered(found.cursor, size):
                yield piece
                size = _PIECE

    def rows(self, ids: Sequence[int]) -> list[InstanceRow]:
        """The rows of these ids in their order; one that was removed since is left out."""
        query = selected(self._dialect, "instance").where(instance.c.id.in_(list(ids)))
        with self._connect() as connection:
            by_id: Mapping[int, Any] = {row[0]: row for row in connection.execute(query).all()}
        found = [by_id[id] for id in ids if id in by_id]
        return [InstanceRow(*row[:-1]) if row[-1] else stand_in("instance", row) for row in found]

    def running_in(self, since: str, until: str) -> list[RunSpan]:
        """All that ran at some time between two stored times, the earliest first, whenever it was due."""
        i = instance.c
        reaches = sa.or_(i.ended_at.is_(None), i.ended_at >= since)
        query = sa.select(i.id, i.task, i.status, i.started_at, i.ended_at).where(
            NOT_PLANNED, i.started_at < until, reaches
        )
        with self._connect() as connection:
            return [RunSpan(*row) for row in connection.execute(query.order_by(i.started_at, i.id))]

    def tasks(self) -> list[str]:
        """The ids of every task that ever had an instance."""
        with self._connect() as connection:
            return list(connection.execute(_distinct_tasks()).scalars())


def _gathered(cursor: Any, size: int) -> array[int]:
    """The next so many ids, fetched by the thousand: a list of them all takes ten times their room."""
    piece = array("q")
    while len(piece) < size and (more := cursor.fetchmany(min(_AT_ONCE, size - len(piece)))):
        piece.extend(map(_FIRST_OF, more))
    return piece


def _distinct_tasks() -> Any:
    """A walk along the index from task to task: DISTINCT would read every row."""
    tasks = sa.select(sa.func.min(instance.c.task).label("task")).cte("tasks", recursive=True)
    following = sa.select(sa.func.min(instance.c.task)).where(instance.c.task > tasks.c.task)
    step = sa.select(following.scalar_subquery()).where(tasks.c.task.is_not(None))
    tasks = tasks.union_all(step)
    return sa.select(tasks.c.task).where(tasks.c.task.is_not(None))


def conditions(which: InstanceFilter) -> Iterator[Any]:
    """What a filter demands, but for the statuses."""
    equal = {"task": which.task, "project": which.project, "trigger": which.trigger}
    yield from (instance.c[name] == value for name, value in equal.items() if value is not None)
    if which.since is not None:
        yield instance.c.scheduled_time >= which.since
    if which.until is not None:
        yield instance.c.scheduled_time < which.until
    online = instance.c.status != str(InstanceState.OFFLINE)
    if which.offline_until is not None:
        yield sa.or_(online, instance.c.scheduled_time <= which.offline_until)
    if which.offline_after is not None:
        yield sa.or_(online, instance.c.scheduled_time > which.offline_after)
    if which.code is not None:
        yield instance.c.error_code.between(*code_range(which.code))
    if which.text:
        yield _holds(which.text)
    if which.node is not None:
        yield instance.c.id.in_(_failed_at(which.node))


def page_of(
    dialect: str, which: InstanceFilter, after: InstanceCursor | None, newest_first: bool
) -> tuple[Any, dict[str, Any]]:
    """The query for a page of instances of one status, or of all but planned ones, and its parameters.

    It has two more: ``limit``, and ``of`` for the status where the filter has some.
    """
    given = {name: value for name in _PLAIN if (value := getattr(which, name)) is not None}
    shape = tuple(given), bool(which.statuses), after is not None, newest_first
    free = which.text or which.code is not None  # these are too many to be kept
    query = _page(dialect, which, *shape) if free else _prepared_page(dialect, *shape)
    return query, given if after is None else {**given, "after_time": after.scheduled_time, "after": after.id}


@cache
def _prepared_page(dialect: str, *shape: Any) -> Prepared:
    return Prepared(_page(dialect, InstanceFilter(), *shape))


def _page(
    dialect: str,
    which: InstanceFilter,
    given: tuple[str, ...],
    of_status: bool,
    follows: bool,
    newest_first: bool,
) -> sa.Select[Any]:
    parameters: dict[str, Any] = {name: sa.bindparam(name) for name in given}
    after: Any = InstanceCursor(_AFTER_TIME, _AFTER) if follows else None
    status = instance.c.status == sa.bindparam("of") if of_status else NOT_PLANNED
    query = selected(dialect, "instance").where(*conditions(replace(which, **parameters)), status)
    page: sa.Select[Any] = keyset(query, after, newest_first)
    return page.limit(sa.bindparam("limit"))


def code_range(pattern: int) -> tuple[int, int]:
    """The lowest and the highest code that a pattern covers (contract 5).

    >>> code_range(-10300000000)
    (-10399999999, -10300000000)
    """
    digits = f"{-pattern:011d}"
    kept = next((end for end in (3, 5, 8, 11) if not digits[end:].strip("0")), 11)
    return pattern - (10 ** (11 - kept) - 1), pattern


def _holds(text: str) -> Any:
    columns = (instance.c.task, instance.c.name, instance.c.error_message, instance.c.reason)
    found = [column.icontains(text, autoescape=True) for column in columns]
    if text.lstrip("-").isdecimal():
        found.append(sa.cast(instance.c.error_code, sa.String).contains(text, autoescape=True))
    number = text.removeprefix("#")
    if number.isascii() and number.isdecimal() and len(number) < _DIGITS:
        found.append(instance.c.id == int(number))
    return sa.or_(*found)


def _failed_at(node: str) -> Any:
    failed = job_instance.c.status.in_(_BAD)
    return sa.select(job_instance.c.instance).where(job_instance.c.node == node, failed)


def keyset(query: Any, after: InstanceCursor | None, newest_first: bool) -> Any:
    """The instances behind a place, in the order of scheduled time."""
    time, id_ = instance.c.scheduled_time, instance.c.id
    if newest_first:
        if after:
            beyond = sa.or_(time < after.scheduled_time, id_ < after.id)
            query = query.where(time <= after.scheduled_time, beyond)
        return query.order_by(time.desc(), id_.desc())
    if after:
        beyond = sa.or_(time > after.scheduled_time, id_ > after.id)
        query = query.where(time >= after.scheduled_time, beyond)
    return query.order_by(time, id_)


def _order(which: SortedFilter, dialect: str) -> tuple[Any, ...]:
    if which.order not in SORTABLE:
        raise ValueError(which.order)
    first = _sorted_by(which.order, dialect)
    keys = [first] if which.order == "id" else [first, instance.c.id]
    return tuple(key.asc() if which.ascending else key.desc() for key in keys)


def _sorted_by(order: str, dialect: str) -> Any:
    if order == "duration":
        return _duration(dialect)
    if order == "task":
        return sa.func.coalesce(instance.c.name, instance.c.task)  # what a list calls it
    return instance.c[order]


def _duration(dialect: str) -> Any:
    """From the start to the end; what has not ended is shorter than all others, in every database."""
    if dialect == "sqlite":
        took = sa.func.julianday(instance.c.ended_at) - sa.func.julianday(instance.c.started_at)
    else:
        ended, started = (
            sa.cast(each, sa.DateTime(True)) for each in (instance.c.ended_at, instance.c.started_at)
        )
        took = sa.extract("epoch", ended - started) / _DAY
    return sa.func.coalesce(took, -1)
