"""How a parameter gets its value, and that a value is never evaluated twice (contract 2.2)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.model.codes.runtime import PARAM_MISSING, PARAM_UNFIT, PARAM_UNKNOWN
from engine.model.errors import Invalid
from engine.model.job import ParamSpec
from engine.runtime.param_binding import from_text
from tests.runtime.site import Site, shell, task, tree

SHOW = 'printf %s "${x}" > "${SKERRY_OUTPUTS}/x"'


def precedence(*sources: str) -> Any:
    """A task whose node's job has parameter ``x`` given by these sources."""
    job: dict[str, Any] = {"type": "shell", "process": SHOW, "params": {"x": {}}}
    node: dict[str, Any] = {"job": "show"}
    whole: dict[str, Any] = {"nodes": {"a": node}}
    if "node" in sources:
        node["params"] = {"x": "node"}
    if "job_params" in sources:
        whole["job_params"] = {"show": {"x": "job_params"}}
    if "job" in sources:
        job["params"] = {"x": {"value": "job"}}
    if "task" in sources:
        whole["params"] = {"x": "task"}
    return tree({"jobs": {"show": job}, "tasks": {"t": whole}})


@pytest.mark.parametrize(
    ("sources", "value"),
    [
        (("node", "job_params", "job", "task"), "node"),
        (("job_params", "job", "task"), "job_params"),
        (("job", "task"), "job"),
        (("task",), "task"),
        ((), None),
    ],
)
def test_the_first_source_that_is_set_wins(site: Site, sources: tuple[str, ...], value: str | None) -> None:
    seen = site.run(precedence(*sources))

    assert seen.status == "succeeded"
    assert seen.job("a")["PARAMS"] == {"x": value}
    assert json.loads((seen["a"].folder / "inputs/params.json").read_text()) == {"x": value}
    assert seen["a"].outputs["x"].decode() == (value or "")


def test_a_task_parameter_comes_from_p_before_the_definition(site: Site) -> None:
    wanted = task({"a": shell(SHOW, params={"x": "$.TASK.PARAMS['x']"})}, params={"x": "written"})

    assert site.run(wanted)["a"].outputs["x"] == b"written"
    assert site.run(wanted, texts={"x": "typed"})["a"].outputs["x"] == b"typed"
    assert site.run(wanted, x="from a file")["a"].outputs["x"] == b"from a file"


def test_a_sub_task_gets_the_params_of_its_node(site: Site) -> None:
    inner = {"params": {"x": "own"}, "nodes": {"b": shell(SHOW, params={"x": "$.TASK.PARAMS['x']"})}}
    outer = {"nodes": {"a": {"type": "task", "task": "inner", "params": {"x": "given"}}}}

    seen = site.run(tree({"tasks": {"inner": inner, "outer": outer}}), "outer")

    assert site.see(seen.job("a")["RESULT"]["instance"])["b"].outputs["x"] == b"given"


def test_a_required_parameter_without_a_value_is_an_error_that_names_it(site: Site) -> None:
    job = {"type": "shell", "process": SHOW, "params": {"x": {"required": True}}}
    node = {"job": "j", "params": {"x": "$.TASK.PARAMS['none']"}}
    whole = {"params": {"none": {}}, "nodes": {"a": node}}
    seen = site.run(tree({"jobs": {"j": job}, "tasks": {"t": whole}}))

    assert (seen.status, seen["a"].error_code) == ("failed", PARAM_MISSING.number)
    assert "'x'" in (seen["a"].error_message or "")
    with pytest.raises(Invalid) as caught:
        site.begin(task({"a": shell("true")}, params={"y": {"required": True}}))
    assert caught.value.entry is PARAM_MISSING


def test_an_unknown_parameter_is_an_error(site: Site) -> None:
    with pytest.raises(Invalid) as caught:
        site.begin(task({"a": shell("true")}, params={"y": 1}), texts={"z": "1"})

    assert caught.value.entry is PARAM_UNKNOWN


@pytest.mark.parametrize(
    ("spec", "text", "value"),
    [
        ({"kind": "number"}, "5", 5),
        ({"kind": "number"}, "2.5", 2.5),
        ({"kind": "boolean"}, "true", True),
        ({"kind": "list"}, '["a", 1]', ["a", 1]),
        ({"kind": "map"}, '{"a": null}', {"a": None}),
        ({"kind": "text"}, "5", "5"),
        (7, "8", 8),
        (True, "false", False),
        ("words", "8", "8"),
        ("$.TASK.ID", "8", "8"),
        ({}, "0012", "0012"),
    ],
)
def test_p_gives_text_converted_by_the_kind(site: Site, spec: Any, text: str, value: Any) -> None:
    seen = site.run(task({"a": shell("true")}, params={"x": spec}), texts={"x": text})

    got = seen.context["TASK"]["PARAMS"]["x"]
    assert (got, type(got)) == (value, type(value))


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"kind": "number"}, "five"),
        ({"kind": "list"}, "{}"),
        ({"kind": "map"}, "[]"),
        ({"choices": ["a"]}, "b"),
    ],
)
def test_text_that_does_not_fit_is_an_error(site: Site, spec: Any, text: str) -> None:
    with pytest.raises(Invalid) as caught:
        site.begin(task({"a": shell("true")}, params={"x": spec}), texts={"x": text})

    assert caught.value.entry is PARAM_UNFIT


def test_a_job_parameter_outside_its_choices_fails_the_job(site: Site) -> None:
    job = {"type": "shell", "process": "true", "params": {"x": {"choices": ["a", "b"]}}}
    nodes = {"good": {"job": "j", "params": {"x": "a"}}, "bad": {"job": "j", "params": {"x": "$.TASK.ID"}}}

    seen = site.run(tree({"jobs": {"j": job}, "tasks": {"t": {"nodes": nodes}}}))

    assert seen.states == {"good": "succeeded", "bad": "failed"}
    assert seen["bad"].error_code == PARAM_UNFIT.number


def test_expressions_stand_in_texts_inside_lists_and_maps(site: Site) -> None:
    params = {"x": {"deep": ["{$.TASK.ID}-x", {"n": "$.TASK.PARAMS['n']"}]}}
    seen = site.run(task({"a": shell("true", params=params)}, params={"n": 5}))

    assert seen.job("a")["PARAMS"]["x"] == {"deep": ["t-x", {"n": 5}]}


def test_dynamic_false_switches_expressions_off(site: Site) -> None:
    job = {"type": "shell", "process": "true", "params": {"x": {"value": "$.TASK.ID", "dynamic": False}}}
    params = {"y": {"value": "{$.TASK.ID}", "dynamic": False}}
    seen = site.run(
        tree({"jobs": {"j": job}, "tasks": {"t": {"params": params, "nodes": {"a": {"job": "j"}}}}})
    )

    assert seen.job("a")["PARAMS"]["x"] == "$.TASK.ID"
    assert seen.context["TASK"]["PARAMS"]["y"] == "{$.TASK.ID}"


def test_a_text_that_is_not_dynamic_may_look_like_a_wrong_expression(site: Site) -> None:
    table = {"x": {"value": "$.x {$.", "dynamic": False}, "y": {"dynamic": False}}
    job = {"type": "shell", "process": "true", "params": table}
    nodes = {"a": {"job": "j"}, "b": {"job": "j", "params": {"x": "$.b", "y": ["{$."]}}}
    keys = {
        "params": {"z": {"value": "$.z", "dynamic": False}},
        "job_params": {"j": {"y": "$.y"}},
        "nodes": nodes,
    }
    seen = site.run(tree({"jobs": {"j": job}, "tasks": {"t": keys}}))

    assert seen.job("a")["PARAMS"] == {"x": "$.x {$.", "y": "$.y"}
    assert seen.job("b")["PARAMS"] == {"x": "$.b", "y": ["{$."]}
    assert seen.context["TASK"]["PARAMS"]["z"] == "$.z"


def test_typed_values_are_never_evaluated(site: Site) -> None:
    wanted = task({"a": shell(SHOW, params={"x": "$.TASK.PARAMS['x']"})}, params={"x": ""})

    for value in ("$.TASK.ID", "{$.TASK.ID}", "{$.TASK.ID}:REGEX:t"):
        assert site.run(wanted, texts={"x": value})["a"].outputs["x"].decode() == value


def test_values_from_results_are_never_evaluated(site: Site) -> None:
    nodes = {
        "a": shell("printf '%s' '{$.TASK.ID} $.TASK.ID' > ${SKERRY_OUTPUTS}/r"),
        "b": shell(SHOW, after=["a"], params={"x": "$.JOB['a'].RESULT['r']"}),
        "c": shell(SHOW, after=["b"], params={"x": "<{$.JOB['b'].PARAMS['x']}>"}),
    }
    seen = site.run(task(nodes))

    assert seen["b"].outputs["x"] == b"{$.TASK.ID} $.TASK.ID"
    assert seen["c"].outputs["x"] == b"<{$.TASK.ID} $.TASK.ID>"


def test_expressions_are_not_looked_for_in_the_stages(site: Site) -> None:
    seen = site.run(task({"a": shell("printf %s '{$.TASK.ID}'")}))

    assert seen["a"].log == "{$.TASK.ID}"


def test_parameters_keep_the_order_of_their_definition(site: Site) -> None:
    job = {"type": "shell", "process": "true", "params": {"z": 1, "a": 2, "m": 3}}
    nodes = {
        "x": {"job": "j", "params": {"m": 30, "z": 10}},
        "y": shell(
            "true", after=["x"], params={"first": "$.JOB['x'].PARAMS[0]", "last": "$.JOB['x'].PARAMS[2]"}
        ),
    }
    seen = site.run(tree({"jobs": {"j": job}, "tasks": {"t": {"nodes": nodes}}}))

    assert list(seen.job("x")["PARAMS"].items()) == [("z", 10), ("a", 2), ("m", 30)]
    assert seen.job("y")["PARAMS"] == {"first": 10, "last": 30}


def test_a_bad_expression_of_a_task_parameter_fails_the_run_with_its_code(site: Site) -> None:
    seen = site.run(task({"a": shell("true")}, params={"x": "{$.TASK.ID}:REGEX:(nothing)"}))

    assert seen.status == "failed"
    assert seen.row.error_code is not None
    assert "REGEX" in (seen.row.error_message or "")
    assert seen.row.ended_at is not None
    seen.assert_replays()


def test_a_relative_file_given_as_text_belongs_to_the_callers_folder() -> None:
    spec = ParamSpec(kind="file")

    assert from_text("f", "data/a.csv", spec, "/home/clerk") == "/home/clerk/data/a.csv"
    assert from_text("f", "/srv/a.csv", spec, "/home/clerk") == "/srv/a.csv"
    assert from_text("f", "a.csv", ParamSpec(kind="text"), "/home/clerk") == "a.csv"
