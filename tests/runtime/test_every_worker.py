"""A job on all of its workers: a record for each, what they give together, what is repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.workers import NO_WORKER_IN_TIME, NOT_EVERYWHERE, NOT_MOVED
from tests.runtime.site import Gate, Seen, Site, shell, task
from tests.runtime.workers_of_site import add_worker, reach
from tests.waiting import until

ALL = {"workers": ["c", "a", "b"], "strategy": "all"}

pytestmark = pytest.mark.usefixtures("namesakes_only")


@pytest.fixture
def three(site: Site) -> Site:
    for name in "abc":
        add_worker(site, name, groups=("big",))
    return site


def fails_on(*workers: str) -> str:
    """Which worker a program is on is in the name of its directory."""
    tests = " || ".join(f'[ "$name" = {each} ]' for each in workers)
    return f'name=$(basename "$SKERRY_JOB_DIR"); echo "on $name"; echo "$name" > "$SKERRY_OUTPUTS/who"; ! {{ {tests}; }}'


def records(seen: Seen) -> dict[str, str]:
    return {each.node: str(each.status) for each in seen.latest if each.node.startswith("x@")}


def test_each_worker_has_a_record_and_the_results_are_of_the_first(three: Site) -> None:
    seen = three.run(task({"x": shell(fails_on("nobody"), on=ALL)}))

    assert seen.states["x"] == seen.status == "succeeded"
    assert records(seen) == {"x@c": "succeeded", "x@a": "succeeded", "x@b": "succeeded"}
    assert {seen[f"x@{name}"].attempts[0].worker for name in "abc"} == {"a", "b", "c"}
    assert seen.job("x")["RESULT"]["who"] == "c\n"
    assert seen.job("x")["WORKERS"]["b"] == {
        "RESULT": {"who": "b\n", "exit_code": 0}, "STATUS": "succeeded", "EXIT_CODE": 0, "ATTEMPT": 1,
        "OUTPUT": "on b", "ERROR_OUTPUT": "",
    }  # fmt: skip
    seen.assert_replays()


def test_an_exception_names_the_worker_that_it_happened_on_and_the_job_itself_names_none(three: Site) -> None:
    seen = three.run(task({"x": shell(fails_on("a", "c"), on=ALL)}))

    found = {(row.node, row.worker, row.attempt) for row in three.engine.store.exceptions()}
    assert found == {("x@a", "a", 1), ("x@c", "c", 1), ("x", None, None)}
    workers = [line["new"]["WORKER"] for line in seen.lines if line["path"] == "$.JOB['x']"]
    assert workers == [None], "not even for a moment"
    assert (seen["x"].row.worker, seen.job("x")["WORKER"]) == ("b", "b"), "whose results it has"


def test_the_files_of_each_worker_are_in_a_folder_of_its_name(three: Site) -> None:
    seen = three.run(task({"x": shell("echo hi", on=ALL)}))

    folder = Path(seen.folder) / "jobs" / f"job-x-{seen['x'].row.id}" / "workers"
    assert sorted(each.name for each in folder.iterdir()) == ["a", "b", "c"]
    assert (folder / "a" / "job.log").read_text() == "hi\n"


@pytest.mark.parametrize(("success", "state"), [("single", "succeeded"), ("all", "failed")])
def test_when_two_of_three_fail_one_is_enough_or_not_and_only_they_are_repeated(
    three: Site, success: str, state: str
) -> None:
    on = {**ALL, "success": success}
    seen = three.run(task({"x": shell(fails_on("a", "b"), on=on, retry={"times": 1})}))

    assert seen.states["x"] == state
    assert {node: len(seen[node].attempts) for node in records(seen)} == {"x@a": 2, "x@b": 2, "x@c": 1}
    assert seen["x"].row.error_code == (NOT_EVERYWHERE.number if state == "failed" else None)
    assert seen.job("x")["WORKERS"]["a"]["STATUS"] == "failed"


def test_what_follows_reads_what_one_worker_gave(three: Site) -> None:
    read = "$.JOB['x'].WORKERS['b'].RESULT['who']"
    nodes = {"x": shell(fails_on("nobody"), on=ALL), "y": shell("true", after=["x"], params={"who": read})}
    seen = three.run(task(nodes))

    assert seen.job("y")["PARAMS"]["who"] == "b\n"


def test_the_record_of_a_worker_that_is_not_reached_waits_for_it(three: Site) -> None:
    reach(three, "b", False)
    instance = three.begin(task({"x": shell("true", on={"group": "big", "strategy": "all"})}))
    three.until_state(instance, "x@b", "no_worker")
    three.until_state(instance, "x@a", "succeeded")
    assert three.state(instance, "x") == "running"

    reach(three, "b", True)

    assert three.end(instance).states["x"] == "succeeded"


@pytest.mark.parametrize("limit", [{"queue_timeout": 0.2}, {"timeout": 0.2}])
def test_without_any_worker_in_time_it_fails_with_its_code(site: Site, limit: Any) -> None:
    seen = site.run(task({"x": shell("true", on={"group": "big", "strategy": "all"}, **limit)}))

    assert (seen.states, seen["x"].row.error_code) == ({"x": "failed"}, NO_WORKER_IN_TIME.number)


def test_once_its_workers_are_there_it_has_no_time_limit_of_its_own(site: Site, gate: Gate) -> None:
    job = shell(gate.script("x"), on={"group": "big", "strategy": "all"}, queue_timeout=1)
    instance = site.begin(task({"x": job}))
    site.until_state(instance, "x", "no_worker")

    add_worker(site, "a", groups=("big",))
    gate.until_up("x")
    limit = site.engine.services.loop.clock.monotonic() + 1.2
    until(lambda: site.engine.services.loop.clock.monotonic() > limit)
    gate.open("x")

    assert site.end(instance).states["x"] == "succeeded"


def test_a_worker_that_comes_later_is_not_among_them(three: Site, gate: Gate) -> None:
    instance = three.begin(task({"x": shell(gate.script("x"), on={"group": "big", "strategy": "all"})}))
    gate.until_up("x")
    add_worker(three, "d", groups=("big",))
    gate.open("x")

    assert set(records(three.end(instance))) == {"x@a", "x@b", "x@c"}


def test_a_cancel_ends_all_of_them(three: Site, gate: Gate) -> None:
    instance = three.begin(task({"x": shell(gate.script("x"), on=ALL)}))
    three.until_state(instance, "x@b", "running")

    three.engine.cancel(instance, "x")

    seen = three.end(instance)
    assert set(records(seen).values()) == {"cancelled"}
    assert seen.states["x"] == "cancelled"


def test_what_is_not_moved_fails_with_its_code(three: Site) -> None:
    call: Any = {"type": "http", "url": "http://127.0.0.1:1/", "on": ALL}
    seen = three.run(task({"x": call}))

    assert (seen.states, seen["x"].row.error_code) == ({"x": "failed"}, NOT_MOVED.number)


def test_the_next_engine_goes_on_with_the_same_workers(site: Site, gate: Gate) -> None:
    on = {"workers": ["local"], "strategy": "all"}
    instance = site.begin(task({"x": shell(gate.script("x"), on=on)}))
    gate.until_up("x")

    site.again()
    gate.open("x")

    seen = site.end(instance)
    assert records(seen) == {"x@local": "succeeded"}
    assert seen.states["x"] == "succeeded"
    assert len(seen["x@local"].attempts) == 1


@pytest.mark.parametrize("stage", ["ready", "end"])
def test_a_job_of_a_stage_of_a_record_goes_on_as_that_under_the_next_engine(
    site: Site, gate: Gate, stage: str
) -> None:
    # given a record whose stage is made of jobs, one of which runs when the engine ends
    keys = {stage: {"group": [shell(gate.script("s"))]}}
    on = {"workers": ["local"], "strategy": "all"}
    instance = site.begin(task({"x": shell("true", on=on, **keys)}))
    gate.until_up("s")

    site.again()
    gate.open("s")

    seen = site.end(instance)
    assert records(seen) == {"x@local": "succeeded", f"x@local.{stage}.0": "succeeded"}
    assert list(seen.job("x")["WORKERS"]) == ["local"]
    assert len(seen[f"x@local.{stage}.0"].attempts) == 1
    assert seen.status == "succeeded"
