"""Mistakes in expressions that are found before anything runs."""

from __future__ import annotations

from typing import Any

import pytest

from engine.model.codes import expressions, planning
from engine.model.control import GroupKeys, Member, SubTaskKeys
from engine.model.findings import Finding
from engine.model.job import Job, ParamSpec
from engine.model.resource import Resource
from engine.model.schedule import Dependency
from engine.model.task import Node
from engine.planning.plan import check, plan
from tests.planning.helpers import TYPES, condition, definitions, shell, task

READS = {"job": "read_file"}
EVERY_HOUR = Dependency(task="all", window="all_in_period", period="previous_day")
WAITS = {"depends_on": (Dependency(task="other"), EVERY_HOUR, Dependency.model_validate({"self": True}))}


def found(*nodes: Node, jobs: dict[str, Job] | None = None, **keys: Any) -> list[Finding]:
    return list(plan("t", definitions(task(*nodes, **keys), jobs=jobs), TYPES).findings)


def reader(text: Any, after: str = "", **keys: Any) -> Node:
    return shell("n", after, params={"p": ParamSpec(value=text)}, **keys)


def file(id: str = "f") -> Node:
    return Node(id=id, job=Job(id=id, type="read_file", params={"path": "x"}))


def batch(id: str = "b") -> Node:
    return Node(id=id, job=Job(id=id, type="shell", process="true"), params=({"i": 1}, {"i": 2}))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("$.JOB['f'].RESULT['text", expressions.SYNTAX),
        ("$.JBO['f'].RESULT['text']", expressions.UNKNOWN_NAME),
        ("$.JOB['g'].RESULT['text']", planning.UNKNOWN_REFERENCE),
        ("x {$.JOB['g'].STATUS} y", planning.UNKNOWN_REFERENCE),
        ({"deep": ["$.ROUNDS['g'][0].STATUS"]}, planning.UNKNOWN_REFERENCE),
        ("$.JOB['f'].PARAMS['paht']", planning.UNKNOWN_FIELD),
        ("$.JOB['f'].RESULT['tetx']", planning.UNKNOWN_FIELD),
        ("$.TASK.PARAMS['gaol']", planning.UNKNOWN_FIELD),
        ("$.ITEM", planning.UNKNOWN_FIELD),
        ("$.RESOURCE['f'].ok", planning.UNKNOWN_FIELD),
        ("$.JOB['f'][0].STATUS", planning.INDEX),
        ("$.JOB['b'].STATUS", planning.INDEX),
        ("$.JOB['b'][2].STATUS", planning.INDEX),
        ("$.UPSTREAM['another'].STATUS", planning.UNKNOWN_REFERENCE),
        ("$.UPSTREAM['other'][0].STATUS", planning.INDEX),
        ("$.UPSTREAM['all'].STATUS", planning.INDEX),
    ],
)
def test_a_name_that_is_never_there_is_an_error(text, code):
    [finding] = found(file(), batch(), reader(text, "f b"), params={"goal": 3}, **WAITS)

    assert (finding.severity, finding.code) == ("error", code.number)
    assert finding.path == ("tasks", "t", "nodes", "n", "params", "p")


@pytest.mark.parametrize(
    "text",
    [
        "$.JOB['f'].RESULT['text']",
        "$.JOB['f'].RESULT[0]",
        "$.JOB['f'].RESULT['page.txt']",
        "{$.JOB['f'].OUTPUT}:REGEX:(a+)",
        "{$.TASK.PARAMS['goal']}/{$.TASK.ID}",
        "$.JOB['b'][1].PARAMS['i']",
        "$.JOB['b'][*].RESULT['anything']",
        "$.ROUNDS['f'][0].STATUS",
        "$.ROUNDS['b'][0][1].STATUS",
        "$.JOB['s'].RESULT['written_by_the_script']",
        "$.JOB['n'].PARAMS['p']",
        "$.UPSTREAM['other'].RESULT['rows']",
        "$.UPSTREAM['all'][0].RESULT['rows']",
        "$.UPSTREAM['t'].STATUS",
        "$..STATUS",
        "$$.JOB['nothing']",
        "{not an expression}",
    ],
)
def test_what_may_be_there_is_left_alone(text):
    assert found(file(), batch(), shell("s"), reader(text, "f b s"), params={"goal": 3}, **WAITS) == []


def test_a_job_that_is_not_upstream_is_a_warning():
    [finding] = found(file(), reader("$.JOB['f'].RESULT['text']"))

    assert (finding.severity, finding.code) == ("warning", planning.NOT_UPSTREAM.number)


def test_far_upstream_is_upstream_and_task_results_come_after_everything():
    result = {"value": "$.JOB['f'].RESULT['text']"}

    assert found(file(), shell("a", "f"), reader("$.JOB['f'].STATUS", "a"), results={"r": result}) == []


def test_a_job_id_stands_for_the_one_node_that_uses_it():
    job = Job(id="j", type="shell", process="true")
    two = [Node(id="x", job="j"), Node(id="y", job="j")]

    assert found(two[0], reader("$.JOB['j'].STATUS", "x"), jobs={"j": job}) == []
    [finding] = found(*two, reader("$.JOB['j'].STATUS", "x y"), jobs={"j": job})
    assert "used by several nodes (x, y)" in finding.message


def test_inside_a_job_its_own_id_is_the_running_one():
    job = Job(id="j", type="shell", process="true", results={"r": {"value": "$.JOB['j'].OUTPUT"}})

    assert found(Node(id="x", job="j"), Node(id="y", job="j"), jobs={"j": job}) == []


def test_a_default_that_the_node_replaces_is_not_read():
    job = Job(id="j", type="shell", process="true", params={"p": "$.TASK.PARAMS['gone']"})

    [finding] = found(Node(id="x", job="j"), jobs={"j": job})
    assert finding.path == ("jobs", "j", "params", "p")
    assert found(Node(id="x", job="j", params={"p": 1}), jobs={"j": job}) == []
    assert found(Node(id="x", job="j"), jobs={"j": job}, job_params={"j": {"p": 1}}) == []


def test_expressions_stand_in_conditions_results_success_argv_and_when():
    keys = TYPES["command"].keys(argv=["echo", "$.JOB['g1'].STATUS"])
    command = Job(
        id="c", type="command", settings=keys,
        results={"ok": {"kind": "boolean", "value": "{$.JOB['g2'].STATUS} == 'x'"}},
        success="{$.JOB['g3'].STATUS} == 'x'",
        on={"workers": ["$.JOB['g7'].STATUS"]},
    )  # fmt: skip
    nodes = (
        Node(id="c", job=command),
        condition("d", value="{$.JOB['g4'].STATUS} == 'x'"),
        shell("e", when="{$.JOB['g5'].STATUS} == 'x'"),
        shell("f", for_each="$.JOB['g6'].RESULT['list']"),
    )

    messages = [each.message for each in found(*nodes)]

    assert sorted(message.split("'")[1] for message in messages) == ["g1", "g2", "g3", "g4", "g5", "g6", "g7"]


def test_a_broken_condition_is_an_error_with_its_place():
    [finding] = found(shell("a"), shell("b", "a", when="{$.JOB['a'].STATUS} = 'x'"))

    assert finding.code == expressions.SYNTAX.number
    assert finding.path == ("tasks", "t", "nodes", "b", "when")


def test_item_and_index_stand_in_nodes_with_for_each():
    assert found(reader(["$.ITEM", "{$.INDEX}"], for_each="$.TASK.PARAMS['list']"), params={"list": []}) == []


def test_members_of_a_group_are_jobs_and_their_last_gives_the_results():
    last = Job(id="g.1", type="read_file", params={"path": "{$.JOB['g.0'].OUTPUT}"})
    members = (Member(job=Job(id="g.0", type="shell", process="x")), Member(job=last))
    group = Node(id="g", job=Job(id="g", type="group", settings=GroupKeys(jobs=members)))

    assert found(group, reader("{$.JOB['g.0'].STATUS}{$.JOB['g'].RESULT['text']}", "g")) == []
    [finding] = found(group, reader("$.JOB['g'].RESULT['txet']", "g"))
    assert finding.code == planning.UNKNOWN_FIELD.number


def test_within_a_group_only_earlier_members_have_ended():
    def member(index: int, text: str) -> Member:
        return Member(job=Job(id=f"g.{index}", type="shell", process="x", params={"p": text}))

    members = (
        member(0, "$.JOB['g.1'].STATUS"),
        member(1, "$.JOB['g.0'].STATUS"),
        member(2, "$.JOB['g'].STATUS"),
    )

    warnings = found(Node(id="g", job=Job(id="g", type="group", settings=GroupKeys(jobs=members))))

    assert [each.code for each in warnings] == [planning.NOT_UPSTREAM.number] * 2
    assert [each.path[5] for each in warnings] == [0, 2]


def test_a_sub_task_has_the_results_of_its_task():
    started = task(shell("a"), id="b", results={"r": 1})
    node = Node(id="s", job=Job(id="s", type="task", settings=SubTaskKeys(task="b")))

    def messages(text):
        defined = definitions(task(node, reader(text, "s")), started)
        return [each.message for each in plan("t", defined, TYPES).findings]

    assert messages("{$.JOB['s'].RESULT['r']}{$.JOB['s'].RESULT['instance']}") == []
    assert "there are: instance, r" in messages("$.JOB['s'].RESULT['quite_another']")[0]


def test_a_likely_slip_in_the_result_of_a_program_is_a_warning():
    words = shell("w", results={"words": {"kind": "list"}})

    [finding] = found(words, reader("$.JOB['w'].RESULT['wrods']", "w"))

    assert (finding.severity, finding.code) == ("warning", planning.UNKNOWN_FIELD.number)


def test_resources_are_read_in_the_task_that_uses_them():
    ledger = Resource(id="r", type="file", uri="{$.TASK.PARAMS['dri']}/x", check={"exists": "$.BAD"})
    job = Job(id="j", type="shell", process="true", resources=("r",))
    defined = definitions(task(Node(id="n", job="j")), jobs={"j": job}, resources={"r": ledger})

    assert {each.path for each in check(defined, TYPES)} == {
        ("resources", "r", "uri"),
        ("resources", "r", "check"),
    }


def test_jobs_that_no_task_uses_are_read_too():
    job = Job(id="j", type="shell", process="true", params={"p": "$.JOB['x'"})

    assert [each.path for each in check(definitions(jobs={"j": job}), TYPES)] == [
        ("jobs", "j", "params", "p")
    ]


def test_a_parameter_that_is_not_dynamic_is_not_read():
    assert found(shell("n", params={"p": ParamSpec(value="$.JOB['gone'].STATUS", dynamic=False)})) == []
