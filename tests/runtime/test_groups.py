"""What a group gives its members, and what they can read of it and of each other."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.site import Site, shell, task, tree
from tests.runtime.workers_of_site import add_worker

SAY = {"type": "shell", "params": {"who": {"required": True}}, "process": 'printf "${who}" > outputs/said'}
READS = shell('printf "${w}, ${before}" > outputs/all', params={
    "w": "$.JOB['g'].PARAMS['who']", "before": "$.JOB['g.0'].RESULT['said']"
})  # fmt: skip


def of_group(group: dict[str, Any], nodes: dict[str, Any], **keys: Any) -> Any:
    return tree({"jobs": {"say": SAY, "g": group}, "tasks": {"t": {"nodes": nodes, **keys}}})


def test_a_groups_params_are_the_defaults_of_its_members(site: Site) -> None:
    group = {"type": "group", "params": {"who": "ann"}, "jobs": [
        {"job": "say"},
        {"job": "say", "params": {"who": "bob"}},
        shell('printf "${who}" > outputs/said'),
    ]}  # fmt: skip
    seen = site.run(of_group(group, {"x": {"job": "g"}, "y": {"job": "g", "params": {"who": "cy"}}}))

    assert seen.status == "succeeded", site.waiting(seen.id)
    said = {node: seen[node].results["said"] for node in ("x.0", "x.1", "x.2", "y.0", "y.1", "y.2")}
    assert said == {"x.0": "ann", "x.1": "bob", "x.2": "ann", "y.0": "cy", "y.1": "bob", "y.2": "cy"}
    seen.assert_replays()


def test_the_task_gives_what_neither_member_nor_group_does(site: Site) -> None:
    group = {"type": "group", "params": {"who": None}, "jobs": [{"job": "say"}]}
    seen = site.run(of_group(group, {"x": {"job": "g", "params": {"who": None}}}, params={"who": "task"}))

    assert seen.status == "succeeded", site.waiting(seen.id)
    assert seen["x.0"].results["said"] == "task"


def test_a_member_names_its_siblings_wherever_the_group_is_used(site: Site) -> None:
    group = {"type": "group", "params": {"who": {}}, "jobs": [{"job": "say"}, READS]}
    nodes = {
        "first": {"job": "g", "params": {"who": "a"}},
        "g": {"job": "g", "params": {"who": "b"}, "after": ["first"]},
    }
    seen = site.run(of_group(group, nodes))

    assert seen.status == "succeeded", site.waiting(seen.id)
    assert (seen["first.1"].results["all"], seen["g.1"].results["all"]) == ("a, a", "b, b")
    seen.assert_replays()


def test_the_members_of_a_batch_of_groups_read_their_own(site: Site) -> None:
    group = {"type": "group", "params": {"who": {}}, "jobs": [{"job": "say"}, READS]}
    nodes = {"x": {"job": "g", "params": [{"who": "a"}, {"who": "b"}]}}
    seen = site.run(of_group(group, nodes))

    assert seen.status == "succeeded", site.waiting(seen.id)
    assert [entry["RESULT"]["all"] for entry in seen.job("x.1")] == ["a, a", "b, b"]


def test_a_group_within_a_group_hands_on_what_it_was_given(site: Site) -> None:
    inner = {"type": "group", "jobs": [{"job": "say"}]}
    seen = site.run(
        tree(
            {
                "jobs": {"say": SAY, "inner": inner},
                "tasks": {
                    "t": {
                        "nodes": {
                            "x": {"type": "group", "params": {"who": "deep"}, "jobs": [{"job": "inner"}]}
                        }
                    }
                },
            }
        )
    )

    assert seen.status == "succeeded", site.waiting(seen.id)
    assert seen["x.0.0"].results["said"] == "deep"


def test_only_the_params_of_a_group_can_be_read_before_it_has_ended(site: Site) -> None:
    seen = site.run(
        task({"g": {"type": "group", "jobs": [shell("true", params={"x": "$.JOB['g'].STATUS"})]}})
    )

    assert seen["g.0"].status == "failed"
    assert "has not ended" in str(seen["g.0"].error_message)


def test_what_failed_within_many_sub_tasks_is_said_once(site: Site) -> None:
    outer = {f"t{n}": {"nodes": {"x": {"type": "task", "task": f"t{n + 1}"}}} for n in range(5)}
    tasks = {**outer, "t5": {"nodes": {"x": shell("exit 3")}}}
    seen = site.run(tree({"tasks": tasks}), "t0")

    message = str(seen["x"].error_message)
    assert message.startswith("task 't1' (instance ")
    assert "): … task 't5' (instance " in message
    assert message.count("(instance ") == 2
    assert message.endswith("job 'x': exit status 3")


def test_a_33rd_sub_task_is_refused_with_its_code_when_it_is_started(site: Site) -> None:
    outer = {f"t{n}": {"nodes": {"x": {"type": "task", "task": f"t{n + 1}"}}} for n in range(33)}
    seen = site.run(tree({"tasks": {**outer, "t33": {"nodes": {"x": shell("true")}}}}), "t0")

    assert seen.status == "failed"
    assert "task 't33' would lie more than 32 sub-tasks deep" in str(seen["x"].error_message)


@pytest.mark.usefixtures("namesakes_only")
def test_members_run_where_the_group_says_unless_they_say_it_themselves(site: Site) -> None:
    for name in ("a", "b"):
        add_worker(site, name)
    members = [
        shell("true"),
        shell("true", on={"workers": ["b"]}),
        {"type": "file_exists", "params": {"path": "/"}},
    ]
    seen = site.run(task({"g": {"type": "group", "jobs": members, "on": {"workers": ["a"]}}}))

    assert seen.status == "succeeded"
    assert [seen[f"g.{n}"].row.worker for n in range(3)] == ["a", "b", "local"]
