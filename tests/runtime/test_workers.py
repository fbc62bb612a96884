"""Jobs that run on one of several workers: chosen, waited for, taken up again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.api.local import LocalService
from engine.execution.host import Attempts
from engine.execution.strangers import Stranger
from engine.model.codes.runtime import NO_WORKER, STILL_ALIVE
from engine.model.codes.workers import NO_WORKER_IN_TIME, WORKER_BUSY
from engine.model.definitions import Definitions
from engine.model.errors import Refused
from engine.model.reason_words import words
from engine.model.states import Trigger
from engine.runtime.reruns.rerun_request import RerunRequest
from engine.runtime.submission import Submission
from tests.runtime.site import Gate, Site, shell, task, tree
from tests.runtime.workers_of_site import Namesake, add_worker, reach
from tests.waiting import until

BIG = {"group": "big"}

pytestmark = pytest.mark.usefixtures("namesakes_only")


def begin(site: Site, wanted: Definitions, trigger: Trigger) -> int:
    return site.engine.submit(Submission("t", wanted, trigger=trigger))


@pytest.fixture
def two(site: Site) -> Site:
    add_worker(site, "a", groups=("big",), labels={"os": "linux"})
    add_worker(site, "b", groups=("big",), labels={"os": "bsd"})
    return site


@pytest.mark.parametrize(
    ("on", "worker"),
    [
        ({"workers": ["b"]}, "b"),
        ({"labels": {"os": "bsd"}}, "b"),
        ({"group": "big", "labels": {"os": "linux"}}, "a"),
        ({"workers": ["$.TASK.PARAMS['where']"]}, "b"),
        ({"workers": ["local"]}, "local"),
        ({}, "local"),
    ],
)
def test_a_job_runs_where_it_says(two: Site, on: Any, worker: str) -> None:
    seen = two.run(task({"x": shell("true", on=on)}, params={"where": "b"}))

    assert seen.status == "succeeded"
    [attempt] = seen["x"].attempts
    assert (attempt.worker, seen["x"].row.worker) == (worker, worker)
    assert seen.job("x")["WORKER"] == worker
    seen.assert_replays()


def test_what_becomes_of_a_worker_is_reported_to_whoever_listens(two: Site) -> None:
    events = two.engine.subscribe()

    reach(two, "a", False)
    reach(two, "a", True)
    two.engine.workers.want("b", "paused", "", "ann")
    two.engine.workers.want("b", "paused", "", "ann")

    # of changes of one that nobody has read only the latest is kept
    reported = []
    while (event := events.next(1 if len(reported) < 2 else 0.1)) is not None:
        reported.append((event["kind"], event["worker"], event["status"]))
    assert reported == [("worker", "a", "online"), ("worker", "b", "paused")]


def test_a_node_says_it_for_its_job(two: Site) -> None:
    jobs = {"j": shell("true")}
    nodes = {"x": {"job": "j", "on": {"workers": ["a"]}}}
    seen = two.run(tree({"jobs": jobs, "tasks": {"t": {"nodes": nodes}}}))
    assert seen["x"].row.worker == "a"


def test_a_retry_prefers_another_worker(two: Site) -> None:
    seen = two.run(task({"x": shell("exit 1", on=BIG, retry={"times": 3})}))

    workers = [attempt.worker for attempt in seen["x"].attempts]
    assert workers in (["a", "b", "a", "b"], ["b", "a", "b", "a"])
    assert seen["x"].row.worker == workers[-1]


def test_one_of_several_is_chosen_at_random_where_a_job_says_so(two: Site) -> None:
    two.engine.services.queue._pick = lambda names: names[-1]
    chosen = [two.run(task({"x": shell("true", on={**BIG, **how})})) for how in ({}, {"choose": "random"})]

    assert [seen["x"].row.worker for seen in chosen] == ["a", "b"]


def test_jobs_of_a_group_use_the_slots_of_all_its_workers(two: Site, gate: Gate) -> None:
    instance = two.begin(task({f"n{n}": shell(gate.script(f"n{n}"), on=BIG) for n in range(5)}))
    [gate.until_up(f"n{n}") for n in range(4)]
    two.until_state(instance, "n4", "queued")

    assert two.run(task({"here": shell("true")})).status == "succeeded", "this machine has slots of its own"
    [gate.open(f"n{n}") for n in range(5)]
    seen = two.end(instance)
    assert {seen[f"n{n}"].row.worker for n in range(4)} == {"a", "b"}


def test_a_job_that_waits_for_a_worker_says_why_it_does_not_take_it_now(site: Site) -> None:
    # given one that asks what to do, since its worker is not reached
    add_worker(site, "a", online=False)
    instance = begin(site, task({"x": shell("true", on={"workers": ["a"]})}), Trigger.MANUAL)
    site.until_state(instance, "x", "no_worker")

    def why() -> str:
        reason = site.see(instance)["x"].row.because
        return words(reason) if reason else ""

    # when a person pauses that worker, then what is said of it follows
    LocalService(site.engine).want_worker("a", "paused", "a new disk")
    until(lambda: "a (paused by" in why() and "a new disk" in why())

    # and when it may take jobs again but is not reached
    LocalService(site.engine).want_worker("a", "online")
    reach(site, "a", False)
    until(lambda: "a (not reachable since" in why())
    assert why().endswith("waits for one, or for an answer")
    reach(site, "a", True)
    assert site.end(instance).states == {"x": "succeeded"}


def test_a_job_that_no_registered_worker_is_meant_by_says_which_are_wanted(site: Site) -> None:
    where = {"group": "cellar", "labels": {"os": "linux"}}
    instance = begin(site, task({"x": shell("true", on=where)}), Trigger.MANUAL)
    site.until_state(instance, "x", "no_worker")

    assert "none has group=cellar, os=linux" in words(site.see(instance)["x"].row.because)  # type: ignore[arg-type]
    [record] = site.engine.store.exceptions()
    assert record.message == "it waits: no worker is there to run it: none has group=cellar, os=linux"


def test_a_job_waits_for_a_worker_and_runs_when_it_comes(site: Site) -> None:
    add_worker(site, "a", online=False)
    instance = begin(site, task({"x": shell("true", on={"workers": ["a", "c"]})}), Trigger.MANUAL)
    site.until_state(instance, "x", "no_worker")

    seen = site.see(instance)
    assert "a (no engine is connected to it), c (not registered)" in (seen["x"].reason or "")
    assert seen["x"].attempts == []
    reach(site, "a", True)
    assert site.end(instance).states == {"x": "succeeded"}
    [record] = site.engine.store.exceptions()
    assert (record.code, record.status) == (NO_WORKER.number, "handled")


def test_a_scheduled_run_does_not_wait_out_its_delay_once_a_worker_is_there(site: Site) -> None:
    add_worker(site, "a", online=False)
    nodes = {"x": shell("true", on={"workers": ["a"]}, recovery={"after": "1h"})}
    instance = begin(site, task(nodes), Trigger.SCHEDULE)
    site.until_state(instance, "x", "no_worker")

    reach(site, "a", True)

    assert site.end(instance).states == {"x": "succeeded"}


@pytest.mark.parametrize(
    "limit", [{"queue_timeout": 0.2}, {"timeout": 0.2}, {"queue_timeout": 0.2, "timeout": 60}]
)
@pytest.mark.parametrize("trigger", [Trigger.MANUAL, Trigger.SCHEDULE])
def test_without_a_worker_in_time_it_fails_with_its_code(site: Site, limit: Any, trigger: Trigger) -> None:
    instance = begin(site, task({"x": shell("true", on={"workers": ["a"]}, **limit)}), trigger)

    seen = site.end(instance)

    assert (seen.states, seen["x"].row.error_code) == ({"x": "failed"}, NO_WORKER_IN_TIME.number)
    assert seen["x"].attempts == []
    assert [each.code for each in site.engine.store.exceptions(limit=9) if each.status == "open"] == [
        NO_WORKER_IN_TIME.number
    ]


def test_who_waits_in_line_learns_that_its_worker_is_gone(two: Site, gate: Gate) -> None:
    full = two.begin(task({f"n{n}": shell(gate.script(f"n{n}"), on={"workers": ["a"]}) for n in range(2)}))
    [gate.until_up(f"n{n}") for n in range(2)]
    waits = begin(two, task({"x": shell("true", on={"workers": ["a"]})}), Trigger.MANUAL)
    two.until_state(waits, "x", "queued")

    reach(two, "a", False)
    two.until_state(waits, "x", "no_worker")
    reach(two, "a", True)
    two.until_state(waits, "x", "queued")
    [gate.open(f"n{n}") for n in range(2)]

    assert [two.end(each).status for each in (full, waits)] == ["succeeded", "succeeded"]


def test_an_exclusive_job_leaves_other_workers_alone(two: Site, gate: Gate) -> None:
    alone = two.begin(task({"x": shell(gate.script("x"), on={"workers": ["a"], "exclusive": True})}))
    gate.until_up("x")

    assert (
        two.run(task({"y": shell("true", on={"workers": ["b"]}), "z": shell("true")})).status == "succeeded"
    )
    busy = two.begin(task({"w": shell("true", on={"workers": ["a"]})}))
    two.until_state(busy, "w", "busy")
    gate.open("x")
    assert [two.end(each).status for each in (alone, busy)] == ["succeeded", "succeeded"]


def test_a_worker_that_is_drained_gets_nothing_more_and_keeps_what_runs(two: Site, gate: Gate) -> None:
    runs = two.begin(task({"x": shell(gate.script("x"), on={"workers": ["a"]})}))
    gate.until_up("x")
    assert [each["worker"] for each in two.engine.queue.document()["running"]] == ["a"]

    two.engine.workers.want("a", "draining", "", "ann")

    assert two.run(task({"y": shell("true", on=BIG)}))["y"].row.worker == "b"
    gate.open("x")
    assert two.end(runs).status == "succeeded"


def test_who_waits_for_a_slot_of_a_worker_that_came_back_waits_for_ever(two: Site, gate: Gate) -> None:
    # given a full worker that is not reached for a moment, and a job that waits for it
    on_a = {"workers": ["a"]}
    full = two.begin(task({f"n{n}": shell(gate.script(f"n{n}"), on=on_a) for n in range(2)}))
    [gate.until_up(f"n{n}") for n in range(2)]
    reach(two, "a", False)
    waits = two.begin(task({"x": shell("true", on=on_a, timeout=1)}))
    two.until_state(waits, "x", "no_worker")

    # when it is there again for longer than the job would have waited for a worker
    reach(two, "a", True)
    two.until_state(waits, "x", "queued")
    limit = two.engine.services.loop.clock.monotonic() + 1.2
    until(lambda: two.engine.services.loop.clock.monotonic() > limit)

    # then it still waits, and runs
    assert two.state(waits, "x") == "queued"
    [gate.open(f"n{n}") for n in range(2)]
    assert [two.end(each).status for each in (full, waits)] == ["succeeded", "succeeded"]


def test_the_next_engine_does_not_wait_for_a_worker_for_ever(site: Site) -> None:
    instance = site.begin(task({"x": shell("true", on={"workers": ["a"]}, queue_timeout=1.5)}))
    site.until_state(instance, "x", "no_worker")

    site.again()

    assert site.end(instance)["x"].row.error_code == NO_WORKER_IN_TIME.number


def test_a_job_whose_next_attempt_finds_no_worker_in_time_says_so_in_its_own_files(
    two: Site, gate: Gate
) -> None:
    # given an attempt that fails on a worker which is not there any more
    again = {"times": 1, "interval": 0}
    job = shell(gate.script(then="exit 3"), on={"workers": ["a"]}, retry=again, queue_timeout=0.2)
    instance = two.begin(task({"x": job}))
    gate.until_up()
    reach(two, "a", False)
    gate.open()

    # when the next one waits for it for too long
    seen = two.end(instance)

    entry = json.loads((seen["x"].folder / "ctx.json").read_bytes())
    assert entry == seen.job("x")
    assert (entry["STATUS"], entry["ERROR_CODE"]) == ("failed", NO_WORKER_IN_TIME.number)


def test_a_worker_is_not_removed_while_an_attempt_on_it_has_not_ended(two: Site, gate: Gate) -> None:
    instance = two.begin(task({"x": shell(gate.script("x"), on={"workers": ["a"]})}))
    gate.until_up("x")

    with pytest.raises(Refused) as refused:
        two.engine.workers.remove("a", "ann")
    assert refused.value.entry == WORKER_BUSY
    assert two.engine.services.workers.find("a") is not None

    gate.open("x")
    assert two.end(instance).status == "succeeded"
    two.engine.workers.remove("a", "ann")
    assert two.engine.services.workers.find("a") is None


def test_an_exclusive_job_does_not_wait_for_a_worker_that_was_removed(two: Site) -> None:
    # given an exclusive job whose turn has come where something unknown still runs
    services = two.engine.services
    live = services.workers.find("a")
    assert live is not None
    live.strangers = (Stranger("77.1.x", 77),)
    waits = two.begin(task({"x": shell("true", on={"workers": ["a", "c"], "exclusive": True})}))
    two.until_state(waits, "x", "busy")

    # when that worker is removed, and another one comes
    two.engine.workers.remove("a", "ann")
    two.until_state(waits, "x", "no_worker")
    add_worker(two, "c")

    # then it runs there
    assert two.end(waits)["x"].row.worker == "c"


class StillLiving(Namesake):
    """Something of each attempt there goes on."""

    def living(self, attempts: Attempts) -> tuple[int, ...]:
        return tuple(4711 for _ in attempts)


@pytest.mark.parametrize("ask", ["preview", "rerun"])
def test_a_job_is_not_rerun_while_its_processes_live_on_its_worker(two: Site, gate: Gate, ask: str) -> None:
    instance = two.begin(task({"x": shell(gate.script("x"), on={"workers": ["a"]})}))
    gate.until_up("x")
    two.engine.cancel(instance)
    assert two.end(instance).status == "cancelled"
    services = two.engine.services
    services.hosts.put(StillLiving("a", services.host))
    request = RerunRequest(instance, "all")

    with pytest.raises(Refused) as refused:
        two.engine.preview(request) if ask == "preview" else two.engine.rerun([request])

    assert refused.value.entry is STILL_ALIVE
    assert refused.value.details["pids"] == [4711]
