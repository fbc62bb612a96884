"""One database belongs to one workspace: the second that names it is refused before it takes up anything."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from app import wiring
from app.cli.main import cli
from engine.model.codes.store import FOREIGN, IN_USE
from engine.model.errors import Refused
from tests.runtime.site import SETTINGS, Gate, Site, close_quietly, shell, task
from tests.servers.postgres import PostgreSql


@pytest.fixture(params=["a server", "a file elsewhere"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Settings that name a database which lies in no workspace."""
    if request.param == "a server":
        url = str(request.getfixturevalue("postgres").new_schema())
    else:
        url = f"sqlite:///{tmp_path}/shared.db"
    return f"{SETTINGS}database: {json.dumps(url)}\n"


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def _claim(root: Path) -> int:
    with pytest.raises(SystemExit) as left:
        cli.main(["claim", "--json", "--workspace", str(root)])
    return int(left.value.code or 0)


def test_a_second_workspace_with_the_same_database_is_refused_and_starts_nothing(
    shared: str, tmp_path: Path, gate: Gate, stack: ExitStack
) -> None:
    # given a workspace with a job at work, whose engine ends meanwhile
    first = Site(tmp_path / "first", shared).start()
    stack.callback(close_quietly, first)
    instance = first.begin(task({"a": shell(gate.script("a"))}))
    gate.until_up("a")
    first.close()

    # when another workspace names the same database, then it is refused: to work, and to look
    for opened in (
        lambda: Site(tmp_path / "second", shared),
        lambda: wiring.open_reader(tmp_path / "second"),
    ):
        with pytest.raises(Refused) as refused:
            opened()
        assert refused.value.entry is FOREIGN
        assert str(tmp_path / "first") in refused.value.message

    # and the first goes on, with the job that was begun once
    first.again()
    gate.open("a")
    assert first.end(instance).states == {"a": "succeeded"}
    assert len((gate.folder / "a.up").read_text().split()) == 1


def test_a_copy_of_the_folder_is_refused_and_one_that_was_moved_is_not(shared: str, tmp_path: Path) -> None:
    with closing(Site(tmp_path / "first", shared).start()) as site:
        site.run(task({"a": shell("true")}))
    shutil.copytree(tmp_path / "first", tmp_path / "copy")

    with pytest.raises(Refused) as refused:
        wiring.open_engine(tmp_path / "copy")
    assert refused.value.entry is FOREIGN

    (tmp_path / "first").rename(tmp_path / "moved")
    with wiring.open_engine(tmp_path / "moved") as engine:
        assert len(engine.store.instances()) == 1


def test_claim_gives_the_database_to_this_workspace_and_says_whose_it_was(
    shared: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(Site(tmp_path / "first", shared).start()) as site:
        site.run(task({"a": shell("true")}))
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "workspace.yaml").write_text(shared)

    assert _claim(tmp_path / "second") == 0
    assert json.loads(capsys.readouterr().out)["before"] == str(tmp_path / "first")

    with wiring.open_engine(tmp_path / "second") as engine:
        assert [row.action for row in engine.store.audit()].count("claim") == 1
    with pytest.raises(Refused):
        wiring.open_engine(tmp_path / "first")


def test_nobody_claims_a_database_that_an_engine_works_with(
    shared: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "workspace.yaml").write_text(shared)
    with closing(Site(tmp_path / "first", shared).start()):
        assert _claim(tmp_path / "second") == 3
    assert str(IN_USE.number) in capsys.readouterr().err


def test_the_database_in_the_folder_goes_where_the_folder_goes(tmp_path: Path) -> None:
    with closing(Site(tmp_path / "first").start()) as site:
        site.run(task({"a": shell("true")}))
    shutil.copytree(tmp_path / "first", tmp_path / "copy")

    for each in ("first", "copy"):
        with wiring.open_engine(tmp_path / each) as engine:
            assert len(engine.store.instances()) == 1

    # and nobody else may reach into that folder
    settings = f"{SETTINGS}database: {json.dumps(f'sqlite:///{tmp_path}/first/skerry.db')}\n"
    with pytest.raises(Refused):
        Site(tmp_path / "second", settings)


def test_two_engines_of_copies_that_cannot_see_each_other_never_work_at_once(
    postgres: PostgreSql, tmp_path: Path
) -> None:
    """As on two machines: the record of the first names a folder that is not here."""
    url = json.dumps(postgres.new_schema())
    settings = f"{SETTINGS}database: {url}\n"
    with closing(Site(tmp_path / "first", settings).start()) as site:
        shutil.copytree(tmp_path / "first", tmp_path / "copy", ignore=shutil.ignore_patterns("engine.sock"))
        owner = site.engine.store.owner()
        assert owner is not None
        site.engine.store.settle_owner(lambda _: owner._replace(path="/on/another/machine"))

        with pytest.raises(Refused) as refused:
            wiring.open_engine(tmp_path / "copy").start()
        assert refused.value.entry is IN_USE


def test_after_its_server_was_away_an_engine_writes_nothing_before_it_has_the_database_again(
    postgres: PostgreSql, tmp_path: Path
) -> None:
    url = postgres.new_database(over_tcp=True)
    with closing(Site(tmp_path / "w", f"{SETTINGS}database: {json.dumps(url)}\n").start()) as site:
        name = url.rpartition("/")[2]
        postgres.ask(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        site.run(task({"a": shell("true")}))
        held = postgres.ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'", name)
        assert held == [(1,)]
