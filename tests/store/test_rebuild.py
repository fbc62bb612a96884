"""The database rebuilt from the directories: what the logs tell, also of reruns, rounds and retries."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.context import TaskContext
from engine.model.codes import store as codes
from engine.model.errors import Refused
from engine.store.opening import open_store
from engine.store.rebuild import Rebuilt, rebuild, rebuild_database
from engine.store.sql_store import Store
from tests.store.conftest import StillClock, an_instance, at, with_instances

RAW: dict[str, Any] = {
    "jobs": {"look": {"type": "shell"}},
    "tasks": {
        "night-ly.1": {
            "name": "Every night",
            "project": "harbour",
            "nodes": {
                "one": {"job": "look"},
                "two": {"type": "command", "argv": ["x"]},
                "report": {"type": "group", "jobs": [{"job": "look"}, {"type": "python"}]},
                "child": {"type": "task", "task": "other"},
            },
        }
    },
}
FAILED = -11000001003
# root may read everything: it is done without that right
LIKE_OTHERS = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
EMPTY: dict[str, Any] = {}


class Site:
    """A folder ``instances`` with what an engine would have written there."""

    def __init__(self, folder: Path, clock: StillClock) -> None:
        self.folder = folder
        self.clock = clock

    def instance(self, id: int, task: str = "night-ly.1") -> Writer:
        return Writer(self, task, id)


class Writer:
    """The directory of one instance; every step takes a second."""

    def __init__(self, site: Site, task: str, id: int) -> None:
        self.path = site.folder / f"task-{task}-{id}"
        self.path.mkdir(parents=True)
        self.clock, self.task, self.id, self.run = site.clock, task, id, 0
        self.context = TaskContext(site.clock)
        self.begin(TRIGGER="manual", PARAMS={"x": 1})

    def begin(self, **entry: Any) -> None:
        self.run += 1
        first: dict[str, Any] = {"ID": self.task, "RUN": self.run, "STATUS": "running"}
        times = {"START_TIME": self.now(), "SCHEDULED_TIME": "2026-11-21T16:00:00.000000+08:00"}
        self.set(("TASK",), first | entry | times)

    def now(self) -> str:
        self.clock.forward(seconds=1)
        return self.clock.now().isoformat(timespec="microseconds")

    def set(self, path: tuple[str | int, ...], value: Any, **more: Any) -> None:
        self.context.set(path, value, run=self.run, **more)

    def start(self, *place: str | int, id: int, attempt: int = 1, job: str | None = None) -> None:
        entry: dict[str, Any] = {
            "PARAMS": {"p": id},
            "RESULT": {},
            "STATUS": "running",
            "START_TIME": self.now(),
        }
        entry |= {"WORKER": "local", "ATTEMPT": attempt, "INSTANCE": id}
        self.set(("JOB", *place), entry)
        if job:
            (self.path / "jobs" / f"job-{job}-{id}").mkdir(parents=True, exist_ok=True)

    def end(
        self, *place: str | int, status: str = "succeeded", code: int | None = None, **results: Any
    ) -> None:
        for name, value in results.items():
            self.set(("JOB", *place, "RESULT", name), value)
        if code is not None:
            self.set(("JOB", *place, "ERROR_CODE"), code)
            self.set(("JOB", *place, "ERROR_MESSAGE"), "it broke")
        self.set(("JOB", *place, "EXIT_CODE"), 0 if code is None else 3)
        self.set(("JOB", *place, "END_TIME"), self.now())
        self.set(("JOB", *place, "STATUS"), status)

    def finish(self, status: str, **results: Any) -> None:
        for name, value in results.items():
            self.set(("TASK", "RESULT", name), value)
        self.set(("TASK", "END_TIME"), self.now())
        self.set(("TASK", "STATUS"), status)

    def write(self, definitions: dict[str, Any] = EMPTY, cut: int = 0) -> bytes:
        lines = "".join(f"{line.text}\n" for line in self.context.drain()).encode()
        (self.path / "ctx.log").write_bytes(lines[: len(lines) - cut])
        (self.path / ".skerry").mkdir()
        (self.path / ".skerry" / "definitions.json").write_text(json.dumps(definitions), "utf-8")
        return lines


@pytest.fixture
def site(tmp_path: Path, clock: StillClock) -> Site:
    return Site(tmp_path / "instances", clock)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/skerry.db"


def test_one_run_comes_back_with_all_that_is_its_own(site: Site, store: Store) -> None:
    writer = site.instance(7)
    writer.start("one", id=11, job="look")
    writer.end("one", answer={"港": [1]})
    writer.start("two", id=12, job="two")
    writer.end("two", status="failed", code=FAILED)
    skipped = {"STATUS": "skipped", "INSTANCE": 13, "END_TIME": writer.now()}
    writer.set(("JOB", "report"), skipped, why="parent_failed: two")
    writer.finish("failed", out="x")
    lines = writer.write({"task": "night-ly.1", "raw": RAW})

    done = rebuild(site.folder, store)

    assert replace(done, lines=0) == Rebuilt(instances=1, runs=1, jobs=3, definitions=2)
    [instance], [run] = store.instances(), store.runs(7)
    assert (instance.id, instance.task, instance.name, instance.project) == (
        7, "night-ly.1", "Every night", "harbour",
    )  # fmt: skip
    assert (instance.status, instance.trigger, instance.run) == ("failed", "manual", 1)
    assert (instance.error_code, instance.error_message) == (FAILED, "job 'two': it broke")
    assert (instance.params, instance.results) == ({"x": 1}, {"out": "x"})
    assert (instance.scheduled_time, instance.started_at, instance.ended_at) == (
        at(), at(seconds=1), at(seconds=7),
    )  # fmt: skip
    assert instance.directory == str(writer.path)
    assert (run.status, run.error_code, run.ended_at) == ("failed", FAILED, at(seconds=7))
    assert store.snapshot(7, 1) == RAW
    one, two, report = store.jobs(7)
    assert (one.id, one.node, one.job, one.type, one.status) == (11, "one", "look", "shell", "succeeded")
    assert (one.params, one.results, one.exit_code, one.worker) == (
        {"p": 11}, {"answer": {"港": [1]}}, 0, "local",
    )  # fmt: skip
    assert (one.started_at, one.ended_at) == (at(seconds=2), at(seconds=3))
    assert one.directory == str(writer.path / "jobs" / "job-look-11")
    assert (two.job, two.type, two.status, two.error_code, two.exit_code) == (
        "two", "command", "failed", FAILED, 3,
    )  # fmt: skip
    assert (report.status, report.reason, report.attempt) == ("skipped", "parent_failed: two", 0)
    assert store.attempts(13) == []
    assert [(each.attempt, each.status) for each in store.attempts(12)] == [(1, "failed")]
    assert [line.encode() for line in store.lines(7)] == lines.splitlines()
    assert [(row.code, row.job_instance, row.node) for row in store.exceptions()] == [(FAILED, 12, "two")]
    assert [(row.kind, row.id, row.counts, row.failed) for row in store.stats()] == [
        ("job", "look", 1, 0), ("job", "night-ly.1.two", 1, 1), ("task", "night-ly.1", 1, 1),
    ]  # fmt: skip
    assert list(store.verify()) == []


def test_attempts_batches_and_rounds_are_distinguished(site: Site, store: Store) -> None:
    writer = site.instance(1)
    writer.start("one", id=1, attempt=1)
    writer.start("one", id=1, attempt=2)
    writer.end("one")
    writer.set(("JOB", "two"), [])
    for index in (0, 1):
        writer.start("two", index, id=2 + index)
        writer.end("two", index, status="failed" if index else "succeeded", code=FAILED if index else None)
    writer.set(("ROUNDS", "one", 0), writer.context.tree["JOB"]["one"])
    writer.start("one", id=4)
    writer.end("one", branch="again")
    writer.start("report.0", id=5)
    writer.start("report.1", id=6)
    writer.write({"task": "night-ly.1", "raw": RAW})

    rebuild(site.folder, store)

    found = [(job.id, job.node, job.index, job.round, job.attempt, job.status) for job in store.jobs(1)]
    assert found == [
        (1, "one", None, 1, 2, "succeeded"),
        (2, "two", 0, 1, 1, "succeeded"),
        (3, "two", 1, 1, 1, "failed"),
        (4, "one", None, 2, 1, "succeeded"),
        (5, "report.0", None, 1, 1, "running"),
        (6, "report.1", None, 1, 1, "running"),
    ]
    assert [(each.attempt, each.status) for each in store.attempts(1)] == [(1, "failed"), (2, "succeeded")]
    job = store.job(4)
    assert job
    assert job.branch == "again"
    assert [(job.job, job.type) for job in store.jobs(1)[4:]] == [("look", "shell"), ("report.1", "python")]
    instance = store.instance(1)
    assert instance
    assert (instance.status, store.runs(1)[0].status) == ("running", "running")


def test_an_earlier_run_stays_as_it_was(site: Site, store: Store) -> None:
    writer = site.instance(1)
    writer.start("one", id=1)
    writer.end("one", status="failed", code=FAILED)
    writer.finish("failed")
    writer.set(("TASK", "PARAMS", "x"), 2, actor="ann", why="it was wrong")
    writer.begin(TRIGGER="manual", PARAMS={"x": 2})
    writer.start("one", id=2)
    writer.end("one", new=True)
    writer.finish("succeeded", out=2)
    writer.write({"task": "night-ly.1", "raw": RAW})

    rebuild(site.folder, store)

    first, second = store.runs(1)
    assert (first.status, first.error_code, first.results) == ("failed", FAILED, {})
    assert (second.status, second.error_code, second.results) == ("succeeded", None, {"out": 2})
    assert [(job.id, job.run, job.status) for job in store.jobs(1)] == [
        (1, 1, "failed"), (2, 2, "succeeded"),
    ]  # fmt: skip
    instance = store.instance(1)
    assert instance
    assert (instance.run, instance.status, instance.error_code) == (2, "succeeded", None)
    assert instance.edited == ["$.TASK.PARAMS['x']"]


def test_entries_that_are_changed_in_place_are_distinguished_as_well(site: Site, store: Store) -> None:
    writer = site.instance(1)
    writer.start("one", id=1)
    writer.end("one", status="failed", code=FAILED)
    writer.set(("JOB", "one", "ATTEMPT"), 2)
    writer.end("one", status="succeeded")
    writer.finish("failed")
    writer.run = 2
    writer.set(("TASK", "STATUS"), "running")
    writer.set(("JOB", "one", "INSTANCE"), 2)
    writer.end("one", status="cancelled")
    writer.finish("cancelled")
    writer.write()

    rebuild(site.folder, store)

    assert [(job.id, job.status) for job in store.jobs(1)] == [(1, "succeeded"), (2, "cancelled")]
    assert [each.status for each in store.attempts(1)] == ["failed", "succeeded"]
    assert [run.status for run in store.runs(1)] == ["failed", "cancelled"]


def test_what_the_task_itself_says_of_its_failure_counts(site: Site, store: Store) -> None:
    writer = site.instance(1)
    writer.start("one", id=1)
    writer.end("one", status="failed", code=FAILED)
    writer.set(("TASK", "ERROR_CODE"), -3)
    writer.set(("TASK", "ERROR_MESSAGE"), "too late")
    writer.finish("timed_out")
    writer.write()

    rebuild(site.folder, store)

    [run] = store.runs(1)
    assert (run.status, run.error_code, run.error_message) == ("timed_out", -3, "too late")


def test_a_sub_task_knows_who_started_it(site: Site, store: Store) -> None:
    writer = site.instance(1)
    writer.start("child", id=9)
    writer.end("child", instance=2)
    writer.write({"task": "night-ly.1", "raw": RAW})
    site.instance(2, "other").write()

    rebuild(site.folder, store)

    assert [row.id for row in store.children(9)] == [2]


def test_a_flipped_bit_of_a_line_is_put_right_and_reported(site: Site, store: Store) -> None:
    writer = site.instance(1)
    writer.start("one", id=1)
    writer.end("one")
    whole = writer.write()
    data = bytearray(whole)
    data[whole.rindex(b"succeeded") + 3] ^= 1
    (writer.path / "ctx.log").write_bytes(data)

    [problem] = rebuild(site.folder, store).problems

    assert "flipped bit" in problem.message
    assert "".join(f"{line}\n" for line in store.lines(1)).encode() == whole


def test_definitions_that_are_missing_are_a_problem(site: Site, store: Store) -> None:
    writer = site.instance(1)
    writer.start("one", id=1)
    writer.write()
    (writer.path / ".skerry" / "definitions.json").unlink()

    [problem] = rebuild(site.folder, store).problems

    assert "definitions.json" in problem.path
    assert "missing" in problem.message
    assert store.snapshot(1, 1) is None


def test_ids_go_on_where_they_were(site: Site, store: Store) -> None:
    writer = site.instance(41)
    writer.start("one", id=1000)
    writer.write()

    rebuild(site.folder, store)

    assert (store.next_id("instance"), store.next_id("job_instance")) == (42, 1001)


def test_definitions_of_later_instances_win_and_files_are_not_the_workspaces(
    site: Site, store: Store
) -> None:
    def raw(name: str) -> dict[str, Any]:
        return {"tasks": {"t": {"name": name, "nodes": {}}}}

    site.instance(10, "t").write({"task": "t", "raw": raw("new"), "definition": 2})
    site.clock.forward(hours=1)
    site.instance(9, "t").path.joinpath("ctx.log").write_bytes(b"")
    later = site.instance(11, "t")
    later.set(("TASK", "SCHEDULED_TIME"), "2026-11-22T16:00:00.000000+08:00")
    later.write({"task": "t", "raw": raw("from a file"), "definition": None})
    older = site.instance(2, "t")
    older.set(("TASK", "SCHEDULED_TIME"), "2026-11-23T16:00:00.000000+08:00")
    older.write({"task": "t", "raw": raw("old"), "definition": 1})

    done = rebuild(site.folder, store)

    assert [row.content["name"] for row in store.history("task", "t")] == ["new", "old"]
    assert store.snapshot(11, 1) == raw("from a file")
    assert [problem.path.rpartition("/")[2] for problem in done.problems] == ["task-t-9"]


def test_what_cannot_be_read_is_reported_and_the_rest_is_there(site: Site, store: Store) -> None:
    writer = site.instance(1)
    writer.start("one", id=1)
    writer.end("one")
    lines = writer.write(cut=5).splitlines(keepends=True)
    damaged = site.instance(2, "other")
    lines = damaged.write().splitlines(keepends=True)
    (damaged.path / "ctx.log").write_bytes(lines[0] + lines[0].replace(b"manual", b"manuel") + lines[0])
    (site.folder / "task-empty-3").mkdir()
    (site.folder / "task-x").mkdir()
    (site.folder / "my notes").write_text("x")
    (site.folder / "task-link-4").symlink_to(writer.path)
    (site.folder / "task-file-5").write_text("x")
    broken = site.instance(6, "third")
    broken.write({})
    (broken.path / ".skerry" / "definitions.json").write_text("{")

    done = rebuild(site.folder, store)

    assert sorted(row.id for row in store.instances()) == [1, 2, 6]
    messages = [
        (Path(problem.path).relative_to(site.folder).parts[0], problem.message) for problem in done.problems
    ]
    assert [name for name, _ in messages] == [
        "task-night-ly.1-1", "task-other-2", "task-other-2", "task-empty-3", "task-third-6",
    ]  # fmt: skip
    assert "torn" in messages[0][1]
    assert "checksum" in messages[1][1]
    assert "line 1 comes after line 1" in messages[2][1]


def test_a_database_that_nobody_may_read_is_kept_beside_the_new_one(site: Site, tmp_path: Path) -> None:
    writer = site.instance(1)
    writer.start("one", id=1)
    writer.write()
    path = tmp_path / "skerry.db"
    path.write_bytes(b"what was there")
    path.chmod(0)

    code = (
        "import sys; from pathlib import Path; from engine.runtime.clock import SystemClock;"
        "from engine.store.rebuild import rebuild_database;"
        "print(rebuild_database(sys.argv[1], Path(sys.argv[2]), clock=SystemClock()).aside)"
    )
    asked = [*LIKE_OTHERS, sys.executable, "-c", code, f"sqlite:///{path}", str(site.folder)]
    aside = Path(subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip())

    aside.chmod(0o600)
    assert aside.read_bytes() == b"what was there"
    with closing(open_store(f"sqlite:///{path}", clock=StillClock())) as store:
        assert [row.id for row in store.instances()] == [1]


def test_a_store_that_is_not_empty_is_left_alone(site: Site, store: Store) -> None:
    with_instances(store, an_instance())

    with pytest.raises(Refused) as caught:
        rebuild(site.folder, store)

    assert caught.value.code == codes.NOT_EMPTY.number


def test_no_folder_is_an_empty_history(site: Site, store: Store) -> None:
    assert rebuild(site.folder, store) == Rebuilt()


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A database that nobody can open any more, with a WAL."""
    path = tmp_path / "skerry.db"
    path.write_bytes(b"not a database" * 1000)
    path.with_name("skerry.db-wal").write_bytes(b"nor a WAL")
    return path


def test_a_damaged_file_is_kept_and_replaced(site: Site, damaged: Path, url: str, clock: StillClock) -> None:
    site.instance(5).write()

    done = rebuild_database(url, site.folder, clock=clock)

    assert done.aside
    assert done.aside.read_bytes().startswith(b"not a database")
    assert Path(f"{done.aside}-wal").read_bytes() == b"nor a WAL"
    names = {each.name for each in damaged.parent.iterdir()}
    assert names == {"instances", "skerry.db", done.aside.name, f"{done.aside.name}-wal"}
    assert damaged.stat().st_mode & 0o777 == 0o600
    store = open_store(url, clock=clock)
    assert [row.id for row in store.instances()] == [5]
    store.close()


def test_a_lost_file_is_made(site: Site, url: str, clock: StillClock, tmp_path: Path) -> None:
    site.instance(5).write()

    done = rebuild_database(url, site.folder, clock=clock)

    assert done.aside is None
    with closing(sqlite3.connect(tmp_path / "skerry.db")) as connection:
        assert connection.execute("PRAGMA auto_vacuum").fetchone() == (2,)


def test_an_empty_server_is_filled(site: Site, postgres: Any, clock: StillClock) -> None:
    site.instance(5).write({"task": "night-ly.1", "raw": RAW})
    url = postgres.new_schema()

    done = rebuild_database(url, site.folder, clock=clock)

    assert done.instances == 1
    store = open_store(url, clock=clock)
    assert [row.id for row in store.instances()] == [5]
    store.close()
