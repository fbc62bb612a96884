"""The plan of a task: order, branches, loops; and what planning refuses."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.codes import planning as codes
from engine.model.codes.definitions import WRONG_TYPE
from engine.model.codes.expressions import PATH_AS_LETTERS
from engine.model.control import GroupKeys, Member, SubTaskKeys
from engine.model.job import Job, ParamSpec, ResourceRef
from engine.model.task import Node
from engine.planning.plan import check, plan
from tests.planning.helpers import TYPES, condition, definitions, messages, planned, shell, task


def test_sort_is_the_longest_distance_from_a_root_whose_sort_is_one():
    made = planned(shell("d", "a c"), shell("a"), shell("c", "b"), shell("b", "a"), shell("x"))

    assert {id: node.sort for id, node in made.nodes.items()} == {"a": 1, "x": 1, "b": 2, "c": 3, "d": 4}
    assert list(made.nodes) == ["a", "x", "b", "c", "d"]
    assert made.depth == 4
    assert made.nodes["d"].parents == ("a", "c")
    assert made.nodes["a"].children == ("d", "b")


def test_a_node_named_in_a_branch_is_after_its_condition():
    made = planned(shell("x"), condition("c", one="a"), shell("a", "x c"))

    assert made.nodes["a"].parents == ("x", "c")
    assert made.nodes["a"].branch == ("c", "one")
    assert made.nodes["a"].sort == 2


def test_a_loop_knows_its_branch_its_path_and_what_has_to_end():
    made = planned(
        shell("begin"), shell("look", "begin"), shell("beside", "look"), shell("mid", "look"),
        condition("reached", "mid", yes="publish", no="again:look step"),
        shell("step"), shell("then", "step"), shell("publish"), shell("after", "then begin"),
    )  # fmt: skip

    [loop] = made.loops.values()

    assert (loop.condition, loop.key) == ("reached", "no")
    assert loop.branch == {"step", "then"}
    assert loop.path == {"look", "mid", "reached"}
    assert loop.body == {"step", "then", "look", "mid"}


def test_a_cycle_is_refused_with_its_path():
    assert messages(shell("a", "b"), shell("b", "a"), shell("c", "b")) == [
        "the nodes of task 't' wait for each other: a -> b -> a"
    ]
    assert messages(shell("a", "a")) == ["the nodes of task 't' wait for each other: a -> a"]
    assert messages(condition("c", "x", one="x"), shell("x")) == [
        "the nodes of task 't' wait for each other: c -> x -> c"
    ]


def test_a_node_cannot_be_called_as_a_member_of_a_group():
    group = Job(id="g", type="group", settings=GroupKeys(jobs=(Member(job=shell("x").job),)))

    found = messages(Node(id="g", job=group), shell("g.0"), shell("g.1"))

    assert found == ["'g.0' is already the name of a member of 'g'"]


def test_every_cycle_is_reported_at_once():
    found = messages(shell("a", "b"), shell("b", "a"), shell("x", "z a"), shell("y", "x"), shell("z", "y"))

    assert [each.rpartition(": ")[2] for each in found] == ["a -> b -> a", "x -> y -> z -> x"]


def test_a_loop_whose_branch_waits_for_its_end_is_refused_with_the_path():
    found = messages(
        condition("c", no="again step", yes="publish"), shell("step", "publish"), shell("publish")
    )

    assert found == ["a loop of task 't' waits for what comes only after it: step -> c -> publish -> step"]


def test_two_branches_of_a_condition_that_both_loop_do_not_wait_for_each_other():
    made = planned(shell("a"), condition("c", "a", x="again:a s", y="again u"), shell("s"), shell("u"))

    assert len(made.loops) == 2


@pytest.mark.parametrize(
    ("nodes", "code", "text", "path"),
    [
        ([shell("a", "x")], codes.UNKNOWN_NODE, "no node 'x'", ("a", "after", 0)),
        ([condition("c", one="x")], codes.UNKNOWN_NODE, "no node 'x'", ("c", "branches", "one")),
        (
            [condition("c", one="again:x")],
            codes.UNKNOWN_NODE,
            "no node 'x'",
            ("c", "branches", "one", "from"),
        ),
        (
            [shell("a"), condition("c", one="again:a")],
            codes.NOT_BEFORE,
            "no way leads to 'c'",
            ("c", "branches", "one", "from"),
        ),
        (
            [condition("c", one="a", two="a"), shell("a")],
            codes.BRANCH_TWICE,
            "named in two branches: 'one' of 'c' and 'two' of 'c'",
            ("c", "branches", "two"),
        ),
        ([condition("c", one="a a"), shell("a")], codes.BRANCH_TWICE, "twice", ("c", "branches", "one")),
        (
            [condition("c", value="{$.TASK.RUN} > 1", one="a"), shell("a")],
            codes.UNREACHABLE,
            "can never be taken",
            ("c", "branches", "one"),
        ),
        ([Node(id="a", job="nope")], codes.UNKNOWN_JOB, "no job 'nope'", ("a", "job")),
    ],
)
def test_what_does_not_fit_together_is_an_error_at_its_place(nodes, code, text, path):
    [finding] = plan("t", definitions(task(*nodes)), TYPES).findings

    assert (finding.severity, finding.code) == ("error", code.number)
    assert text in finding.message
    assert finding.path == ("tasks", "t", "nodes", *path)


def test_true_false_and_default_can_be_taken_by_a_condition_text():
    assert messages(condition("c", value="1 > 2", true="a", default="b"), shell("a"), shell("b")) == []
    assert (
        "'default'" in messages(condition("c", value="1 > 2", true="", false="", default="b"), shell("b"))[0]
    )


def test_a_path_between_the_quotes_of_a_condition_is_a_warning():
    [finding] = plan(
        "t", definitions(task(condition("c", value="'1{$.JOB[\\'a\\']}' == 1", true=""))), TYPES
    ).findings

    assert (finding.severity, finding.code) == ("warning", PATH_AS_LETTERS.number)
    assert "letter by letter" in finding.message
    assert finding.path == ("tasks", "t", "nodes", "c", "value")


def test_a_doubled_parent_and_a_branch_of_a_disabled_condition_are_warnings():
    off = condition("c", one="b").model_copy(update={"enabled": False})
    planning = plan("t", definitions(task(shell("a"), shell("x", "a a"), off, shell("b"))), TYPES)

    assert planning.plan is not None
    assert [each.code for each in planning.findings] == [codes.NO_EFFECT.number, codes.UNREACHABLE.number]
    assert planning.plan.nodes["x"].parents == ("a",)


def test_so_many_at_once_means_nothing_for_a_single_job():
    alone, batch = shell("a", parallel=2), shell("b", parallel=2, for_each="$.TASK.PARAMS['l']")

    [finding] = plan("t", definitions(task(alone, batch, params={"l": {}})), TYPES).findings

    assert (finding.severity, finding.code) == ("warning", codes.NO_EFFECT.number)
    assert finding.path == ("tasks", "t", "nodes", "a", "parallel")


@pytest.mark.parametrize(("text", "found"), [("[1, 2]", "'[1, 2]'"), ("names", "'names'"), (3, "3")])
def test_what_can_give_no_list_is_nothing_to_repeat_a_node_by(text: object, found: str):
    planning = plan("t", definitions(task(shell("a", for_each=text), shell("b", for_each=[1, 2]))), TYPES)

    [finding] = planning.findings
    assert planning.plan is None
    assert (finding.code, finding.path) == (WRONG_TYPE.number, ("tasks", "t", "nodes", "a", "for_each"))
    assert finding.message.endswith(f"found {found}")


def test_an_unknown_task_has_no_plan():
    planning = plan("tt", definitions(task(shell("a"))), TYPES)

    assert planning.plan is None
    assert planning.findings[0].code == codes.UNKNOWN_TASK.number
    assert "did you mean 't'?" in planning.findings[0].message


def sub(id: str, started: str, **given: object) -> Node:
    job = Job(id=id, type="task", settings=SubTaskKeys(task=started), params=given)
    return Node(id=id, job=job)


def test_a_task_that_would_start_itself_over_others_is_refused_with_the_path():
    found = check(
        definitions(task(sub("x", "b"), id="a"), task(sub("y", "c"), id="b"), task(sub("z", "a"), id="c")),
        TYPES,
    )

    assert [each.message for each in found] == ["task 'a' would start itself: a -> b -> c -> a"]
    assert found[0].path == ("tasks", "a", "nodes", "x")


def test_a_task_that_starts_itself_within_a_group_is_refused():
    inner = Job(id="g.0", type="task", settings=SubTaskKeys(task="t"))
    group = Job(id="g", type="group", settings=GroupKeys(jobs=(Member(job=inner),)))

    assert messages(Node(id="g", job=group)) == ["task 't' would start itself: t -> t"]


def test_a_group_that_contains_itself_is_refused():
    group = Job(id="g", type="group", settings=GroupKeys(jobs=(Member(job="g"),)))

    found = plan("t", definitions(task(Node(id="x", job="g")), jobs={"g": group}), TYPES).findings

    assert [each.message for each in found] == ["group 'g' contains itself: g -> g"]


def test_ids_in_jobs_that_lead_nowhere_are_errors():
    group = Job(id="g", type="group", settings=GroupKeys(jobs=(Member(job="lost"),)))
    job = Job(
        id="j", type="shell", process="true", resources=("r1",), changes=("r2",),
        success=[ResourceRef(resource="r3")], results={"ok": {"value": {"resource": "r4"}}},
    )  # fmt: skip

    found = check(definitions(task(sub("s", "gone")), jobs={"g": group, "j": job}), TYPES)

    assert {each.code for each in found} == {
        codes.UNKNOWN_JOB.number, codes.UNKNOWN_RESOURCE.number, codes.UNKNOWN_TASK.number
    }  # fmt: skip
    assert sorted(each.path[2:] for each in found if each.code == codes.UNKNOWN_RESOURCE.number) == [
        ("changes", 0), ("resources", 0), ("results", "ok"), ("success", 0)
    ]  # fmt: skip


def test_a_required_parameter_without_any_value_is_an_error():
    job = Job(id="j", type="shell", process="true", params={"a": ParamSpec(required=True)})
    node = Node(id="n", job="j")

    def found(node, **keys):
        return [
            each.message
            for each in plan("t", definitions(task(node, **keys), jobs={"j": job}), TYPES).findings
        ]

    assert found(node) == ["'n' gives the required parameter 'a' no value"]
    assert found(node.model_copy(update={"params": {"a": 1}})) == []
    assert found(node.model_copy(update={"params": ({"a": 1}, {})})) == [
        "'n' gives the required parameter 'a' no value"
    ]
    assert found(node, job_params={"j": {"a": 1}}) == []
    assert found(node, params={"a": ParamSpec()}) == []


def test_a_type_with_a_fixed_table_takes_no_other_parameters():
    job = Job(id="n", type="read_file", params={"path": "x", "encodign": "latin-1"})
    slip = Job(id="m", type="read_file", params={"pth": "x"})

    assert messages(Node(id="n", job=job)) == ["'n' has no parameter 'encodign'; did you mean 'encoding'?"]
    assert messages(Node(id="m", job=slip)) == ["'m' has no parameter 'pth'; did you mean 'path'?"]


def test_a_further_parameter_of_a_node_is_allowed_and_a_likely_slip_a_warning():
    job = Job(id="j", type="shell", process="true", params={"source": ParamSpec()})
    node = Node(id="n", job="j", params={"sourse": 1, "other": 2})

    [finding] = plan("t", definitions(task(node), jobs={"j": job}), TYPES).findings

    assert finding.severity == "warning"
    assert finding.path == ("tasks", "t", "nodes", "n", "params", "sourse")


def test_a_sub_task_gets_only_parameters_that_it_has():
    started = task(shell("a"), id="b", params={"who": ParamSpec(required=True), "why": ParamSpec()})
    found = plan("t", definitions(task(sub("s", "b", what=ParamSpec(value=1))), started), TYPES).findings

    assert [each.message for each in found] == [
        "task 'b' has no parameter 'what'; there are: who, why",
        "task 'b' requires the parameter 'who', which gets no value here",
    ]


def test_job_params_for_jobs_that_are_not_used_are_reported():
    found = plan(
        "t",
        definitions(
            task(shell("a"), job_params={"a": {}, "j": {}, "gone": {}}),
            jobs={"j": Job(id="j", type="shell", process="true")},
        ),
        TYPES,
    ).findings

    assert [(each.severity, each.path[-1]) for each in found] == [("warning", "j"), ("error", "gone")]


def test_an_online_task_needs_a_schedule_and_dependencies_must_be_possible():
    tasks = [
        task(shell("a"), id="a", state="online"),
        task(
            shell("a"), id="b", state="online", schedule="manual", depends_on=[{"task": "zz"}, {"task": "c"}]
        ),
        task(shell("a"), id="c", state="offline", schedule={"level": "crontab", "cron": "0 0 * * * ?"}),
        task(
            shell("a"),
            id="d",
            schedule={"level": "day", "every": 1},
            depends_on=[{"task": "e", "window": "same_period"}, {"task": "e"}],
        ),
        task(shell("a"), id="e", schedule={"level": "interval", "interval": "5m"}),
    ]

    found = check(definitions(*tasks), TYPES)

    assert [(each.code, each.path[1]) for each in found] == [
        (codes.NO_SCHEDULE.number, "a"),
        (codes.UNKNOWN_TASK.number, "b"),
        (codes.DEPENDS_ON.number, "b"),
        (codes.DEPENDS_ON.number, "d"),
    ]


def test_five_thousand_nodes_are_planned():
    nodes = [shell("n0")]
    for index in range(1, 5000):
        after = {index - 1, index // 2} if index % 2 else {index // 2}
        nodes.append(shell(f"n{index}", " ".join(f"n{each}" for each in sorted(after))))
    made = definitions(task(*nodes))

    planning = plan("t", made, TYPES)

    assert planning.plan is not None
    assert len(planning.plan.nodes) == 5000


def test_a_chain_of_thousands_of_conditions_needs_no_recursion():
    nodes = [condition(f"c{index}", yes=f"c{index + 1}") for index in range(3000)]

    assert planned(*nodes, shell("c3000")).depth == 3001


@given(st.lists(st.sets(st.integers(0, 30), max_size=4), min_size=1, max_size=30))
def test_a_node_always_sorts_one_behind_its_last_parent(arrows):
    nodes = [
        shell(f"n{index}", " ".join(f"n{p}" for p in parents if p < index))
        for index, parents in enumerate(arrows)
    ]

    made = planned(*nodes)

    for node in made.nodes.values():
        assert node.sort == 1 + max((made.nodes[parent].sort for parent in node.parents), default=0)
        assert all(node.id in made.nodes[parent].children for parent in node.parents)


@given(st.lists(st.sets(st.integers(0, 11), max_size=2), min_size=1, max_size=12))
def test_a_task_is_refused_for_a_cycle_exactly_when_it_has_one_and_the_path_is_one(arrows):
    parents = {f"n{i}": [f"n{p}" for p in sorted(each) if p < len(arrows)] for i, each in enumerate(arrows)}
    found = messages(*(shell(id, " ".join(above)) for id, above in parents.items()))

    left = dict(parents)
    while free := [id for id in left if not any(parent in left for parent in left[id])]:
        left = {id: above for id, above in left.items() if id not in free}

    assert bool(found) == bool(left)
    for message in found:
        path = message.rpartition(": ")[2].split(" -> ")
        assert path[0] == path[-1]
        assert all(before in parents[after] for before, after in pairwise(path))
