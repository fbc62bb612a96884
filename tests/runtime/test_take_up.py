"""What is in mid-flight when an engine dies is taken up right by the next one."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.execution.proc import stat
from engine.execution.stage_file import StageRecord, read
from engine.model.codes.processes import TIMED_OUT
from engine.model.codes.runtime import CANCELLED, ENGINE_BUSY, LOST
from engine.model.codes.store import DISK_ERROR
from engine.model.errors import Refused, SkerryError
from engine.runtime.jobs.attempt_files import AttemptFiles
from engine.runtime.recovery import recover
from engine.runtime.reruns.rerun_request import RerunRequest
from engine.runtime.runs.ending import Ending
from engine.runtime.runs.turn_commit import TurnBatch
from engine.store.sql_store import Store
from tests.runtime.engine_process import EngineProcess
from tests.runtime.site import Gate, Seen, Site, close_quietly, lives, shell, task
from tests.waiting import until


class Fallen:
    """A workspace whose engine, a process, is killed at a chosen moment."""

    def __init__(self, root: Path) -> None:
        self.reader = Site(root)  # never started: it only looks
        self.process: EngineProcess | None = None
        self.site: Site | None = None
        self.instance = 0

    def begin(
        self,
        nodes: dict[str, Any],
        others: dict[str, Any] | None = None,
        *,
        resources: dict[str, Any] | None = None,
        **keys: Any,
    ) -> Fallen:
        """Let an engine process start this task."""
        raw = {"skerry": 1, "tasks": {**(others or {}), "t": {"nodes": nodes, **keys}}}
        raw |= {} if resources is None else {"resources": resources}
        self.process = EngineProcess(self.reader.root, raw).until_up()
        self.instance = self.process.instance or 0
        return self

    def until_state(self, node: str, *states: str) -> Fallen:
        """Wait for a node's state."""
        self.reader.until_state(self.instance, node, *states)
        return self

    def until_told(self, action: str) -> Fallen:
        """Wait until what was asked of the engine is written down."""
        until(lambda: action in [act.action for act in self.reader.engine.store.audit()], action)
        return self

    def kill(self) -> Fallen:
        """SIGKILL for the engine."""
        assert self.process is not None
        self.process.kill()
        return self

    def again(self) -> Site:
        """The next engine, in this process."""
        if not self.reader.closed:
            self.reader.engine.store.close()
            self.reader.closed = True
        self.site = Site(self.reader.root).start()
        return self.site

    def end(self) -> Seen:
        """The instance when the next engine has brought it to its end."""
        site = self.site or self.again()
        return site.end(self.instance)


@pytest.fixture
def fallen(tmp_path: Path) -> Iterator[Fallen]:
    fallen = Fallen(tmp_path / "workspace")
    yield fallen
    if fallen.process is not None:
        fallen.process.kill()
    if fallen.site is not None:
        for instance in [] if fallen.site.closed else list(fallen.site.engine.services.runs):
            fallen.site.engine.cancel(instance)
        fallen.site.close()


def test_a_job_outlives_its_engine_and_its_end_is_seen(fallen: Fallen, gate: Gate, journal: Path) -> None:
    script = f"echo start >> {journal}; {gate.script(then='printf 5 > outputs/n; echo end')}"
    nodes = {
        "a": shell(script, results={"n": {"kind": "number"}}),
        "b": shell(f"echo ${{n}} >> {journal}", after=["a"], params={"n": "$.JOB['a'].RESULT['n']"}),
    }
    fallen.begin(nodes)
    pid = gate.until_up()
    fallen.kill()
    assert lives(pid)

    fallen.again()
    gate.open()
    seen = fallen.end()

    assert seen.states == {"a": "succeeded", "b": "succeeded"}
    assert journal.read_text().split() == ["start", "5"]
    assert seen["a"].log == "end\n"
    assert (seen["a"].attempt, len(seen["a"].attempts)) == (1, 1)
    seen.assert_replays()


@pytest.mark.parametrize(("code", "state"), [(0, "succeeded"), (3, "failed")])
def test_what_ended_meanwhile_has_its_outcome(fallen: Fallen, gate: Gate, code: int, state: str) -> None:
    fallen.begin({"a": shell(gate.script(then=f"exit {code}"))})
    pid = gate.until_up()
    above = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])  # it writes the status
    fallen.kill()
    gate.open()
    until(lambda: not lives(pid) and not lives(above))
    gone = datetime.now(UTC)

    seen = fallen.end()

    assert (str(seen["a"].status), seen["a"].exit_code) == (state, code)
    assert datetime.fromisoformat(str(seen["a"].ended_at)) < gone  # not when an engine came to see it
    assert seen.job("a")["END_TIME"] == seen["a"].ended_at
    seen.assert_replays()


@pytest.mark.parametrize("process", ["sleep 60", "exit 3"], ids=["goes on", "has failed"])
def test_a_check_that_held_counts_when_the_engine_ends_in_the_end_stage(
    fallen: Fallen, gate: Gate, process: str
) -> None:
    check = {"after": "0s", "every": "1h", "times": 1, "success": "1 < 2"}
    fallen.begin({"a": shell(process, mode="async", check=check, end=gate.script())})
    gate.until_up()
    fallen.kill()
    fallen.again()
    gate.open()

    assert fallen.end().states == {"a": "succeeded"}


def test_an_engine_answers_while_the_supervisor_of_what_it_takes_up_is_stopped(
    fallen: Fallen, gate: Gate
) -> None:
    fallen.begin({"a": shell(gate.script(then="exit 3"))})
    pid = gate.until_up()
    above = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    fallen.kill()
    os.kill(above, signal.SIGSTOP)
    gate.open()
    until(lambda: stat(pid) is None)

    site = fallen.again()
    site.engine.services.loop.ask(lambda: None)
    meanwhile = Seen(site.engine, fallen.instance).states
    os.kill(above, signal.SIGCONT)
    seen = fallen.end()

    assert meanwhile == {"a": "running"}
    assert (str(seen["a"].status), seen["a"].exit_code) == ("failed", 3)


def test_what_a_failing_disk_kept_from_being_taken_up_says_so_and_is_tried_again(
    fallen: Fallen, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    fallen.begin({"a": shell(gate.script()), "b": shell("true", after=["a"])})
    gate.until_up()
    fallen.kill()
    failing, jobs = [SkerryError(DISK_ERROR, "disk I/O error")], Store.jobs

    def read(store: Store, *args: Any, **more: Any) -> Any:
        if failing:
            raise failing[0]
        return jobs(store, *args, **more)

    monkeypatch.setattr(recover, "_AGAIN", 0.02)
    monkeypatch.setattr(Store, "jobs", read)
    store = fallen.again().engine.store
    until(lambda: "set aside" in str(store.instance(fallen.instance).error_message))
    [alert] = store.alerts()
    failing.clear()
    until(lambda: store.instance(fallen.instance).error_message is None)
    gate.open()
    seen = fallen.end()

    assert "disk I/O error" in alert.message
    assert seen.states == {"a": "succeeded", "b": "succeeded"}
    assert (seen.status, seen.row.error_message) == ("succeeded", None)
    assert len(store.alerts()) == 1


@pytest.mark.parametrize("before", [False, True])
def test_nothing_exclusive_begins_beside_what_a_failing_disk_kept_from_being_taken_up(
    fallen: Fallen, gate: Gate, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    # given a job that outlives its engine, one of the two being exclusive, and a disk that fails then
    alone = {"on": {"exclusive": True}}
    fallen.begin({"a": shell(gate.script(), **(alone if before else {}))})
    gate.until_up()
    fallen.kill()
    failing, jobs = [SkerryError(DISK_ERROR, "disk I/O error")], Store.jobs

    def read(store: Store, instance: int, *args: Any, **more: Any) -> Any:
        if failing and instance == fallen.instance:
            raise failing[0]
        return jobs(store, instance, *args, **more)

    monkeypatch.setattr(recover, "_AGAIN", 0.02)
    monkeypatch.setattr(Store, "jobs", read)
    site = fallen.again()
    until(lambda: "set aside" in str(site.engine.store.instance(fallen.instance).error_message))

    # when another one is to run meanwhile
    other = site.begin(task({"b": shell("true", **({} if before else alone))}))
    site.until_state(other, "b", "busy")
    failing.clear()
    until(lambda: site.engine.store.instance(fallen.instance).error_message is None)

    # then it waits until the first one has ended
    assert site.state(other, "b") == "busy"
    gate.open()
    assert (fallen.end().status, site.end(other).status) == ("succeeded", "succeeded")


def test_a_job_that_was_killed_meanwhile_has_failed_by_that_signal(fallen: Fallen, gate: Gate) -> None:
    fallen.begin({"a": shell(gate.script())})
    pid = gate.until_up()
    fallen.kill()
    os.killpg(os.getpgid(pid), signal.SIGKILL)
    until(lambda: not lives(pid))

    seen = fallen.end()

    assert (seen["a"].status, seen["a"].exit_code, seen.status) == ("failed", 137, "failed")


def test_a_job_whose_supervisor_was_killed_meanwhile_is_lost(fallen: Fallen, gate: Gate) -> None:
    fallen.begin({"a": shell(gate.script()), "b": shell("true", after=["a"])})
    pid = gate.until_up()
    fallen.kill()
    os.kill(stat(pid).parent, signal.SIGKILL)  # type: ignore[union-attr]
    os.killpg(os.getpgid(pid), signal.SIGKILL)
    until(lambda: not lives(pid))

    seen = fallen.end()

    assert (seen["a"].status, seen["a"].error_code) == ("lost", LOST.number)
    assert (seen["b"].status, seen.status) == ("skipped", "lost")


def test_what_was_queued_runs_once(fallen: Fallen, gate: Gate, journal: Path) -> None:
    nodes = {f"n{i}": shell(gate.script("q") if i < 4 else f"echo n{i} >> {journal}") for i in range(8)}
    fallen.begin(nodes).until_state("n7", "queued")
    gate.until_up("q")
    fallen.kill()
    fallen.again()
    gate.open("q")
    seen = fallen.end()

    assert set(seen.states.values()) == {"succeeded"}
    assert sorted(journal.read_text().split()) == ["n4", "n5", "n6", "n7"]


def test_a_pause_before_the_next_attempt_goes_on(fallen: Fallen, journal: Path) -> None:
    script = f"echo x >> {journal}; [ $(wc -l < {journal}) = 2 ]"
    fallen.begin({"a": shell(script, retry={"times": 1, "interval": "1s"})}).until_state("a", "retrying")
    fallen.kill()
    seen = fallen.end()

    assert (seen.status, seen["a"].attempt) == ("succeeded", 2)
    assert journal.read_text() == "x\nx\n"
    first, second = seen["a"].attempts
    assert str(second.started_at) > str(first.ended_at)


def test_a_wait_goes_on_where_it_stood(fallen: Fallen) -> None:
    fallen.begin({"w": {"type": "wait", "for": "1500ms"}, "a": shell("true", after=["w"])})
    fallen.until_state("w", "waiting").kill()
    seen = fallen.end()

    assert seen.status == "succeeded"
    assert 1.5 <= seen["w"].results["waited"] < 20


def test_a_group_goes_on_with_its_member(fallen: Fallen, gate: Gate, journal: Path) -> None:
    group = {
        "type": "group",
        "jobs": [
            shell(f"echo 0 >> {journal}"),
            shell(f"echo 1 >> {journal}; {gate.script()}"),
            shell(f"echo 2 >> {journal}"),
        ],
    }
    fallen.begin({"g": group})
    gate.until_up()
    fallen.kill()
    fallen.again()
    gate.open()
    seen = fallen.end()

    assert seen.status == "succeeded", fallen.site and fallen.site.waiting(seen.id)
    assert journal.read_text().split() == ["0", "1", "2"]
    assert seen.states == {"g": "succeeded", "g.0": "succeeded", "g.1": "succeeded", "g.2": "succeeded"}
    seen.assert_replays()


def test_a_groups_second_attempt_does_not_take_the_first_ones_outcomes(
    fallen: Fallen, gate: Gate, journal: Path
) -> None:
    again = f"echo 0 >> {journal}; [ $(grep -c 0 {journal}) = 1 ] || {{ {gate.script()} }}"
    fails_once = f"echo 1 >> {journal}; [ $(grep -c 1 {journal}) = 2 ]"
    fallen.begin({"g": {"type": "group", "retry": {"times": 1}, "jobs": [shell(again), shell(fails_once)]}})
    gate.until_up()
    fallen.kill()
    fallen.again()
    gate.open()
    seen = fallen.end()

    assert seen.status == "succeeded", fallen.site and fallen.site.waiting(seen.id)
    assert journal.read_text().split() == ["0", "1", "0", "1"]


def test_a_sub_task_goes_on_and_ends_its_node(fallen: Fallen, gate: Gate) -> None:
    inner = {"nodes": {"i": shell(gate.script(then="printf 9 > outputs/n"))},
             "results": {"n": {"value": "$.JOB['i'].RESULT['n']"}}}  # fmt: skip
    fallen.begin({"sub": {"type": "task", "task": "inner"}}, {"inner": inner})
    gate.until_up()
    fallen.kill()
    fallen.again()
    gate.open()
    seen = fallen.end()

    assert seen.status == "succeeded"
    assert seen["sub"].results["n"] == "9"
    assert len(seen.engine.store.instances(limit=10_000)) == 2


def test_a_loop_goes_on_in_its_round(fallen: Fallen, gate: Gate, journal: Path) -> None:
    nodes = {
        "look": shell(f"echo look >> {journal}; grep -c look {journal} > outputs/n; "
                      f"[ $(grep -c look {journal}) -lt 3 ] || {{ {gate.script()} }}",
                      results={"n": {"kind": "number"}}),
        "c": {"type": "condition", "after": ["look"], "value": "{$.JOB['look'].RESULT['n']} >= 4",
              "branches": {"true": ["out"], "false": {"run": ["fix"], "again": True, "from": "look"}}},
        "fix": shell(f"echo fix >> {journal}"),
        "out": shell(f"echo out >> {journal}"),
    }  # fmt: skip
    fallen.begin(nodes)
    gate.until_up()
    fallen.kill()
    fallen.again()
    gate.open()
    seen = fallen.end()

    assert seen.status == "succeeded", fallen.site and fallen.site.waiting(seen.id)
    assert journal.read_text().split() == ["look", "fix", "look", "fix", "look", "fix", "look", "out"]
    assert [each.round for each in seen.all("look")] == [1, 2, 3, 4]
    seen.assert_replays()


def test_batch_members_go_on_and_those_that_ended_stay(fallen: Fallen, gate: Gate, journal: Path) -> None:
    script = f'echo "${{i}}" >> {journal}; [ "${{i}}" != b ] || {{ {gate.script()} }}'
    nodes = {
        "e": shell(script, for_each="$.TASK.PARAMS['l']", params={"i": "$.ITEM"}),
        "z": shell("true", after=["e"]),
    }
    fallen.begin(nodes, params={"l": ["a", "b", "c"]})
    gate.until_up()
    until(
        lambda: [
            row for row in fallen.reader.engine.store.jobs(fallen.instance) if row.status == "succeeded"
        ][1:]
    )
    fallen.kill()
    fallen.again()
    gate.open()
    seen = fallen.end()

    assert seen.status == "succeeded"
    assert sorted(journal.read_text().split()) == ["a", "b", "c"]


def test_members_that_run_at_once_are_as_many_under_the_next_engine(
    fallen: Fallen, gate: Gate, journal: Path
) -> None:
    script = f"echo $i >> {journal}; until [ -e {gate.folder}/$i.go ]; do sleep 0.02; done"
    node = shell(script, for_each="$.TASK.PARAMS['l']", params={"i": "$.ITEM"}, parallel=2)
    fallen.begin({"e": node}, params={"l": ["a", "b", "c", "d", "e"]})
    until(lambda: len(journal.read_text().split()) == 2)
    fallen.kill()
    fallen.again()
    gate.open("a")
    until(lambda: len(journal.read_text().split()) == 3)
    for member in "bcde":
        gate.open(member)

    assert fallen.end().status == "succeeded"
    assert sorted(journal.read_text().split()) == ["a", "b", "c", "d", "e"]


def test_an_asynchronous_job_is_checked_on(fallen: Fallen, gate: Gate) -> None:
    check = {"every": "50ms", "times": 2000, "success": "{$.JOB['a'].OUTPUT} # 'done'"}
    job = shell(gate.script(then="echo done"), mode="async", check=check)
    fallen.begin({"a": job}).until_state("a", "checking")
    gate.until_up()
    fallen.kill()
    fallen.again()
    gate.open()

    assert fallen.end().status == "succeeded"


def test_a_timeout_counts_from_the_beginning_of_the_attempt(fallen: Fallen, gate: Gate) -> None:
    fallen.begin({"a": shell(gate.script(), timeout="2s")})
    pid = gate.until_up()
    fallen.kill()
    seen = fallen.end()

    assert (seen["a"].status, seen["a"].error_code) == ("timed_out", TIMED_OUT.number)
    assert not lives(pid)


def test_a_cancel_under_way_goes_on(fallen: Fallen, gate: Gate, journal: Path) -> None:
    # given an engine that is killed while it waits for a job that ignores TERM
    ignores = f"trap '' TERM; {gate.script(then=f'echo survived >> {journal}')}"
    fallen.begin({"a": shell(ignores), "b": shell(f"echo b >> {journal}", after=["a"])})
    gate.until_up()
    assert fallen.process is not None
    fallen.process.cancel()
    fallen.until_state("b", "skipped").kill()

    # when the next one takes the run up
    seen = fallen.end()

    # then it is cancelled all the same
    assert (seen.status, seen.row.error_code) == ("cancelled", CANCELLED.number)
    assert seen.states == {"a": "cancelled", "b": "skipped"}
    assert journal.read_text() == ""
    assert len(seen.rows) == 2


def _with_stubborn_child(pid: Path, gate: Gate) -> str:
    return f"(trap '' TERM; exec setsid sleep 600) & echo $! > {pid}; {gate.script()}"


def _kill_once_its_process_ended(fallen: Fallen, job: str = "a") -> None:
    [record] = fallen.reader.root.glob(f"instances/*/jobs/job-{job}-*/.skerry/process")
    until(lambda: (read(str(record)) or StageRecord()).exit is not None)
    fallen.kill()


def test_a_cancel_under_way_goes_on_where_the_jobs_own_process_has_ended(
    fallen: Fallen, gate: Gate, tmp_path: Path
) -> None:
    # given an engine that is killed while a stopped job has a child left that ignores TERM
    pid = tmp_path / "pid"
    script = _with_stubborn_child(pid, gate)
    fallen.begin({"a": shell(script), "b": shell("true", after=["a"])})
    gate.until_up()
    assert fallen.process is not None
    fallen.process.cancel()
    fallen.until_state("b", "skipped")
    _kill_once_its_process_ended(fallen)

    # when the next one takes the run up
    seen = fallen.end()

    # then that child is gone, and everything is cancelled once
    assert not lives(int(pid.read_text()))
    assert (seen.status, seen.states) == ("cancelled", {"a": "cancelled", "b": "skipped"})
    assert len(seen.rows) == 2


def test_the_stop_of_one_node_goes_on_and_is_reported_as_that(
    fallen: Fallen, gate: Gate, journal: Path, tmp_path: Path
) -> None:
    # given an engine that is killed while a node that is being stopped has a child left that ignores TERM
    pid = tmp_path / "pid"
    nodes = {
        "a": shell(_with_stubborn_child(pid, gate), retry={"times": 1}),
        "b": shell(f"echo b >> {journal}", after=["a"]),
        "c": shell(f"echo c >> {journal}", after=["a"], run_if="any_failed"),
    }
    fallen.begin(nodes)
    gate.until_up()
    assert fallen.process is not None
    fallen.process.cancel("a")
    fallen.until_told("cancel")
    _kill_once_its_process_ended(fallen)

    # when the next one takes the run up
    seen = fallen.end()

    # then that child is gone, and the node is cancelled as it would have been; the run goes on
    assert not lives(int(pid.read_text()))
    assert seen.states == {"a": "cancelled", "b": "skipped", "c": "succeeded"}
    assert (seen["a"].error_code, seen["a"].error_message) == (CANCELLED.number, "cancelled by operator")
    assert [str(each.status) for each in seen["a"].attempts] == ["cancelled"]
    assert journal.read_text() == "c\n"
    seen.assert_replays()


def test_the_stop_of_a_group_goes_on_as_one(fallen: Fallen, gate: Gate, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    members = [shell(_with_stubborn_child(pid, gate)), shell("true")]
    fallen.begin({"g": {"type": "group", "jobs": members}})
    gate.until_up()
    assert fallen.process is not None
    fallen.process.cancel("g")
    fallen.until_told("cancel")
    _kill_once_its_process_ended(fallen, "g.0")

    seen = fallen.end()

    assert not lives(int(pid.read_text()))
    assert seen.states == {"g": "cancelled", "g.0": "cancelled"}


def test_an_outcome_that_was_settled_by_hand_stays_also_when_its_job_was_still_being_stopped(
    fallen: Fallen, gate: Gate, tmp_path: Path
) -> None:
    pid = tmp_path / "pid"
    fallen.begin({"a": shell(_with_stubborn_child(pid, gate)), "b": shell("true", after=["a"])})
    gate.until_up()
    assert fallen.process is not None
    fallen.process.force("a", "succeeded")
    fallen.until_told("force")
    _kill_once_its_process_ended(fallen)

    seen = fallen.end()

    assert not lives(int(pid.read_text()))
    assert (seen.status, seen.states) == ("succeeded", {"a": "succeeded", "b": "succeeded"})
    assert seen["a"].row.reason == "by hand: seen by hand (operator)"


def test_a_call_that_someone_stopped_is_cancelled_not_lost(fallen: Fallen) -> None:
    # given an engine that is killed while a call, which hangs in connecting, does not hear that it shall end
    with socket.create_server(("127.0.0.1", 0), backlog=0) as deaf, socket.socket() as first:
        port = deaf.getsockname()[1]
        first.connect(("127.0.0.1", port))
        fallen.begin({"a": {"type": "http", "url": f"http://127.0.0.1:{port}/"}})
        until(lambda: f"0100007F:{port:04X} 02" in Path("/proc/net/tcp").read_text(), "the hanging call")
        assert fallen.process is not None
        fallen.process.cancel("a")
        fallen.until_told("cancel").kill()

        # when the next one takes the run up, then it is what was asked for
        seen = fallen.end()
    assert (seen["a"].status, seen["a"].error_code) == ("cancelled", CANCELLED.number)


def test_what_a_timeout_had_begun_to_stop_does_not_live_on(
    fallen: Fallen, gate: Gate, tmp_path: Path
) -> None:
    # given an engine that is killed while a job that took too long has a child left that ignores TERM
    pid = tmp_path / "pid"
    script = _with_stubborn_child(pid, gate)
    fallen.begin({"a": shell(script, timeout="1s")})
    gate.until_up()
    _kill_once_its_process_ended(fallen)

    # when the next one takes the run up, then that child is gone
    seen = fallen.end()
    assert not lives(int(pid.read_text()))
    assert (seen["a"].status, seen["a"].error_code) == ("timed_out", TIMED_OUT.number)


def test_a_task_that_waits_for_its_next_try_is_tried(fallen: Fallen, journal: Path) -> None:
    script = f"echo x >> {journal}; [ $(wc -l < {journal}) = 2 ]"
    nodes = {"ok": shell(f"echo ok >> {journal}.ok"), "a": shell(script, after=["ok"])}
    fallen.begin(nodes, retry={"times": 1, "interval": "1s"})
    until(lambda: fallen.reader.see(fallen.instance).status == "waiting")
    fallen.kill()
    seen = fallen.end()

    assert (seen.status, seen.row.run) == ("succeeded", 2)
    assert journal.read_text() == "x\nx\n"
    assert Path(f"{journal}.ok").read_text() == "ok\n"
    seen.assert_replays()


def test_the_first_failure_is_still_known(fallen: Fallen, gate: Gate) -> None:
    fallen.begin({"bad": shell("exit 3"), "slow": shell(gate.script())}).until_state("bad", "failed")
    gate.until_up()
    fallen.kill()
    fallen.again()
    gate.open()
    seen = fallen.end()

    assert seen.status == "failed"
    assert "'bad'" in str(seen.row.error_message)


def test_what_failed_is_not_run_again_and_what_follows_is_skipped(
    fallen: Fallen, gate: Gate, journal: Path
) -> None:
    nodes = {
        "bad": shell("exit 3"),
        "next": shell(f"echo next >> {journal}", after=["bad"]),
        "slow": shell(gate.script()),
        "join": shell("true", after=["slow", "next"], run_if="all_done"),
    }
    fallen.begin(nodes).until_state("next", "skipped")
    gate.until_up()
    fallen.kill()
    fallen.again()
    gate.open()
    seen = fallen.end()

    assert seen.states == {"bad": "failed", "next": "skipped", "slow": "succeeded", "join": "succeeded"}
    assert journal.read_text() == ""


def test_an_edit_is_still_known(fallen: Fallen, gate: Gate) -> None:
    nodes = {"a": shell(gate.script()),
             "b": shell("true", after=["a"], params={"x": "$.TASK.PARAMS['x']"})}  # fmt: skip
    fallen.begin(nodes, params={"x": 1})
    gate.until_up()
    fallen.kill()
    site = fallen.again()
    site.engine.set_value(fallen.instance, "$.TASK.PARAMS['x']", 2, "because", "me")
    site = fallen.site = site.again()
    gate.open()
    seen = fallen.end()

    assert seen.states == {"a": "succeeded", "b": "succeeded"}
    assert seen.row.edited == ["$.TASK.PARAMS['x']"]
    assert seen["b"].based_on_edit
    assert seen.job("b")["PARAMS"] == {"x": 2}


def test_two_engines_at_once_are_one_too_many(site: Site) -> None:
    other = Site(site.root)
    with pytest.raises(Refused) as caught:
        other.engine.start()

    assert caught.value.entry is ENGINE_BUSY
    assert str(os.getpid()) in caught.value.message
    other.engine.store.close()


def test_closing_an_engine_leaves_its_jobs_running(site: Site, gate: Gate) -> None:
    instance = site.begin(task({"a": shell(gate.script())}))
    pid = gate.until_up()
    site.close()
    assert lives(pid)

    site.engine = Site(site.root).engine
    site.start()
    gate.open()

    assert site.end(instance).status == "succeeded"


def test_a_stage_made_of_jobs_goes_on_where_it_was(fallen: Fallen, gate: Gate, journal: Path) -> None:
    stage = {"group": [shell(f"echo one >> {journal}"), shell(gate.script(then=f"echo two >> {journal}"))]}
    fallen.begin(
        {"a": shell(f"echo work >> {journal}", ready=stage, end={"group": [shell("echo e > outputs/e")]})}
    )
    gate.until_up()
    fallen.kill()

    fallen.again()
    gate.open()
    seen = fallen.end()

    assert seen.states["a"] == "succeeded"
    assert journal.read_text().split() == ["one", "two", "work"]
    assert (seen["a"].attempt, len(seen.all("a.ready.1"))) == (1, 1)
    seen.assert_replays()


def test_a_group_that_is_tried_again_after_a_restart_runs_all_of_it(
    fallen: Fallen, gate: Gate, journal: Path
) -> None:
    """The members of its failed attempt are no more, also where they had succeeded."""
    members = [shell(f"echo one >> {journal}"), shell(f"{gate.script()} test -e {journal}.again")]
    fallen.begin({"g": {"type": "group", "jobs": members, "retry": {"times": 1, "interval": "2s"}}})
    gate.until_up()
    gate.open()
    fallen.until_state("g", "retrying").kill()
    Path(f"{journal}.again").touch()

    seen = fallen.end()

    assert seen.states["g"] == "succeeded"
    assert journal.read_text().split() == ["one", "one"]


def test_what_ended_in_the_last_moment_of_an_engine_is_in_its_files_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given an engine that writes the end of a run down and dies before it comes to the files
    with monkeypatch.context() as died:
        died.setattr(AttemptFiles, "end", lambda files, ok: None)
        died.setattr(Ending, "_let_go", lambda ending, run, failure, delay: None)
        died.setattr(TurnBatch, "follow", lambda batch: None)
        site = Site(tmp_path).start()
        instance = site.begin(task({"a": shell("exit 7")}))
        until(lambda: _ended(site, instance), "the end in the store")
        site.close()

    # when the next one begins
    seen = site.again().end(instance)

    # then the files say what the store says
    assert (seen["a"].folder / "status").read_text() == "0\n"
    assert '"STATUS":"failed"' in (seen["a"].folder / "ctx.json").read_text()
    seen.assert_replays()
    close_quietly(site)


def _ended(site: Site, instance: int) -> bool:
    row = site.engine.store.instance(instance)
    return row is not None and row.status == "failed"


def test_what_ran_on_an_edited_value_says_so_after_a_restart_too(tmp_path: Path, gate: Gate) -> None:
    site = Site(tmp_path / "workspace").start()
    nodes = {
        "a": shell(f"[ $x -gt 5 ] || exit 3; {gate.script()}", params={"x": "$.TASK.PARAMS['x']"}),
        "b": shell("true", after=["a"]),
    }
    instance = site.run(task(nodes, params={"x": 1})).id
    site.engine.rerun([RerunRequest(instance, "failed", edits=[("$.TASK.PARAMS['x']", 9)], reason="more")])
    gate.until_up()

    site.again()
    gate.open()
    seen = site.end(instance)
    site.close()

    assert {row.node: row.based_on_edit for row in seen.latest} == {"a": True, "b": True}


@pytest.mark.parametrize("stage", ["process", "end"])
def test_a_stage_whose_record_was_only_being_made_is_begun(
    fallen: Fallen, gate: Gate, journal: Path, stage: str
) -> None:
    """The engine was killed between making the file and writing into it."""
    held, after = gate.script(then=f"echo held >> {journal}"), f"echo next >> {journal}"
    stages = {"process": shell(after, ready=held), "end": shell(held, end=after)}
    fallen.begin({"a": stages[stage]})
    pid = gate.until_up()
    fallen.kill()
    gate.open()
    until(lambda: not lives(pid))
    [folder] = fallen.reader.root.glob("instances/task-t-*/jobs/job-a-*/.skerry")
    (folder / stage).touch()

    seen = fallen.end()

    assert seen.states == {"a": "succeeded"}, seen["a"].error_message
    assert journal.read_text().split() == ["held", "next"]
