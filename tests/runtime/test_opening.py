"""A database that was damaged is noticed when an engine opens it, set aside and rebuilt before work."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from app import wiring
from engine.model.codes.store import DAMAGED, NEWER
from engine.model.errors import Refused, SkerryError
from engine.runtime.runs.turn_commit import Committer
from engine.runtime.timing.asked_outcomes import AskedOutcomes
from engine.runtime.upkeep.caretaker import Caretaker
from engine.store import schema
from engine.store.opening import mark_suspect, suspect
from engine.store.sqlite import connect
from tests.runtime.site import Gate, Site, close_quietly, shell, task

GOOD = task({"a": shell("echo a > outputs/r"), "b": {**shell("exit 3"), "after": ["a"]}})


def _spoil(file: Path) -> None:
    with open(file, "rb+") as data:
        data.seek(100)
        data.write(b"\xff" * 4000)


def _aside(site: Site) -> list[Path]:
    return [
        each for each in site.root.glob("skerry.db.damaged-*") if not each.name.endswith(("-wal", "-shm"))
    ]


def test_a_damaged_file_is_set_aside_and_made_again_with_a_message(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = site.run(GOOD)
    before = (seen.status, seen.states, [line["seq"] for line in seen.lines])
    site.close()
    _spoil(site.root / "skerry.db")
    site.again()
    again = site.see(seen.id)
    assert (again.status, again.states, [line["seq"] for line in again.lines]) == before
    [aside] = _aside(site)
    output = capsys.readouterr().err
    assert "rebuilt from the directories" in output
    assert str(aside) in output
    assert "rebuilt from the directories" in (site.root / "logs" / "execution.log").read_text()
    [alert] = site.engine.store.alerts()
    assert (alert.code, alert.kind, alert.level) == (DAMAGED.number, "database", "error")
    assert site.run(GOOD).id > seen.id


def test_an_older_database_in_the_place_of_the_newer_one_loses_and_mixes_nothing(site: Site) -> None:
    first = site.run(GOOD)
    site.close()
    older = (site.root / "skerry.db").read_bytes()
    site.again()
    second = site.run(GOOD)
    before = (second.status, second.states)
    site.close()

    (site.root / "skerry.db").write_bytes(older)
    site.again()

    assert (site.see(second.id).status, site.see(second.id).states) == before
    assert site.run(GOOD).id > second.id > first.id


def test_a_database_from_before_an_end_does_not_run_its_jobs_again(site: Site, gate: Gate) -> None:
    count = f"echo x >> '{gate.folder}/n'"
    id = site.begin(task({"g": shell(gate.script("g")), "n": {**shell(count), "after": ["g"]}}))
    gate.until_up("g")
    older = gate.folder / "older.db"
    with closing(sqlite3.connect(site.root / "skerry.db")) as now, closing(sqlite3.connect(older)) as kept:
        now.backup(kept)
    gate.open("g")
    site.end(id)
    site.close()

    older.replace(site.root / "skerry.db")
    site.again()

    assert site.see(id).status == "succeeded"
    assert (gate.folder / "n").read_text() == "x\n"


@pytest.mark.parametrize("how", ["lost", "empty"])
def test_a_database_that_is_gone_while_instances_are_there_is_made_again(site: Site, how: str) -> None:
    seen = site.run(GOOD)
    states = seen.states
    site.close()
    (site.root / "skerry.db").unlink()
    if how == "empty":
        (site.root / "skerry.db").touch()
    site.again()
    assert site.see(seen.id).states == states


def test_a_bit_in_the_rows_of_what_goes_on_is_noticed_and_the_job_that_runs_is_adopted_not_doubled(
    site: Site, gate: Gate
) -> None:
    # given a job at work and an engine that ends
    instance = site.begin(task({"a": shell(gate.script("a", then="echo done"))}))
    pid = gate.until_up("a")
    job = site.see(instance)["a"].id
    site.close()

    # when its row is not what was written, then the database is rebuilt and the job goes on
    with closing(connect(site.root / "skerry.db", read_only=False)) as database:
        database.execute("DROP TRIGGER job_instance_sum_update")
        database.execute("UPDATE job_instance SET status = 'failed' WHERE id = ?", (job,))
    site.again()
    assert len(_aside(site)) == 1
    assert site.see(instance)["a"].status == "running"
    gate.open("a")
    ended = site.end(instance)
    assert ended.states == {"a": "succeeded"}
    assert ended["a"].log == "done\n"
    assert (gate.folder / "a.up").read_text().split() == [str(pid)], "started once"


def test_a_damaged_line_of_what_goes_on_is_noticed(site: Site, gate: Gate) -> None:
    instance = site.begin(task({"a": shell(gate.script("a"))}))
    gate.until_up("a")
    site.close()
    with closing(sqlite3.connect(site.root / "skerry.db")) as database:
        database.execute("UPDATE context_line SET text = replace(text, 'STATUS', 'STATUT')")
        database.commit()
    site.again()
    assert len(_aside(site)) == 1
    gate.open("a")
    site.end(instance).assert_replays()


def test_what_an_engine_found_at_work_is_repaired_by_the_next_one(site: Site) -> None:
    seen = site.run(GOOD)
    states = seen.states
    mark_suspect(site.engine.workspace.database_url, "page 7 is spoilt")
    site.again()
    assert len(_aside(site)) == 1
    assert not suspect(site.root / "skerry.db").exists()
    assert site.see(seen.id).states == states


def test_a_commit_that_meets_damage_stops_the_engine_and_leaves_word(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoilt(changes: object) -> None:
        raise SkerryError(DAMAGED, "page 7 is spoilt")

    committer = Committer(site.engine.services, lambda _: None)
    site.engine.services.changes.setting("x", 1)
    batch = committer.prepare()
    monkeypatch.setattr(site.engine.store, "commit", spoilt)
    assert batch is not None
    with pytest.raises(SkerryError):
        batch.write()
    assert suspect(site.root / "skerry.db").exists()


def test_a_look_at_everything_tells_of_damage_in_what_has_ended(site: Site) -> None:
    seen = site.run(GOOD)
    with closing(connect(site.root / "skerry.db", read_only=False)) as database:
        database.execute("DROP TRIGGER job_instance_sum_update")
        database.execute("UPDATE job_instance SET exit_code = 9 WHERE instance = ?", (seen.id,))
    Caretaker(site.engine.services, AskedOutcomes)._verify()
    [alert] = site.engine.store.alerts()
    assert "job_instance" in alert.message
    assert suspect(site.root / "skerry.db").exists()
    site.again()
    assert site.see(seen.id)["b"].exit_code == 3


def test_damage_lasts_until_a_look_finds_none_and_is_reported_once(site: Site) -> None:
    seen = site.run(GOOD)
    caretaker = site.engine.caretaker
    spoil = "UPDATE job_instance SET exit_code = ? WHERE instance = ? AND exit_code = ?"
    with closing(connect(site.root / "skerry.db", read_only=False)) as database:
        [(trigger,)] = database.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'job_instance_sum_update'"
        )
        database.execute("DROP TRIGGER job_instance_sum_update")
        database.execute(spoil, (9, seen.id, 3))

    caretaker._verify()
    caretaker._verify()

    assert len(site.engine.store.alerts()) == 1
    assert caretaker.damage is not None
    assert "job_instance" in caretaker.damage["reason"]
    with closing(connect(site.root / "skerry.db", read_only=False)) as database:
        database.execute(spoil, (3, seen.id, 9))
        database.execute(trigger)
    caretaker._verify()
    assert caretaker.damage is None


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_file_in_the_place_of_the_execution_log_is_set_aside(
    site: Site, make: Callable[[Path], None]
) -> None:
    site.close()
    log = site.root / "logs" / "execution.log"
    log.unlink()
    make(log)

    site.again()

    assert "owns" in log.read_text()
    assert not log.with_name("execution.log.damaged-1").is_file()


def test_a_newer_database_can_be_read_but_not_worked_with(site: Site) -> None:
    seen = site.run(GOOD)
    site.close()
    with closing(sqlite3.connect(site.root / "skerry.db")) as database:
        database.execute("UPDATE meta SET value = ? WHERE name = 'schema_version'", (schema.VERSION + 1,))
        database.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
        database.commit()
    with pytest.raises(Refused) as refused:
        wiring.open_engine(site.root)
    assert refused.value.entry is NEWER
    store = wiring.open_reader(site.root)
    try:
        assert store.instance(seen.id) is not None
    finally:
        store.close()
    assert not _aside(site)


def test_nobody_repairs_under_an_engine_that_works(site: Site) -> None:
    mark_suspect(site.engine.workspace.database_url, "x")
    with pytest.raises(Refused):
        wiring.open_engine(site.root)
    assert not _aside(site)
    close_quietly(site)
