"""The workers of a site in its bundles: who they are is told, what logs in there is not."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from app.wiring import open_engine
from engine.api.documents import RunRequest, Source
from engine.api.local import LocalService
from engine.model.worker_request import WorkerRequest
from engine.store.opening import open_store
from engine.store.sql_store import Store
from export_import.case_store import fill
from export_import.collectors.workers import NAME
from export_import.container import open_bundle
from export_import.delivery.importing import known_here
from export_import.importing import import_bundle
from export_import.redaction.pseudonyms import Pseudonyms
from tests.bundles.conftest import CLOCK, TASK, Place

HOST, GATE, USER = "build7.corp-seven.example", "gate7.corp-seven.example", "annaseven"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A site with a run and two workers, one of them paused; nothing is connected to."""
    root, key = tmp_path / "site", tmp_path / "the-private-key"
    key.touch(0o600)
    with open_engine(root) as engine:
        service = LocalService(engine, "anna")
        way = WorkerRequest(ssh=f"{USER}@{HOST}:2222", jumps=[f"{USER}@{GATE}"], key=str(key), slots="3",
                            groups=["big"], labels=["os=linux"], fence="60s")  # fmt: skip
        service.add_worker("far", way)
        service.add_worker("other", WorkerRequest(ssh=HOST, password_secret="the-secret-name"))
        service.want_worker("far", "paused", "a new disk")
        engine.wait(service.run(RunRequest(None, [Source(name="t.yaml", text=TASK)])))
    return Place(root)


def told(bundle: Path, place: Place) -> str:
    found = open_bundle([bundle], place.keys, clock=CLOCK)
    return found.read(NAME).decode()


@pytest.mark.parametrize("redact", [True, False])
def test_a_bundle_has_the_workers_without_what_logs_in_there(
    place: Place, tmp_path: Path, redact: bool
) -> None:
    bundle = tmp_path / "b.skerry"
    place.export(bundle, redact=redact)

    text = told(bundle, place)

    rows = {row["name"]: row for row in json.loads(text)["workers"]}
    names = {name: Pseudonyms(place.keys).of("worker", name) if redact else name for name in ("far", "other")}
    assert {name: row["content"]["login"] for name, row in rows.items()} == {
        names["far"]: "key",
        names["other"]: "password",
    }
    assert "the-private-key" not in text
    assert "the-secret-name" not in text
    assert "host_keys" not in text
    assert (HOST in text) is not redact
    assert (GATE in text) is not redact
    assert (USER in text) is not redact


def test_a_desk_shows_the_workers_as_the_site_had_them(place: Place, tmp_path: Path) -> None:
    bundle = tmp_path / "b.skerry"
    place.export(bundle)

    desk = wiring.open_workspace(tmp_path / "desk").root
    case = import_bundle(desk, [bundle], clock=CLOCK)

    with closing(wiring.open_reader(case.folder)) as store:
        rows = {row.name: row for row in store.workers()}
    assert [each for each in case.bundle["findings"] if "workers" in str(each["message"])] == []
    far = rows[Pseudonyms(place.keys).of("worker", "far")]
    assert (far.state, far.wanted) == ("untrusted", "paused")
    worker = far.worker
    assert (worker.slots, worker.groups, worker.labels, worker.fence) == (3, ("big",), {"os": "linux"}, 60.0)
    assert worker.address is not None
    assert worker.address.port == 2222
    assert worker.key_file is None


ROW: dict[str, Any] = {
    "name": "far", "kind": "ssh", "created_at": "2026-11-21T12:00:00+00:00", "since": "2026-11-21T12:00:00+00:00",
    "state": "offline", "wanted": "online", "reason": None, "why": None,
    "content": {"address": {"host": "h", "user": None, "port": 22}, "groups": ["big"], "slots": 2},
}  # fmt: skip
HOSTILE = {
    "no worker": {},
    "a name that is a path": {**ROW, "name": "../../etc"},
    "a name that is a list": {**ROW, "name": ["a"]},
    "a state that is none": {**ROW, "state": "on fire"},
    "no content": {**ROW, "content": None},
    "groups that are numbers": {**ROW, "content": {**ROW["content"], "groups": [{"a": 1}]}},
    "labels that are a list": {**ROW, "content": {**ROW["content"], "labels": [1]}},
    "a port that is none": {**ROW, "content": {**ROW["content"], "address": {"host": "h", "port": 10**9}}},
    "a host with spaces": {**ROW, "content": {**ROW["content"], "address": {"host": "a b", "port": 22}}},
    "slots without end": {**ROW, "content": {**ROW["content"], "slots": 10**9}},
    "a fence of nothing": {**ROW, "content": {**ROW["content"], "fence": "x"}},
    "no time": {**ROW, "since": "yesterday"},
}


@pytest.fixture
def case(tmp_path: Path) -> Path:
    (tmp_path / "rows").mkdir()
    (tmp_path / "definitions").mkdir()
    (tmp_path / "definitions" / "current.json").write_text("{}")
    return tmp_path


def filled(case: Path, rows: Any) -> tuple[Store, list[str]]:
    (case / NAME).write_text(json.dumps({"workers": rows}))
    problems = fill(case, [], CLOCK)
    return open_store(f"sqlite:///{case / 'skerry.db'}", read_only=True, clock=CLOCK), problems


@pytest.mark.parametrize("what", HOSTILE)
def test_what_can_be_no_worker_is_not_shown_and_said(case: Path, what: str) -> None:
    store, problems = filled(case, [HOSTILE[what]])

    with closing(store):
        assert store.workers() == []
    assert len(problems) == 1
    assert "workers of the site" in problems[0]


def test_a_key_file_of_a_stranger_is_not_taken_over(case: Path) -> None:
    content = {**ROW["content"], "key_file": "/root/.ssh/id", "password_secret": "mine", "agent": True}
    store, problems = filled(case, [{**ROW, "content": content, "host_keys": {"h:22": "ssh-ed25519 A"}}])

    with closing(store):
        [row] = store.workers()
    assert problems == []
    assert row.host_keys == {}
    assert (row.worker.key_file, row.worker.password_secret) == (None, None)


def test_a_site_knows_its_workers_and_groups_when_a_delivery_comes(place: Place) -> None:
    with closing(wiring.open_reader(place.root)) as store:
        known = known_here(None, store)

    assert known.workers == {"local", "far", "other"}
    assert known.groups == {"big"}


@pytest.mark.parametrize("name", ["new", "path", "status"])
def test_a_worker_that_is_called_like_a_key_of_our_files_leaves_them_readable(
    place: Place, tmp_path: Path, name: str
) -> None:
    with open_engine(place.root) as engine:
        LocalService(engine, "anna").add_worker(name, WorkerRequest(ssh=HOST))
    bundle = tmp_path / "b.skerry"
    place.export(bundle)

    case = import_bundle(wiring.open_workspace(tmp_path / "desk").root, [bundle], clock=CLOCK)

    logs = [each.read_text() for each in case.folder.rglob("ctx.log")]
    lines = [json.loads(line) for log in logs for line in log.splitlines()]
    assert lines[0].keys() == {"seq", "time", "run", "actor", "path", "new", "sum"}
    assert {key for line in lines for key in line if key.startswith("worker-")} == set()
    assert Pseudonyms(place.keys).of("worker", name) in told(bundle, place)
