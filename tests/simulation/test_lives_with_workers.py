"""Lives with workers besides this machine: what they use, and what once went wrong in them."""

from __future__ import annotations

import pytest

from tests.effort import effort
from tests.simulation.runner import lived
from tests.simulation.workload.fleet import FAULTS
from tests.simulation.workload.generations import Generation
from tests.simulation.workload.stories import Story, story

_WHAT_ELSE = {"worker clock", "stranger", "slow link", "silence and"}


def _lives() -> list[Story]:
    found = (story(seed) for seed in range(effort(300, all=3000)))
    return [each for each in found if each.fleet.slots]


def test_jobs_run_wherever_they_can() -> None:
    nodes = [
        node
        for life in _lives()
        for task in life.definitions["tasks"].values()
        for node in task["nodes"].values()
    ]
    found = [node["on"] for node in nodes if node.get("on", {}).keys() & {"workers", "group"}]

    assert {each.get("strategy") for each in found} == {"all", None}
    assert {each.get("success") for each in found} == {"all", "single", None}
    assert any("group" in each for each in found)
    assert any(each.get("exclusive") for each in found)
    assert any("local" in each.get("workers", ()) for each in found)


def test_links_are_cut_and_people_change_workers() -> None:
    happened = {each.what for life in _lives() for each in life.actions}

    assert happened >= FAULTS | {f"worker {each}" for each in ("pause", "drain", "resume", "gone", "joins")}


def test_clocks_of_workers_are_off_links_are_slow_and_strangers_run_there() -> None:
    happened = {each.what for life in _lives() for each in life.actions}

    assert happened >= _WHAT_ELSE
    assert {each.what for each in story(6, generation=Generation.BACKFILLS).actions}.isdisjoint(_WHAT_ELSE)


@pytest.mark.parametrize("seed", [6, 28])
def test_the_records_of_a_job_are_kept_though_a_worker_leaves_its_group_and_the_engine_ends(
    seed: int,
) -> None:
    life = lived(story(seed, generation=Generation.ENDINGS), keep_lines=True)

    assert life.wrongs == ()
    assert any(" dana regroup answered" in line for line in life.lines)


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(200042, id="a daemon of an end stage outlives an attempt that its fence has ended"),
        pytest.param(6, id="who waited for a worker goes on under the next engine when one is there"),
        pytest.param(211, id="what its fence still ends is stopped before it is given away"),
        pytest.param(214, id="a rerun settles what is open about the records of a job on all workers"),
        pytest.param(359, id="a worker is lost while a backfill runs"),
        pytest.param(1795893402011, id="what had a slot of a worker by then begins though that is drained"),
        pytest.param(1795891258153, id="what ran on each of its workers is taken up by the next engine"),
    ],
)
def test_lives_with_workers_keep_every_promise(seed: int) -> None:
    assert lived(story(seed, generation=Generation.BACKFILLS)).wrongs == ()


def test_the_job_of_an_end_stage_of_a_record_is_no_record_for_the_next_engine() -> None:
    assert lived(story(1667, generation=Generation.SIZED)).wrongs == ()


def test_an_exclusive_job_of_one_worker_counts_under_the_limit_of_its_run() -> None:
    assert lived(story(1174, generation=Generation.BACKFILLS)).wrongs == ()


def test_the_job_of_an_end_stage_waits_for_the_worker_of_its_job_whichever_others_are_there() -> None:
    assert lived(story(700092, generation=Generation.SIZED)).wrongs == ()


def test_an_asynchronous_job_that_was_getting_ready_starts_beside_nothing_under_the_next_engine() -> None:
    assert lived(story(700094, generation=Generation.SIZED)).wrongs == ()
