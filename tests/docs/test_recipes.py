"""Every recipe runs, and does what the page says of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs.blocks import DOCS, ROOT
from tests.docs.running import Run, by_node, output, runner, states
from tests.servers.web import Web

RECIPES = ROOT / "examples/recipes"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workspace")


@pytest.fixture
def run(workspace: Path) -> Run:
    """A recipe by its name."""
    once = runner(workspace)
    return lambda name, *args: once(RECIPES / f"{name}.yaml", *args)


def _instances(workspace: Path, task: str) -> list[dict[str, Any]]:
    """The contexts of a task's instances, the oldest first."""
    places = sorted(
        workspace.glob(f"instances/task-{task}-*"), key=lambda each: int(each.name.split("-")[-1])
    )
    return [json.loads((each / "ctx.json").read_text("utf-8")) for each in places]


@pytest.mark.parametrize(
    "page", [DOCS / "recipes.md", DOCS / "zh" / "recipes.md"], ids=lambda page: page.parent.name
)
def test_the_page_has_a_section_for_each_recipe_and_this_module_a_test(page: Path) -> None:
    names = {file.stem for file in RECIPES.glob("*.yaml")}

    assert set(re.findall(r"\[([\w-]+)\.yaml\]", page.read_text("utf-8"))) == names
    assert set(re.findall(r'run\("([\w-]+)"', Path(__file__).read_text("utf-8"))) == names


def test_steps_follow_each_other(run: Run) -> None:
    jobs = by_node(run("steps"))

    assert output(jobs["report"]) == "12 crates are ashore\n"
    assert jobs["unload"]["ended_at"] <= jobs["count"]["started_at"] <= jobs["report"]["started_at"]


def test_what_is_fanned_out_comes_together(run: Run) -> None:
    assert output(by_node(run("fan-out"))["sum"]) == "22 berths\n"


def test_a_sub_task_takes_its_values(run: Run, workspace: Path) -> None:
    assert run("sub-task")["status"] == "succeeded"
    said = [each["TASK"]["PARAMS"] for each in _instances(workspace, "weigh")]
    assert said == [{"vessel": "Heron", "unit": "tonnes"}, {"vessel": "Tern", "unit": "pounds"}]


@pytest.mark.parametrize(
    ("status", "handler", "words"),
    [
        ("0", "succeeded", "all is loaded"),
        ("7", "failed", "call the harbour master about load: job 'load': exit status 7"),
    ],
)
def test_handlers_know_the_outcome(run: Run, status: str, handler: str, words: str) -> None:
    jobs = by_node(run("handlers", "-p", f"status={status}"))

    assert set(jobs) == {"load", f"on_end.{handler}", "on_end.always"}
    assert words in output(jobs[f"on_end.{handler}"])
    assert output(jobs["on_end.always"]) == f"the lamp shows: {handler}\n"


def test_two_members_of_a_list_run_at_once(run: Run) -> None:
    members = [job for name, job in by_node(run("each-of-a-list")).items() if name.startswith("each[")]

    spans = [(each["started_at"], each["ended_at"]) for each in members]
    assert len(spans) == 4
    assert max(sum(begin <= moment < end for begin, end in spans) for moment, _ in spans) == 2


def test_one_exit_status_is_tried_again(run: Run) -> None:
    call = by_node(run("retry"))["call"]

    assert (call["attempt"], output(call)) == (3, "answered at call 3\n")


def test_a_step_is_repeated_until_it_works(run: Run) -> None:
    document = run("until-it-works")

    found = states(document)
    assert document["status"] == found["sail"] == "succeeded"
    assert [found[name] for name in ("look", "look@2", "look@3")] == ["failed", "failed", "succeeded"]


@pytest.mark.parametrize(
    ("message", "way"), [("vessel Tern, cargo: oil, 9 t", "tank"), ("cargo: hay", "quay"), ("hello", "quay")]
)
def test_an_output_decides_the_way(run: Run, message: str, way: str) -> None:
    found = states(run("route", "-p", f"message={message}"))

    assert {name for name in ("silo", "tank", "quay") if found[name] == "succeeded"} == {way}
    assert found["file"] == "succeeded"


def test_several_routes_may_be_taken(run: Run) -> None:
    assert states(run("overlapping")) == {
        "weigh": "succeeded", "crane": "succeeded", "careful": "succeeded", "customs": "skipped", "done": "succeeded",
    }  # fmt: skip


@pytest.mark.parametrize(("mail", "outcome"), [(1, "succeeded"), (0, "skipped")])
def test_a_precondition_decides(run: Run, mail: int, outcome: str) -> None:
    document = run("preconditions", "-p", f"mail={mail}")

    assert document["status"] == "succeeded"
    assert states(document)["fetch"] == states(document)["sort"] == outcome


def test_results_of_a_sub_task_are_those_of_its_node(run: Run) -> None:
    assert output(by_node(run("results"))["pilot"]) == "at most 7 m, see chart-9\n"


def test_environment_and_folder_are_those_of_the_task(run: Run, tmp_path: Path) -> None:
    jobs = by_node(run("environment", "-p", f"books={tmp_path}"))

    assert (tmp_path / "ledger.txt").read_text() == "[Heron]\n"
    assert output(jobs["here"]) == f"{tmp_path}\n[Heron]\n"
    assert output(jobs["elsewhere"]) == "/\nnone\n"


def test_a_web_service_is_called_with_a_body(run: Run, web: Web) -> None:
    document = run("http", "-p", f"service={web.url}/created")

    assert states(document) == {"post": "succeeded", "berth": "succeeded"}
    assert b'{"vessel":"Heron","draught":7}' in web.seen[-1].replace(b" ", b"")
    assert run("http", "-p", f"service={web.url}/ok")["status"] == "failed"


def test_the_rest_goes_on_beside_a_failure(run: Run) -> None:
    document = run("partial-failure")

    assert document["status"] == "failed"
    assert states(document) == {
        "mail": "succeeded", "ice": "failed", "fish": "skipped", "papers": "failed", "read": "succeeded",
        "tell": "succeeded",
    }  # fmt: skip
    assert output(by_node(document)["tell"]) == "ice: failed\n"


def test_defaults_are_those_of_all_nodes(run: Run) -> None:
    jobs = by_node(run("defaults", "--task", "day"))

    assert {name: job["attempt"] for name, job in jobs.items()} == {"first": 2, "second": 1}
    assert run("defaults", "--task", "night")["status"] == "succeeded"
