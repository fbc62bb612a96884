"""What has begun on a worker ends there, also when nothing more shall begin: the jobs of its stages are part of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from engine.api.local import LocalService
from engine.model.codes.runtime import LOST
from engine.model.states import Trigger
from engine.plugins.job_type import Call
from engine.runtime.submission import Submission
from jobs_builtin.file_exists import FileExists
from tests.runtime.site import Gate, Site, shell, task
from tests.runtime.workers_of_site import add_worker, reach
from tests.waiting import LONGEST, until

ON_A = {"workers": ["a"]}

pytestmark = pytest.mark.usefixtures("namesakes_only")


@pytest.fixture
def pair(site: Site) -> Site:
    add_worker(site, "a")
    add_worker(site, "b")
    return site


def staged(gate: Gate, stage: str, **keys: Any) -> dict[str, Any]:
    """A job on a whose first job of that stage is held by the gate, with a second one behind it."""
    return shell("true", **{"on": ON_A, stage: {"group": [shell(gate.script()), shell("true")]}, **keys})


def under_way(site: Site, worker: str = "a") -> list[str]:
    """What ``worker show`` and ``drain --wait`` see."""
    return [each["node"] for each in LocalService(site.engine).worker(worker)["attempts"]]


@pytest.mark.parametrize("wanted", ["draining", "paused"])
@pytest.mark.parametrize("stage", ["ready", "end"])
def test_an_attempt_under_way_ends_where_nothing_more_begins(
    pair: Site, gate: Gate, stage: str, wanted: Any
) -> None:
    # given an attempt that waits for a job of one of its stages
    instance = pair.begin(task({"x": staged(gate, stage)}))
    gate.until_up()
    pair.until_state(instance, "x", "waiting")

    # when its worker takes nothing more
    pair.engine.workers.want("a", wanted, "", "ann")
    other = pair.begin(task({"y": shell("true", on=ON_A)}))
    pair.until_state(other, "y", "no_worker")
    seen_by_drain = under_way(pair)
    gate.open()

    # then all that belongs to it runs there, and only that
    seen = pair.end(instance)
    assert seen.states == {"x": "succeeded", f"x.{stage}.0": "succeeded", f"x.{stage}.1": "succeeded"}
    assert {each.row.worker for each in seen.rows} == {"a"}
    assert "x" in seen_by_drain
    assert under_way(pair) == []
    assert pair.state(other, "y") == "no_worker"


def test_the_jobs_of_a_stage_go_on_there_under_the_next_engine(site: Site, gate: Gate) -> None:
    # given this machine, which takes nothing more
    instance = site.begin(task({"x": staged(gate, "ready", on={})}))
    gate.until_up()
    site.until_state(instance, "x", "waiting")
    site.engine.workers.want("local", "draining", "", "ann")

    site.again()
    gate.open()

    assert site.end(instance).status == "succeeded"


def test_what_belongs_to_an_attempt_says_that_its_worker_is_not_reached(pair: Site, gate: Gate) -> None:
    # given an attempt under way on a worker that is drained and then not reached
    instance = pair.begin(task({"x": staged(gate, "ready")}))
    gate.until_up()
    pair.engine.workers.want("a", "draining", "", "ann")
    reach(pair, "a", False)
    gate.open()
    pair.until_state(instance, "x.ready.1", "no_worker")

    assert "a (not reachable since" in (pair.see(instance)["x.ready.1"].reason or "")
    reach(pair, "a", True)
    assert pair.end(instance).status == "succeeded"


def test_an_attempt_that_waits_for_its_slot_again_says_why_it_has_none(pair: Site, gate: Gate) -> None:
    # given an attempt whose ready stage ran elsewhere while its own worker was lost sight of
    ready = {"group": [shell(gate.script(), on={"workers": ["b"]})]}
    instance = pair.begin(task({"x": shell("true", on=ON_A, ready=ready)}))
    gate.until_up()
    reach(pair, "a", False)
    gate.open()

    until(lambda: "a (not reachable since" in (pair.see(instance)["x"].reason or ""))
    assert pair.state(instance, "x") == "waiting"
    reach(pair, "a", True)
    assert pair.end(instance).status == "succeeded"


def begun_on_a(site: Site, gate: Gate, where: Any, strategy: str) -> int:
    """A job on a whose ready stage is held on b, and which has another job of it that runs there."""
    ready = {"group": [shell(gate.script(), on={"workers": ["b"]}), shell("true", on=where)]}
    job = shell("true", on={"workers": ["a", "b"]}, ready=ready, recovery={"after": 0, "strategy": strategy})
    site.engine.workers.want("b", "paused", "", "ann")
    instance = site.engine.submit(Submission("t", task({"x": job}), trigger=Trigger.MANUAL))
    site.until_state(instance, "x", "waiting")
    site.engine.workers.want("b", "online", "", "ann")
    gate.until_up()
    return instance


def test_an_attempt_that_needs_its_slot_again_of_a_worker_which_is_gone_is_lost(
    pair: Site, gate: Gate
) -> None:
    instance = begun_on_a(pair, gate, {"workers": ["b"]}, "retry")

    pair.engine.workers.gone("a", "the power supply burned", "ann")
    gate.open()

    # then it goes by its recovery, and that worker can be removed
    seen = pair.end(instance)
    assert [(each.status, each.worker) for each in seen["x"].attempts] == [("lost", "a"), ("succeeded", "b")]
    assert seen.status == "succeeded"
    pair.engine.workers.remove("a", "ann")


def test_an_attempt_of_which_a_job_needs_a_worker_that_is_gone_is_lost(pair: Site, gate: Gate) -> None:
    # given one of which a job waits for the worker that it is under way on, or for an answer
    instance = begun_on_a(pair, gate, ON_A, "discard")
    reach(pair, "a", False)
    gate.open()
    pair.until_state(instance, "x.ready.1", "no_worker")
    assert under_way(pair) == ["x"]

    pair.engine.workers.gone("a", "the power supply burned", "ann")

    seen = pair.end(instance)
    assert seen.states["x"] == "discarded"
    [attempt] = seen["x"].attempts
    assert (attempt.status, attempt.error_code) == ("lost", LOST.number)
    pair.engine.workers.remove("a", "ann")


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_what_is_behind_a_call_begins_no_more_on_a_worker_that_is_gone(
    pair: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mode: str
) -> None:
    # given an attempt whose ready stage is a call that this engine is making
    begun, held = Event(), Event()

    def call(kind: FileExists, call: Call) -> Mapping[str, Any]:
        begun.set()
        held.wait(LONGEST)
        return {}

    monkeypatch.setattr(FileExists, "call", call)
    keys: dict[str, Any] = {"params": {"path": "/"}, "recovery": {"after": 0, "strategy": "discard"}}
    job = shell(f"touch {tmp_path}/ran", on=ON_A, ready={"class": "file_exists"}, mode=mode, **keys)
    instance = pair.begin(task({"x": job}))
    assert begun.wait(LONGEST)

    pair.engine.workers.gone("a", "the power supply burned", "ann")
    held.set()

    # then it is lost, and has begun nothing there
    seen = pair.end(instance)
    assert seen.states == {"x": "discarded"}
    [attempt] = seen["x"].attempts
    assert (attempt.status, attempt.error_code) == ("lost", LOST.number)
    assert not (tmp_path / "ran").exists()


def test_the_next_member_of_a_group_begins_anew(pair: Site, gate: Gate) -> None:
    # given a group, which runs on no worker itself
    members = [shell(gate.script()), shell("true")]
    instance = pair.begin(task({"g": {"type": "group", "jobs": members, "on": ON_A}}))
    gate.until_up()

    # when the worker of its members is drained
    pair.engine.workers.want("a", "draining", "", "ann")
    gate.open()
    pair.until_state(instance, "g.1", "no_worker")

    # then that worker is empty, and can be taken away
    assert under_way(pair) == []
    pair.engine.workers.remove("a", "ann")
    add_worker(pair, "a")
    assert pair.end(instance).status == "succeeded"
