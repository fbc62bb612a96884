"""The check of a database on real ones: what is wrong is an answer with its code, and nothing is changed."""

from __future__ import annotations

import os
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.resources import RESOURCE_UNFIT
from engine.model.codes.runtime import CANCELLED
from engine.plugins.job_type import Cancel
from engine.plugins.resource_type import CheckResult, ResolvedResource
from resources.database import CODES, NO_TABLE, UNEXPECTED, Database
from tests.servers.mariadb import MariaDb
from tests.servers.password import Postgres
from tests.waiting import until


@pytest.fixture(params=["sqlite", "postgresql", "mariadb"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> ResolvedResource:
    if request.param == "sqlite":
        sqlite3.connect(tmp_path / "a.db").close()
        return ResolvedResource("db", "database", f"sqlite:///{tmp_path}/a.db")
    name = {"postgresql": "clerks_postgres", "mariadb": "mariadb"}[request.param]
    server: Postgres | MariaDb = request.getfixturevalue(name)
    return server.resource


def _check(resource: ResolvedResource, request: dict[str, Any] | None = None, **check: Any) -> CheckResult:
    asked = {**resource.request, **(request or {})}
    return Database().check(ResolvedResource("db", "database", resource.uri, asked, check, resource.secret))


def test_a_database_that_answers_is_ok(database: ResolvedResource) -> None:
    result = _check(database)

    assert (result.ok, result.code) == (True, 0)
    assert result.took > 0
    assert "***" in result.details["uri"] or database.secret is None
    assert database.secret is None or database.secret not in str(result)


def test_a_table_must_be_there(database: ResolvedResource) -> None:
    table = "sqlite_master" if "sqlite" in database.uri else "information_schema.tables"

    assert _check(database, table=table).ok
    assert _check(database, table="no_such_table").code == NO_TABLE.number


@pytest.mark.parametrize(
    ("query", "expect", "ok"),
    [
        ("select 2", 2, True),
        ("select 2", "2.0", True),
        ("select 2", 3, False),
        ("select 'abc'", "abc", True),
        ("select 'abc'", "abd", False),
        ("select '0012'", 12, False),
        ("select 1 = 1", True, True),
        ("select 1 = 2", True, False),
        ("select null", None, True),
        ("select 1, 'b'", [1, "b"], True),
        ("select 1, 'b'", [1], False),
        ("select 1 where 1 = 2", 1, False),
    ],
)
def test_a_query_is_compared_with_what_is_expected(
    database: ResolvedResource, query: str, expect: object, ok: bool
) -> None:
    result = _check(database, query=query, expect=expect)

    assert (result.ok, result.code) == (ok, 0 if ok else UNEXPECTED.number)


def test_a_query_alone_must_give_a_row(database: ResolvedResource) -> None:
    assert _check(database, query="select 'x'").details["value"] == "x"
    assert _check(database, query="select 1 where 1 = 2").code == UNEXPECTED.number


def test_a_check_cannot_change_anything(database: ResolvedResource) -> None:
    result = _check(database, query="create table made_by_a_check(n integer)")

    assert not result.ok
    assert _check(database, table="made_by_a_check").code == NO_TABLE.number


def test_a_wrong_statement_is_an_answer(database: ResolvedResource) -> None:
    assert _check(database, query="selec 1").code == CODES.refused.number


@pytest.mark.parametrize("database", ["postgresql", "mariadb"], indirect=True)
def test_a_wrong_password_is_an_answer_without_it(database: ResolvedResource) -> None:
    wrong = ResolvedResource("db", "database", database.uri, database.request, {}, "wrong-Passw0rd")

    result = Database().check(wrong)

    assert result.code == CODES.unreachable.number
    assert "wrong-Passw0rd" not in str(result)


def test_a_slow_query_ends_with_the_timeout(clerks_postgres: Postgres) -> None:
    result = _check(clerks_postgres.resource, {"timeout": "300ms"}, query="select pg_sleep(60)")

    assert result.code == CODES.timed_out.number


def test_a_check_can_be_cancelled(mariadb: MariaDb) -> None:
    cancel = Cancel()
    query = "select count(*) from information_schema.processlist where info like 'select sleep(600%'"
    resource = replace(mariadb.resource, check={"query": "select sleep(600)"})

    def cancel_it() -> None:
        until(lambda: mariadb.ask(query) != "0", "the query at the server")
        cancel.request()

    asker = threading.Thread(target=cancel_it)
    asker.start()
    result = Database().check(resource, cancel.on_cancel)
    asker.join()

    assert result.code == CANCELLED.number
    until(lambda: mariadb.ask(query) == "0", "the end of the query at the server")


def test_a_sqlite_file_that_can_be_made_is_ok_and_is_not_made(tmp_path: Path) -> None:
    resource = ResolvedResource("db", "database", f"sqlite:///{tmp_path}/new.db")

    assert _check(resource, connect=True).details["exists"] is False
    assert _check(resource, table="t").code == CODES.unreachable.number
    assert list(tmp_path.iterdir()) == []


def test_a_sqlite_file_in_a_missing_folder_is_reported(tmp_path: Path) -> None:
    resource = ResolvedResource("db", "database", f"sqlite:///{tmp_path}/no/new.db")

    assert _check(resource).code == CODES.folder.number


def test_a_sqlite_file_in_a_folder_that_is_not_writable_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)

    assert (
        _check(ResolvedResource("db", "database", f"sqlite:///{tmp_path}/a.db")).code
        == CODES.unreachable.number
    )


def test_a_file_that_is_no_database_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("this is text, and long enough to be taken for something else" * 10)

    assert (
        _check(ResolvedResource("db", "database", f"sqlite:///{tmp_path}/a.db")).code == CODES.refused.number
    )


def test_a_database_in_memory_is_ok() -> None:
    assert _check(ResolvedResource("db", "database", "sqlite://"), query="select 1", expect=1).ok


def test_nothing_is_looked_for_when_connect_is_off() -> None:
    assert _check(ResolvedResource("db", "database", "postgresql://127.0.0.1:1/x"), connect=False).ok


@pytest.mark.parametrize("uri", ["", "nonsense", "postgresql://[", "sqlite:///\0"])
def test_an_address_that_is_none_is_an_answer(uri: str) -> None:
    result = _check(ResolvedResource("db", "database", uri))

    assert not result.ok
    assert result.code < 0


def test_unknown_keys_are_an_answer_that_names_them(tmp_path: Path) -> None:
    resource = ResolvedResource("db", "database", f"sqlite:///{tmp_path}/a.db")

    result = _check(resource, tabel="x")

    assert result.code == RESOURCE_UNFIT.number
    assert "check.tabel" in result.message
    assert _check(resource, {"timeout": "soon"}).code == RESOURCE_UNFIT.number
