"""Every example runs to its end, and its results are what its comments promise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app import wiring
from tests.docs.blocks import DOCS, ROOT, Block, blocks_of
from tests.docs.checks import findings
from tests.docs.running import Run, by_node, output, runner, states

EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """In one workspace for all."""
    return runner(tmp_path_factory.mktemp("workspace"))


@pytest.mark.parametrize("file", sorted(EXAMPLES.rglob("*.yaml")), ids=lambda file: file.stem)
def test_every_example_is_valid(file: Path) -> None:
    assert findings(file.read_text("utf-8")) == []


def test_the_tour_visits_most_job_types(run: Run) -> None:
    document = run(EXAMPLES / "tour.yaml")

    jobs = by_node(document)
    assert document["status"] == "succeeded"
    assert (jobs["four"]["status"], jobs["other"]["status"]) == ("succeeded", "skipped")
    assert jobs["read"]["results"]["text"] == "alpha\nbeta\ngamma\n"
    assert jobs["words"]["results"]["seen"] == 4
    assert jobs["query"]["results"]["rows"] == [{"n": 4, "w": "the"}]
    assert output(jobs["report.0"]) == "kernel Linux\n"


def test_the_worked_example_gives_its_results(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\ntwo\n")
    (tmp_path / "b").write_text("three\n")

    document = run(EXAMPLES / "concat.yaml", "-p", f"first={tmp_path}/a", "-p", f"second={tmp_path}/b")

    results = by_node(document)["concat"]["results"]
    assert {name: results[name] for name in ("fileOutput", "after", "grown")} == {
        "fileOutput": f"{tmp_path}/a", "after": 3, "grown": True,
    }  # fmt: skip
    assert (tmp_path / "a").read_text() == "one\ntwo\nthree\n"


def test_a_batch_has_a_job_for_each_set_of_parameters(run: Run) -> None:
    jobs = by_node(run(EXAMPLES / "batch.yaml"))

    assert [jobs[f"fixed[{i}]"]["results"]["length"] for i in range(3)] == [1, 2, 3]
    assert [jobs[f"known_later[{i}]"]["results"]["length"] for i in range(2)] == [4, 5]
    assert output(jobs["sum"]) == "8\n"


def test_a_loop_goes_round_until_its_condition_holds(run: Run) -> None:
    jobs = by_node(run(EXAMPLES / "loop.yaml"))

    looks = [name for name in jobs if name.startswith("look")]
    assert looks == ["look", "look@2", "look@3", "look@4"]
    assert jobs["look@4"]["results"]["text"].strip() == "3"
    assert jobs["publish"]["status"] == "succeeded"


def test_what_does_not_depend_on_a_failed_job_goes_on(run: Run) -> None:
    document = run(EXAMPLES / "repair.yaml")

    jobs = by_node(document)
    assert document["status"] == "failed"
    assert states(document) == {
        "extract": "succeeded", "audit": "succeeded", "load": "failed", "index": "skipped",
        "publish": "skipped",
    }  # fmt: skip
    assert jobs["load"]["attempt"] == 2
    assert run(EXAMPLES / "repair.yaml", "-p", "limit=30")["status"] == "succeeded"


RUNNABLE = [block for block in blocks_of("yaml") if "run" in block.marks and block.page.is_relative_to(DOCS)]


@pytest.mark.parametrize("block", [pytest.param(block, id=str(block)) for block in RUNNABLE])
def test_every_definition_that_a_page_calls_runnable_runs(block: Block, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "page.yaml"
    file.write_text(block.definition, "utf-8")

    document = run(file)

    assert document["status"] == (block.marks["run"] or "succeeded"), document


def test_the_program_knows_every_type_that_the_examples_use() -> None:
    text = "".join(file.read_text("utf-8") for file in EXAMPLES.rglob("*.yaml"))
    known = {*wiring.job_types(), *wiring.resource_types()}

    assert set(re.findall(r"type: (\w+)", text)) <= known
