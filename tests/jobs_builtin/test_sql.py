"""sql and sql_query on real databases: values are data, all or nothing, and a cancel reaches the server."""

from __future__ import annotations

import csv
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.runtime import CANCELLED
from engine.model.errors import SkerryError
from engine.plugins.resource_type import ResolvedResource
from jobs_builtin.sql import CODES, Sql
from jobs_builtin.sql_query import CODES as QUERY_CODES
from jobs_builtin.sql_query import SqlQuery
from tests.effort import effort
from tests.servers.calls import Bench
from tests.servers.mariadb import MariaDb
from tests.servers.password import Postgres
from tests.waiting import until

HOSTILE = [
    "'; drop table visit; --",
    'a "quoted" \\ back\\slash',
    "line\nbreak\r\n\ttab",
    "%s %(name)s :name ? $1 {x}",
    "马 ö 🏝",
    "$(touch /tmp/x) `id`",
    "x" * 200_000,
    "",
]


@dataclass(frozen=True)
class Database:
    """A database of one kind, and the words that differ between them."""

    kind: str
    resource: ResolvedResource
    long_work: str
    busy: Callable[[], bool]

    def __str__(self) -> str:
        return self.kind


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    directory = tmp_path / "job"
    directory.mkdir()
    return Bench(directory)


@pytest.fixture(params=["sqlite", "postgresql", "mariadb"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    made = {"sqlite": _sqlite, "postgresql": _postgres, "mariadb": _mariadb}[request.param]
    return made(request, tmp_path)


def _sqlite(_: pytest.FixtureRequest, tmp_path: Path) -> Database:
    resource = ResolvedResource("db", "database", f"sqlite:///{tmp_path}/ledger.db")
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n, sqlite_master"
    return Database("sqlite", resource, endless, partial(_in_use, tmp_path / "ledger.db"))


def _in_use(path: Path) -> bool:
    """Whether a statement that reads or writes the file goes on."""
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
        try:
            other.execute("begin exclusive")
        except sqlite3.OperationalError:
            return True
    return False


def _postgres(request: pytest.FixtureRequest, _: Path) -> Database:
    server: Postgres = request.getfixturevalue("clerks_postgres")
    resource = server.resource
    bench = Bench(request.getfixturevalue("tmp_path"))
    _drop(resource, bench)
    query = (
        "select count(*) as n from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() "
        "and (query like '%pg_sleep(600%' or query like 'FETCH%')"
    )

    def busy() -> bool:
        keys = {"resource": "db", "statement": query}
        return bool(Bench(bench.directory).call(SqlQuery(), keys, resource)["rows"][0]["n"])

    return Database("postgresql", resource, "select pg_sleep(600)", busy)


def _mariadb(request: pytest.FixtureRequest, _: Path) -> Database:
    server: MariaDb = request.getfixturevalue("mariadb")
    resource = server.resource
    _drop(resource, Bench(request.getfixturevalue("tmp_path")))
    query = "select count(*) from information_schema.processlist where info like 'select sleep(600%'"
    return Database("mariadb", resource, "select sleep(600)", lambda: server.ask(query) != "0")


def _drop(resource: ResolvedResource, bench: Bench) -> None:
    bench.call(Sql(), {"resource": "db", "statements": ["drop table if exists visit"]}, resource)


def _sql(bench: Bench, database: Database, *statements: str, **params: Any) -> dict[str, Any]:
    return bench.call(Sql(), {"resource": "db", "statements": list(statements)}, database.resource, params)


def _query(bench: Bench, database: Database, statement: str, **params: Any) -> dict[str, Any]:
    keys = {"resource": "db", "statement": statement}
    return bench.call(SqlQuery(), keys, database.resource, params)


def _failure(action: Callable[[], object]) -> SkerryError:
    with pytest.raises(SkerryError) as caught:
        action()
    return caught.value


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_values_arrive_as_they_are(bench: Bench, database: Database, value: str) -> None:
    kind = "longtext" if database.kind == "mariadb" else "text"
    _sql(bench, database, f"create table visit(t {kind})", "insert into visit values (:value)", value=value)

    found = _query(bench, database, "select t from visit where t = :value", value=value)

    assert found == {"rows": [{"t": value}], "columns": ["t"], "rowcount": 1}


def test_numbers_booleans_nulls_lists_and_maps_are_bound(bench: Bench, database: Database) -> None:
    result = _sql(
        bench,
        database,
        "create table visit(n integer, f double precision, b boolean, z text, l text, m text)",
        "insert into visit values (:n, :f, :b, :z, :l, :m)",
        "select l, m, n, f, z from visit where b",
        n=7, f=1.5, b=True, z=None, l=[1, "é"], m={"k": None},
    )  # fmt: skip

    assert result["rows"] == [{"l": '[1,"é"]', "m": '{"k":null}', "n": 7, "f": 1.5, "z": None}]
    assert result["columns"] == ["l", "m", "n", "f", "z"]
    assert result["rowcount"] == 1


def test_a_change_tells_how_many_rows_it_touched(bench: Bench, database: Database) -> None:
    result = _sql(bench, database, "create table visit(n integer)", "insert into visit values (1), (2), (3)")

    assert result == {"rows": [], "columns": [], "rowcount": 3}


def test_a_failing_statement_undoes_the_ones_before(bench: Bench, database: Database) -> None:
    _sql(bench, database, "create table visit(n integer primary key)")

    failure = _failure(
        lambda: _sql(bench, database, "insert into visit values (1)", "insert into visit values (2), (1)")
    )

    assert failure.entry is CODES.refused
    assert failure.message.startswith("statement 2: ")
    assert _query(bench, database, "select n from visit")["rows"] == []


def test_making_a_table_is_undone_too_where_the_database_can(bench: Bench, database: Database) -> None:
    _failure(lambda: _sql(bench, database, "create table visit(n integer)", "nonsense"))

    if database.kind == "mariadb":
        assert _query(bench, database, "select * from visit")["rows"] == []
    else:
        assert _failure(lambda: _query(bench, database, "select * from visit")).entry is QUERY_CODES.refused


def test_colons_in_quotes_remarks_and_casts_are_no_parameters(bench: Bench, database: Database) -> None:
    cast = "'12:30'::text" if database.kind == "postgresql" else "'12:30'"
    statement = f"""select {cast} as t, ':no' as a, '{{"k": :x}}' as b, :yes as c, '5 % 2' as d -- :none
      /* :neither */"""

    rows = _query(bench, database, statement, yes="y")["rows"]

    assert rows == [{"t": "12:30", "a": ":no", "b": '{"k": :x}', "c": "y", "d": "5 % 2"}]


def test_dollar_quotes_and_slices_of_postgresql_are_left_alone(
    bench: Bench, clerks_postgres: Postgres
) -> None:
    resource = clerks_postgres.resource
    statement = (
        r"select $$it's :no$$ as a, $q$:no$q$ as b, E'it\':no' as c, (array[1,2,3])[1:2] as d, 1.50 as e"
    )

    found = bench.call(SqlQuery(), {"resource": "db", "statement": statement}, resource)

    assert found["rows"] == [{"a": "it's :no", "b": ":no", "c": "it':no", "d": [1, 2], "e": "1.50"}]


def test_a_name_that_is_no_parameter_is_reported(bench: Bench, database: Database) -> None:
    failure = _failure(lambda: _query(bench, database, "select :missing"))

    assert failure.entry is QUERY_CODES.parameter
    assert ":missing" in failure.message


@pytest.mark.parametrize("statement", ["selec 1", "select * from there_is_no_such_table"])
def test_a_wrong_statement_is_refused_and_not_worth_repeating(
    bench: Bench, database: Database, statement: str
) -> None:
    failure = _failure(lambda: _query(bench, database, statement))

    assert failure.entry is QUERY_CODES.refused
    assert not failure.entry.retryable


def test_the_values_of_a_database_become_json(
    bench: Bench, tmp_path: Path, clerks_postgres: Postgres
) -> None:
    resource = clerks_postgres.resource
    statement = (
        "select date '2026-11-21' as d, timestamp '2026-11-21 08:00:00.5' as ts, time '08:00' as t, "
        "timestamptz '2026-11-21 08:00:00+00' at time zone 'utc' as tz, "
        "12::numeric as n, 12.50::numeric as m, "
        "'\\x0001ff'::bytea as b, true as yes, null as nothing, '{\"a\": [1]}'::jsonb as j, "
        "'nan'::float8 as nan, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid as u, 9007199254740993 as big"
    )

    row = bench.call(SqlQuery(), {"resource": "db", "statement": statement}, resource)["rows"][0]

    assert row == {
        "d": "2026-11-21", "ts": "2026-11-21T08:00:00.500000", "t": "08:00:00", "tz": "2026-11-21T08:00:00",
        "n": 12, "m": "12.50", "b": "AAH/", "yes": True, "nothing": None, "j": {"a": [1]}, "nan": "nan",
        "u": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "big": 9007199254740993,
    }  # fmt: skip


def test_intervals_and_times_that_python_has_no_value_for_are_texts(
    bench: Bench, clerks_postgres: Postgres
) -> None:
    statement = (
        "select interval '1 year 2 months -3 days 04:05:06.7' as i, interval '-90 minutes' as minus, "
        "interval '0' as nothing, interval '1 month' as month, date 'infinity' as never, "
        "timestamptz '-infinity' as ever, date '12000-01-02' as later, date '0044-03-15 BC' as ides, "
        "timestamp '12000-01-02 03:04' as moment, time '24:00' as midnight, "
        "array[date 'infinity', date '2026-11-21'] as days"
    )
    keys = {"resource": "db", "statement": statement}

    row = bench.call(SqlQuery(), keys, clerks_postgres.resource)["rows"][0]

    assert row == {
        "i": "P1Y2M-3DT4H5M6.7S", "minus": "PT-1H-30M", "nothing": "PT0S", "month": "P1M",
        "never": "infinity", "ever": "-infinity", "later": "12000-01-02", "ides": "0044-03-15 BC",
        "moment": "12000-01-02 03:04:00", "midnight": "24:00:00", "days": ["infinity", "2026-11-21"],
    }  # fmt: skip


def test_a_time_of_mysql_is_a_time_of_day_or_a_duration(bench: Bench, mariadb: MariaDb) -> None:
    statement = (
        "select cast('08:00:00' as time) as day, cast('08:00:00.5' as time(6)) as part, "
        "cast('-01:30:00' as time) as minus, cast('100:00:01' as time) as many, "
        "cast('0000-00-00' as date) as none"
    )

    row = bench.call(SqlQuery(), {"resource": "db", "statement": statement}, mariadb.resource)["rows"][0]

    assert (row["day"], row["part"]) == ("08:00:00", "08:00:00.500000")
    assert (row["minus"], row["many"]) == ("PT-1H-30M", "PT100H1S")


def _numbers(database: Database, count: int) -> str:
    if database.kind == "postgresql":
        return f"select i, 'row ' || i as t from generate_series(1, {count}) as s(i) order by i"
    if database.kind == "mariadb":
        return f"select seq as i, concat('row ', seq) as t from seq_1_to_{count}"
    return (
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < "
        f"{count}) select i, 'row ' || i as t from n"
    )


def test_a_thousand_rows_are_held_and_no_file_is_made(bench: Bench, database: Database) -> None:
    result = _query(bench, database, _numbers(database, 1000))

    assert (len(result["rows"]), result["rowcount"]) == (1000, 1000)
    assert list(bench.outputs.iterdir()) == []


def test_more_rows_stand_in_a_file_and_the_first_thousand_are_held(bench: Bench, database: Database) -> None:
    result = _query(bench, database, _numbers(database, 2503))

    with (bench.outputs / "rows.csv").open(newline="") as file:
        lines = list(csv.reader(file))
    assert (len(result["rows"]), result["rowcount"], len(lines)) == (1000, 2503, 2504)
    assert lines[0] == ["i", "t"] == result["columns"]
    assert lines[2503] == ["2503", "row 2503"]
    assert (bench.outputs / "rows.csv").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("most", [1, 10, 1500])
def test_no_more_than_max_rows_are_read_and_it_is_reported(
    bench: Bench, database: Database, most: int
) -> None:
    keys = {
        "resource": "db",
        "statement": _numbers(database, effort(200_000, all=3_000_000)),
        "max_rows": most,
    }

    result = bench.call(SqlQuery(), keys, database.resource)

    assert (result["rowcount"], len(result["rows"])) == (most, min(most, 1000))
    assert bench.progress == [f"only the first {most:,} rows were read (max_rows)"]


def test_exactly_max_rows_is_no_cut(bench: Bench, database: Database) -> None:
    keys = {"resource": "db", "statement": _numbers(database, 5), "max_rows": 5}

    assert bench.call(SqlQuery(), keys, database.resource)["rowcount"] == 5
    assert bench.progress == []


def test_columns_of_the_same_name_are_distinguished(bench: Bench, database: Database) -> None:
    result = _query(bench, database, "select 1 as id, 2 as id, 3 as id")

    assert result["rows"] == [{"id": 1, "id_2": 2, "id_3": 3}]


def test_a_query_may_change_and_give_rows(bench: Bench, database: Database) -> None:
    _sql(bench, database, "create table visit(n integer)")

    result = _query(bench, database, "insert into visit values (:n) returning n", n=4)

    assert result["rows"] == [{"n": 4}]
    assert _query(bench, database, "select n from visit")["rows"] == [{"n": 4}]


def _cancelled(bench: Bench, database: Database, work: Callable[[], object]) -> SkerryError:
    """What ``work``, which would not end by itself, ends with when it is cancelled while it runs."""
    caught: list[SkerryError] = []

    def run() -> None:
        try:
            work()
        except SkerryError as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    until(database.busy, "the statement at the server")
    bench.cancel.request()
    thread.join()
    return caught[0]


@pytest.mark.parametrize("kind", ["sql", "sql_query"])
def test_a_cancel_ends_the_statement_at_the_server(bench: Bench, database: Database, kind: str) -> None:
    work = {
        "sql": lambda: _sql(bench, database, database.long_work),
        "sql_query": lambda: _query(bench, database, database.long_work),
    }[kind]

    failure = _cancelled(bench, database, work)

    assert failure.entry is CANCELLED
    assert not database.busy()


def test_a_cancel_undoes_the_transaction(bench: Bench, database: Database) -> None:
    _sql(bench, database, "create table visit(n integer)")

    _cancelled(
        bench, database, lambda: _sql(bench, database, "insert into visit values (1)", database.long_work)
    )

    assert _query(Bench(bench.directory), database, "select n from visit")["rows"] == []


def test_a_cancel_before_the_start_runs_nothing(bench: Bench, database: Database) -> None:
    bench.cancel.request()

    assert _failure(lambda: _sql(bench, database, "create table visit(n integer)")).entry is CANCELLED
    assert _failure(lambda: _query(Bench(bench.directory), database, "select * from visit")).entry


def test_the_timeout_ends_the_statement_at_the_server(bench: Bench, database: Database) -> None:
    keys = {"resource": "db", "statements": [database.long_work]}

    failure = _failure(lambda: bench.call(Sql(), keys, database.resource, timeout=0.5))

    assert failure.entry is CODES.timed_out
    assert not database.busy()


def test_a_cancel_ends_the_wait_for_a_locked_file(bench: Bench, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    other.execute("begin exclusive")
    resource = ResolvedResource("db", "database", f"sqlite:///{tmp_path}/ledger.db")
    threading.Timer(0.3, bench.cancel.request).start()

    keys = {"resource": "db", "statements": ["create table a(b)"]}
    failure = _failure(lambda: bench.call(Sql(), keys, resource))

    assert failure.entry is CANCELLED
    other.close()


def test_a_locked_file_is_waited_for(bench: Bench, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None, check_same_thread=False)
    other.execute("begin exclusive")
    resource = ResolvedResource("db", "database", f"sqlite:///{tmp_path}/ledger.db")
    threading.Timer(1.5, other.rollback).start()

    bench.call(Sql(), {"resource": "db", "statements": "create table a(b)"}, resource)

    assert other.execute("select count(*) from sqlite_master").fetchone() == (1,)
    other.close()


def test_a_query_reads_while_another_one_writes(bench: Bench, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    other.execute("create table visit(n)")
    other.execute("begin immediate")
    resource = ResolvedResource("db", "database", f"sqlite:///{tmp_path}/ledger.db")

    keys = {"resource": "db", "statement": "select n from visit"}
    result = bench.call(SqlQuery(), keys, resource, timeout=0.5)

    assert result["rows"] == []
    other.close()


def test_a_missing_folder_is_reported_and_not_made(bench: Bench, tmp_path: Path) -> None:
    resource = ResolvedResource("db", "database", f"sqlite:///{tmp_path}/missing/ledger.db")

    failure = _failure(lambda: bench.call(Sql(), {"resource": "db", "statements": ["select 1"]}, resource))

    assert failure.entry is CODES.folder
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize(
    ("uri", "entry"),
    [
        ("nonsense", CODES.address),
        ("", CODES.address),
        ("sqlite:///x?nope=1&timeout=abc", CODES.folder),
        ("quackdb://host/x", CODES.driver),
        ("oracle://host/x", CODES.driver),
        ("postgresql://127.0.0.1:1/x", CODES.unreachable),
        ("mysql://127.0.0.1:1/x", CODES.unreachable),
        ("sqlite:////proc", CODES.unreachable),
    ],
)
def test_an_address_that_leads_nowhere_is_reported(bench: Bench, uri: str, entry: object) -> None:
    resource = ResolvedResource("db", "database", uri.replace("///x", "////no/x"))
    keys = {"resource": "db", "statements": ["select * from sqlite_master"]}

    assert _failure(lambda: bench.call(Sql(), keys, resource)).entry is entry


@pytest.mark.parametrize("database", ["postgresql", "mariadb"], indirect=True)
def test_a_wrong_password_never_shows(bench: Bench, database: Database) -> None:
    wrong = ResolvedResource("db", "database", database.resource.uri, {"user": "clerk"}, {}, "wrong-Passw0rd")

    failure = _failure(lambda: bench.call(Sql(), {"resource": "db", "statements": "select 1"}, wrong))

    assert failure.entry is CODES.unreachable
    assert "wrong-Passw0rd" not in f"{failure.message} {failure.details} {failure.where}"


def test_a_job_without_a_resource_says_so(bench: Bench) -> None:
    for job_type, keys in ((Sql(), {"statements": "select 1"}), (SqlQuery(), {"statement": "select 1"})):
        failure = _failure(lambda: bench.call(job_type, {"resource": "db", **keys}))  # noqa: B023
        assert failure.message == "the job has no resource"
