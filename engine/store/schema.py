"""The tables as SQLAlchemy Core sees them; docs/tables.md says what each is for."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from engine.model.codes import store as codes
from engine.model.errors import SkerryError
from engine.model.json_text import read_json
from engine.model.plain_words import wording
from engine.store.tables import REQUIRED, TABLES, ColumnSpec, Table
from engine.store.tables import VERSION as VERSION

READ_VERSION = "SELECT value FROM meta WHERE name = 'schema_version'"

SUM = "sum"  # the checksum of a row, see checksums

metadata = sa.MetaData()
BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")  # so that ids are SQLite's rowids
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")  # so that order is that of the bytes


class JsonText(sa.types.TypeDecorator[Any]):
    """A JSON tree kept as text; it is written by ``encoding.encoded``, so only reading converts."""

    impl = sa.Text
    cache_ok = True

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> Any:
        """The tree of the text; None for a damaged one: then its row does not fit its sum."""
        try:
            return None if value is None else read_json(value)
        except (ValueError, TypeError, RecursionError):
            return None


def tree_of(text: str) -> Any:
    """The JSON tree that a text was made from; DAMAGED if it is none any more."""
    try:
        return read_json(text)
    except ValueError as error:
        message = "a stored value is damaged: {error}"
        raise SkerryError(codes.DAMAGED, message, error=wording(error)) from error


_TYPES: dict[str, Any] = {"int": BIG, "text": TEXT, "bool": sa.Boolean(), "json": JsonText()}


def _default(column: ColumnSpec) -> Any:
    if column.default is REQUIRED or column.default is None:
        return None
    if isinstance(column.default, bool):
        return sa.true() if column.default else sa.false()
    return str(column.default)  # also of an empty map or list: their JSON text is the same


def _state_table(spec: Table, *constraints: Any, references: dict[str, str] | None = None) -> sa.Table:
    columns = [
        sa.Column(
            each.name,
            _TYPES[each.kind],
            *_reference((references or {}).get(each.name)),
            primary_key=each.name in spec.key,
            autoincrement=False,
            nullable=each.nullable,
            server_default=_default(each),
        )
        for each in spec.columns
    ]
    rowid = len(spec.key) == 1
    return sa.Table(spec.name, metadata, *columns, _sum(), *constraints, sqlite_with_rowid=rowid)


def _table(name: str, *columns: sa.Column[Any], **options: Any) -> sa.Table:
    return sa.Table(name, metadata, *columns, **options)


def _keys(names: str, kind: Any = TEXT) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, primary_key=True, autoincrement=False) for name in names.split()]


def _columns(names: str, kind: Any = TEXT, *, nullable: bool = False) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=nullable) for name in names.split()]


def _sum() -> sa.Column[Any]:
    return sa.Column(SUM, BIG)


def _reference(target: str | None) -> list[sa.ForeignKey]:
    return [sa.ForeignKey(target, ondelete="CASCADE")] if target else []


instance = _state_table(TABLES["instance"], sa.UniqueConstraint("task", "scheduled_time"))
run = _state_table(TABLES["run"], references={"instance": "instance.id"})
job_instance = _state_table(TABLES["job_instance"], references={"instance": "instance.id"})
job_run = _state_table(TABLES["job_run"], references={"job_instance": "job_instance.id"})
exception = _state_table(TABLES["exception"])
alert = _state_table(TABLES["alert"])
schedule = _state_table(TABLES["schedule"])
link = _state_table(TABLES["link"], references={"instance": "instance.id"})
backfill = _state_table(TABLES["backfill"])
backfill_step = _state_table(TABLES["backfill_step"], references={"backfill": "backfill.id"})
worker = _state_table(TABLES["worker"])

# Lists are read newest first by scheduled time. Planned instances lie in the future, by the hundred thousand,
# and would all be walked over: the index that lists everything leaves them out.
NOT_PLANNED = sa.text("status <> 'planned'")
# (Each dialect that is named here is loaded in every process: `opening` says the same to the other one.)
sa.Index("instance_by_time", instance.c.scheduled_time, instance.c.id, sqlite_where=NOT_PLANNED)
sa.Index("instance_by_status", instance.c.status, instance.c.scheduled_time, instance.c.id)
sa.Index(
    "instance_by_task_status", instance.c.task, instance.c.status, instance.c.scheduled_time, instance.c.id
)
HAS_PARENT = sa.text("parent IS NOT NULL")
sa.Index("instance_by_parent", instance.c.parent, sqlite_where=HAS_PARENT)
sa.Index("run_by_snapshot", run.c.snapshot)
sa.Index("job_by_instance", job_instance.c.instance, job_instance.c.id)
sa.Index("exception_by_instance", exception.c.instance, exception.c.id)
sa.Index("exception_by_status", exception.c.status, exception.c.id)
sa.Index("exception_by_code", exception.c.code, exception.c.id)
sa.Index("exception_by_task", exception.c.task, exception.c.id)
sa.Index("alert_by_instance", alert.c.instance, alert.c.id)
OPEN_ALERT = sa.text("acknowledged_at IS NULL")
sa.Index("alert_open", alert.c.id, sqlite_where=OPEN_ALERT)
HOLDS = sa.text("until IS NULL")
sa.Index("schedule_that_holds", schedule.c.task, sqlite_where=HOLDS)
sa.Index("schedule_by_task", schedule.c.task, schedule.c.since)
sa.Index("link_by_time", link.c.upstream, link.c.first_at, link.c.last_at)
RANGE = sa.text("last_at > first_at")  # of several instances: few, but they begin long before what they hold
sa.Index("link_by_range", link.c.upstream, link.c.last_at, link.c.first_at, sqlite_where=RANGE)
sa.Index("backfill_step_by_instance", backfill_step.c.instance)

context_line = _table(
    "context_line",
    # instance and seq in one number (line_id): one index less to write on the path of every job
    *_keys("id", BIG),
    *_columns("text", sa.Text),
)
snapshot = _table("snapshot", *_keys("hash"), *_columns("content", sa.Text))
definition = _table(  # what is current; hash NULL: deleted
    "definition",
    *_keys("kind id"),
    *_columns("revision", BIG),
    *_columns("hash project state", nullable=True),
    sa.Column("position", BIG, nullable=False, server_default="0"),
    _sum(),
    sqlite_with_rowid=False,
)
definition_revision = _table(
    "definition_revision",
    *_keys("kind id"),
    *_keys("revision", BIG),
    *_columns("created_at"),
    *_columns("content", sa.Text, nullable=True),
    *_columns("hash project actor", nullable=True),
    _sum(),
)
execute_stat = _table(
    "execute_stat",
    *_keys("kind id"),
    *_columns("counts failed success", BIG),
    *_columns("total_execute_time max_execute_time", sa.Double),
    _sum(),
    sqlite_with_rowid=False,
)
execute_stat_code = _table(
    "execute_stat_code",
    *_keys("kind id"),
    *_keys("code", BIG),
    *_columns("counts", BIG),
    _sum(),
    sqlite_with_rowid=False,
)
id_block = _table("id_block", *_keys("name"), *_columns("next", BIG), _sum())
audit = _table(
    "audit",
    *_keys("seq", BIG),
    *_columns("time actor action subject"),
    *_columns("details", sa.Text),
    *_columns("hash"),
)
setting = _table("setting", *_keys("name"), *_columns("value", sa.Text), _sum())
meta = _table("meta", *_keys("name"), *_columns("value", sa.Text))

LINE_BITS = 32


def line_id(instance_id: int, seq: int) -> int:
    """The key of a context line: lines of an instance lie together, in order."""
    return (instance_id << LINE_BITS) | seq
