"""A PostgreSQL user who needs a password: ``clerk``, on the loopback interface."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from engine.plugins.resource_type import ResolvedResource
from tests.servers.postgres import PostgreSql

PASSWORD = "p@ss:w/rd'%41"


@dataclass(frozen=True)
class Postgres:
    """A database of its own that ``clerk`` owns."""

    server: PostgreSql
    user: str = "clerk"
    password: str = PASSWORD

    @property
    def resource(self) -> ResolvedResource:
        """The database as the engine would hand it over."""
        uri = f"postgresql://127.0.0.1:{self.server.port}/clerks"
        return ResolvedResource("db", "database", uri, {"user": self.user}, {}, self.password)


@pytest.fixture(scope="session")
def clerks_postgres(postgres: PostgreSql) -> Postgres:
    """The server with that user and database."""
    rules = postgres.place / "data" / "pg_hba.conf"
    rules.write_text("host all clerk 127.0.0.1/32 scram-sha-256\n" + rules.read_text())
    postgres.ask("select pg_reload_conf()")
    quoted = PASSWORD.replace("'", "''")
    postgres.ask(f"create user clerk password '{quoted}'")
    postgres.ask("create database clerks owner clerk")
    return Postgres(postgres)
