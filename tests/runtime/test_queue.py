"""The queue of jobs: exclusive ones, and what people do to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.desktop.queue.reordering import moves
from engine.api.client import Client
from engine.api.listener import Listener
from engine.api.local import LocalService
from engine.api.read_only import ReadOnlyService
from engine.model.codes.queue import NOT_HELD, NOT_WAITING, OVERDUE
from engine.model.codes.runtime import PARAM_UNKNOWN, REMOVED
from engine.model.errors import Invalid, Refused
from engine.model.reason import Kind, Reason
from engine.planning.places import Load
from engine.runtime.clock import SystemClock
from engine.runtime.queue.job_queue import Claim, Queue
from engine.runtime.queue.sizing import Sizing
from tests.effort import effort
from tests.runtime.site import Gate, Site, shell, task
from tests.waiting import until

ALONE = {"exclusive": True}
_OF_QUEUES = {"resize", "pause", "prioritise", "remove", "clean"}


# -- exclusive jobs ------------------------------------------------------------------------------


def test_an_exclusive_job_runs_alone_and_the_others_wait_for_it(site: Site, gate: Gate) -> None:
    # given a job that runs, then an exclusive one, then another
    first = site.begin(task({"a": shell(gate.script("a"))}))
    gate.until_up("a")
    alone = site.begin(task({"x": shell(gate.script("x"), on=ALONE)}))
    site.until_state(alone, "x", "busy")
    later = site.begin(task({"b": shell(gate.script("b"))}))
    site.until_state(later, "b", "queued")
    assert "exclusive" in str(site.see(alone)["x"].reason)

    # when the first one ends, then the exclusive one begins and the last one is refused
    gate.open("a")
    gate.until_up("x")
    site.until_state(later, "b", "busy")
    assert str(site.see(alone)["x"].id) in str(site.see(later)["b"].reason)
    gate.open("x")
    gate.until_up("b")
    gate.open("b")
    assert [site.end(each).status for each in (first, alone, later)] == ["succeeded"] * 3


def test_an_urgent_job_does_not_pass_an_exclusive_one_whose_turn_has_come(site: Site, gate: Gate) -> None:
    site.begin(task({"a": shell(gate.script("a"))}))
    gate.until_up("a")
    alone = site.begin(task({"x": shell(gate.script("x"), on=ALONE)}))
    site.until_state(alone, "x", "busy")
    urgent = site.begin(task({"u": shell("true")}, priority=9))
    site.until_state(urgent, "u", "queued")
    gate.open("a")
    gate.until_up("x")
    assert site.state(urgent, "u") == "busy"
    gate.open("x")
    assert site.end(urgent).status == "succeeded"


def test_a_cancelled_exclusive_job_lets_the_others_go_on(site: Site, gate: Gate) -> None:
    site.begin(task({"a": shell(gate.script("a"))}))
    gate.until_up("a")
    alone = site.begin(task({"x": shell("true", on=ALONE)}))
    site.until_state(alone, "x", "busy")
    later = site.begin(task({"b": shell("true")}))
    site.engine.cancel(alone)
    assert site.end(later).status == "succeeded"
    gate.open("a")


def test_an_exclusive_job_that_runs_is_still_alone_after_a_restart(site: Site, gate: Gate) -> None:
    alone = site.begin(task({"x": shell(gate.script("x"), on=ALONE)}))
    gate.until_up("x")
    site.again()
    later = site.begin(task({"b": shell("true")}))
    site.until_state(later, "b", "busy")
    gate.open("x")
    assert [site.end(each).status for each in (alone, later)] == ["succeeded"] * 2


CHECKED = {"every": "50ms", "times": 2000, "success": "{$.JOB['a'].OUTPUT} # 'done'"}


@pytest.mark.parametrize("restarts", [False, True], ids=["the same engine", "another engine"])
@pytest.mark.parametrize(
    ("of_first", "of_later"), [({}, ALONE), (ALONE, {})], ids=["a plain one first", "an exclusive one first"]
)
def test_an_asynchronous_job_runs_for_exclusive_ones_until_its_program_has_ended(
    site: Site, gate: Gate, of_first: dict[str, Any], of_later: dict[str, Any], restarts: bool
) -> None:
    # given an asynchronous job whose program runs
    job = shell(gate.script("a", then="echo done"), mode="async", check=CHECKED, on=of_first)
    first = site.begin(task({"a": job}))
    gate.until_up("a")
    site.until_state(first, "a", "checking")
    if restarts:
        site.again()

    # when another job comes, one of the two being exclusive
    later = site.begin(task({"x": shell("true", on=of_later)}))
    site.until_state(later, "x", "busy")

    # then that begins when the program has ended
    gate.open("a")
    assert [site.end(each).status for each in (first, later)] == ["succeeded"] * 2


@pytest.mark.parametrize("restarts", [False, True], ids=["the same engine", "another engine"])
@pytest.mark.parametrize(
    ("of_first", "of_later"), [({}, ALONE), (ALONE, {})], ids=["a plain one first", "an exclusive one first"]
)
def test_the_end_stage_of_an_asynchronous_job_counts_like_its_program(
    site: Site, gate: Gate, of_first: dict[str, Any], of_later: dict[str, Any], restarts: bool
) -> None:
    # given an asynchronous job whose program has ended, and that is not checked to the end yet
    job = shell("true", mode="async", check=CHECKED, on=of_first, end=gate.script("end"))
    first = site.begin(task({"a": job}))
    until(lambda: site.see(first)["a"].exit_code == 0, "the end of its program")
    if restarts:
        site.again()

    # when another job comes, one of the two being exclusive, and the check holds
    later = site.begin(task({"x": shell("true", on=of_later)}))
    site.until_state(later, "x", "busy")
    (site.see(first)["a"].folder / "job.log").write_text("done")

    # then that waits for the end stage too
    gate.until_up("end")
    assert site.state(later, "x") == "busy"
    gate.open("end")
    assert [site.end(each).status for each in (first, later)] == ["succeeded"] * 2


def test_an_asynchronous_job_that_was_getting_ready_waits_for_its_slot_under_the_next_engine(
    site: Site, gate: Gate
) -> None:
    # given an exclusive one of whose ready stage a job runs when the engine ends
    ready = {"group": [shell(gate.script("ready"))]}
    job = shell(gate.script("a", then="echo done"), mode="async", check=CHECKED, on=ALONE, ready=ready)
    alone = site.begin(task({"a": job}))
    gate.until_up("ready")
    site.again()

    # when another job runs by the time that it is ready
    other = site.begin(task({"b": shell(gate.script("b"))}))
    gate.until_up("b")
    gate.open("ready")

    # then it begins after that, and nothing begins beside it
    until(lambda: site.see(alone)["a"].because == Reason(Kind.EXCLUSIVE_NEXT), "its turn in line")
    gate.open("b")
    gate.until_up("a")
    later = site.begin(task({"c": shell("true")}))
    site.until_state(later, "c", "busy")
    gate.open("a")
    assert [site.end(each).status for each in (alone, other, later)] == ["succeeded"] * 3


def test_an_asynchronous_job_whose_ready_program_runs_has_its_slot_under_the_next_engine(
    make_site: Callable[..., Site], gate: Gate
) -> None:
    site = make_site(places=1)
    job = shell(gate.script("a", then="echo done"), mode="async", check=CHECKED, ready=gate.script("ready"))
    first = site.begin(task({"a": job}))
    gate.until_up("ready")
    site.again()

    later = site.begin(task({"b": shell(gate.script("b"))}))
    site.until_state(later, "b", "queued")
    gate.open("ready")
    gate.until_up("a")
    gate.until_up("b")  # the slot is free once the program is started

    for each in ("a", "b"):
        gate.open(each)
    assert [site.end(each).status for each in (first, later)] == ["succeeded"] * 2


def test_what_an_asynchronous_job_leaves_running_is_in_nobodys_way(site: Site, gate: Gate) -> None:
    check = {"every": "50ms", "times": 2000, "success": "1 < 2"}
    started = site.run(task({"a": shell(gate.script("a"), mode="async", check=check, on=ALONE)}))
    gate.until_up("a")

    assert started.status == "succeeded"
    assert site.run(task({"x": shell("true", on=ALONE)})).status == "succeeded"
    gate.open("a")


class _Loop:
    """The part of the engine's loop that a queue needs."""

    def __init__(self) -> None:
        self.clock = SystemClock()
        self.calls: list[Any] = []

    def soon(self, call: Any) -> None:
        self.calls.append(call)

    def turn(self) -> None:
        while self.calls:
            self.calls.pop(0)()


class _Fiber:
    def __init__(self, granted: Any) -> None:
        self.resume = granted


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("join"), st.integers(1, 12), st.booleans(), st.integers(0, 2)),
        st.tuples(st.just("end"), st.integers(0, 20)),
        st.tuples(st.just("pause"), st.booleans()),
        st.tuples(st.just("size"), st.integers(1, 4)),
    ),
    max_size=60,
)


@given(STEPS)
@settings(max_examples=effort(60, all=1200))
def test_whatever_happens_exclusive_is_alone_nobody_runs_twice_and_all_get_their_turn(steps: Any) -> None:
    loop: Any = _Loop()
    queue = Queue(loop, 2)
    running: list[Claim] = []
    joined = 0

    def end(place: int) -> None:
        if running:
            queue.give_back(running.pop(place % len(running)))

    for step in steps:
        if step[0] == "join":
            claim = Claim(step[1], key=step[1] % 3, limit=1, exclusive=step[2], priority=step[3])
            claim.fiber = _Fiber(lambda claim=claim: running.append(claim))  # type: ignore[assignment]
            queue.join(claim)
            joined += 1
        elif step[0] == "end":
            end(step[1])
        elif step[0] == "pause":
            queue.paused = step[1]
            queue.wake()
        else:
            queue.slots = step[1]
            queue.wake()
        loop.turn()
        jobs = [claim.job for claim in running]
        assert len(jobs) == len(set(jobs)) == queue.taken
        assert not any(claim.exclusive for claim in running) or len(running) == 1
        assert joined == 0 or queue.length >= 0
    queue.paused = False
    queue.wake()
    loop.turn()
    for _ in range(joined):
        end(0)
        loop.turn()
    assert not list(queue.waiting())
    assert queue.taken == 0


# -- what people do ------------------------------------------------------------------------------


@pytest.fixture
def desk(site: Site) -> LocalService:
    return LocalService(site.engine, actor="wang")


def _hold(site: Site, gate: Gate) -> int:
    """Take every place."""
    site.engine.queue.resize(1, "ann")
    instance = site.begin(task({"a": shell(gate.script("a"))}))
    gate.until_up("a")
    return instance


def test_cleared_jobs_fail_with_a_code_that_retry_may_act_on(
    site: Site, gate: Gate, desk: LocalService
) -> None:
    _hold(site, gate)
    plain = site.begin(task({"b": shell("true")}))
    again = site.begin(task({"c": shell("true", retry={"times": 1})}))
    for instance, node in ((plain, "b"), (again, "c")):
        site.until_state(instance, node, "queued")
    waiting = [each["job_instance"] for each in desk.queue()["waiting"]]
    assert desk.queue_clear() == {"removed": waiting}
    ended = site.end(plain)
    assert ended["b"].error_code == REMOVED.number
    assert REMOVED.retryable
    [record] = site.engine.store.exceptions()[-1:]
    assert (record.code, record.node) == (REMOVED.number, "b")
    assert "wang" in record.message
    gate.open("a")
    assert site.end(again).status == "succeeded"


def test_one_that_waits_is_removed_and_one_that_runs_is_not(
    site: Site, gate: Gate, desk: LocalService
) -> None:
    held = _hold(site, gate)
    other = site.begin(task({"b": shell("true")}))
    site.until_state(other, "b", "queued")
    with pytest.raises(Refused) as refused:
        desk.queue_remove(site.see(held)["a"].id)
    assert refused.value.entry is NOT_WAITING
    desk.queue_remove(site.see(other)["b"].id)
    assert site.end(other)["b"].status == "failed"
    gate.open("a")


def test_a_held_job_lets_others_pass_until_it_is_released(
    site: Site, gate: Gate, desk: LocalService, journal: Path
) -> None:
    # given a job that has the slot, and two that wait
    first = _hold(site, gate)
    made = {name: site.begin(task({name: shell(f"echo {name} >> {journal}")})) for name in ("b", "c")}
    for name, instance in made.items():
        site.until_state(instance, name, "queued")
    number = site.see(made["b"])["b"].id

    # when the next one is held, then it is out of the line, and says by whom and why
    assert desk.queue_hold(number, True, "the disk is full") == {"job_instance": number, "held": True}
    until(lambda: [each["job_instance"] for each in desk.queue()["held_jobs"]] == [number])
    [held] = desk.queue()["held_jobs"]
    assert [each["node"] for each in desk.queue()["waiting"]] == ["c"]
    assert held["why"]["kind"] == "held"
    assert held["why"]["note"] == "the disk is full"
    assert site.see(made["b"])["b"].status == "queued"
    assert site.see(made["b"])["b"].reason.endswith(": the disk is full")
    with pytest.raises(Refused) as refused:
        desk.queue_hold(number, True, "")
    assert refused.value.entry is NOT_WAITING

    # and the other one passes it
    gate.open("a")
    assert site.end(made["c"]).status == "succeeded"
    assert journal.read_text() == "c\n"

    # and once it is released it runs
    assert desk.queue_hold(number, False) == {"job_instance": number, "held": False}
    assert site.end(made["b"]).status == site.end(first).status == "succeeded"
    with pytest.raises(Refused) as refused:
        desk.queue_hold(number, False)
    assert refused.value.entry is NOT_HELD


def test_a_job_is_held_also_by_the_next_engine_and_can_be_cancelled(site: Site, gate: Gate) -> None:
    _hold(site, gate)
    other = site.begin(task({"b": shell("true")}))
    site.until_state(other, "b", "queued")
    number = site.see(other)["b"].id
    LocalService(site.engine).queue_hold(number, True, "")
    assert [
        each["node"]
        for each in ReadOnlyService(site.engine.store, site.engine.workspace).queue()["held_jobs"]
    ] == ["b"]

    site.again()

    desk = LocalService(site.engine)
    until(lambda: [each["job_instance"] for each in desk.queue()["held_jobs"]] == [number])
    gate.open("a")
    desk.cancel(other)
    assert site.end(other).status == "cancelled"
    assert desk.queue()["held_jobs"] == []


def test_what_is_released_has_its_place_in_line_again(site: Site, gate: Gate, desk: LocalService) -> None:
    _hold(site, gate)
    made = {name: site.begin(task({name: shell("true")})) for name in ("b", "c")}
    for name, instance in made.items():
        site.until_state(instance, name, "queued")
    number = site.see(made["b"])["b"].id
    desk.queue_hold(number, True, "")
    until(lambda: len(desk.queue()["waiting"]) == 1)

    desk.queue_hold(number, False)

    until(lambda: [each["node"] for each in desk.queue()["waiting"]] == ["b", "c"])
    gate.open("a")
    assert [site.end(each).status for each in made.values()] == ["succeeded"] * 2


def test_the_highest_priority_comes_first_also_after_a_restart(site: Site, gate: Gate, journal: Path) -> None:
    _hold(site, gate)
    made = {name: site.begin(task({name: shell(f"echo {name} >> {journal}")})) for name in ("b", "c", "d")}
    for name, instance in made.items():
        site.until_state(instance, name, "queued")
    LocalService(site.engine).queue_priority(site.see(made["d"])["d"].id, 5)
    site.again()
    desk = LocalService(site.engine)
    site.until_state(made["b"], "b", "queued")
    desk.queue_priority(site.see(made["c"])["c"].id, 7)
    assert [each["node"] for each in desk.queue()["waiting"]] == ["c", "d", "b"]
    gate.open("a")
    for instance in made.values():
        site.end(instance)
    assert journal.read_text().split() == ["c", "d", "b"]


@pytest.mark.parametrize(("moved", "before"), [("b", None), ("d", "c"), ("d", "b"), ("b", "d")])
def test_a_place_in_line_is_kept_by_a_later_engine(
    site: Site, gate: Gate, moved: str, before: str | None
) -> None:
    _hold(site, gate)
    made = {name: site.begin(task({name: shell("true")})) for name in ("b", "c", "d")}
    for name, instance in made.items():
        site.until_state(instance, name, "queued")
    desk = LocalService(site.engine)
    rows = {row["node"]: row for row in desk.queue()["waiting"]}
    place = rows[before]["job_instance"] if before is not None else None
    for job_instance, priority in moves(desk.queue()["waiting"], rows[moved]["job_instance"], place):
        desk.queue_priority(job_instance, priority)
    line = [row["node"] for row in desk.queue()["waiting"]]
    others = [name for name in made if name != moved]
    at = others.index(before) if before is not None else len(others)
    assert line == [*others[:at], moved, *others[at:]]

    site.again()

    for name, instance in made.items():
        site.until_state(instance, name, "queued")
    assert [row["node"] for row in LocalService(site.engine).queue()["waiting"]] == line
    gate.open("a")
    for instance in made.values():
        site.end(instance)


def test_a_pause_and_a_size_outlive_the_engine(site: Site, desk: LocalService) -> None:
    assert desk.queue_pause(True)["paused"]
    assert desk.queue_size(3)["places"] == 3
    site.again()
    desk = LocalService(site.engine)
    waits = site.begin(task({"b": shell("true")}))
    site.until_state(waits, "b", "queued")
    assert (desk.queue()["paused"], desk.queue()["places"], desk.queue()["taken"]) == (True, 3, 0)
    desk.queue_pause(False)
    assert site.end(waits).status == "succeeded"
    assert desk.queue_size(None)["places"] == 4, "as workspace.yaml says"


def test_what_runs_for_too_long_is_ended_with_all_its_processes(
    site: Site, gate: Gate, desk: LocalService
) -> None:
    long = site.begin(task({"a": shell(gate.script("a"))}))
    pid = gate.until_up("a")
    assert desk.queue_clean(5) == {"ended": []}
    assert desk.queue_clean(0) == {"ended": [site.see(long)["a"].id]}
    assert not Path(f"/proc/{pid}").exists()
    assert site.end(long)["a"].error_code == OVERDUE.number


def test_a_job_is_added_by_hand_with_values_that_are_not_evaluated(site: Site, desk: LocalService) -> None:
    text = """
skerry: 1
jobs:
  hello:
    type: shell
    params: {who: {kind: text, required: true}, n: 3, list: {kind: list, value: [1]}}
    process: 'echo "$who $n $list"'
"""
    desk.load([{"name": "d.yaml", "text": text}])
    for texts in ({}, {"who": "x", "whu": "y"}):
        with pytest.raises(Invalid):
            desk.queue_add("hello", {}, texts)
    with pytest.raises(Invalid) as unknown:
        desk.queue_add("hello", {}, {"whu": "y"})
    assert unknown.value.entry is PARAM_UNKNOWN
    with pytest.raises(Invalid):
        desk.queue_add("nobody", {}, {})
    added = desk.queue_add("hello", {"list": [2, 3]}, {"who": "$.TASK.ID {$.TASK.ID}"})
    assert site.end(added["instance"])["hello"].log == "$.TASK.ID {$.TASK.ID} 3 [2,3]\n"


def test_over_the_socket_it_is_the_same(site: Site, gate: Gate, desk: LocalService) -> None:
    held = _hold(site, gate)
    desk.load([{"name": "d", "text": "{skerry: 1, jobs: {j: {type: shell, process: 'true'}}}"}])
    with Listener(desk, site.engine.workspace.socket), Client(site.engine.workspace.socket) as client:
        assert client.queue_size(1) == {"size": 1, "places": 1, "taken": 1, "paused": False}
        first, second = (client.queue_add("j", {}, {})["instance"] for _ in range(2))
        until(lambda: len(client.queue()["waiting"]) == 2)
        last = client.queue()["waiting"][-1]["job_instance"]
        assert client.queue_priority(last, 3) == {"job_instance": last, "priority": 3}
        assert client.queue_remove(last) == {"removed": [last]}
        assert client.queue_pause(True)["paused"]
        assert len(client.queue_clear()["removed"]) == 1
        assert client.queue_clean(0)["ended"] == [site.see(held)["a"].id]
        with pytest.raises(Refused):
            client.queue_remove(last)
    assert [site.end(each).status for each in (held, first, second)] == ["failed"] * 3
    acts = [(act.action, act.subject) for act in site.engine.store.audit() if act.action in _OF_QUEUES]
    assert [action for action, _ in acts] == [
        "resize",
        "resize",
        "prioritise",
        "remove",
        "pause",
        "remove",
        "clean",
    ]
    assert {subject for action, subject in acts if action in ("resize", "pause")} == {"queue"}


def test_without_an_engine_it_can_be_seen_but_not_changed(site: Site, gate: Gate) -> None:
    held = _hold(site, gate)
    waits = site.begin(task({"b": shell("true")}, priority=2))
    site.until_state(waits, "b", "queued")
    service = ReadOnlyService(site.engine.store, site.engine.workspace)
    found = service.queue()
    assert [(each["node"], each["priority"]) for each in found["waiting"]] == [("b", 2)]
    assert [each["instance"] for each in found["running"]] == [held]
    assert (found["size"], found["places"], found["paused"]) == (1, 1, False)
    changes = (
        lambda: service.queue_size(1), lambda: service.queue_pause(True), service.queue_clear,
        lambda: service.queue_clean(1), lambda: service.queue_remove(1),
        lambda: service.queue_add("j", {}, {}), lambda: service.queue_priority(1, 1),
    )  # fmt: skip
    for change in changes:
        with pytest.raises(Refused):
            change()
    gate.open("a")


def test_sized_by_load_it_follows_what_the_machine_does() -> None:
    class Timers(_Loop):
        def later(self, seconds: float, call: Any) -> Any:
            self.calls.append(call)

            class Timer:
                def cancel(self) -> None: ...

            return Timer()

    loop: Any = Timers()
    queue = Queue(loop, 1, lambda: sizing.arm())
    sizing = Sizing(loop, queue, lambda: Load(2, 0.1, 0.9))
    sizing.follow(True)
    assert not loop.calls, "an idle engine is left alone"
    for job in range(20):
        claim = Claim(job, key=0)
        claim.fiber = _Fiber(lambda: None)  # type: ignore[assignment]
        queue.join(claim)
    for _ in range(60):
        loop.calls.pop(0)()
    assert queue.slots == 8, "four for each core"
    sizing.follow(False)
