"""An instance that is paused: nothing of it begins, what runs goes on, and everybody sees why."""

from __future__ import annotations

import re

import pytest

from engine.api.local import LocalService
from engine.api.read_only import ReadOnlyService
from engine.model.codes.recovery import NOT_PAUSED
from engine.model.codes.runtime import NOT_RUNNING
from engine.model.errors import Refused
from engine.model.states import JobState
from tests.runtime.site import Gate, Site, shell, task
from tests.waiting import until


def _two(gate: Gate) -> dict[str, object]:
    return {"a": shell(gate.script("a")), "b": shell("echo b", after=["a"])}


def _ended(site: Site, instance: int, node: str) -> None:
    site.until_state(instance, node, "succeeded")


def test_what_runs_goes_on_and_nothing_more_begins(site: Site, gate: Gate) -> None:
    # given a run at its first job
    number = site.begin(task(_two(gate)))
    gate.until_up("a")

    # when it is paused and that job ends
    answer = site.engine.pause(number, "the file is late", "anna")
    gate.open("a")
    _ended(site, number, "a")

    # then the next one has not begun, and both say why
    assert (answer["instance"], answer["status"]) == (number, "paused")
    why = str(answer["reason"])
    assert re.fullmatch(r"paused by anna at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00:00: the file is late", why)
    seen = LocalService(site.engine).instance(number)
    assert (seen["status"], seen["reason"]) == ("paused", why)
    waiting = next(job for job in seen["jobs"] if job["node"] == "b")
    assert waiting["status"] == "pending"
    assert waiting["reason"] == f"the instance is {why}"

    # when it goes on, then it comes to its end, and its log has who did what and why
    site.engine.resume(number, "here it is", "li")
    end = site.end(number)
    assert end.status == "succeeded"
    assert end.row.reason is None
    lines = [line for line in end.lines if line["path"] == "$.TASK.STATUS"]
    assert [(line["new"], line.get("actor"), line.get("why")) for line in lines[:2]] == [
        ("paused", "anna", "the file is late"), ("running", "li", "here it is"),
    ]  # fmt: skip


def test_a_job_that_is_in_line_loses_its_turn_until_it_goes_on(site: Site, gate: Gate) -> None:
    # given a queue with one place, which is taken
    site.engine.queue.resize(1, "ann")
    other = site.begin(task({"x": shell(gate.script("x"))}))
    gate.until_up("x")
    number = site.begin(task({"a": shell("true")}))
    site.until_state(number, "a", "queued")

    # when the one in line is paused and the place is free
    site.engine.pause(number)
    until(lambda: not list(site.engine.queue.document()["waiting"]))
    gate.open("x")
    site.end(other)

    # then it has not begun
    assert site.state(number, "a") == "queued"
    assert "paused" in str(site.see(number)["a"].reason)
    site.engine.resume(number)
    assert site.end(number).status == "succeeded"


def test_another_try_waits_for_the_end_of_the_pause(site: Site, gate: Gate) -> None:
    failing = shell(gate.script("a", then="exit 1"), retry={"times": 1, "interval": "0s"})
    number = site.begin(task({"a": failing}))
    gate.until_up("a")
    site.engine.pause(number)
    gate.open("a")
    site.until_state(number, "a", "queued")
    assert len(site.see(number)["a"].attempts) == 1
    site.engine.resume(number)
    assert len(site.end(number)["a"].attempts) == 2


def test_the_next_engine_holds_it_too(site: Site, gate: Gate) -> None:
    # given a paused run whose first job runs, and one that was to be tried again
    number = site.begin(task(_two(gate)))
    again = site.begin(
        task({"c": shell(gate.script("c", then="exit 1"), retry={"times": 1, "interval": "0s"})})
    )
    gate.until_up("a")
    gate.until_up("c")
    site.engine.pause(number, "over night", "anna")
    site.engine.pause(again)
    gate.open("c")
    site.until_state(again, "c", "queued")

    # when the engine ends, the job too, and another engine comes
    site.again()
    gate.open("a")
    _ended(site, number, "a")

    # then it still waits, and goes on when it is resumed
    assert site.see(number).status == "paused"
    assert site.state(number, "b") == "pending"
    assert site.state(again, "c") == "queued"
    for each in (number, again):
        site.engine.resume(each)
    assert site.end(number).status == "succeeded"
    assert len(site.end(again)["c"].attempts) == 2


def test_a_paused_instance_can_be_cancelled_and_its_nodes_settled(site: Site, gate: Gate) -> None:
    number = site.begin(task({**_two(gate), "c": shell("true", after=["b"])}))
    gate.until_up("a")
    site.engine.pause(number)
    gate.open("a")
    _ended(site, number, "a")
    site.engine.force(number, "b", JobState.SUCCEEDED, "done by hand")
    assert site.state(number, "b") == "succeeded"
    site.engine.cancel(number)
    end = site.end(number)
    assert (end.status, end.row.reason) == ("cancelled", None)
    assert end.states == {"a": "succeeded", "b": "succeeded", "c": "skipped"}


def test_a_run_that_is_to_be_tried_again_waits_for_the_end_of_the_pause(site: Site, gate: Gate) -> None:
    number = site.begin(
        task({"a": shell(gate.script("a", then="exit 1"))}, retry={"times": 1, "interval": "0s"})
    )
    gate.until_up("a")
    site.engine.pause(number)
    gate.open("a")
    until(lambda: site.engine.services.runs[number].pause.retry_due)
    assert site.see(number).status == "paused"
    site.engine.resume(number)
    assert site.end(number).row.run == 2


def test_what_steers_waits_as_well(site: Site, gate: Gate) -> None:
    number = site.begin(
        task({"a": shell(gate.script("a")), "w": {"type": "wait", "for": "0s", "after": ["a"]}})
    )
    gate.until_up("a")
    site.engine.pause(number)
    gate.open("a")
    _ended(site, number, "a")
    assert site.state(number, "w") == "pending"
    site.engine.resume(number)
    assert site.end(number).status == "succeeded"


def test_what_does_not_run_or_is_not_paused_is_refused(site: Site, gate: Gate) -> None:
    number = site.begin(task({"a": shell(gate.script("a"))}))
    with pytest.raises(Refused) as refused:
        site.engine.resume(number)
    assert refused.value.code == NOT_PAUSED.number
    gate.open("a")
    site.end(number)
    with pytest.raises(Refused) as refused:
        site.engine.pause(number)
    assert refused.value.code == NOT_RUNNING.number
    reader = ReadOnlyService(site.engine.store, site.engine.workspace)
    for ask in (reader.pause, reader.resume):
        with pytest.raises(Refused):
            ask(number)
