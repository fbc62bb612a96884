"""Yesterday's database: instances that it does not know are taken in before anything fires."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.model.codes.store import DATABASE_OLDER
from engine.runtime.engine import Engine
from engine.runtime.upkeep.older_database import UNDER_WAY
from engine.store import taking_in
from tests.servers.postgres import PostgreSql
from tests.timing.conftest import AN_HOUR, SETTINGS, TimedSite

HOURLY = {"level": "hour", "every": 1}


class KeptDatabase:
    """A workspace whose database is copied at one time and put back at another."""

    def __init__(self, site: TimedSite, copy: Callable[[], None], put_back: Callable[[], None]) -> None:
        self.site, self._copy, self._put_back = site, copy, put_back

    def keep(self) -> None:
        self.site.engine.close()
        self._copy()
        self.site.engine = self.site._made()
        self.site.start()

    def restore(self) -> None:
        """The engine ends, the copy takes the place of the database, the next engine starts."""
        self.site.engine.close()
        self._put_back()
        self.site.engine = self.site._made()
        self.site.start().settle()


def in_a_file(root: Path) -> KeptDatabase:
    site, database = TimedSite(root / "workspace"), root / "workspace" / "skerry.db"
    site.start()
    kept = root / "kept.db"
    return KeptDatabase(site, lambda: copied(database, kept), lambda: copied(kept, database))


def copied(source: Path, target: Path) -> None:
    """A file of its own: a thread of the closed engine may still read from the one before."""
    for end in ("-wal", "-shm"):
        Path(f"{target}{end}").unlink(missing_ok=True)
    Path(shutil.copy(source, f"{target}.copy")).replace(target)


def on_a_server(root: Path, postgres: PostgreSql) -> KeptDatabase:
    url = postgres.new_database(over_tcp=True)
    name = url.rpartition("/")[2]
    site = TimedSite(root / "workspace", f"{SETTINGS}database: {url}\nmax_skew: 100000d\n")
    site.start()

    def put_back() -> None:
        settings = root / "workspace" / "workspace.yaml"
        settings.write_text(settings.read_text().replace(name, f"{name}_kept"))

    return KeptDatabase(site, lambda: ask(postgres, f"CREATE DATABASE {name}_kept TEMPLATE {name}"), put_back)


def ask(postgres: PostgreSql, statement: str) -> None:
    postgres.ask(statement)


@pytest.fixture(params=["file", "server"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KeptDatabase]:
    if request.param == "file":
        found = in_a_file(tmp_path)
    else:
        found = on_a_server(tmp_path, request.getfixturevalue("postgres"))
    yield found
    found.site.engine.close()


def older_alerts(site: TimedSite) -> list[str]:
    return [row.message for row in site.engine.store.alerts() if row.code == DATABASE_OLDER.number]


def test_what_it_does_not_know_is_taken_in_and_fires_no_second_time(kept: KeptDatabase) -> None:
    site = kept.site
    site.online("t", {**HOURLY, "catchup": "all"})
    site.forward(hours=1)
    kept.keep()
    for _ in range(2):
        site.forward(hours=1)
    before = [(row.id, row.scheduled_time, row.status, row.run) for row in site.instances()]

    kept.restore()

    assert [(row.id, row.scheduled_time, row.status, row.run) for row in site.instances()] == before
    assert [head.state for head in site.engine.store.task_heads()] == ["online"]
    site.forward(hours=1)
    assert site.times() == ["21 09:00", "21 10:00", "21 11:00", "21 12:00"]
    assert max(row.id for row in site.instances()) == site.instances()[-1].id > before[-1][0]
    [message] = older_alerts(site)
    assert "2 of them were taken in" in message


@pytest.fixture
def in_file(tmp_path: Path) -> Iterator[KeptDatabase]:
    found = in_a_file(tmp_path)
    yield found
    for instance in list(found.site.engine.services.runs):
        found.site.engine.cancel(instance)
    found.site.engine.close()


def test_times_that_left_no_directory_are_not_caught_up(in_file: KeptDatabase) -> None:
    site = in_file.site
    site.online("busy", {"level": "minute", "every": 10, "catchup": "all"}, AN_HOUR)
    site.online("quick", {"level": "minute", "every": 5})
    site.forward(minutes=10)
    in_file.keep()
    for _ in range(8):
        site.forward(minutes=5)
    assert site.states("busy") == ["running", *["skipped"] * 4]

    in_file.restore()

    assert site.times("busy") == ["21 08:10"]
    site.forward(minutes=10)
    assert site.times("busy") == ["21 08:10", "21 09:00"]


def test_an_instance_that_ended_since_is_not_run_again(in_file: KeptDatabase) -> None:
    site = in_file.site
    site.online("t", HOURLY, AN_HOUR)
    site.forward(hours=1)
    in_file.keep()
    site.engine.cancel(site.instances()[0].id)
    assert site.states() == ["cancelled"]

    in_file.restore()

    assert site.states() == ["cancelled"]
    assert [row.run for row in site.instances()] == [1]


def test_a_directory_that_cannot_be_read_keeps_its_number_and_is_told_of_once(in_file: KeptDatabase) -> None:
    site = in_file.site
    site.online("t", HOURLY)
    in_file.keep()
    site.forward(hours=1)
    [unread] = site.instances()
    (Path(unread.directory or "") / "ctx.log").write_text("no log\n")

    in_file.restore()
    site.again()
    site.forward(hours=1)

    assert [(row.scheduled_time[11:16], row.id > unread.id) for row in site.instances()] == [
        ("09:00", True),  # nothing says that it was this time
        ("10:00", True),
    ]
    assert len(older_alerts(site)) == 1


def test_a_kill_in_between_is_made_up_for_by_the_next_engine(
    in_file: KeptDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = in_file.site
    site.online("t", HOURLY)
    in_file.keep()
    for _ in range(3):
        site.forward(hours=1)
    before = [(row.id, row.status) for row in site.instances()]

    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(taking_in, "link_subtasks", killed)
        with pytest.raises(Killed):
            in_file.restore()
    engine: Engine = site._made()
    site.engine = engine
    site.start().settle()

    assert [(row.id, row.status) for row in site.instances()] == before
    assert site.engine.store.setting(UNDER_WAY) == []
