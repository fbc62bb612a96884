"""After a power cut the files of instances are written again from the database, or said to be missing."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from engine.context import DirectFiles
from engine.execution.directories import ATTEMPT_FILES
from engine.model.codes.expressions import UNREADABLE
from engine.model.errors import SkerryError
from engine.model.missing_files import missing
from engine.runtime.reruns.rerun_request import RerunRequest
from engine.runtime.upkeep import file_sync
from engine.store.checksums import text_hash
from tests.runtime.site import Gate, Seen, Site, shell, task
from tests.waiting import until

_ONLY_FILES = {"job.log", "job-error.log", "environment.json"}


def restart(site: Site) -> Site:
    """The next engine, which finds that the machine was restarted."""
    site.close()
    with closing(sqlite3.connect(site.root / "skerry.db")) as database, database:
        database.create_function("skerry_crc", 1, crc32, deterministic=True)
        database.create_function("skerry_hash", 1, text_hash, deterministic=True)
        database.execute('UPDATE setting SET value = replace(value, \'"boot":"\', \'"boot":"not \')')
    return site.again()


def files(seen: Seen) -> dict[str, bytes]:
    """The content of every file of an instance that people read."""
    return {
        path.relative_to(seen.folder).as_posix(): path.read_bytes()
        for path in sorted(seen.folder.rglob("*"))
        if path.is_file() and (path.parent.name != ".skerry" or path.name == "definitions.json")
    }


def several(site: Site) -> Seen:
    """An instance with retries, a batch, a group, a rerun, results and output of both kinds."""
    again = 'echo "try $SKERRY_ATTEMPT"; [ -e again ] || { touch again; exit 3; }'
    nodes: dict[str, Any] = {
        "a": shell("echo out; echo err >&2; printf 5 > outputs/n; printf text > outputs/t",
                   results={"n": {"kind": "number"}, "t": {"kind": "text"}, "c": "{$.JOB['a'].RESULT['t']}!"}),
        "b": shell(again, retry={"times": 1, "interval": 0}),
        "e": shell("echo $i", for_each="$.TASK.PARAMS['l']", params={"i": "$.ITEM"}),
        "g": {"type": "group", "jobs": [shell("echo member")]},
        "z": shell("exit 4", after=["a", "b", "e", "g"]),
    }  # fmt: skip
    seen = site.run(task(nodes, params={"l": ["x", "y"]}))
    site.engine.rerun([RerunRequest(seen.id, "failed")])
    return site.end(seen.id)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def zeros(path: Path) -> None:
    """As a file system gives it back whose data had not been written when its size was."""
    path.write_bytes(bytes(path.stat().st_size))


def hole(path: Path) -> None:
    size = path.stat().st_size
    empty(path)
    os.truncate(path, size)


@pytest.mark.parametrize("spoil", [empty, Path.unlink, zeros, hole])
def test_every_file_is_as_it_was_or_said_to_be_missing(site: Site, spoil: Any) -> None:
    seen = several(site)
    before = files(seen)
    for name, content in before.items():
        if content:
            spoil(seen.folder / name)

    after = files(site_after := restart(site).see(seen.id))

    lacks = missing(site_after.folder)
    assert {name for name, content in before.items() if content and after.get(name) != content} == set(lacks)
    assert {Path(name).name for name in lacks} - {"process"} == _ONLY_FILES
    assert lacks[next(each for each in lacks if "job-a-" in each and each.endswith("job.log"))].had == 4
    site_after.assert_replays()


def test_a_directory_that_is_gone_is_made_again(site: Site) -> None:
    seen = several(site)
    before = files(seen)
    shutil.rmtree(seen.folder)

    after = files(restart(site).see(seen.id))

    assert after.keys() | missing(seen.folder).keys() >= before.keys() - {"jobs/job-b-2/again"}


def test_torn_files_are_made_whole(site: Site) -> None:
    seen = several(site)
    before = files(seen)
    for name, content in before.items():
        (seen.folder / name).write_bytes(content[: len(content) // 2])

    after = files(restart(site).see(seen.id))

    for name in ("ctx.log", "ctx.json", ".skerry/definitions.json"):
        assert after[name] == before[name]
    assert any(name.endswith("job.log") for name in missing(seen.folder))


def test_files_that_made_room_for_the_last_attempt_and_are_back_make_room_again(site: Site) -> None:
    seen = several(site)
    before = files(seen)
    folder = seen["b"].folder
    for name in ATTEMPT_FILES:  # as a journal that ends before the move leaves them
        with suppress(OSError):
            shutil.rmtree(folder / name) if (folder / name).is_dir() else (folder / name).unlink()
            (folder / "attempts" / "1" / name).rename(folder / name)
    shutil.rmtree(folder / "attempts")

    after = files(restart(site).see(seen.id))

    last, first = (f"jobs/{folder.name}{place}" for place in ("", "/attempts/1"))
    assert (after[f"{last}/status"], after[f"{first}/status"]) == (b"1\n", b"0\n")
    assert after[f"{first}/job.log"] == before[f"{first}/job.log"]
    assert list(missing(seen.folder)) == [f"{last}/job.log"]


def test_whole_files_stay_as_they_are_and_nothing_is_said_to_be_missing(site: Site) -> None:
    seen = several(site)
    before = files(seen)

    after = restart(site).see(seen.id)

    assert files(after) == before
    assert missing(after.folder) == {}


def test_a_part_of_the_context_that_is_whole_but_an_older_one_is_written_again(site: Site) -> None:
    # given a job whose part of the context is what it was before its end, as after a lost rename
    seen = several(site)
    before, part = files(seen), seen["a"].folder / "ctx.json"
    part.write_bytes(part.read_bytes().replace(b'"succeeded"', b'"running"'))
    assert files(seen) != before

    # when the machine is restarted
    restart(site)

    # then it is as it was
    assert files(seen) == before
    assert not missing(seen.folder)


def test_it_may_be_done_again_where_the_power_failed_meanwhile(site: Site) -> None:
    seen = several(site)
    [log] = seen.folder.glob("jobs/job-a-*/job.log")
    empty(log)
    restart(site)
    record = (seen.folder / ".skerry/missing.json").read_bytes()
    empty(seen.folder / "ctx.log")

    again = restart(site).see(seen.id)

    assert (seen.folder / ".skerry/missing.json").read_bytes() == record
    again.assert_replays()


def test_what_is_missing_is_on_the_disk_before_anything_goes_on(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of an attempt measures its log: after a second cut nothing else tells that it was longer."""
    seen = several(site)
    [log] = seen.folder.glob("jobs/job-a-*/job.log")
    empty(log)
    synced: list[tuple[str, bytes]] = []
    monkeypatch.setattr("os.fsync", lambda fd: synced.append(_behind(fd)))

    restart(site)

    record = seen.folder / ".skerry/missing.json"
    assert [each for each in synced if each[0].startswith(str(record.parent))] == [
        (f"{record}.new", record.read_bytes()),
        (str(record.parent), b""),
    ]


def _behind(fd: int) -> tuple[str, bytes]:
    path = Path(f"/proc/self/fd/{fd}")
    return os.readlink(path), path.read_bytes() if path.is_file() else b""


def test_what_an_unfinished_instance_had_done_is_made_good_too(site: Site, gate: Gate) -> None:
    instance = site.begin(task({"a": shell("echo out"), "b": shell(gate.script(), after=["a"])}))
    gate.until_up()
    folder = site.see(instance).folder
    for path in [folder / "ctx.log", folder / ".skerry/definitions.json", *folder.glob("jobs/job-a-*/*")]:
        if path.is_file():
            empty(path)

    site = restart(site)
    gate.open()
    seen = site.end(instance)

    assert seen.states == {"a": "succeeded", "b": "succeeded"}
    assert (seen["a"].folder / "status").read_text() == "1\n"
    assert json.loads((folder / ".skerry/definitions.json").read_text())["task"] == "t"
    assert [Path(name).name for name in missing(folder)] == ["job.log"]
    seen.assert_replays()


def test_an_edit_of_an_ended_instance_is_in_its_files_after_the_cut(site: Site) -> None:
    seen = site.run(task({"a": shell("true")}, params={"p": 0}))
    site.engine.caretaker.synced.work()
    log = (seen.folder / "ctx.log").read_bytes()
    site.engine.set_value(seen.id, "$.TASK.PARAMS['p']", 1, "for a test")
    (seen.folder / "ctx.log").write_bytes(log)
    site.engine.services.store.commit(_ended_long_ago(seen.id))

    restart(site).see(seen.id).assert_replays()


def _ended_long_ago(instance: int) -> Any:
    changes = file_sync.Changes()
    changes.update("instance", instance, {"ended_at": "2001-01-01T00:00:00.000000+00:00"})
    return changes


def test_output_that_is_missing_is_no_value_of_an_expression(site: Site) -> None:
    seen = site.run(task({"a": shell("echo out")}))
    empty(seen["a"].folder / "job.log")
    restart(site)

    with pytest.raises(SkerryError, match="a power cut took 4 of 4 bytes") as caught:
        DirectFiles().read(str(seen["a"].folder), "job.log")

    assert caught.value.entry is UNREADABLE


def test_a_mark_is_set_when_the_files_are_on_the_disk(site: Site) -> None:
    site.run(task({"a": shell("true")}))
    store = site.engine.store
    before = store.setting(file_sync.MARK)["last"]
    site.engine.caretaker.synced.work()
    site.engine.services.loop.ask(lambda: None)

    assert store.setting(file_sync.MARK)["boot"] == site.engine.services.clock.boot()
    assert site.engine.services.unsynced.any is False
    assert before == 0
    assert store.setting(file_sync.MARK)["last"] == 1


def test_what_ends_after_its_number_was_marked_is_listed_until_the_next_sync(site: Site, gate: Gate) -> None:
    instance = site.begin(task({"a": shell(gate.script())}))
    gate.until_up()
    site.run(task({"a": shell("true")}))
    _sync(site)
    gate.open()
    site.end(instance)

    until(lambda: site.engine.store.setting(file_sync.TOUCHED) == [instance])
    _sync(site)
    assert site.engine.store.setting(file_sync.TOUCHED) == []


def test_a_mark_of_an_earlier_version_says_nothing_about_the_latest_instances(site: Site) -> None:
    seen = site.run(task({"a": shell("echo out")}))
    site.engine.services.store.commit(_marked_by_an_earlier_version())
    (seen["a"].folder / "status").unlink()

    restart(site)

    assert (seen["a"].folder / "status").read_text() == "1\n"


def _marked_by_an_earlier_version() -> Any:
    changes = file_sync.Changes()
    changes.setting(file_sync.MARK, {"boot": "earlier", "until": "2031-01-01T00:00:00.000000+00:00"})
    return changes


def _sync(site: Site) -> None:
    site.engine.caretaker.synced.work()
    site.engine.services.loop.ask(lambda: None)
