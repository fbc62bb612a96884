"""What became of jobs before, between and after their attempts comes back after the loss of the database."""

from __future__ import annotations

from contextlib import closing

import pytest

from engine.model.codes.context import CANNOT_SET
from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock
from engine.runtime.reruns.rerun_request import RerunRequest
from engine.store.opening import open_store
from engine.store.rebuild import rebuild_database
from engine.store.rows import InstanceRow, JobRow
from tests.runtime.site import Gate, Site, shell, task

VALUE = "$.TASK.PARAMS['x']"


def test_a_rerun_that_is_cancelled_in_the_queue_leaves_the_job_before_it_as_it_was(site: Site) -> None:
    # given a job that succeeded, and its rerun in a paused queue
    instance = site.run(task({"a": shell("true")})).id
    site.engine.queue.pause(True, "me")
    site.engine.rerun([RerunRequest(instance, mode="all")])
    site.until_state(instance, "a", "queued")

    # when that is cancelled
    site.engine.cancel(instance)
    seen = site.end(instance)

    # then the entry is that of the cancelled job, and each job is what it was
    assert seen.job("a")["INSTANCE"] == seen["a"].id
    assert (seen.job("a")["STATUS"], seen.job("a").get("RESULT")) == ("cancelled", None)
    seen.assert_replays()
    _, jobs = rebuilt(site, instance)
    assert [(job.run, job.status) for job in jobs] == [(1, "succeeded"), (2, "cancelled")]


def test_a_job_that_first_left_the_queue_without_an_attempt_has_begun_with_the_next_one(site: Site) -> None:
    site.engine.queue.pause(True, "me")
    instance = site.begin(task({"a": shell("true", retry={"times": 1})}))
    site.until_state(instance, "a", "queued")

    site.engine.queue.remove(site.see(instance)["a"].id, "me")
    site.engine.queue.pause(False, "me")
    seen = site.end(instance)

    assert seen["a"].status == "succeeded"
    assert seen["a"].started_at is not None
    _, [job] = rebuilt(site, instance)
    assert (job.attempt, job.started_at) == (seen["a"].attempt, seen["a"].started_at)


def test_a_job_that_the_next_engine_takes_up_ends_as_based_on_an_edit(site: Site, gate: Gate) -> None:
    # given a job that runs on an edited value
    nodes = {"a": shell(f"[ $x -gt 5 ] || exit 3; {gate.script()}", params={"x": VALUE})}
    instance = site.run(task(nodes, params={"x": 1})).id
    site.engine.rerun([RerunRequest(instance, "failed", edits=[(VALUE, 9)], reason="more")])
    gate.until_up()

    # when it ends with the next engine
    site.again()
    gate.open()
    site.end(instance)

    # then its last line says so
    _, jobs = rebuilt(site, instance)
    assert [job.based_on_edit for job in jobs] == [False, True]


def test_an_edit_that_is_refused_marks_nothing_as_edited(site: Site, gate: Gate) -> None:
    batch = shell("echo 1 > outputs/n", params=[{"x": 1}, {"x": 2}], results={"n": {"kind": "number"}})
    instance = site.begin(task({"a": batch, "b": shell(gate.script(), after=["a"])}))
    gate.until_up()

    with pytest.raises(SkerryError, match="is a list") as caught:
        site.engine.set_value(instance, "$.JOB['a'].RESULT['n']", 5, "typo")

    gate.open()

    assert caught.value.entry is CANNOT_SET
    assert site.end(instance).row.edited == []


def test_a_run_keeps_how_it_ended_when_one_of_its_jobs_is_settled_afterwards(site: Site) -> None:
    instance = site.run(task({"a": shell("exit 3")})).id
    site.engine.force(instance, "a", "succeeded", "looked at by hand")
    known, [run] = site.see(instance).row, site.engine.store.runs(instance)

    row, _ = rebuilt(site, instance)

    assert (row.status, row.error_code) == (known.status, known.error_code) == ("succeeded", None)
    with closing(open_store(f"sqlite:///{site.root / 'skerry.db'}", clock=SystemClock())) as store:
        [again] = store.runs(instance)
    assert (again.status, again.error_code) == (run.status, run.error_code)
    assert run.status == "failed"


def test_what_was_cancelled_is_no_open_exception(site: Site) -> None:
    instance = site.begin(task({"a": {"type": "wait", "for": "1h"}}))
    site.until_state(instance, "a", "waiting")
    site.engine.cancel(instance)
    site.end(instance)

    rebuilt(site, instance)

    with closing(open_store(f"sqlite:///{site.root / 'skerry.db'}", clock=SystemClock())) as store:
        assert [each.status for each in store.exceptions()] == ["handled"]


def test_each_job_within_a_job_is_a_part_of_that_again(site: Site) -> None:
    part = {"group": [shell("true"), {"type": "group", "jobs": [shell("true")]}]}
    on = {"workers": ["local"], "strategy": "all"}
    nodes = {
        "g.0": {"type": "group", "jobs": [shell("true", ready=part)]},
        "x": shell("true", end=part, on=on),
    }
    seen = site.run(task(nodes))

    _, jobs = rebuilt(site, seen.id)

    parents = {job.node: job.parent for job in jobs}
    assert parents == {each.node: each.row.parent for each in seen.rows}
    assert {"g.0.0.ready.1.0", "x@local.end.1.0"} <= parents.keys()


def rebuilt(site: Site, instance: int) -> tuple[InstanceRow, list[JobRow]]:
    """The rows that the directories give."""
    database = f"sqlite:///{site.root / 'skerry.db'}"
    site.close()
    rebuild_database(database, site.engine.workspace.instances, clock=SystemClock())
    with closing(open_store(database, clock=SystemClock())) as store:
        row = store.instance(instance)
        assert row is not None
        return row, store.jobs(instance)
