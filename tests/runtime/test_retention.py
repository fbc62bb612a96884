"""Ended instances are taken away as the settings say, and nothing else is."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.api.client import Client
from engine.api.listener import Listener
from engine.api.local import LocalService
from engine.api.read_only import ReadOnlyService
from engine.model.codes.store import DISK_FULL
from engine.model.errors import Invalid, Refused, SkerryError
from engine.runtime.queue.job_queue import Queue
from engine.runtime.reruns.rerun_request import RerunRequest
from engine.runtime.timing.asked_outcomes import AskedOutcomes
from engine.runtime.upkeep.retention import Cleaner
from engine.runtime.upkeep.trash import Trash
from tests.runtime.site import Gate, Site, shell, task

GOOD = task({"a": shell("echo x > outputs/r; mkdir -p deep/er; echo y > deep/er/f; chmod 500 deep/er")})
BAD = task({"a": shell("exit 3")})
Make = Callable[..., Site]


def _gone(site: Site, dry_run: bool = False) -> list[int]:
    return [each["instance"] for each in LocalService(site.engine).clean(dry_run)["removed"]]


def test_what_is_no_longer_kept_goes_with_its_rows_and_its_directory(make_site: Make) -> None:
    # given three ended instances of which one is to be kept
    site = make_site(retention={"count": 1})
    ids = [site.run(GOOD).id for _ in range(3)]
    folders = [site.see(each).folder for each in ids]

    # when it is looked at, nothing happens; when it is done, the older ones are gone
    assert _gone(site, dry_run=True) == ids[:2]
    assert all(folder.exists() for folder in folders)
    assert _gone(site) == ids[:2]
    assert [folder.exists() for folder in folders] == [False, False, True]
    assert os.listdir(site.engine.workspace.instances) == [folders[2].name]
    assert [site.engine.store.instance(each) is None for each in ids] == [True, True, False]
    assert not list(site.engine.store.lines(ids[0]))
    assert _gone(site) == []


def test_sizes_are_reported_in_bytes(make_site: Make) -> None:
    site = make_site(retention={"size": 0})
    site.run(task({"a": shell("head -c 100000 /dev/zero > outputs/big")}))
    found = LocalService(site.engine).clean()
    assert found["size"] >= 100_000
    assert found["removed"][0]["reason"] == "size"


def test_running_and_failed_ones_stay_and_failed_ones_go_when_asked_or_exported(
    make_site: Make, gate: Gate
) -> None:
    site = make_site(retention={"count": 0})
    failed, exported = site.run(BAD), site.run(BAD)
    (exported.folder / ".skerry" / "exported").touch()
    running = site.begin(task({"a": shell(gate.script())}))
    gate.until_up()
    assert _gone(site) == [exported.id]
    assert failed.folder.exists()
    gate.open()
    site.end(running)
    answer = make_site(retention={"count": 9, "tasks": {"t": {"count": 0, "failed": True}}})
    again = answer.run(BAD)
    assert _gone(answer) == [again.id]


def test_a_subtask_stays_while_what_started_it_runs(make_site: Make, gate: Gate) -> None:
    from tests.runtime.site import tree

    site = make_site(retention={"count": 0})
    both = tree({"tasks": {
        "child": {"nodes": {"c": shell("true")}},
        "t": {"nodes": {"s": {"type": "task", "task": "child"},
                        "g": {**shell(gate.script()), "after": ["s"]}}},
    }})  # fmt: skip
    parent = site.begin(both, "t")
    gate.until_up()
    assert _gone(site) == []
    gate.open()
    site.end(parent)
    assert len(_gone(site)) == 2


def test_a_directory_without_our_marker_is_left_alone_with_its_rows(make_site: Make) -> None:
    site = make_site(retention={"count": 0})
    seen = site.run(GOOD)
    (seen.folder / ".skerry" / "definitions.json").unlink()
    found = LocalService(site.engine).clean()
    assert (found["removed"], [each["instance"] for each in found["problems"]]) == ([], [seen.id])
    assert (seen.folder / "ctx.log").exists()


def test_no_link_is_followed(make_site: Make, tmp_path: Path) -> None:
    site = make_site(retention={"count": 0})
    treasure = tmp_path / "treasure"
    treasure.mkdir()
    (treasure / "gold").touch()
    script = f"ln -s {treasure} outputs/link; ln -s {treasure}/gold outputs/file; ln -s {treasure} .skerry/l"
    seen = site.run(task({"a": shell(script)}))
    assert _gone(site) == [seen.id]
    assert (treasure / "gold").exists()

    # nor is an instance's directory that was replaced by a link
    other = site.run(GOOD)
    real = tmp_path / "elsewhere"
    other.folder.rename(real)
    other.folder.symlink_to(real)
    assert _gone(site) == []
    assert (real / "ctx.log").exists()


def test_rows_whose_directory_is_gone_go_too(make_site: Make) -> None:
    site = make_site(retention={"count": 0})
    seen = site.run(GOOD)
    seen.folder.rename(seen.folder.with_name("elsewhere"))
    assert _gone(site) == [seen.id]


def test_a_disk_without_room_for_the_removal_of_rows_gets_room_by_the_files(
    make_site: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = make_site(retention={"count": 0})
    seen = site.run(GOOD)
    remove, tries = site.engine.store.remove_instances, []

    def refuse_while_files_are_there(ids: Any, outcomes: Any = ()) -> int:
        tries.append(list(ids))
        if os.listdir(site.engine.workspace.instances):
            raise SkerryError(DISK_FULL, "no room")
        return remove(ids)

    monkeypatch.setattr(site.engine.store, "remove_instances", refuse_while_files_are_there)
    assert _gone(site) == [seen.id]
    assert tries == [[seen.id], [seen.id]]
    assert site.engine.store.instance(seen.id) is None


def test_what_an_earlier_engine_threw_away_is_swept(make_site: Make) -> None:
    site = make_site()
    seen = site.run(GOOD)
    trash = Trash(site.engine.workspace.instances)
    trash.throw(seen.folder.name)
    stranger = site.engine.workspace.instances / ".leaving-task-x-7"
    stranger.mkdir()
    (stranger / "mine").touch()
    LocalService(site.engine).clean()
    assert os.listdir(site.engine.workspace.instances) == [stranger.name], "no marker, not ours"


def test_nobody_can_begin_with_an_instance_that_leaves(make_site: Make) -> None:
    site = make_site(retention={"count": 0})
    seen = site.run(GOOD)
    site.engine.services.leaving.add(seen.id)
    with pytest.raises(Invalid):
        site.engine.rerun([RerunRequest(seen.id, "all")])


def test_the_engine_does_it_by_itself_and_stops_when_it_ends(
    make_site: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.runtime.upkeep import caretaker
    from tests.waiting import until

    monkeypatch.setattr(caretaker, "_MINUTE", 0.01)
    monkeypatch.setattr(caretaker, "_HOUR", 0.01)
    site = make_site(retention={"count": 0})
    seen = site.run(GOOD)
    until(lambda: not seen.folder.exists(), "the removal")
    site.close()
    assert not site.engine.caretaker._thread.is_alive()


def test_while_jobs_run_it_rests_again_and_again(make_site: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    site = make_site()
    rests: list[float] = []

    class Stop:
        def wait(self, seconds: float) -> bool:
            rests.append(seconds)
            return False

    stop: Any = Stop()
    cleaner = Cleaner(site.engine.services, stop, AskedOutcomes)
    monkeypatch.setattr(Queue, "taken", 1)
    for _ in range(100):
        cleaner._pace()
    assert rests == [0.05] * 4
    monkeypatch.setattr(Queue, "taken", 0)
    for _ in range(100):
        cleaner._pace()
    assert rests[4:] == [0.0] * 4


@contextmanager
def _client(site: Site) -> Iterator[Client]:
    socket = site.engine.workspace.socket
    with Listener(LocalService(site.engine), socket), Client(socket) as client:
        yield client


def test_over_the_socket_and_without_an_engine(make_site: Make) -> None:
    site = make_site(retention={"count": 0})
    seen = site.run(GOOD)
    reader = ReadOnlyService(site.engine.store, site.engine.workspace)
    assert [each["instance"] for each in reader.clean(dry_run=True)["removed"]] == [seen.id]
    with pytest.raises(Refused):
        reader.clean()
    with _client(site) as client:
        assert [each["instance"] for each in client.clean(dry_run=True)["removed"]] == [seen.id]
        assert json.loads(json.dumps(client.clean()))["removed"][0]["instance"] == seen.id
