"""A private PostgreSQL server on a socket and the loopback interface."""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.servers.private import folder, free_port, program, running

PACKAGE = "postgresql"


@dataclass(frozen=True)
class PostgreSql:
    """A server that trusts the user ``skerry``; every ``new_database`` is empty."""

    place: Path
    port: int
    user: str = "skerry"
    _number: Iterator[int] = field(default_factory=itertools.count)

    def url(self, database: str, *, over_tcp: bool = False) -> str:
        """For SQLAlchemy, by the socket unless ``over_tcp``."""
        host = (
            f"127.0.0.1:{self.port}/{database}"
            if over_tcp
            else f"/{database}?host={self.place}&port={self.port}"
        )
        return f"postgresql+psycopg://{self.user}@{host}"

    def new_database(self, *, over_tcp: bool = False) -> str:
        """The URL of a database that nobody else uses."""
        name = f"test_{next(self._number)}"
        self.ask(f"CREATE DATABASE {name}")
        return self.url(name, over_tcp=over_tcp)

    def new_schema(self) -> str:
        """The URL of an empty schema of its own in a common database: quicker than a database."""
        name = f"schema_{next(self._number)}"
        self.ask(f"CREATE SCHEMA {name}")
        return f"{self.url('postgres')}&options=-csearch_path%3D{name}"

    def ask(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """The rows that the administrator gets."""
        import psycopg

        where = f"host={self.place} port={self.port} user={self.user} dbname={database}"
        with psycopg.connect(where, autocommit=True) as connection:
            answer = connection.execute(statement)
            return answer.fetchall() if answer.description else []

    def ready(self) -> bool:
        """Whether it takes connections."""
        import psycopg

        try:
            self.ask("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgreSql]:
    """One server for all tests of a session; root runs it as the user ``postgres``."""
    user = "postgres" if os.getuid() == 0 else None
    initdb, server = _program("initdb"), _program("postgres")
    with folder(user) as place:
        started = PostgreSql(place, free_port())
        data = place / "data"
        _run([initdb, "-D", str(data), "-U", started.user, *_INITDB], user, place / "initdb.log")
        options = ["-k", str(place), "-p", str(started.port), "-c", "listen_addresses=127.0.0.1"]
        options += ["-c", "fsync=off", "-c", "max_connections=60"]
        command = _as(user, [server, "-D", str(data), *options])
        with running(command, place / "server.log", started.ready):
            yield started
            stop = [
                _program("pg_ctl"),
                "stop",
                "-D",
                str(data),
                "-m",
                "immediate",
                "-w",
            ]  # TERM would wait for clients
            _run(stop, user, place / "stop.log")


_INITDB = ("-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")


def _program(name: str) -> str:
    """Debian keeps the server's programs out of the PATH."""
    kept = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda each: int(each.parts[-3]))
    return str(kept[-1]) if kept else program(name, PACKAGE)


def _as(user: str | None, command: Sequence[str]) -> list[str]:
    return ["runuser", "-u", user, "--", *command] if user else list(command)


def _run(command: Sequence[str], user: str | None, log: Path) -> None:
    with log.open("wb") as output:
        subprocess.run(
            _as(user, command), stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=True, cwd="/"
        )
