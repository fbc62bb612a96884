"""A private MariaDB server on the loopback interface."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.plugins.resource_type import ResolvedResource
from tests.servers.private import answers, folder, free_port, program, running

PACKAGE = "mariadb-server"
PASSWORD = "p@ss:w/rd'%41"


@dataclass(frozen=True)
class MariaDb:
    """A database ``test`` that the user ``clerk`` owns."""

    port: int
    socket: Path
    user: str = "clerk"
    password: str = PASSWORD

    @property
    def resource(self) -> ResolvedResource:
        """The database as the engine would hand it over."""
        uri = f"mariadb://127.0.0.1:{self.port}/test"
        return ResolvedResource("db", "database", uri, {"user": self.user}, {}, self.password)

    def ask(self, statement: str) -> str:
        """The answer that the administrator gets."""
        command = [
            program("mariadb", "mariadb-client"),
            "--no-defaults",
            f"--socket={self.socket}",
            "-u",
            "root",
        ]
        done = subprocess.run(
            [*command, "-N", "-B", "-e", statement], capture_output=True, check=True, text=True
        )
        return done.stdout.strip()


@pytest.fixture(scope="session")
def mariadb() -> Iterator[MariaDb]:
    """One server for all tests of a session."""
    server, installer = program("mariadbd", PACKAGE), program("mariadb-install-db", PACKAGE)
    user = "mysql" if os.getuid() == 0 else None
    with folder(user) as place:
        as_user = [f"--user={user}"] if user else []
        data = [f"--datadir={place}/data", f"--tmpdir={place}", *as_user]
        install = [
            installer,
            "--no-defaults",
            *data,
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        ]
        with (place / "install.log").open("wb") as log:
            subprocess.run(install, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=True)
        started = MariaDb(free_port(), place / "s")
        command = [server, "--no-defaults", *data, f"--socket={started.socket}", f"--port={started.port}"]
        command += ["--bind-address=127.0.0.1", "--innodb-flush-log-at-trx-commit=0", "--skip-name-resolve"]
        with running(command, place / "server.log", lambda: answers(started.port)):
            quoted = PASSWORD.replace("'", "''")
            started.ask(
                "create database test character set utf8mb4; "
                f"create user clerk@'127.0.0.1' identified by '{quoted}'; "
                "grant all on test.* to clerk@'127.0.0.1'"
            )
            yield started
