"""Reading from the store alone, as the commands do while no engine runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.api.documents import InstanceQuery
from engine.api.read_only import ReadOnlyService
from engine.api.service import Service
from engine.context import TaskContext
from engine.model.codes.commands import NO_SUCH_ATTEMPT, NO_SUCH_DEFINITION, TIME_INVALID
from engine.model.codes.runtime import NO_SUCH_INSTANCE, NO_SUCH_NODE
from engine.model.errors import Invalid
from engine.runtime.workspace import Workspace
from engine.store.changes import Changes
from engine.store.opening import open_store
from engine.store.sql_store import Store

BEGIN = datetime(2026, 11, 21, tzinfo=UTC)
RAW: dict[str, Any] = {
    "jobs": {"one": {"type": "shell", "process": "true"}},
    "tasks": {"t": {"name": "Tee", "nodes": {"a": {"job": "one"}, "b": {"job": "one", "after": ["a"]}}}},
    "resources": {"disk": {"type": "file", "uri": "/"}},
}


class StillClock:
    def now(self) -> datetime:
        return BEGIN

    def monotonic(self) -> float:
        return 0.0


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "workspace.yaml").write_text("timezone: Asia/Shanghai\n")
    return Workspace.open(tmp_path)


@pytest.fixture
def store(workspace: Workspace) -> Iterator[Store]:
    store = open_store(workspace.database_url, clock=StillClock())
    store.save_definitions(RAW, actor="me")
    yield store
    store.close()


@pytest.fixture
def service(store: Store, workspace: Workspace) -> ReadOnlyService:
    return ReadOnlyService(store, workspace)


def job(id: int, node: str, status: str, **more: Any) -> dict[str, Any]:
    row = {"id": id, "instance": 1, "run": 1, "node": node, "job": "one", "status": status}
    return row | {"created_at": BEGIN} | more


@pytest.fixture(autouse=True)
def _ran(store: Store) -> None:
    """One instance in which ``a`` made two attempts and ``b`` waits."""
    changes = Changes()
    for id in (1, 2):
        when = BEGIN + timedelta(days=id)
        row = {"id": id, "task": "t", "status": "running", "trigger": "manual", "run": 1}
        changes.insert("instance", row | {"scheduled_time": when, "created_at": when})
    run = {"instance": 1, "run": 1, "status": "running", "trigger": "manual", "created_at": BEGIN}
    changes.insert("run", run | {"snapshot": changes.snapshot(RAW)})
    changes.insert("job_instance", job(1, "a", "running", attempt=2, directory="jobs/job-one-1"))
    changes.insert("job_instance", job(2, "b", "pending"))
    context = TaskContext(StillClock())
    context.set(("TASK", "PARAMS"), {"x": 1}, run=1)
    context.set(("TASK", "PARAMS", "x"), 2, run=1)
    for line in context.drain():
        changes.line(1, line.seq, line.text)
    changes.stat("task", "t", False, 2.0, -11000001003)
    store.commit(changes)


def test_it_is_a_service(service: ReadOnlyService) -> None:
    assert isinstance(service, Service)
    assert service.about()["pid"] is None


def test_an_instance_is_shown_with_the_reasons_of_its_jobs(service: ReadOnlyService, tmp_path: Path) -> None:
    document = service.instance(1)

    assert document["scheduled_time"] == "2026-11-22T08:00:00.000000+08:00"
    assert [job["reason"] for job in document["jobs"]] == [None, "waits for a"]
    assert document["jobs"][0]["directory"] == str(tmp_path / "jobs/job-one-1")


def test_instances_are_listed_newest_first(service: ReadOnlyService) -> None:
    def listed(**wanted: Any) -> list[int]:
        return [each["instance"] for each in service.instances(InstanceQuery(**wanted))]

    assert listed() == [2, 1]
    assert listed(limit=1) == [2]
    assert listed(task="other") == []
    assert listed(planned=True) == []
    assert listed(status="running", since="2026-11-23T07:59:00+08:00") == [2]
    assert listed(until="2026-11-23T08:00:00+08:00") == [1]
    assert listed(text="#2") == [2]
    assert listed(text="T") == [2, 1]
    assert listed(text="no such words") == []


def test_a_line_of_the_list_is_the_instance_without_its_jobs_and_values(service: ReadOnlyService) -> None:
    whole = service.instance(1)

    [line] = [each for each in service.instances(InstanceQuery()) if each["instance"] == 1]

    assert line.keys() == whole.keys() - {"jobs", "params", "results"}
    assert {name: line[name] for name in line if name not in ("reason", "why")} == {
        name: whole[name] for name in line if name not in ("reason", "why")
    }


@pytest.mark.parametrize("text", ["soon", "2026-02-30"])
def test_an_odd_time_is_wrong_use(service: ReadOnlyService, text: str) -> None:
    with pytest.raises(Invalid) as caught:
        service.instances(InstanceQuery(since=text))

    assert caught.value.entry is TIME_INVALID


def test_logs_are_found_by_node_and_attempt(service: ReadOnlyService, tmp_path: Path) -> None:
    folder = tmp_path / "jobs/job-one-1"
    latest = {"node": "a", "instance": 1, "attempt": 2, "path": str(folder / "job.log"), "ended": False}
    first = {**latest, "attempt": 1, "path": str(folder / "attempts/1/job.log"), "ended": True}

    assert service.logs(1) == [latest]
    assert service.logs(1, "a") == [latest]
    assert service.logs(1, "b") == []
    assert service.logs(1, "a", 1) == [first]
    assert service.logs(1, attempt=2) == [latest]


def test_what_is_not_there_has_its_code(service: ReadOnlyService) -> None:
    for ask, code in (
        (lambda: service.instance(9), NO_SUCH_INSTANCE),
        (lambda: service.context(9), NO_SUCH_INSTANCE),
        (lambda: service.logs(1, "z"), NO_SUCH_NODE),
        (lambda: service.logs(1, "a", 3), NO_SUCH_ATTEMPT),
        (lambda: service.logs(1, None, 3), NO_SUCH_ATTEMPT),
        (lambda: service.definition("task", "z"), NO_SUCH_DEFINITION),
        (lambda: service.definition("task", "t", 9), NO_SUCH_DEFINITION),
        (lambda: service.history("job", "z"), NO_SUCH_DEFINITION),
        (lambda: service.dump(["z"]), NO_SUCH_DEFINITION),
    ):
        with pytest.raises(Invalid) as caught:
            ask()
        assert caught.value.entry is code


def test_the_context_is_replayed_up_to_a_line(service: ReadOnlyService) -> None:
    assert service.context(1) == {"TASK": {"PARAMS": {"x": 2}}}
    assert service.context(1, 1) == {"TASK": {"PARAMS": {"x": 1}}}
    assert service.context(1, 0) == {}


def test_definitions_are_listed_and_shown(service: ReadOnlyService) -> None:
    [task] = service.definitions("task")
    shown = service.definition("task", "t")

    assert (task["id"], task["name"], task["revision"], task["state"]) == ("t", "Tee", 1, "init")
    assert shown["definition"] == RAW["tasks"]["t"]
    assert service.definitions("resource")[0]["type"] == "file"
    assert service.history("job", "one")[0]["actor"] == "me"


def test_a_dump_reads_back(service: ReadOnlyService) -> None:
    from engine.definitions.text_source import SourceFile, parse

    whole = parse(SourceFile("x.yaml", service.dump([]).encode())).value
    part = parse(SourceFile("x.yaml", service.dump(["t", "disk"]).encode())).value

    assert {key: whole[key] for key in RAW} == RAW
    assert part == {"skerry": 1, "tasks": RAW["tasks"], "resources": RAW["resources"]}


def test_statistics_of_a_task(service: ReadOnlyService) -> None:
    [found] = service.stats("t")

    assert (found["count"], found["failed"], found["mean_seconds"]) == (1, 1, 2.0)
    assert found["error_codes"] == {"-11000001003": 1}
    assert service.stats(job="one") == []
    assert service.stats() == [found]


def test_instances_are_counted_by_state_and_of_what_goes_on_the_jobs(service: ReadOnlyService) -> None:
    whole, quick = service.counts(), service.counts(whole=False)

    listed = Counter(row["status"] for row in service.instances(InstanceQuery(limit=1000)))
    assert whole["instances"] == dict(listed)
    assert set(quick["instances"]) <= {"running", "waiting", "paused"}
    assert whole["jobs"] == quick["jobs"]


def test_what_runs_no_program_takes_no_slot_of_its_worker(service: ReadOnlyService, store: Store) -> None:
    changes = Changes()
    for id, node, status, folder in ((3, "far", "running", "jobs/job-one-3"), (4, "sub", "running", None)):
        changes.insert("job_instance", job(id, node, status, attempt=1, worker="build", directory=folder))
    for id in (1, 3, 4):
        attempt = {"job_instance": id, "attempt": 2, "status": "running", "created_at": BEGIN}
        changes.insert("job_run", attempt | {"worker": "local" if id == 1 else "build"})
    store.commit(changes)

    assert [each.job_instance for each in store.attempts_on(at_work=True)] == [1, 3]
    assert [each.node for each in service._holders()] == ["a"]
