"""Everything that is read from the store, on pooled connections that never wait for the writer."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

import sqlalchemy as sa

from engine.context.line import is_whole
from engine.model.codes.store import ROW_DAMAGED
from engine.model.states import INSTANCE_UNFINISHED, JOB_ENDED, JobState
from engine.store import schema
from engine.store.audit import head_in, rows_of
from engine.store.browsing import Browser, code_range, page_of
from engine.store.filters import (
    EVERY_EXCEPTION,
    EVERY_INSTANCE,
    ExceptionFilter,
    InstanceCursor,
    InstanceFilter,
)
from engine.store.prepared import Prepared
from engine.store.reading_workers import WorkerReading
from engine.store.rows import (
    AlertRow,
    AttemptRow,
    AuditRow,
    ExceptionRow,
    InstanceRow,
    JobRow,
    RunRow,
    StatRow,
)
from engine.store.schema import alert, exception, instance, job_instance, line_id, tree_of
from engine.store.sound_rows import damaged, damaged_statistic, fits, selected, sound

_LINES_AT_ONCE = 2000
_PLACE = attrgetter("scheduled_time", "id")
_ENDED = sorted(map(str, JOB_ENDED))
_EQUAL = ("instance", "task", "status", "job_instance")  # of a filter of exceptions
_line = schema.context_line.c
_PAGE_OF_LINES = Prepared(
    sa.select(schema.context_line)
    .where(_line.id > sa.bindparam("here"), _line.id <= sa.bindparam("end"))
    .order_by(_line.id)
    .limit(_LINES_AT_ONCE)
)
_LAST_INSTANCE = Prepared(sa.select(sa.func.max(instance.c.id)))
_LAST_LINE = Prepared(
    sa.select(sa.func.max(_line.id)).where(_line.id > sa.bindparam("low"), _line.id < sa.bindparam("high"))
)


class StoreReading(WorkerReading):
    """The reading half of the store."""

    def instance(self, id: int) -> InstanceRow | None:
        return self._one(InstanceRow, "instance", id=id)

    def instances(
        self,
        which: InstanceFilter = EVERY_INSTANCE,
        *,
        after: InstanceCursor | None = None,
        limit: int = 200,
        newest_first: bool = True,
    ) -> list[InstanceRow]:
        """A page, in the order of scheduled time; the next one is ``after`` the last row of this one."""
        # one page for each status, merged: each is a walk along an index, whatever the size of the table
        query, given = page_of(self._backend.name, which, after, newest_first)
        each_status = [{"of": each} for each in which.statuses] or [{}]
        pages = [self._listed(InstanceRow, query, limit=limit, **given, **of) for of in each_status]
        merged = heapq.merge(*pages, key=_PLACE, reverse=newest_first)
        return [row for row, _ in zip(merged, range(limit), strict=False)]

    def unfinished(self) -> list[InstanceRow]:
        """Instances that wait, run or are paused, oldest first; planned ones are not among them."""
        rows = self._listed(InstanceRow, _unfinished(self._backend.name))
        return sorted(rows, key=attrgetter("id"))

    def newest_ended(self, limit: int | None = None, after: int = 0) -> list[int]:
        """The ids above ``after`` of instances that ended, the highest first, ``limit`` of them at most."""
        some = {} if limit is None else {"limit": limit}
        return [id for (id,) in self._all(_newest_ended(bool(some)), after=after, **some)]

    def last_instance(self) -> int:
        """The highest id of an instance; 0 without any."""
        return int(self._all(_LAST_INSTANCE)[0][0] or 0)

    def children(self, job_instance: int) -> list[InstanceRow]:
        """The instances that a sub-task's JobInstance started."""
        return self._rows(InstanceRow, _children(self._backend.name), parent=job_instance)

    def browser(self) -> Browser:
        """For lists in which people look around."""
        return Browser(self._reads, self._backend.name)

    def run(self, instance: int, run: int) -> RunRow | None:
        return self._one(RunRow, "run", instance=instance, run=run)

    def runs(self, instance: int) -> list[RunRow]:
        return self._found(RunRow, "run", "run", instance=instance)

    def jobs(self, instance: int, run: int | None = None) -> list[JobRow]:
        """The JobInstances of an instance (of one run of it), in the order they were made."""
        of = {"instance": instance} if run is None else {"instance": instance, "run": run}
        return self._found(JobRow, "job_instance", "id", **of)

    def job(self, id: int) -> JobRow | None:
        return self._one(JobRow, "job_instance", id=id)

    def unfinished_jobs(self) -> list[JobRow]:
        """The JobInstances of all instances that have not ended, in the order they were made."""
        return self._rows(JobRow, _alive(self._backend.name, None))

    def at_work(self) -> list[JobRow]:
        """The JobInstances of all instances that are running, in the order they were made."""
        return self._rows(JobRow, _alive(self._backend.name, JobState.RUNNING))

    def waiting_jobs(self) -> list[JobRow]:
        """The JobInstances of all instances that wait without a slot, in the order they were made."""
        return self._rows(JobRow, _alive(self._backend.name, JobState.WAITING))

    def attempts(self, job_instance: int) -> list[AttemptRow]:
        return self._found(AttemptRow, "job_run", "attempt", job_instance=job_instance)

    def open_attempts(self, instance: int) -> dict[int, list[AttemptRow]]:
        """The attempts of an instance's JobInstances that have not ended, by JobInstance: at once."""
        found: dict[int, list[AttemptRow]] = {}
        for row in self._rows(AttemptRow, _open_attempts(self._backend.name), instance=instance):
            found.setdefault(row.job_instance, []).append(row)
        return found

    def lines(self, instance: int, after: int = 0, upto: int | None = None) -> Iterator[str]:
        """Context lines with a ``seq`` above ``after``, up to and with ``upto``; read in pieces."""
        here = line_id(instance, after)
        end = line_id(instance, upto) if upto is not None else line_id(instance + 1, 0) - 1
        while page := self._all(_PAGE_OF_LINES, here=here, end=end):
            for here, text in page:
                if not is_whole(text):  # in a file the last one may be torn, here a transaction wrote it
                    raise damaged("context_line", (instance, here & ((1 << schema.LINE_BITS) - 1)))
                yield text
            if len(page) < _LINES_AT_ONCE:
                return

    def last_seq(self, instance: int) -> int:
        """The ``seq`` of the last context line, 0 if there is none."""
        found = self._all(_LAST_LINE, low=line_id(instance, 0), high=line_id(instance + 1, 0))
        return int(found[0][0] or 0) & ((1 << schema.LINE_BITS) - 1)

    def snapshot(self, instance: int, run: int) -> dict[str, Any] | None:
        """The raw definitions that a run uses."""
        text = self.snapshot_text(instance, run)
        return None if text is None else tree_of(text)

    def snapshot_text(self, instance: int, run: int) -> str | None:
        """The same as JSON."""
        for name, text, whole in self._all(_snapshot(self._backend.name), instance=instance, run=run):
            if not whole:
                raise damaged("run", (instance, run))
            if name is not None:
                what = f"the definitions of instance {instance}, run {run}"
                return fits(text or "", name, what)
        return None

    def exceptions(
        self, which: ExceptionFilter = EVERY_EXCEPTION, *, before: int | None = None, limit: int = 200
    ) -> list[ExceptionRow]:
        """A page, newest first; the next one is ``before`` the id of the last row of this one."""
        given = {name: getattr(which, name) for name in (*_EQUAL, "since")}
        given["before"] = before
        given["lowest"], given["highest"] = (None, None) if which.code is None else code_range(which.code)
        given = {name: value for name, value in given.items() if value is not None}
        query = _exceptions(self._backend.name, tuple(given))
        return self._listed(ExceptionRow, query, limit=limit, **given)

    def exception(self, id: int) -> ExceptionRow | None:
        return self._one(ExceptionRow, "exception", id=id)

    def alerts(
        self,
        *,
        instance: int | None = None,
        acknowledged: bool | None = None,
        before: int | None = None,
        limit: int = 200,
    ) -> list[AlertRow]:
        """A page, newest first; ``acknowledged`` None: whether or not they were acknowledged."""
        query = self._select("alert")
        if instance is not None:
            query = query.where(alert.c.instance == instance)
        if acknowledged is not None:
            query = query.where(alert.c.acknowledged_at.is_not(None) if acknowledged else schema.OPEN_ALERT)
        if before is not None:
            query = query.where(alert.c.id < before)
        return self._listed(AlertRow, query.order_by(alert.c.id.desc()).limit(limit))

    def alert(self, id: int) -> AlertRow | None:
        return self._one(AlertRow, "alert", id=id)

    def stats(self, kind: str | None = None, id: str | None = None) -> list[StatRow]:
        """Execution statistics of all tasks and jobs, or of one kind, or of one of them."""
        codes: dict[tuple[str, str], dict[int, int]] = {}
        for of, code, counts, whole in self._stat_rows(schema.execute_stat_code, kind, id):
            codes.setdefault(of, {})[code if whole else ROW_DAMAGED.number] = counts if whole else 1
        found: list[StatRow] = []
        for of, *numbers, whole in self._stat_rows(schema.execute_stat, kind, id):
            values = (*of, *numbers, codes.get(of, {}))
            found.append(StatRow(*values) if whole else damaged_statistic(*of))
        return found

    def status_counts(self, statuses: Sequence[str] = ()) -> dict[str, int]:
        """How many instances there are in each of these states, or in all but planned; along the index."""
        which = instance.c.status.in_(statuses) if statuses else schema.NOT_PLANNED
        count = sa.select(instance.c.status, sa.func.count()).where(which)
        return dict(self._all(count.group_by(instance.c.status)))

    def job_counts(self) -> list[tuple[int, str, int]]:
        """Of each instance that goes on: the states of the JobInstances of its present run, and how many."""
        alive = sa.select(instance.c.id, instance.c.run).where(instance.c.status.in_(INSTANCE_UNFINISHED))
        now = alive.subquery()
        of = sa.and_(job_instance.c.instance == now.c.id, job_instance.c.run == now.c.run)
        columns = job_instance.c.instance, job_instance.c.status
        query = sa.select(*columns, sa.func.count()).join(now, of).group_by(*columns)
        return [(number, status, count) for number, status, count in self._all(query)]

    def setting(self, name: str, default: Any = None) -> Any:
        """A JSON value that ``Changes.setting`` remembered."""
        found = self._all(_setting(self._backend.name), name=name)
        if found and not found[0][1]:
            raise damaged("setting", (name,))
        return tree_of(found[0][0]) if found else default

    def audit(self, after: int = 0, limit: int = 200) -> list[AuditRow]:
        """A page of the audit, the oldest first: rows with a ``seq`` above ``after``."""
        with self._reads() as connection:
            return list(rows_of(connection, after, limit))

    def audit_head(self) -> tuple[int, str] | None:
        """How many rows it has, and the hash of the last one; None: that is not there any more."""
        with self._reads() as connection:
            return head_in(connection)

    def _stat_rows(self, table: sa.Table, kind: str | None, id_: str | None) -> Iterator[Any]:
        """Of what a row is, its other values, and whether it is sound."""
        columns = [each for each in table.c if each.name != schema.SUM]
        query = sa.select(*columns, sound(self._backend.name, table.name)).order_by(table.c.kind, table.c.id)
        if kind is not None:
            query = query.where(table.c.kind == kind)
        for of, name, *values in self._all(query if id_ is None else query.where(table.c.id == id_)):
            yield ((of, name), *values)


@cache
def _unfinished(dialect: str) -> Prepared:
    return Prepared(selected(dialect, "instance").where(instance.c.status.in_(INSTANCE_UNFINISHED)))


@cache
def _children(dialect: str) -> Prepared:
    query = selected(dialect, "instance").where(
        schema.HAS_PARENT, instance.c.parent == sa.bindparam("parent")
    )
    return Prepared(query.order_by(instance.c.id))


@cache
def _alive(dialect: str, state: JobState | None) -> Prepared:
    """JobInstances of what goes on, in that state or, with None, in any that is no end.

    By way of their instances: an index of its own would be written at every start and end of a job.
    """
    alive = sa.select(instance.c.id).where(instance.c.status.in_(INSTANCE_UNFINISHED))
    status = job_instance.c.status
    which = status.not_in(_ENDED) if state is None else status == str(state)
    query = selected(dialect, "job_instance").where(job_instance.c.instance.in_(alive), which)
    return Prepared(query.order_by(job_instance.c.id))


@cache
def _open_attempts(dialect: str) -> Prepared:
    """Those of an instance that have not ended; many of its JobInstances may have."""
    table, job = schema.job_run.c, job_instance.c
    alive = sa.select(job.id).where(job.instance == sa.bindparam("instance"), job.status.not_in(_ENDED))
    query = selected(dialect, "job_run").where(table.job_instance.in_(alive))
    return Prepared(query.order_by(table.job_instance, table.attempt))


@cache
def _snapshot(dialect: str) -> Prepared:
    table, kept = schema.run.c, schema.snapshot.c
    here = table.instance == sa.bindparam("instance"), table.run == sa.bindparam("run")
    query = sa.select(table.snapshot, kept.content, sound(dialect, "run")).where(*here)
    return Prepared(query.outerjoin_from(schema.run, schema.snapshot, table.snapshot == kept.hash))


@cache
def _setting(dialect: str) -> Prepared:
    table = schema.setting.c
    here = table.name == sa.bindparam("name")
    return Prepared(sa.select(table.value, sound(dialect, "setting")).where(here))


@cache
def _exceptions(dialect: str, given: tuple[str, ...]) -> Prepared:
    """A page of those for which these conditions hold."""
    columns = exception.c
    conditions = {
        **{name: columns[name] == sa.bindparam(name) for name in _EQUAL},
        "since": columns.created_at >= sa.bindparam("since"),
        "before": columns.id < sa.bindparam("before"),
        "lowest": columns.code >= sa.bindparam("lowest"),
        "highest": columns.code <= sa.bindparam("highest"),
    }
    query = selected(dialect, "exception").where(*(conditions[name] for name in given))
    return Prepared(query.order_by(columns.id.desc()).limit(sa.bindparam("limit")))


@cache
def _newest_ended(limited: bool) -> Prepared:
    ended = instance.c.id > sa.bindparam("after"), instance.c.ended_at.is_not(None)
    query = sa.select(instance.c.id).where(*ended).order_by(instance.c.id.desc())
    return Prepared(query.limit(sa.bindparam("limit")) if limited else query)
