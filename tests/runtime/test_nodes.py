"""How nodes follow each other: batches, run_if, when, failures, places, priorities (contract 2.3)."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from engine.execution.directories import JobDirectory
from engine.model.codes.expressions import UNKNOWN_NAME
from engine.model.codes.runtime import BATCH_NOT_A_LIST
from engine.model.errors import Invalid
from engine.model.job import Job
from engine.runtime.runs import nodes as nodes_module
from tests.runtime.site import TESTED, Gate, Member, Site, definitions, shell, task, tree
from tests.waiting import until

MakeSite = Callable[..., Site]


def note(journal: Path, name: str = "${name}") -> str:
    return f'echo "{name}" >> {journal}'


# -- batches ---------------------------------------------------------------------------------------


def test_a_list_of_params_makes_one_job_instance_each(site: Site, journal: Path) -> None:
    batch = shell(note(journal, "${w}"), params=[{"w": "a"}, {"w": "b"}, {"w": "c"}])
    nodes = {
        "x": batch,
        "y": shell("true", after=["x"], params={
            "one": "$.JOB['x'][1].PARAMS['w']", "all": "$.JOB['x'][*].PARAMS['w']"}),
    }  # fmt: skip
    seen = site.run(task(nodes))

    assert sorted(journal.read_text().split()) == ["a", "b", "c"]
    assert [(each.index, str(each.status)) for each in seen.all("x")] == [
        (0, "succeeded"), (1, "succeeded"), (2, "succeeded"),
    ]  # fmt: skip
    assert len({each.id for each in seen.all("x")}) == 3
    assert seen.job("y")["PARAMS"] == {"one": "b", "all": ["a", "b", "c"]}


def test_for_each_goes_through_a_list_known_only_then(site: Site) -> None:
    nodes = {
        "list": shell("printf '[10, \"x\", {\"k\": 1}]' > outputs/l", results={"l": {"kind": "list"}}),
        "each": shell("true", after=["list"], for_each="$.JOB['list'].RESULT['l']",
                      params={"item": "$.ITEM", "at": "{$.INDEX}."}),
    }  # fmt: skip
    seen = site.run(task(nodes))

    assert [each["PARAMS"] for each in seen.job("each")] == [
        {"item": 10, "at": "0."}, {"item": "x", "at": "1."}, {"item": {"k": 1}, "at": "2."},
    ]  # fmt: skip
    assert [each.index for each in seen.all("each")] == [0, 1, 2]


def test_a_node_whose_parameters_cannot_be_read_fails_instead_of_keeping_its_run_open(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Definitions are checked when they are loaded; what gets past that must end as a failure all the same."""
    real = nodes_module.bindings

    def bindings(job: Job, *args: Any, **more: Any) -> Any:
        if job.id == "b":
            raise Invalid(UNKNOWN_NAME, "there is no $.x", where="x")
        return real(job, *args, **more)

    monkeypatch.setattr(nodes_module, "bindings", bindings)

    seen = site.run(
        task({"a": shell("true"), "b": shell("true", after=["a"]), "c": shell("true", after=["b"])})
    )

    assert seen.states == {"a": "succeeded", "b": "failed", "c": "skipped"}
    assert (seen.status, seen["b"].row.error_code) == ("failed", UNKNOWN_NAME.number)


def test_an_empty_for_each_succeeds(site: Site) -> None:
    nodes = {
        "e": shell("false", for_each="$.TASK.PARAMS['l']"),
        "after": shell("true", after=["e"], params={"all": "$.JOB['e'][*].STATUS"}),
    }
    seen = site.run(task(nodes, params={"l": []}))

    assert seen.status == "succeeded", site.waiting(seen.id)
    assert seen.states == {"e": "succeeded", "after": "succeeded"}
    assert seen.job("after")["PARAMS"] == {"all": []}


def test_for_each_over_something_else_fails_the_node(site: Site) -> None:
    seen = site.run(task({"e": shell("true", for_each="$.TASK.ID")}))

    assert (seen.status, seen["e"].error_code) == ("failed", BATCH_NOT_A_LIST.number)


def test_members_are_independent_and_one_failure_fails_the_node(site: Site, journal: Path) -> None:
    script = note(journal, "${n}") + '; [ "${n}" != 2 ]'
    nodes = {
        "b": shell(script, params=[{"n": n} for n in (1, 2, 3, 4)]),
        "after": shell("true", after=["b"]),
        "anyway": shell("true", after=["b"], run_if="any_failed"),
    }
    seen = site.run(task(nodes))

    assert sorted(journal.read_text().split()) == ["1", "2", "3", "4"]
    assert [str(each.status) for each in seen.all("b")] == ["succeeded", "failed", "succeeded", "succeeded"]
    assert (seen["after"].status, seen["anyway"].status) == ("skipped", "succeeded")
    assert seen.status == "failed"


def test_a_failed_parameter_fails_its_member_alone(site: Site) -> None:
    params = [{"x": "fine"}, {"x": "{$.TASK.ID}:REGEX:nothing"}]
    seen = site.run(task({"b": shell("true", params=params)}))

    assert [str(each.status) for each in seen.all("b")] == ["succeeded", "failed"]


# -- run_if, when, enabled ---------------------------------------------------------------------------

PARENTS = {
    "ok": shell("true"),
    "ok2": shell("true"),
    "bad": shell("false"),
    "gone": shell("true", when="1 > 2"),
    "forgiven": shell("false", continue_on_failure=True),
    "off": shell("false", enabled=False),
    "cannot": shell("true", after=["bad"]),
}


@pytest.mark.parametrize(
    ("run_if", "parents", "state"),
    [
        ("all_succeeded", ["ok", "ok2"], "succeeded"),
        ("all_succeeded", ["ok", "bad"], "skipped"),
        ("all_succeeded", ["ok", "gone"], "succeeded"),
        ("all_succeeded", ["gone"], "skipped"),
        ("all_succeeded", ["forgiven", "off"], "succeeded"),
        ("all_succeeded", ["ok", "cannot"], "skipped"),
        ("all_done", ["ok", "bad", "cannot"], "succeeded"),
        ("all_done", ["gone"], "succeeded"),
        ("any_succeeded", ["ok", "bad"], "succeeded"),
        ("any_succeeded", ["bad", "gone"], "skipped"),
        ("any_failed", ["ok", "bad"], "succeeded"),
        ("any_failed", ["ok", "cannot"], "succeeded"),
        ("any_failed", ["ok", "forgiven"], "skipped"),
        ("any_failed", ["ok", "gone"], "skipped"),
    ],
)
def test_run_if(site: Site, run_if: str, parents: list[str], state: str) -> None:
    seen = site.run(task({**PARENTS, "x": shell("true", after=parents, run_if=run_if)}))

    assert seen["x"].status == state, seen["x"].reason
    assert seen["cannot"].reason == "parent_failed: bad"
    assert (seen["off"].status, seen["off"].reason) == ("skipped", "disabled")
    assert seen["gone"].status == "skipped"
    assert str(seen["gone"].reason).startswith("when")


def test_when_reads_what_came_before(site: Site) -> None:
    nodes = {
        "a": shell("printf 5 > outputs/n"),
        "yes": shell("true", after=["a"], when="{$.JOB['a'].RESULT['n']} > 4"),
        "no": shell("true", after=["a"], when="{$.JOB['a'].RESULT['n']} > 5"),
    }
    seen = site.run(task(nodes))

    assert seen.states == {"a": "succeeded", "yes": "succeeded", "no": "skipped"}
    assert seen.status == "succeeded"
    assert any(line.get("why") == "when" and line.get("inputs") for line in seen.lines)


def test_a_when_that_cannot_be_evaluated_fails_the_node(site: Site) -> None:
    seen = site.run(
        task({"a": shell("true"), "b": shell("true", after=["a"], when="$.JOB['a'].RESULT['no'] == 1")})
    )

    assert seen.states == {"a": "succeeded", "b": "failed"}
    assert seen["b"].error_code is not None


# -- failures of a run -------------------------------------------------------------------------------


def test_a_failure_leaves_what_does_not_depend_on_it(site: Site) -> None:
    nodes = {"bad": shell("false"), "next": shell("true", after=["bad"]), "other": shell("true"),
             "more": shell("true", after=["other"])}  # fmt: skip
    seen = site.run(task(nodes))

    assert seen.states == {"bad": "failed", "next": "skipped", "other": "succeeded", "more": "succeeded"}
    assert seen.status == "failed"
    assert "bad" in (seen.row.error_message or "")


def test_on_failure_stop_starts_nothing_new(site: Site, gate: Gate) -> None:
    nodes = {"slow": shell(gate.script()), "later": shell("true", after=["slow"]),
             "bad": shell(f"while {TESTED} && [ ! -e {gate.folder}/g.up ]; do sleep 0.02; done; false")}  # fmt: skip
    instance = site.begin(task(nodes, on_failure="stop"))
    site.until_state(instance, "later", "skipped")
    gate.open()
    seen = site.end(instance)

    assert seen.states == {"slow": "succeeded", "later": "skipped", "bad": "failed"}
    assert str(seen["later"].reason).startswith("stopped")
    assert seen.status == "failed"


def test_continue_on_failure_counts_as_success(site: Site) -> None:
    nodes = {"a": shell("exit 3", continue_on_failure=True), "b": shell("true", after=["a"])}
    seen = site.run(task(nodes))

    assert seen.states == {"a": "failed", "b": "succeeded"}
    assert (seen.status, seen.row.error_code) == ("succeeded", None)


# -- places ------------------------------------------------------------------------------------------


def overlaps(first: Member, second: Member) -> bool:
    times = [(datetime.fromisoformat(str(each.started_at)), datetime.fromisoformat(str(each.ended_at)))
             for each in (first, second)]  # fmt: skip
    return max(times[0][0], times[1][0]) < min(times[0][1], times[1][1])


def most_at_once(members: list[Member]) -> int:
    events = [(str(m.started_at), 1) for m in members] + [(str(m.ended_at), -1) for m in members]
    now = most = 0
    for _, change in sorted(events):
        now += change
        most = max(most, now)
    return most


def test_no_more_jobs_than_places(make_site: MakeSite) -> None:
    narrow = make_site(places=2)
    seen = narrow.run(task({f"n{i}": shell("sleep 0.1") for i in range(6)}))

    assert seen.status == "succeeded"
    assert most_at_once(seen.rows) == 2


def test_a_tasks_own_limit(site: Site) -> None:
    seen = site.run(task({f"n{i}": shell("sleep 0.05") for i in range(5)}, limits={"parallel": 1}))

    assert most_at_once(seen.rows) == 1


def test_what_waits_for_a_place_is_queued_and_says_so(make_site: MakeSite, gate: Gate) -> None:
    narrow = make_site(places=1)
    first = narrow.begin(task({"a": shell(gate.script())}))
    gate.until_up()
    second = narrow.begin(task({"b": shell("true")}))
    narrow.until_state(second, "b", "queued")

    assert narrow.engine.store.jobs(second)[0].reason == "waits for a slot"
    gate.open()
    assert narrow.end(first).status == narrow.end(second).status == "succeeded"


def test_the_most_urgent_goes_first(make_site: MakeSite, gate: Gate, journal: Path) -> None:
    narrow = make_site(places=1)
    narrow.begin(task({"a": shell(gate.script())}))
    gate.until_up()
    nodes = {
        name: shell(note(journal, name), priority=p) for name, p in (("low", -1), ("none", 0), ("high", 9))
    }
    urgent = task({"task": shell(note(journal, "task"))}, priority=5)
    instances = [narrow.begin(task(nodes)), narrow.begin(urgent)]
    for instance, node in ((instances[0], "high"), (instances[1], "task")):
        narrow.until_state(instance, node, "queued")
    gate.open()
    for instance in instances:
        narrow.end(instance)

    assert journal.read_text().split() == ["high", "task", "none", "low"]


def test_a_job_for_a_worker_that_is_not_there_says_so(site: Site) -> None:
    instance = site.begin(task({"a": shell("true", on={"workers": ["mars"]})}))
    site.until_state(instance, "a", "no_worker", "failed")

    assert site.state(instance, "a") == "no_worker"
    assert "mars" in str(site.engine.store.jobs(instance)[0].reason)
    site.engine.cancel(instance)
    assert site.state(instance, "a") == "cancelled"


def test_many_instances_at_once(site: Site) -> None:
    instances = [site.begin(task({"a": shell("true"), "b": shell("true", after=["a"])})) for _ in range(20)]

    assert {site.end(instance).status for instance in instances} == {"succeeded"}
    assert len({row.scheduled_time for row in site.engine.store.instances()}) == 20
    until(site.engine.idle)


# -- the task's end ----------------------------------------------------------------------------------


def test_results_and_success_of_a_task(site: Site) -> None:
    nodes = {"a": shell("printf 5 > outputs/n", results={"n": {"kind": "number"}})}
    results: dict[str, Any] = {
        "n": {"value": "$.JOB['a'].RESULT['n']"},
        "text": {"kind": "text", "value": "n={$.JOB['a'].RESULT['n']}"},
        "more": {"kind": "boolean", "value": "$.JOB['a'].RESULT['n'] > 4"},
    }
    seen = site.run(task(nodes, results=results, success="{$.JOB['a'].RESULT['n']} == 5"))

    assert seen.status == "succeeded", seen.row.error_message
    assert seen.results == {"n": 5, "text": "n=5", "more": True}


def test_a_tasks_success_alone_decides(site: Site) -> None:
    bad, good = shell("false"), shell("true")

    assert site.run(task({"a": bad}, success="$.JOB['a'].STATUS == 'failed'")).status == "succeeded"
    assert site.run(task({"a": good}, success="$.JOB['a'].STATUS == 'failed'")).status == "failed"


def test_a_tasks_result_that_cannot_be_had_fails_the_run(site: Site) -> None:
    seen = site.run(task({"a": shell("true")}, results={"x": {"value": "$.JOB['a'].RESULT['none']"}}))

    assert seen.status == "failed"
    assert seen.row.error_code is not None


def test_a_failed_run_has_the_results_that_can_be_had(site: Site) -> None:
    nodes = {"a": shell("true"), "b": shell("false")}
    results = {"x": {"value": "$.JOB['a'].EXIT_CODE"}, "y": {"value": "$.JOB['b'].RESULT['none']"}}
    seen = site.run(task(nodes, results=results))

    assert (seen.status, seen.results) == ("failed", {"x": 0})


def test_a_task_is_tried_again_from_what_failed(site: Site, journal: Path) -> None:
    nodes = {
        "once": shell(note(journal, "once")),
        "twice": shell(note(journal, "twice") + f"; [ $(grep -c twice {journal}) = 2 ]", after=["once"]),
        "last": shell(note(journal, "last"), after=["twice"]),
    }
    seen = site.run(task(nodes, retry={"times": 1, "interval": "50ms"}))

    assert (seen.status, seen.row.run) == ("succeeded", 2)
    assert journal.read_text().split() == ["once", "twice", "twice", "last"]
    assert [(run.run, str(run.status)) for run in site.engine.store.runs(seen.id)] == [
        (1, "failed"), (2, "succeeded"),
    ]  # fmt: skip
    seen.assert_replays()


def test_a_yaml_text_runs(site: Site) -> None:
    text = "skerry: 1\ntasks: {t: {nodes: {a: {type: shell, process: 'echo no'}}}}\n"

    assert site.run(definitions(text))["a"].log == "no\n"


def test_a_task_without_nodes_succeeds_at_once(site: Site) -> None:
    seen = site.run(tree({"tasks": {"t": {"nodes": {}}}}))

    assert seen.status == "succeeded"


def test_no_attempt_counts_as_running_after_an_error_that_nobody_foresaw(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(JobDirectory, "renew", fails)
    seen = site.run(task({"a": shell("exit 1", retry={"times": 1, "interval": "0s"})}))

    assert seen.states == {"a": "failed"}
    assert [str(each.status) for each in seen["a"].attempts] == ["failed", "failed"]
    assert "a mistake of the program" in (seen["a"].attempts[1].error_message or "")
