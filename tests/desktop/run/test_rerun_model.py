"""What the rerun assistant proposes, what an edit taints, what may be edited at all."""

from __future__ import annotations

from app.desktop.run import context_rows
from app.desktop.run.rerun_model import (
    EditableValue,
    Follower,
    PlanAnswer,
    RerunChoice,
    children_of,
    dependants,
    editable,
    readers,
    tainted,
    usual,
)  # fmt: skip
from engine.api.documents import Rerun
from engine.context.timeline import LineCause
from tests.api.fake_service import instance, job

PREVIEW = {"run": ["load", "publish"], "keep": ["extract"], "skip": ["other"], "diff": ["-a", "+b"]}


def _cause(seq: int, path: str, *inputs: str) -> LineCause:
    return LineCause(seq, "", 1, "engine", path, inputs=dict.fromkeys(inputs))


def test_after_a_failure_what_failed_is_proposed_else_from_the_selected_job() -> None:
    failed = instance(1, "failed", jobs=[job("load", "failed")])
    fine = instance(1, "succeeded", jobs=[job("load", "succeeded")])

    assert usual(failed, "load").mode == "failed"
    assert usual(fine, "load") == RerunChoice("from", ("load",))
    assert usual(fine, None).mode == "all"


def test_a_choice_becomes_the_request_of_the_service() -> None:
    choice = RerunChoice("from", ("load",), with_upstream=True, current=True, reason=" typo ")
    choice = choice.edited("$.TASK.PARAMS['limit']", "20").edited("$.TASK.PARAMS['limit']", "30")

    assert choice.request(4) == Rerun(
        4, "from", ("load",), True, False, (("$.TASK.PARAMS['limit']", "30"),), "typo", True
    )
    assert choice.edited("$.TASK.PARAMS['limit']", None).edits == ()


def test_the_answer_gives_every_node_its_verdict() -> None:
    plan = PlanAnswer.of(PREVIEW)

    assert plan.verdicts["extract"] == "keep"
    assert plan.nodes("run") == ["load", "publish"]
    assert plan.diff == ("-a", "+b")


def test_parameters_and_kept_results_may_be_edited_but_not_what_runs_again() -> None:
    tree = {
        "TASK": {"PARAMS": {"limit": 10}},
        "JOB": {
            "extract": {"RESULT": {"rows": 25}},
            "load": {"RESULT": {"x": 1}},
            "each": [{"RESULT": {"y": 2}}],
        },
    }

    assert list(editable(tree, {"load"})) == [
        EditableValue("$.TASK.PARAMS['limit']", 10),
        EditableValue("$.JOB['extract'].RESULT['rows']", 25),
        EditableValue("$.JOB['each'][0].RESULT['y']", 2),
    ]


def test_an_edit_taints_who_reads_it_and_all_that_comes_after() -> None:
    causes = [
        _cause(1, "$.JOB['load'].PARAMS['rows']", "$.JOB['extract'].RESULT['rows']"),
        _cause(2, "$.JOB['other'].PARAMS['a']", "$.TASK.PARAMS['dir']"),
        _cause(3, "$.JOB['sum'].PARAMS['all']", "$.JOB['extract'][*].RESULT['rows']"),
    ]
    children = children_of({"extract": (), "load": ("extract",), "publish": ("load",), "sum": ()})

    found = readers(causes, "$.JOB['extract'].RESULT['rows']")

    assert found == {"load", "sum"}
    verdicts = {"load": "run", "publish": "run", "sum": "keep", "extract": "keep"}
    assert tainted(found, children, verdicts) == {"load", "publish"}  # type: ignore[arg-type]


def test_the_tasks_that_depend_on_one_are_named() -> None:
    tasks = [
        {"id": "report", "definition": {"depends_on": [{"task": "nightly"}]}},
        {"id": "other", "definition": {}},
    ]

    assert dependants(tasks, "nightly") == ["report"]


def test_only_parameters_and_results_of_the_context_may_be_changed() -> None:
    assert context_rows.may_edit(("TASK", "PARAMS", "limit"))
    assert context_rows.may_edit(("JOB", "x", "RESULT", "rows", 0))
    assert context_rows.may_edit(("JOB", "x", 2, "PARAMS", "a"))
    assert not context_rows.may_edit(("JOB", "x", "STATUS"))
    assert not context_rows.may_edit(("JOB", "x", "RESULT"))
    assert not context_rows.may_edit(("TASK", "PARAMS"))


def test_the_history_of_a_value_holds_what_is_above_and_below_it_but_not_its_neighbours() -> None:
    causes = [
        _cause(1, "$.JOB['x']"),
        _cause(2, "$.JOB['x'].RESULT['a']"),
        _cause(3, "$.JOB['x'].RESULT['ab']"),
        _cause(4, "$.JOB['xy']"),
        _cause(5, "$.JOB['x'].RESULT['a'][0]"),
    ]

    found = context_rows.history(causes, "$.JOB['x'].RESULT['a']")

    assert [cause.seq for cause in found] == [1, 2, 5]


def test_a_search_finds_names_and_values_whatever_their_case() -> None:
    tree = {"TASK": {"PARAMS": {"Limit": 10, "who": "LIMITED"}}, "JOB": {}}

    found = [entry.path for entry in context_rows.search(tree, "limit")]

    assert found == ["$.TASK.PARAMS['Limit']", "$.TASK.PARAMS['who']"]
    assert context_rows.brief({"a": 1}) == "{1}"
    assert context_rows.brief([1, 2]) == "[2]"
    assert context_rows.brief("x" * 300).endswith("…")
    assert context_rows.kind_of(True) == "boolean"


def test_what_follows_is_part_of_the_plan() -> None:
    nodes = {"run": ["a"], "keep": [], "skip": []}
    behind = [{"instance": 8, "task": "report", "after": [7], **nodes}]

    plan = PlanAnswer.of({**nodes, "downstream": behind})

    assert plan.behind == (Follower(8, "report", (7,), ("a",)),)
    assert PlanAnswer.of(nodes).behind == ()
