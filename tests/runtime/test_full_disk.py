"""A disk that is really full: a small one of its own, filled by the test."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from engine.api.local import LocalService
from engine.api.read_only import ReadOnlyService
from engine.model.disk import disk_of, full, no_room
from engine.runtime.runs import turn_commit
from engine.runtime.upkeep import reserve
from engine.runtime.write_health import WriteHealth
from tests import commands
from tests.runtime.site import SETTINGS, Gate, Site, close_quietly, lives, shell, task
from tests.small_disk import small_disk
from tests.waiting import LONGEST, until


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A disk of 24 MB."""
    monkeypatch.setattr(turn_commit, "_RETRY_SECONDS", 0.02)
    monkeypatch.setattr(WriteHealth, "retry_seconds", 0.02)
    with small_disk(tmp_path / "disk", "24m") as place:
        yield place


def _fill(disk: Path) -> Path:
    """Take all the room there is."""
    file = disk / "ballast"
    with open(file, "wb", buffering=0) as out, suppress(OSError):
        for size in (1 << 20, 4096, 1):
            with suppress(OSError):
                while out.write(bytes(size)):
                    pass
    assert reserve.free(disk) == 0
    return file


def _take_every_inode(disk: Path) -> Path:
    """No file or folder can be made any more; gives the folder of those that take the room."""
    folder = disk / "ballast"
    folder.mkdir()
    with suppress(OSError):
        for number in range(1000):
            (folder / str(number)).touch()
    return folder


def _log(site: Site) -> str:
    return (site.engine.workspace.logs / "execution.log").read_text()


def test_outcomes_wait_for_room_and_nothing_is_lost(disk: Path, gate: Gate) -> None:
    # given a job that runs, and a disk that fills up meanwhile
    site = Site(disk / "w", SETTINGS.replace("normal", "full")).start()
    instance = site.begin(task({
        "a": shell(gate.script("a", then="exit 7")),
        "b": {**shell("echo b > outputs/r"), "after": ["a"], "run_if": "all_done"},
    }))  # fmt: skip
    gate.until_up("a")
    ballast = _fill(disk)

    # when the job ends, then the engine says which disk is full and waits
    gate.open("a")
    services = site.engine.services
    until(lambda: services.writes.trouble or services.writes.full_disk, "the full disk")

    # and whoever looks sees why
    service = LocalService(site.engine)
    until(lambda: service.about()["trouble"], "word of the full disk")
    assert str(disk) in service.about()["trouble"]
    assert service.instance(instance)["status"] == "running"
    assert service.queue()["waiting"] == []

    # and goes on when there is room again
    ballast.unlink()
    seen = site.end(instance)
    assert seen.states == {"a": "failed", "b": "succeeded"}
    assert seen["a"].exit_code == 7
    seen.assert_replays()
    assert site.engine.store.verify() == []
    until(lambda: service.about()["trouble"] is None, "the word taken back")
    close_quietly(site)


def test_the_program_still_opens_on_a_full_disk_and_says_so(
    disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # given a workspace with its reserve, on a disk that is full
    site = Site(disk / "w").start()
    first = site.run(task({"a": shell("true")}))
    reserve.keep(site.root)
    site.close()
    ballast = _fill(disk)

    # when it is opened, the reserve is given up, and everything can be seen and asked for
    site.again()
    assert not (site.root / ".reserve").exists()
    assert "is full" in capsys.readouterr().err
    service = LocalService(site.engine)
    assert service.instance(first.id)["status"] == "succeeded"
    assert service.queue_size(2)["places"] == 2

    # and work goes on when there is room
    waits = site.begin(task({"a": shell("head -c 3000000 /dev/zero > outputs/r")}))
    ballast.unlink()
    assert site.end(waits).status in ("succeeded", "failed")
    assert site.run(task({"a": shell("true")})).status == "succeeded"
    reserve.keep(site.root)
    assert (site.root / ".reserve").stat().st_size == 1 << 20
    close_quietly(site)


def test_without_a_reserve_it_can_still_be_read(disk: Path) -> None:
    site = Site(disk / "w").start()
    seen = site.run(task({"a": shell("true")}))
    site.close()
    _fill(disk)
    store = wiring.open_reader(site.root)
    try:
        assert ReadOnlyService(store, site.engine.workspace).instance(seen.id)["status"] == "succeeded"
    finally:
        store.close()


def test_the_reserve_is_made_where_there_is_room_and_released_only_on_a_full_disk(disk: Path) -> None:
    reserve.keep(disk)
    reserve.keep(disk)
    assert (disk / ".reserve").stat().st_size == 1 << 20
    assert not reserve.release(disk)
    ballast = _fill(disk)
    assert reserve.release(disk)
    assert reserve.free(disk) >= 1 << 20
    assert not reserve.release(disk), "there is none any more"
    reserve.keep(disk)
    assert not (disk / ".reserve").exists(), "not while others need the room"
    ballast.unlink()


def test_the_disk_is_named_as_an_operator_knows_it(disk: Path) -> None:
    assert disk_of(str(disk / "not" / "there")) == f"none at {disk}"
    error = OSError(28, os.strerror(28))
    assert no_room(error)
    assert str(disk) in full(error, str(disk / "file")).message
    assert no_room(full(error, str(disk)))
    assert not no_room(OSError(13, "x"))
    assert not no_room(None)


def test_a_job_that_fills_the_disk_can_be_cancelled(disk: Path) -> None:
    # given a job that writes and writes, and writes on when there is no room
    site = Site(disk / "w").start()
    script = "echo $$ > pid; while :; do cat /dev/zero >> outputs/r 2> /dev/null; sleep 0.05; done"
    instance = site.begin(task({"a": shell(script)}))
    until(lambda: reserve.free(disk) == 0, "the full disk")

    # when it is cancelled, then it is gone although nothing can be written down yet
    folder = site.engine.workspace.instances / f"task-t-{instance}/jobs/job-a-1"
    pid = int((folder / "pid").read_text())
    stopping = threading.Thread(target=site.engine.cancel, args=(instance,))
    stopping.start()
    until(lambda: not Path(f"/proc/{pid}").exists(), "the end of the job")

    # and once there is room the rest follows
    (folder / "outputs/r").unlink()
    stopping.join(LONGEST)
    assert site.see(instance).states == {"a": "cancelled"}
    close_quietly(site)


def test_an_engine_ends_on_a_full_disk_too_and_the_next_one_goes_on(disk: Path, gate: Gate) -> None:
    site = Site(disk / "w").start()
    instance = site.begin(task({"a": shell(gate.script("a", then="exit 7"))}))
    gate.until_up("a")
    ballast = _fill(disk)
    gate.open("a")
    until(
        lambda: site.engine.services.writes.trouble or site.engine.services.writes.full_disk, "the full disk"
    )
    site.close()
    ballast.unlink()
    site.again()
    seen = site.end(instance)
    assert (seen.states, seen["a"].exit_code) == ({"a": "failed"}, 7)
    seen.assert_replays()
    close_quietly(site)


def test_an_engine_that_begins_on_a_full_disk_takes_up_its_instances(disk: Path, gate: Gate) -> None:
    # given an engine that begins on a full disk, with an instance at work
    site = Site(disk / "w").start()
    after = {**shell("echo b"), "after": ["a"], "run_if": "all_done"}
    instance = site.begin(task({"a": shell(gate.script("a", then="exit 7")), "b": after}))
    gate.until_up("a")
    held = _next_engine_on_a_full_disk(site, disk)

    # then everybody can see since when, and what waits
    answer = LocalService(site.engine).about()["hold_up"]
    assert str(disk) in answer["reason"]
    assert answer["instances"] == 1
    assert answer["since"] <= datetime.now(UTC).isoformat()

    # and with room again it goes on where it was, without another engine
    gate.open("a")
    for each in held:
        each.unlink()
    seen = site.end(instance)
    assert seen.states == {"a": "failed", "b": "succeeded"}
    assert (seen["a"].exit_code, len((gate.folder / "a.up").read_text().split())) == (7, 1)
    seen.assert_replays()
    until(lambda: site.engine.services.writes.stall is None, "the end of it")
    close_quietly(site)


def test_what_an_engine_found_on_a_full_disk_can_be_cancelled_at_once(disk: Path, gate: Gate) -> None:
    site = Site(disk / "w").start()
    instance = site.begin(task({"a": shell(gate.script("a"))}))
    pid = gate.until_up("a")
    held = _next_engine_on_a_full_disk(site, disk)

    stopping = threading.Thread(target=site.engine.cancel, args=(instance,))
    stopping.start()
    until(lambda: not lives(pid), "the end of the job")

    for each in held:
        each.unlink()
    stopping.join(LONGEST)
    seen = site.see(instance)
    assert (seen.status, seen.states) == ("cancelled", {"a": "cancelled"})
    seen.assert_replays()
    close_quietly(site)


@pytest.mark.parametrize("again", [False, True], ids=["one engine", "the next engine"])
def test_what_began_and_ended_on_a_full_disk_has_its_files_once_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    monkeypatch.setattr(WriteHealth, "retry_seconds", 0.02)
    with small_disk(tmp_path / "disk", "24m,nr_inodes=200") as disk:
        # given an instance whose time passes while there is room for the database alone
        site = Site(disk / "w", f"{SETTINGS}database: sqlite:///{tmp_path}/skerry.db\n").start()
        ballast = _take_every_inode(disk)
        instance = site.begin(task({"a": shell("true")}, timeout="300ms"))
        until(lambda: site.see(instance).status == "timed_out", "its end")
        if again:
            site.again()
        assert not site.see(instance).folder.exists()

        # when there is room
        shutil.rmtree(ballast)

        # then it has all its files
        context = site.see(instance).folder / "ctx.json"
        until(context.exists, "its files")
        site.end(instance).assert_replays()
        assert context.with_name("params.json").read_bytes() == b"{}\n"
        close_quietly(site)


def test_whoever_listens_hears_when_it_begins_and_when_all_is_written_down(disk: Path, gate: Gate) -> None:
    # given a listener, as the window does
    site = Site(disk / "w").start()
    instance = site.begin(task({"a": shell(gate.script("a", then="exit 7"))}))
    gate.until_up("a")
    stream = site.engine.subscribe()
    ballast = _fill(disk)
    gate.open("a")

    def heard(kind: str) -> dict[str, Any]:
        return next(event for event in stream if event["kind"] == kind)

    # when the disk is full, and has room again
    assert str(disk) in heard("hold_up")["hold_up"]["reason"]
    ballast.unlink()
    assert heard("hold_up")["hold_up"] is None

    # then the word to look again comes when what waited can be read
    heard("resync")
    assert site.engine.store.jobs(instance)[0].status == "failed"
    stream.close()
    close_quietly(site)


def test_run_says_within_seconds_that_it_waits_for_room_and_list_and_show_do(
    disk: Path, gate: Gate, tmp_path: Path
) -> None:
    # given a run at work, and a disk that fills up
    file = tmp_path / "t.json"
    nodes = {"a": shell(gate.script("a"))}
    file.write_text(json.dumps({"skerry": 1, "tasks": {"t": {"nodes": nodes}}}))
    run = _skerry(disk, "run", str(file))
    gate.until_up("a")
    ballast = _fill(disk)
    gate.open("a")

    # then the one who waits for it reads why, and so does who looks
    assert run.stderr is not None
    output = run.stderr.readline()
    assert "nothing can be written down since" in output
    assert str(disk) in output
    for command in (["list"], ["show", "1"]):
        assert "1 instances wait" in _skerry(disk, *command).communicate()[1]

    ballast.unlink()
    run.communicate()
    assert run.returncode == 0


def _skerry(disk: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [*commands.skerry(), "--workspace", str(disk / "w"), *arguments]
    environment = {**os.environ, "LANG": "C.UTF-8"}
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _next_engine_on_a_full_disk(site: Site, disk: Path) -> list[Path]:
    """The engine is followed by one that finds no room to write anything down; gives what fills the disk."""
    site.close()
    reserve.keep(site.root)
    first = _fill(disk).rename(disk / "first")
    site.engine = wiring.open_engine(site.root)  # with the reserve
    held = [first, _fill(disk)]
    site.start()
    until(lambda: site.engine.services.writes.stall, "the full disk")
    return held


def test_everything_can_be_stopped_while_what_failed_on_the_full_disk_waits_to_be_reported(
    disk: Path, gate: Gate
) -> None:
    # given two jobs that run and a full disk, of which one fails: that needs an exception, the first one
    site = Site(disk / "w").start()
    nodes = {
        "a": shell(gate.script("a", then="exit 7")),
        "each": shell("true", for_each="$.TASK.PARAMS['l']", after=["a"], run_if="all_done"),
        "b": shell(gate.script("b")),
    }
    instance = site.begin(task(nodes, params={"l": list(range(40))}))
    gate.until_up("a")
    pid = gate.until_up("b")
    ballast = _fill(disk)
    gate.open("a")
    until(lambda: site.engine.services.writes.reason, "the full disk")

    # when the rest is cancelled, then it is gone although nothing can be written down yet
    stopping = threading.Thread(target=site.engine.cancel, args=(instance,))
    stopping.start()
    until(lambda: not lives(pid), "the end of the job")

    # and with room again every event is written, each with a number of its own, also by the next engine
    ballast.unlink()
    stopping.join(LONGEST)
    seen = site.see(instance)
    assert (seen["a"].status, seen["b"].status) == ("failed", "cancelled")
    assert len(seen.all("each")) in (1, 40), "skipped, or its members were made before the cancel came"
    assert site.engine.store.verify() == []
    first = {row.id for row in site.engine.store.exceptions()}
    site.again()
    after = site.run(task({"a": shell("exit 1")}))
    site.again()
    assert len({row.id for row in site.engine.store.exceptions()} - first) == 1
    assert {row.id for row in after.rows}.isdisjoint(row.id for row in seen.rows)
    close_quietly(site)
