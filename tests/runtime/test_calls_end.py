"""Jobs that are no processes end too, by cancel and by timeout: at the server, through the whole engine."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from threading import Event
from typing import Any

import pytest

from engine.model.codes.processes import TIMED_OUT
from engine.plugins.resource_type import ResolvedResource
from tests.runtime.site import Site, task, tree
from tests.servers.mariadb import MariaDb
from tests.servers.nginx import Nginx
from tests.servers.password import Postgres
from tests.waiting import until

Busy = Callable[[], bool]


@pytest.fixture(params=["postgresql", "mariadb"])
def server(request: pytest.FixtureRequest) -> tuple[ResolvedResource, str, Busy]:
    """A database, a statement that lasts, and whether the server is at it."""
    if request.param == "postgresql":
        one: Postgres = request.getfixturevalue("clerks_postgres")
        asked = "select count(*) from pg_stat_activity where state = 'active' and usename = 'clerk'"
        return one.resource, "select pg_sleep(600)", lambda: one.server.ask(asked) != [(0,)]
    other: MariaDb = request.getfixturevalue("mariadb")
    query = "select count(*) from information_schema.processlist where user = 'clerk' and command = 'Query'"
    return other.resource, "select sleep(600)", lambda: other.ask(query) != "0"


def _nodes(site: Site, found: ResolvedResource, statement: str, **keys: Any) -> Any:
    """A task with such a job, for an engine that knows the password."""
    site.engine.vault.get = lambda name: str(found.secret)  # type: ignore[union-attr,method-assign]
    resources = {"db": {"type": "database", "uri": found.uri, "request": {**found.request, "secret": "pw"}}}
    job = {"type": "sql", "resource": "db", "statements": [statement], **keys}
    return tree({"resources": resources, "tasks": {"t": {"nodes": {"a": job}}}})


def test_a_cancel_ends_the_statement_at_the_server(
    site: Site, server: tuple[ResolvedResource, str, Busy]
) -> None:
    found, statement, busy = server
    instance = site.begin(_nodes(site, found, statement))
    until(busy)

    site.engine.cancel(instance)

    assert not busy()
    assert site.see(instance).states == {"a": "cancelled"}


def test_a_timeout_ends_the_statement_at_the_server(
    site: Site, server: tuple[ResolvedResource, str, Busy]
) -> None:
    found, statement, busy = server

    seen = site.run(_nodes(site, found, statement, timeout=1))

    until(lambda: not busy())
    assert seen["a"].status in ("timed_out", "failed")
    assert "1 s" in (seen["a"].error_message or "")


@pytest.mark.parametrize("how", ["cancel", "timeout"])
def test_an_answer_that_drips_is_hung_up_on(site: Site, nginx: Nginx, how: str) -> None:
    before = (nginx.place / "access.log").read_text()
    job = {"type": "http", "url": f"{nginx.url}/slow", **({"timeout": 1} if how == "timeout" else {})}
    instance = site.begin(task({"a": job}))
    site.until_state(instance, "a", "running")
    if how == "cancel":
        site.engine.cancel(instance)

    seen = site.end(instance)

    assert seen["a"].status in (("cancelled",) if how == "cancel" else ("timed_out", "failed"))
    until(lambda: "/slow" in (nginx.place / "access.log").read_text()[len(before) :] or how == "cancel")


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a server that takes connections and says nothing, ever."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        yield listener.getsockname()[1]


@pytest.mark.parametrize(
    "job",
    [
        {"type": "http", "url": "http://127.0.0.1:{port}/"},
        {"type": "http", "url": "https://127.0.0.1:{port}/"},
        {"type": "ftp_download", "params": {"url": "ftp://127.0.0.1:{port}/x", "path": "x", "target": "x"}},
    ],
    ids=lambda job: f"{job['type']} {job.get('url', '')[:5]}",
)
def test_a_server_that_says_nothing_cannot_hold_a_job_longer_than_its_timeout(
    site: Site, silent: int, job: dict[str, Any]
) -> None:
    filled = {key: _with_port(value, silent) for key, value in job.items()}

    seen = site.run(task({"a": {**filled, "timeout": 1}}))

    assert seen["a"].status in ("timed_out", "failed")
    assert seen.row.ended_at is not None


def _with_port(value: Any, port: int) -> Any:
    if isinstance(value, dict):
        return {key: _with_port(each, port) for key, each in value.items()}
    return value.replace("{port}", str(port))


@pytest.mark.parametrize("how", ["cancel", "timeout"])
def test_a_call_that_does_not_hear_is_left_behind(
    make_site: Any, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    deaf = make_site(grace=0.2)
    entered, never = Event(), Event()
    kind = type(deaf.engine.services.job_types["file_exists"])

    def hang(*_: object) -> dict[str, Any]:
        entered.set()
        never.wait(60)
        return {}

    monkeypatch.setattr(kind, "call", hang)
    job = {"type": "file_exists", "params": {"path": "/"}, **({"timeout": 0.2} if how == "timeout" else {})}
    instance = deaf.begin(task({"a": job}))
    assert entered.wait(10)

    if how == "cancel":
        deaf.engine.cancel(instance)
    seen = deaf.end(instance)
    never.set()

    expected = ("cancelled", None) if how == "cancel" else ("timed_out", TIMED_OUT.number)
    assert seen["a"].status == expected[0]
    assert expected[1] in (None, seen["a"].error_code)
    assert "left behind" in (deaf.root / "logs" / "execution.log").read_text()
