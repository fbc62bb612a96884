"""Reruns follow what instances have waited for, and reach those that never began (seed 001, 4.1)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.api.documents import Rerun
from engine.model.codes.planning import RERUN_NEVER_RAN
from engine.model.codes.recovery import NEIGHBOUR_AT_WORK
from engine.model.codes.runtime import EDIT_INVALID, STILL_RUNNING
from engine.model.errors import Invalid, Refused
from engine.model.states import JobState
from tests.timing.conftest import AN_HOUR, AT_ONCE, TimedSite
from tests.timing.test_dependencies import EVERY_10, FAILING, HOURLY, minutes
from tests.waiting import until

WAITS_FOR_B = [{"task": "b"}]


def failed_chain(site: TimedSite) -> tuple[int, int, int]:
    """``b`` has failed, so ``a`` has and ``z``, which waits for that; ``b`` is repaired. Gives them in order."""
    site.online("b", HOURLY, FAILING)
    site.online("a", HOURLY, depends_on=WAITS_FOR_B)
    site.online("z", HOURLY, depends_on=[{"task": "a"}])
    site.forward(hours=1)
    assert [*site.states("b"), *site.states("a"), *site.states("z")] == ["failed"] * 3
    site.define("b", HOURLY, AT_ONCE)
    b, a, z = (site.instances(task)[0].id for task in "baz")
    return b, a, z


def settled(site: TimedSite) -> list[tuple[str, int]]:
    """State and runs of the first instance of each."""
    for _ in range(5):
        site.settle()
    return [(row.status, row.run) for row in (site.instances(task)[0] for task in "baz")]


def test_those_that_failed_by_a_dependency_belong_to_the_chain(site: TimedSite) -> None:
    b, a, z = failed_chain(site)

    plan = site.service.preview(Rerun(b, "all", downstream=True, current=True))
    begun = site.service.rerun([Rerun(b, "all", downstream=True, current=True)])

    assert [(each["instance"], each["after"], each["run"]) for each in plan["downstream"]] == [
        (a, [b], ["a"]),
        (z, [a], ["a"]),
    ]
    assert [(each["instance"], each["run"], each.get("after")) for each in begun] == [
        (b, 2, None),
        (a, 1, [b]),
        (z, 1, [a]),
    ]
    assert settled(site) == [("succeeded", 2), ("succeeded", 1), ("succeeded", 1)]


def test_they_fail_again_when_it_does(site: TimedSite) -> None:
    b, *_ = failed_chain(site)

    site.service.rerun([Rerun(b, "all", downstream=True)])

    assert settled(site) == [("failed", 2), ("failed", 0), ("failed", 0)]


def test_a_chain_that_waits_goes_on_with_the_next_engine(site: TimedSite) -> None:
    b, *_ = failed_chain(site)
    site.define("b", HOURLY, AN_HOUR)
    site.service.rerun([Rerun(b, "all", downstream=True, current=True)])
    site.settle()
    assert [*site.states("a")[:1], *site.states("z")[:1]] == ["waiting", "waiting"]

    site.again()
    site.settle()
    assert [*site.states("a")[:1], *site.states("z")[:1]] == ["waiting", "waiting"]
    site.engine.force(b, "a", JobState.SUCCEEDED, "seen to be done", "anna")

    until(lambda: settled(site) == [("succeeded", 2), ("succeeded", 1), ("succeeded", 1)])


def test_what_never_began_is_run_by_the_current_definition(site: TimedSite) -> None:
    b, a, _ = failed_chain(site)
    site.define("a", HOURLY, AT_ONCE, depends_on=WAITS_FOR_B, params={"new": {"value": 7}})

    plan = site.service.preview(Rerun(a, "all"))
    site.service.rerun([Rerun(a, "failed", reason="it needs nothing of b")])
    site.settle()

    [row] = site.instances("a")
    run = site.engine.store.run(a, 1)
    assert plan == {"run": ["a"], "keep": [], "skip": []}
    assert (row.status, row.run, row.params) == ("succeeded", 1, {"new": 7})
    assert run is not None
    assert (run.trigger, run.reason, run.actor) == ("manual", "it needs nothing of b", "anna")
    assert site.service.context(a)["UPSTREAM"]["b"]["STATUS"] == "failed"
    assert [each["instances"][0]["instance"] for each in site.service.instance(a)["upstream"]] == [b]


@pytest.mark.parametrize("state", ["skipped", "cancelled"])
def test_also_what_was_passed_over(site: TimedSite, state: str) -> None:
    overlap = "wait" if state == "cancelled" else "skip"
    site.online("a", {**EVERY_10, "overlap": overlap}, minutes(15))
    for _ in range(2):
        site.forward(minutes=10)
    second = site.instances("a")[1]
    if state == "cancelled":
        site.engine.cancel(second.id)
    site.forward(minutes=9)
    assert site.states("a")[1] == state

    site.service.rerun([Rerun(second.id, "all")])
    site.settle()

    assert site.states("a")[1] == "running"


def test_also_a_time_at_which_its_task_was_offline(site: TimedSite) -> None:
    site.online("a", HOURLY)
    first = site.coming("a")[0]
    site.service.move_tasks(["a"], "offline")
    site.forward(hours=1)

    site.service.rerun([Rerun(first.id, "all")])
    site.settle()

    assert [(row.id, row.status) for row in site.instances("a")] == [(first.id, "succeeded")]


def test_single_nodes_and_values_of_what_never_began_are_refused(site: TimedSite) -> None:
    _, a, _ = failed_chain(site)

    with pytest.raises(Invalid) as nodes:
        site.service.rerun([Rerun(a, "from", ("a",))])
    with pytest.raises(Invalid) as values:
        site.service.rerun([Rerun(a, "all", edits=(("$.TASK.PARAMS['x']", "1"),))])

    assert (nodes.value.entry, values.value.entry) == (RERUN_NEVER_RAN, EDIT_INVALID)


def test_a_dependant_that_has_not_begun_forbids_nothing_and_reads_the_new_outcome(site: TimedSite) -> None:
    site.online("b", HOURLY, params={"n": {"value": 1}}, results={"n": {"value": "$.TASK.RUN"}})
    site.online("c", HOURLY, AN_HOUR)
    seen = {"seen": {"value": "$.UPSTREAM['b'].RESULT['n']"}}
    site.online("a", HOURLY, params=seen, depends_on=[{"task": "b"}, {"task": "c"}])
    site.forward(hours=1)
    [b], [c] = site.instances("b"), site.instances("c")

    site.service.rerun([Rerun(b.id, "all")])
    site.settle()
    site.engine.force(c.id, "a", JobState.SUCCEEDED, "seen to be done", "anna")
    for _ in range(3):
        site.settle()

    assert site.instances("a")[0].params == {"seen": 2}


def test_neighbours_are_those_of_the_links(site: TimedSite) -> None:
    site.online("b", HOURLY)
    site.online("a", HOURLY, AN_HOUR, depends_on=WAITS_FOR_B)
    site.forward(hours=1)
    [b], [a] = site.instances("b"), site.instances("a")
    assert a.status == "running"
    site.service.move_tasks(["a"], "offline")
    site.define("a", HOURLY, AN_HOUR)  # it no longer depends on b; what runs did

    with pytest.raises(Refused) as refused:
        site.service.rerun([Rerun(b.id, "all")])

    assert (refused.value.entry, refused.value.where) == (NEIGHBOUR_AT_WORK, str(a.id))


def test_one_that_was_let_go_without_it_is_no_neighbour(site: TimedSite) -> None:
    site.online("b", HOURLY, FAILING)
    site.online("a", HOURLY, AN_HOUR, depends_on=[{"task": "b", "on_failure": "wait"}])
    site.forward(hours=1)
    [b], [a] = site.instances("b"), site.instances("a")
    site.service.release(a.id, (), "it can do without")
    site.settle()
    assert site.instances("a")[0].status == "running"

    site.service.rerun([Rerun(b.id, "all")])
    site.settle()

    assert site.instances("b")[0].run == 2


def test_what_is_still_to_come_is_not_run_again(site: TimedSite) -> None:
    site.online("a", HOURLY)
    coming: Any = site.coming("a")[0]

    with pytest.raises(Refused) as planned:
        site.service.rerun([Rerun(coming.id, "all")])
    site.service.move_tasks(["a"], "offline")
    site.settle()
    with pytest.raises(Refused) as offline:
        site.service.rerun([Rerun(coming.id, "all")])

    assert (planned.value.entry, offline.value.entry) == (STILL_RUNNING, STILL_RUNNING)
