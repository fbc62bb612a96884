"""Conditions and loops, waits, groups and sub-tasks at work (contract 2.4)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.planning import NO_BRANCH, TOO_MANY_LOOPS
from engine.model.codes.runtime import MEMBER_FAILED
from tests.runtime.site import Gate, Site, shell, task, tree
from tests.waiting import until


def condition(value: Any, branches: dict[str, Any] | None = None, **keys: Any) -> dict[str, Any]:
    return {"type": "condition", "value": value, "branches": branches or {}, **keys}


def decides(site: Site, value: Any, *keys: str, **params: Any) -> tuple[Any, Any, list[str]]:
    """The value and branch of a condition with a node for each key, and which of these ran."""
    nodes: dict[str, Any] = {f"n{i}": shell("true") for i in range(len(keys))}
    nodes["c"] = condition(value, {key: [f"n{i}"] for i, key in enumerate(keys)})
    seen = site.run(task(nodes, params=params))
    assert seen.status == "succeeded", site.waiting(seen.id)
    ran = [key for i, key in enumerate(keys) if seen[f"n{i}"].status == "succeeded"]
    return seen["c"].results["value"], seen["c"].results["branch"], ran


# -- conditions --------------------------------------------------------------------------------------


def test_the_branch_of_the_value_runs_and_the_others_are_skipped(site: Site) -> None:
    assert decides(site, "$.TASK.PARAMS['x']", "1", "2", x=2) == (2, "2", ["2"])
    assert decides(site, "$.TASK.PARAMS['x']", "1", "default", x=3) == (3, "default", ["default"])
    assert decides(site, "v{$.TASK.PARAMS['x']}", "v1", "default", x=1) == ("v1", "v1", ["v1"])


def test_a_text_that_is_a_condition_gives_true_or_false(site: Site) -> None:
    assert decides(site, "{$.TASK.PARAMS['x']} > 4", "true", "false", x=5) == (True, "true", ["true"])
    assert decides(site, "{$.TASK.PARAMS['x']} > 4", "true", x=3) == (False, None, [])
    assert decides(site, "$.TASK.PARAMS['x']", "false", x=True) == (True, None, [])


def test_a_resource_decides(site: Site, tmp_path: Path) -> None:
    resources = {"r": {"type": "file", "uri": str(tmp_path / "none"), "check": {"exists": True}}}
    nodes = {"c": condition({"resource": "r"}, {"false": ["n"]}), "n": shell("true")}
    seen = site.run(tree({"resources": resources, "tasks": {"t": {"nodes": nodes}}}))

    assert seen.states == {"c": "succeeded", "n": "succeeded"}


def test_a_value_without_a_branch_is_an_error(site: Site) -> None:
    nodes = {"c": condition("$.TASK.PARAMS['x']", {"1": ["n"]}), "n": shell("true")}
    seen = site.run(task(nodes, params={"x": 7}))

    assert (seen["c"].status, seen["c"].error_code) == ("failed", NO_BRANCH.number)
    assert seen["n"].status == "skipped"
    assert seen.status == "failed"


def test_what_only_belongs_to_a_branch_not_taken_is_skipped_with_it(site: Site) -> None:
    nodes = {
        "c": condition("$.TASK.PARAMS['x']", {"1": ["one"], "2": ["two"]}),
        "one": shell("true"), "one_more": shell("true", after=["one"]),
        "two": shell("true"), "two_more": shell("true", after=["two"]),
        "join": shell("true", after=["one_more", "two_more"]),
    }  # fmt: skip
    seen = site.run(task(nodes, params={"x": 2}))

    assert seen.states == {"c": "succeeded", "one": "skipped", "one_more": "skipped", "two": "succeeded",
                           "two_more": "succeeded", "join": "succeeded"}  # fmt: skip
    assert seen["one"].reason == "branch: c"


# -- loops -------------------------------------------------------------------------------------------


def counting(journal: Path, rounds: int, **keys: Any) -> dict[str, Any]:
    """look -> c -(2)-> repair -> look again; the branch '1' is taken at round ``rounds``."""
    look = f"echo look >> {journal}; grep -c look {journal} > outputs/n"
    value = f"{{$.JOB['look'].RESULT['n']}} >= {rounds}"
    again = {"run": ["repair"], "again": True, "from": "look"}
    return {
        "look": shell(look, results={"n": {"kind": "number"}}),
        "c": condition(value, {"true": ["publish"], "false": again}, after=["look"], **keys),
        "repair": shell(f"echo repair >> {journal}"),
        "publish": shell(f"echo publish >> {journal}"),
    }  # fmt: skip


def test_a_loop_goes_round_until_its_condition_leaves_it(site: Site, journal: Path) -> None:
    seen = site.run(task(counting(journal, 3)))

    assert seen.status == "succeeded", site.waiting(seen.id)
    assert journal.read_text().split() == ["look", "repair", "look", "repair", "look", "publish"]
    assert [each.round for each in seen.all("look")] == [1, 2, 3]
    assert [each.round for each in seen.all("c")] == [1, 2, 3]
    assert [(each.round, str(each.status)) for each in seen.all("repair")] == [
        (1, "succeeded"),
        (2, "succeeded"),
    ]


def test_rounds_gives_every_round_and_job_the_latest(site: Site, journal: Path) -> None:
    nodes = counting(journal, 3)
    nodes["publish"]["params"] = {
        "first": "$.ROUNDS['look'][0].RESULT['n']",
        "second": "$.ROUNDS['look'][1].RESULT['n']",
        "last": "$.JOB['look'].RESULT['n']",
        "all": "$.ROUNDS['look'][*].RESULT['n']",
    }
    seen = site.run(task(nodes))

    assert seen.job("publish")["PARAMS"] == {"first": 1, "second": 2, "last": 3, "all": [1, 2, 3]}
    seen.assert_replays()


def test_a_loop_that_goes_round_too_often_fails_with_its_own_code(site: Site, journal: Path) -> None:
    seen = site.run(task(counting(journal, 99, max_loops=2)))

    assert (seen.status, seen["c"].status, seen["c"].error_code) == (
        "failed",
        "failed",
        TOO_MANY_LOOPS.number,
    )
    assert journal.read_text().split().count("repair") == 2
    assert seen["publish"].status == "skipped"


def test_without_from_only_the_condition_runs_again(site: Site, journal: Path) -> None:
    nodes = {
        "look": shell(f"echo look >> {journal}"),
        "c": condition("{$.TASK.DIRECTORY}/x # 'y'", {"false": {"run": ["fix"], "again": True}},
                       after=["look"], max_loops=3),
        "fix": shell(f"echo fix >> {journal}"),
    }  # fmt: skip
    nodes["c"]["value"] = {"resource": "flag"}
    nodes["fix"] = shell(f"echo fix >> {journal}; [ $(grep -c fix {journal}) -lt 2 ] || touch {journal}.flag")
    resources = {"flag": {"type": "file", "uri": f"{journal}.flag", "check": {"exists": True}}}
    seen = site.run(tree({"resources": resources, "tasks": {"t": {"nodes": nodes}}}))

    assert seen.status == "succeeded"
    assert journal.read_text().split() == ["look", "fix", "fix"]
    assert [each.results["value"] for each in seen.all("c")] == [False, False, True]


def test_an_inner_loop_counts_afresh_in_each_round_of_the_outer(site: Site, journal: Path) -> None:
    def count(word: str) -> str:
        return f"echo {word} >> {journal}; grep -c {word} {journal} > outputs/n"

    number = {"n": {"kind": "number"}}
    nodes = {
        "begin": shell(count("begin"), results=number),
        "inner": shell(count("inner"), after=["begin"], results=number),
        "out": shell("true"),
        "co": condition("{$.JOB['begin'].RESULT['n']} >= 2",
                        {"true": ["out"], "false": {"run": ["back"], "again": True, "from": "begin"}},
                        after=["ci"]),
        "back": shell("true"),
    }  # fmt: skip
    nodes["ci"] = {
        **condition(
            "$.JOB['even'].RESULT['x']",
            {"yes": [], "no": {"run": ["once"], "again": True, "from": "inner"}},
            after=["even"],
            max_loops=1,
        )
    }
    nodes["even"] = shell("if [ $((n % 2)) = 0 ]; then printf yes; else printf no; fi > outputs/x",
                          after=["inner"], params={"n": "$.JOB['inner'].RESULT['n']"})  # fmt: skip
    nodes["once"] = shell("true")
    seen = site.run(task(nodes))

    assert seen.status == "succeeded", site.waiting(seen.id)
    assert journal.read_text().split() == ["begin", "inner", "inner", "begin", "inner", "inner"]


# -- wait --------------------------------------------------------------------------------------------


def test_a_wait_holds_no_place(make_site: Any) -> None:
    narrow = make_site(places=1)
    nodes = {"w": {"type": "wait", "for": "300ms"}, "a": shell("true")}
    seen = narrow.run(task(nodes))

    assert seen["w"].results["waited"] >= 0.3
    assert str(seen["a"].ended_at) < str(seen["w"].ended_at)
    assert seen["w"].directory is None


def test_a_wait_until_a_time(site: Site) -> None:
    moment = datetime.now(UTC) + timedelta(milliseconds=400)
    nodes = {"w": {"type": "wait", "until": "$.TASK.PARAMS['at']"}}
    seen = site.run(task(nodes, params={"at": moment.isoformat()}))

    assert seen.status == "succeeded"
    assert datetime.fromisoformat(str(seen["w"].ended_at)) >= moment


def test_a_time_that_is_past_is_no_wait(site: Site) -> None:
    seen = site.run(task({"w": {"type": "wait", "until": "2020-01-01T00:00:00+08:00"}}))

    assert seen.status == "succeeded"


def test_a_wait_until_something_holds(site: Site, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    resources = {"flag": {"type": "file", "uri": str(flag), "check": {"exists": True}}}
    nodes = {"w": {"type": "wait", "until_true": {"resource": "flag"}, "every": "50ms"}}
    instance = site.begin(tree({"resources": resources, "tasks": {"t": {"nodes": nodes}}}))
    site.until_state(instance, "w", "waiting")
    assert "waits until" in str(site.engine.store.jobs(instance)[0].reason)
    flag.touch()

    assert site.end(instance).status == "succeeded"


# -- group -------------------------------------------------------------------------------------------


def test_a_group_runs_its_members_in_order_as_one(site: Site, journal: Path) -> None:
    jobs = {
        "write": {
            "type": "shell",
            "params": {"w": {}},
            "process": f'echo "${{w}}" >> {journal}; echo "${{w}}" > outputs/w',
        }
    }
    group = {"type": "group", "jobs": [
        {"job": "write", "params": {"w": "a"}},
        {"job": "write", "params": {"w": "{$.JOB['g.0'].RESULT['w']}b"}},
        shell("printf c > outputs/last"),
    ]}  # fmt: skip
    nodes = {
        "g": group,
        "z": shell(
            "true", after=["g"], params={"l": "$.JOB['g'].RESULT['last']", "m": "$.JOB['g.1'].STATUS"}
        ),
    }
    seen = site.run(tree({"jobs": jobs, "tasks": {"t": {"nodes": nodes}}}))

    assert seen.status == "succeeded", site.waiting(seen.id)
    assert journal.read_text() == "a\na\nb\n"
    assert seen.states == {
        "g": "succeeded",
        "g.0": "succeeded",
        "g.1": "succeeded",
        "g.2": "succeeded",
        "z": "succeeded",
    }
    assert (seen["g.0"].job, seen["g.2"].job) == ("write", "g.2")
    assert seen.job("z")["PARAMS"] == {"l": "c", "m": "succeeded"}
    assert seen["g.2"].folder.name == f"job-g.2-{seen['g.2'].id}"
    seen.assert_replays()


def test_a_group_ends_with_the_first_that_fails(site: Site, journal: Path) -> None:
    group = {"type": "group", "jobs": [shell("true"), shell("exit 4"), shell(f"echo never >> {journal}")]}
    seen = site.run(task({"g": group}))

    assert (seen.status, seen["g"].error_code) == ("failed", MEMBER_FAILED.number)
    assert seen.states == {"g": "failed", "g.0": "succeeded", "g.1": "failed"}
    assert "g.1" in str(seen["g"].error_message)
    assert journal.read_text() == ""


def test_a_group_can_be_tried_again(site: Site, journal: Path) -> None:
    group = {
        "type": "group",
        "retry": {"times": 1},
        "jobs": [
            shell(f"echo first >> {journal}"),
            shell(f"echo second >> {journal}; [ $(grep -c second {journal}) = 2 ]"),
        ],
    }
    seen = site.run(task({"g": group}))

    assert seen.status == "succeeded", site.waiting(seen.id)
    assert journal.read_text().split() == ["first", "second", "first", "second"]
    assert len([each for each in seen.rows if each.node == "g.0"]) == 2
    seen.assert_replays()


def test_a_batch_of_groups(site: Site, journal: Path) -> None:
    group = {
        "type": "group",
        "for_each": "$.TASK.PARAMS['l']",
        "jobs": [shell(f'echo "${{w}}" >> {journal}', params={"w": "$.ITEM"})],
    }
    seen = site.run(task({"g": group}, params={"l": ["a", "b"]}))

    assert seen.status == "succeeded", site.waiting(seen.id)
    assert sorted(journal.read_text().split()) == ["a", "b"]
    seen.assert_replays()


# -- sub-tasks ---------------------------------------------------------------------------------------


def with_inner(inner: dict[str, Any], **node: Any) -> Any:
    inner = {"params": {"x": 1}, "results": {"r": {"value": "$.TASK.PARAMS['x']"}}, **inner}
    outer = {"nodes": {"sub": {"type": "task", "task": "inner", **node}}}
    return tree({"tasks": {"inner": inner, "outer": outer}})


def test_a_sub_task_ends_its_node_and_gives_its_results(site: Site) -> None:
    seen = site.run(with_inner({"nodes": {"a": shell("true")}}, params={"x": 5}), "outer")

    number = seen["sub"].results["instance"]
    assert seen["sub"].results == {"r": 5, "instance": number}
    inner = site.see(number)
    assert (inner.row.task, inner.row.trigger, inner.status) == ("inner", "subtask", "succeeded")
    assert inner.row.parent == seen["sub"].id


def test_a_failed_sub_task_fails_its_node(site: Site) -> None:
    seen = site.run(with_inner({"nodes": {"a": shell("exit 3")}, "results": {}}), "outer")

    assert (seen.status, seen["sub"].error_code) == ("failed", MEMBER_FAILED.number)


def test_a_sub_task_that_is_not_waited_for(site: Site, gate: Gate) -> None:
    seen = site.run(with_inner({"nodes": {"a": shell(gate.script())}}, wait=False), "outer")

    number = seen["sub"].results["instance"]
    assert seen.status == "succeeded"
    assert site.see(number).status == "running"
    gate.open()
    assert site.end(number).status == "succeeded"


def test_a_sub_task_given_what_its_parameter_cannot_be_fails(site: Site) -> None:
    inner = {"nodes": {"a": shell("true")}, "params": {"x": {"kind": "number"}}}
    seen = site.run(with_inner(inner, params={"x": "$.TASK.ID"}), "outer")

    assert seen.status == "failed"
    assert "'x'" in str(seen["sub"].error_message)


@pytest.mark.parametrize("places", [1])
def test_sub_tasks_hold_no_place(make_site: Any, places: int) -> None:
    narrow = make_site(places=places)
    inner = {"nodes": {"a": shell("true")}}
    middle = {"nodes": {"m": {"type": "task", "task": "inner"}}}
    outer = {"nodes": {"o": {"type": "task", "task": "middle"}}}
    seen = narrow.run(tree({"tasks": {"inner": inner, "middle": middle, "outer": outer}}), "outer")

    assert seen.status == "succeeded"


# -- asynchronous jobs -------------------------------------------------------------------------------


def test_an_asynchronous_job_gives_its_place_back_at_once(make_site: Any, gate: Gate) -> None:
    narrow = make_site(places=1)
    waits = shell(gate.script(then="printf done > ${d}/flag"), params={"d": str(gate.folder)}, mode="async",
                  check={"every": "50ms", "times": 1000, "success": {"resource": "flag"}},
                  results={"r": {"value": "x{$.TASK.ID}"}})  # fmt: skip
    resources = {"flag": {"type": "file", "uri": f"{gate.folder}/flag", "check": {"exists": True}}}
    nodes = {"a": waits, "b": shell("true")}
    instance = narrow.begin(tree({"resources": resources, "tasks": {"t": {"nodes": nodes}}}))

    narrow.until_state(instance, "b", "succeeded")
    narrow.until_state(instance, "a", "checking")
    gate.open()
    seen = narrow.end(instance)

    assert seen.states == {"a": "succeeded", "b": "succeeded"}
    assert seen["a"].results["r"] == "xt"


def test_without_a_check_it_counts_as_succeeded(site: Site, gate: Gate) -> None:
    seen = site.run(task({"a": shell(gate.script(), mode="async"), "b": shell("true", after=["a"])}))

    assert seen.states == {"a": "succeeded", "b": "succeeded"}
    gate.open()


def test_a_check_that_never_holds_fails_it(site: Site) -> None:
    check = {"every": "20ms", "times": 3, "success": "1 > 2"}
    seen = site.run(task({"a": shell("true", mode="async", check=check)}))

    assert (seen.status, seen["a"].status) == ("failed", "failed")
    assert "3 checks" in str(seen["a"].error_message)


def test_the_check_stands_for_the_exit_status(site: Site) -> None:
    check = {"every": "20ms", "success": True}
    seen = site.run(task({"a": shell("exit 3", mode="async", check=check)}))

    assert seen["a"].status == "succeeded"


def test_an_asynchronous_job_is_checking_in_its_context_too(site: Site) -> None:
    check = {"every": "10ms", "times": 3, "success": "{$.JOB['a'].STATUS} == 'checking'"}

    seen = site.run(task({"a": shell("true", mode="async", check=check)}))

    assert seen.status == "succeeded"


def test_the_exit_status_of_an_asynchronous_job_that_ended_before_its_check_is_known(
    site: Site, tmp_path: Path
) -> None:
    """The check decides; what the program ended with is recorded and can be read."""
    check = {"every": "50ms", "times": 1000, "success": {"resource": "flag"}}
    resources = {"flag": {"type": "file", "uri": f"{tmp_path}/flag", "check": {"exists": True}}}
    nodes = {
        "a": shell("exit 3", mode="async", check=check),
        "b": shell("true", after=["a"], params={"code": "$.JOB['a'].EXIT_CODE"}),
    }
    instance = site.begin(tree({"resources": resources, "tasks": {"t": {"nodes": nodes}}}))
    until(lambda: [row.exit_code for row in site.engine.store.jobs(instance) if row.node == "a"] == [3])

    (tmp_path / "flag").touch()
    seen = site.end(instance)

    assert (seen["a"].status, seen["a"].exit_code, seen["a"].results["exit_code"]) == ("succeeded", 3, 3)
    assert seen["b"].params == {"code": 3}
