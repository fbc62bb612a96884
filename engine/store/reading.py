"""Everything that is read from the store, on pooled connections that never wait for the writer."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from operator import attrgetter
from typing import Any

import sqlalchemy as sa

from engine.context.line import is_whole
from engine.model.codes.store import ROW_DAMAGED
from engine.model.states import INSTANCE_UNFINISHED, JOB_ENDED, JobState
from engine.store import schema
from engine.store.audit import head_in, rows_of
from engine.store.browsing import Browser, code_range
from engine.store.port import (
    EVERY_EXCEPTION,
    EVERY_INSTANCE,
    ExceptionFilter,
    InstanceCursor,
    InstanceFilter,
)
from engine.store.reading_definitions import DefinitionReading
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
from engine.store.schema import (
    alert,
    exception,
    instance,
    job_instance,
    line_id,
    tree_of,
)
from engine.store.sound_rows import damaged, damaged_statistic, fits, sound

_LINES_AT_ONCE = 2000
_PLACE = attrgetter("scheduled_time", "id")
_ENDED = sorted(map(str, JOB_ENDED))


class Reading(DefinitionReading):
    """The reading half of the store."""

    # instances

    def instance(self, id: int) -> InstanceRow | None:
        return self._one(InstanceRow, "instance", instance.c.id == id)

    def instances(
        self,
        wanted: InstanceFilter = EVERY_INSTANCE,
        *,
        after: InstanceCursor | None = None,
        limit: int = 200,
        newest_first: bool = True,
    ) -> list[InstanceRow]:
        # one page for each status, merged: each is a walk along an index, whatever the size of the table
        pages = []
        for status in wanted.statuses or (None,):
            query = self._select("instance").where(*_instance_conditions(wanted), _has_status(status))
            page = _keyset(query, after, newest_first).limit(limit)
            pages.append(self._listed(InstanceRow, page))
        merged = heapq.merge(*pages, key=_PLACE, reverse=newest_first)
        return [row for row, _ in zip(merged, range(limit), strict=False)]

    def unfinished(self) -> list[InstanceRow]:
        query = self._select("instance").where(instance.c.status.in_(INSTANCE_UNFINISHED))
        return sorted(self._listed(InstanceRow, query), key=attrgetter("id"))

    def ended_since(self, moment: str) -> list[int]:
        query = sa.select(instance.c.id).where(instance.c.ended_at >= moment)
        return [id for (id,) in self._all(query.order_by(instance.c.id))]

    def latest_end(self) -> str | None:
        return self._all(sa.select(sa.func.max(instance.c.ended_at)))[0][0]  # type: ignore[no-any-return]

    def last_instance(self) -> int:
        """The highest id of an instance; 0 without any."""
        return int(self._all(sa.select(sa.func.max(instance.c.id)))[0][0] or 0)

    def children(self, job_instance: int) -> list[InstanceRow]:
        query = self._select("instance").where(schema.HAS_PARENT, instance.c.parent == job_instance)
        return self._rows(InstanceRow, query.order_by(instance.c.id))

    def browser(self) -> Browser:
        """For lists in which people look around."""
        return Browser(self._reads, self._backend.name)

    # runs, jobs, attempts

    def run(self, instance: int, run: int) -> RunRow | None:
        return self._one(RunRow, "run", schema.run.c.instance == instance, schema.run.c.run == run)

    def runs(self, instance: int) -> list[RunRow]:
        query = self._select("run").where(schema.run.c.instance == instance)
        return self._rows(RunRow, query.order_by(schema.run.c.run))

    def jobs(self, instance: int, run: int | None = None) -> list[JobRow]:
        query = self._select("job_instance").where(job_instance.c.instance == instance)
        if run is not None:
            query = query.where(job_instance.c.run == run)
        return self._rows(JobRow, query.order_by(job_instance.c.id))

    def job(self, id: int) -> JobRow | None:
        return self._one(JobRow, "job_instance", job_instance.c.id == id)

    def unfinished_jobs(self) -> list[JobRow]:
        return self._alive(job_instance.c.status.not_in(_ENDED))

    def at_work(self) -> list[JobRow]:
        return self._alive(job_instance.c.status == str(JobState.RUNNING))

    def _alive(self, which: sa.ColumnElement[bool]) -> list[JobRow]:
        # by way of their instances: an index of its own would be written at every start and end of a job
        alive = sa.select(instance.c.id).where(instance.c.status.in_(INSTANCE_UNFINISHED))
        query = self._select("job_instance").where(job_instance.c.instance.in_(alive), which)
        return self._rows(JobRow, query.order_by(job_instance.c.id))

    def attempts(self, job_instance: int) -> list[AttemptRow]:
        table = schema.job_run
        query = self._select("job_run").where(table.c.job_instance == job_instance).order_by(table.c.attempt)
        return self._rows(AttemptRow, query)

    def open_attempts(self, instance: int) -> dict[int, list[AttemptRow]]:
        job_instance, table = schema.job_instance, schema.job_run
        open_ = sa.select(job_instance.c.id).where(
            job_instance.c.instance == instance, job_instance.c.status.not_in(_ENDED)
        )
        query = self._select("job_run").where(table.c.job_instance.in_(open_))
        found: dict[int, list[AttemptRow]] = {}
        for row in self._rows(AttemptRow, query.order_by(table.c.job_instance, table.c.attempt)):
            found.setdefault(row.job_instance, []).append(row)
        return found

    # context

    def lines(self, instance: int, after: int = 0, upto: int | None = None) -> Iterator[str]:
        table = schema.context_line
        here = line_id(instance, after)
        end = line_id(instance, upto) if upto is not None else line_id(instance + 1, 0) - 1
        query = sa.select(table).where(table.c.id > sa.bindparam("here"), table.c.id <= end)
        query = query.order_by(table.c.id).limit(_LINES_AT_ONCE)
        while page := self._all(query, here=here):
            for here, text in page:
                if not is_whole(text):  # in a file the last one may be torn, here a transaction wrote it
                    raise damaged("context_line", (instance, here & ((1 << schema.LINE_BITS) - 1)))
                yield text

    def last_seq(self, instance: int) -> int:
        table = schema.context_line
        query = sa.select(sa.func.max(table.c.id)).where(
            table.c.id > line_id(instance, 0), table.c.id < line_id(instance + 1, 0)
        )
        return int(self._all(query)[0][0] or 0) & ((1 << schema.LINE_BITS) - 1)

    def snapshot(self, instance: int, run: int) -> dict[str, Any] | None:
        table, kept = schema.run, schema.snapshot
        of_run = sa.select(table.c.snapshot, kept.c.content, sound(self._backend.name, "run"))
        query = of_run.outerjoin_from(table, kept, table.c.snapshot == kept.c.hash)
        for name, text, whole in self._all(query.where(table.c.instance == instance, table.c.run == run)):
            if not whole:
                raise damaged("run", (instance, run))
            if name is not None:
                what = f"the definitions of instance {instance}, run {run}"
                found: dict[str, Any] = tree_of(fits(text or "", name, what))
                return found
        return None

    # exceptions, statistics, settings

    def exceptions(
        self, wanted: ExceptionFilter = EVERY_EXCEPTION, *, before: int | None = None, limit: int = 200
    ) -> list[ExceptionRow]:
        query = self._select("exception").where(*_exception_conditions(wanted))
        if before is not None:
            query = query.where(exception.c.id < before)
        return self._listed(ExceptionRow, query.order_by(exception.c.id.desc()).limit(limit))

    def exception(self, id: int) -> ExceptionRow | None:
        return self._one(ExceptionRow, "exception", exception.c.id == id)

    def alerts(
        self,
        *,
        instance: int | None = None,
        acknowledged: bool | None = None,
        before: int | None = None,
        limit: int = 200,
    ) -> list[AlertRow]:
        query = self._select("alert")
        if instance is not None:
            query = query.where(alert.c.instance == instance)
        if acknowledged is not None:
            query = query.where(alert.c.acknowledged_at.is_not(None) if acknowledged else schema.OPEN_ALERT)
        if before is not None:
            query = query.where(alert.c.id < before)
        return self._listed(AlertRow, query.order_by(alert.c.id.desc()).limit(limit))

    def alert(self, id: int) -> AlertRow | None:
        return self._one(AlertRow, "alert", alert.c.id == id)

    def stats(self, kind: str | None = None, id: str | None = None) -> list[StatRow]:
        codes: dict[tuple[str, str], dict[int, int]] = {}
        for of, code, counts, whole in self._stat_rows(schema.execute_stat_code, kind, id):
            codes.setdefault(of, {})[code if whole else ROW_DAMAGED.number] = counts if whole else 1
        found: list[StatRow] = []
        for of, *told, whole in self._stat_rows(schema.execute_stat, kind, id):
            values = (*of, *told, codes.get(of, {}))
            found.append(StatRow(*values) if whole else damaged_statistic(*of))
        return found

    def setting(self, name: str, default: Any = None) -> Any:
        query = sa.select(schema.setting.c.value, sound(self._backend.name, "setting"))
        found = self._all(query.where(schema.setting.c.name == name))
        if found and not found[0][1]:
            raise damaged("setting", (name,))
        return tree_of(found[0][0]) if found else default

    def audit(self, after: int = 0, limit: int = 200) -> list[AuditRow]:
        with self._reads() as connection:
            return list(rows_of(connection, after, limit))

    def audit_head(self) -> tuple[int, str] | None:
        with self._reads() as connection:
            return head_in(connection)

    # how

    def _stat_rows(self, table: sa.Table, kind: str | None, id_: str | None) -> Iterator[Any]:
        """Of what a row is, its other values, and whether it is sound."""
        columns = [each for each in table.c if each.name != schema.SUM]
        query = sa.select(*columns, sound(self._backend.name, table.name)).order_by(table.c.kind, table.c.id)
        if kind is not None:
            query = query.where(table.c.kind == kind)
        for of, name, *values in self._all(query if id_ is None else query.where(table.c.id == id_)):
            yield ((of, name), *values)


def _instance_conditions(wanted: InstanceFilter) -> list[Any]:
    equal = {"task": wanted.task, "project": wanted.project, "trigger": wanted.trigger}
    conditions = [instance.c[name] == value for name, value in equal.items() if value is not None]
    if wanted.since is not None:
        conditions.append(instance.c.scheduled_time >= wanted.since)
    if wanted.until is not None:
        conditions.append(instance.c.scheduled_time < wanted.until)
    return conditions


def _has_status(status: str | None) -> Any:
    return schema.NOT_PLANNED if status is None else instance.c.status == status


def _keyset(query: Any, after: InstanceCursor | None, newest_first: bool) -> Any:
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


def _exception_conditions(wanted: ExceptionFilter) -> list[Any]:
    names = ("instance", "task", "status", "job_instance")
    equal = {name: getattr(wanted, name) for name in names}
    conditions = [exception.c[name] == value for name, value in equal.items() if value is not None]
    if wanted.code is not None:
        conditions.append(exception.c.code.between(*code_range(wanted.code)))
    if wanted.since is not None:
        conditions.append(exception.c.created_at >= wanted.since)
    return conditions
