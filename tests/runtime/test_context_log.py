"""The log replays to the context byte for byte, whatever ran; and what people change in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.model.codes.runtime import EDIT_INVALID
from engine.model.errors import Invalid
from tests.runtime.site import Gate, Site, definitions, shell, task

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["tour", "batch", "loop", "repair", "concat"])
def test_every_example_replays(site: Site, name: str, tmp_path: Path) -> None:
    (tmp_path / "first").write_text("1\n2\n")
    (tmp_path / "second").write_text("3\n")
    params = (
        {"first": str(tmp_path / "first"), "second": str(tmp_path / "second")} if name == "concat" else {}
    )
    made = definitions((EXAMPLES / f"{name}.yaml").read_text())
    wanted = name if name in made.tasks else list(made.tasks)[-1]

    seen = site.run(made, wanted, texts=params)

    assert seen.status == ("failed" if name == "repair" else "succeeded"), site.waiting(seen.id)
    seen.assert_replays()
    for row in site.engine.store.instances():
        site.see(row.id).assert_replays()


def _node(number: int, draw: Any) -> dict[str, Any]:
    before = (
        draw(st.lists(st.sampled_from([f"n{i}" for i in range(number)]), unique=True, max_size=3))
        if number
        else []
    )
    common = {
        "after": before,
        "run_if": draw(st.sampled_from(["all_succeeded", "all_done", "any_succeeded", "any_failed"])),
    }
    more: dict[str, Any] = {
        "continue_on_failure": draw(st.booleans()),
        "enabled": draw(st.sampled_from([True, True, False])),
    }
    kind = draw(st.sampled_from(["true", "false", "condition", "batch", "group", "each"]))
    if kind == "condition":
        return {"type": "condition", "value": draw(st.sampled_from(["1 < 2", "1 > 2"])), **common, **more}
    if kind == "group":
        return {
            "type": "group",
            "jobs": [shell("true"), shell(draw(st.sampled_from(["true", "false"])))],
            **common,
            **more,
        }
    if kind == "batch":
        return shell(
            '[ "$x" = 1 ]', params=[{"x": 1}, {"x": draw(st.sampled_from([1, 2]))}], **common, **more
        )
    if kind == "each":
        return shell("true", for_each="$.TASK.PARAMS['list']", params={"x": "$.ITEM"}, **common, **more)
    return shell(kind, when=draw(st.sampled_from([None, None, "1 < 2", "1 > 2"])), **common, **more)


@st.composite
def tasks(draw: Any) -> Any:
    """Small DAGs of what runs quickly."""
    nodes = {f"n{i}": _node(i, draw) for i in range(draw(st.integers(1, 6)))}
    nodes = {
        id: {key: value for key, value in node.items() if value is not None} for id, node in nodes.items()
    }
    items = draw(st.lists(st.sampled_from(["a", "b'c", "日"]), max_size=2))
    return task(nodes, params={"list": items}, on_failure=draw(st.sampled_from(["finish_branches", "stop"])))


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tasks())
def test_every_generated_run_replays_and_ends(site: Site, wanted: Any) -> None:
    seen = site.run(wanted)

    assert seen.status in ("succeeded", "failed")
    assert {each.status for each in seen.rows} <= {"succeeded", "failed", "skipped"}
    seen.assert_replays()


def test_a_value_is_edited_while_it_runs(site: Site, gate: Gate) -> None:
    nodes = {"a": shell(gate.script()), "b": shell("true", after=["a"], params={"x": "$.TASK.PARAMS['x']"}),
             "c": shell("true", after=["b"]), "d": shell("true")}  # fmt: skip
    instance = site.begin(task(nodes, params={"x": 1}))
    gate.until_up()
    answer = site.engine.set_value(instance, "$.TASK.PARAMS['x']", [2, "$.TASK.ID"], "wrong", "me")
    gate.open()
    seen = site.end(instance)

    line = next(each for each in seen.lines if each["seq"] == answer["seq"])
    assert (line["actor"], line["why"], line["old"], line["new"]) == ("me", "wrong", 1, [2, "$.TASK.ID"])
    assert seen.job("b")["PARAMS"] == {"x": [2, "$.TASK.ID"]}
    assert {each.node: each.based_on_edit for each in seen.latest} == {
        "a": False,
        "b": True,
        "c": True,
        "d": False,
    }
    seen.assert_replays()


def test_a_value_is_edited_after_the_end(site: Site) -> None:
    seen = site.run(task({"a": shell("printf 1 > outputs/r; printf 2 > outputs/new")}))
    site.engine.set_value(seen.id, "$.JOB['a'].RESULT['r']", 9, "typo", "me")
    site.engine.set_value(seen.id, "$.JOB['a'].RESULT['new']", {"deep": [1]}, "more", "me")

    after = site.see(seen.id)
    assert after.job("a")["RESULT"] == {"exit_code": 0, "r": 9, "new": {"deep": [1]}}
    assert after.row.edited == ["$.JOB['a'].RESULT['new']", "$.JOB['a'].RESULT['r']"]
    assert after.status == "succeeded"
    after.assert_replays()


@pytest.mark.parametrize(
    ("path", "reason"),
    [("$.JOB['a'].RESULT['r']", " "), ("$.JOB", "r"), ("nothing", "r"), ("$.ROUNDS['a']", "r")],
)
def test_what_is_no_edit_is_refused(site: Site, path: str, reason: str) -> None:
    seen = site.run(task({"a": shell("true")}))
    with pytest.raises(Invalid) as caught:
        site.engine.set_value(seen.id, path, 1, reason, "me")

    assert caught.value.entry is EDIT_INVALID
    seen.assert_replays()


def test_no_job_can_edit_what_it_was_not_asked_to(site: Site) -> None:
    script = "echo '{}' > ../../ctx.json; echo broken >> ../../ctx.log; rm -f ctx.json ctx.log; true"
    seen = site.run(task({"a": shell(script), "b": shell("true", after=["a"])}))

    assert seen.status == "succeeded"
    assert json.loads((seen.folder / "ctx.json").read_bytes())["JOB"]["b"]["STATUS"] == "succeeded"


def test_a_directory_that_is_taken_away_loses_no_outcome(site: Site) -> None:
    seen = site.run(task({"a": shell("rm -rf ../../../*"), "b": shell("true", after=["a"])}))

    assert site.engine.store.last_seq(seen.id) == len(seen.lines)
    assert seen.row.ended_at is not None
    assert site.run(task({"a": shell("true")})).status == "succeeded"
