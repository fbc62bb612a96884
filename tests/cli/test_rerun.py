"""rerun and force: what is asked of the engine, what is shown, and the repair example word for word."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from app.cli.rerunning import assignment, spread
from engine.api.documents import Rerun
from engine.model.codes.commands import WRONG_USE
from engine.model.codes.runtime import STILL_RUNNING
from tests.api.fake_service import FakeService, instance, job
from tests.cli.conftest import Skerry
from tests.cli.test_whole import Site
from tests.waiting import until

REPAIR = Path(__file__).parents[2] / "examples" / "repair.yaml"
LIMIT, ROWS = "$.TASK.PARAMS['limit']", "$.JOB['extract'].RESULT['rows']"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.fixture
def played(service: FakeService) -> FakeService:
    """Two instances that have ended."""
    service.found = {1: instance(1, "succeeded", jobs=[job("load", "succeeded")]), 2: instance(2, "failed")}
    return service


# -- what is asked ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "wanted"),
    [
        (["1", "--all"], Rerun(1, "all")),
        (["1", "--failed", "--with-upstream"], Rerun(1, "failed", with_upstream=True)),
        (["1", "--from", "load"], Rerun(1, "from", ("load",))),
        (["1", "--only", "load", "index"], Rerun(1, "only", ("load", "index"))),
        (["--only", "load", "index", "1"], Rerun(1, "only", ("load", "index"))),
        (["--only", "load", "--only", "7", "--", "1"], Rerun(1, "only", ("load", "7"))),
        (["1", "--from", "a", "b", "--reason", "why", "--definition", "current"],
         Rerun(1, "from", ("a", "b"), reason="why", current=True)),
        (["1", "--failed", "--set", f"{LIMIT}=30", "--set", "$.JOB['a=b'].RESULT['x']=a=b"],
         Rerun(1, "failed", edits=((LIMIT, "30"), ("$.JOB['a=b'].RESULT['x']", "a=b")))),
        (["1", "--all", "--set", f"{LIMIT}=-3"], Rerun(1, "all", edits=((LIMIT, "-3"),))),
    ],
)  # fmt: skip
def test_the_options_are_passed_to_the_engine(
    skerry: Skerry, played: FakeService, args: list[str], wanted: Rerun
) -> None:
    answer = skerry("rerun", *args, "--json") if "--" not in args else skerry("rerun", "--json", *args)

    assert answer.status == 0, answer.err
    assert played.asked[-1] == ("rerun", [wanted])
    assert answer.document == played.found[1]


@pytest.mark.parametrize(
    "args",
    [
        ["1"],
        ["1", "--all", "--failed"],
        ["1", "--from", "a", "--only", "b"],
        ["--failed"],
        ["x", "--failed"],
        ["0", "--failed"],
        ["1", "--failed", "--set", "nothing"],
        ["1", "--failed", "--set", "=5"],
        ["1", "--failed", "--definition", "old"],
    ],
)
def test_what_cannot_be_meant_is_wrong_use(skerry: Skerry, played: FakeService, args: list[str]) -> None:
    answer = skerry("rerun", *args, "--json")

    assert answer.status == 2
    assert answer.document["error"]["code"] == WRONG_USE.number
    assert played.asked == []


def test_nodes_follow_their_option_and_numbers_may_be_nodes_too() -> None:
    assert spread(["7", "--only", "a", "8", "--json"]) == ["7", "--only", "a", "--only", "8", "--json"]
    assert spread(["--only", "a", "8", "9", "--json"]) == ["8", "9", "--only", "a", "--json"]
    assert spread(["--only", "8"]) == ["--only", "8"]
    assert spread(["--reason", "5", "--only", "a", "8"]) == ["8", "--reason", "5", "--only", "a"]
    assert spread(["--", "--only", "a"]) == ["--", "--only", "a"]
    assert assignment("$.JOB['it\\'s = 1'].RESULT['x']=2") == ("$.JOB['it\\'s = 1'].RESULT['x']", "2")


# -- what is shown ---------------------------------------------------------------------------------


def test_several_instances_are_one_document(skerry: Skerry, played: FakeService) -> None:
    answer = skerry("rerun", "1", "2", "1", "--failed", "--json")

    assert answer.status == 1
    assert [each["instance"] for each in answer.document["instances"]] == [1, 2]
    assert played.asked[-1] == ("rerun", [Rerun(1, "failed"), Rerun(2, "failed")])


def test_a_dry_run_only_tells(skerry: Skerry, played: FakeService) -> None:
    answer = skerry("rerun", "1", "--failed", "--dry-run", "--json")
    text = skerry("rerun", "1", "2", "--failed", "--dry-run")
    several = skerry("rerun", "1", "2", "--failed", "--dry-run", "--json")

    assert answer.document == {"run": ["load"], "keep": ["extract"], "skip": []}
    assert text.out.splitlines()[:3] == ["instance 1", "  load: runs", "  extract: keeps its outcome"]
    assert [each["instance"] for each in several.document["instances"]] == [1, 2]
    assert {each[0] for each in played.asked} == {"preview"}


def test_the_current_definition_comes_with_what_differs(skerry: Skerry, played: FakeService) -> None:
    answer = skerry("rerun", "1", "--failed", "--definition", "current", "--dry-run", "--json")
    run = skerry("rerun", "1", "--failed", "--definition", "current")

    assert answer.document["diff"] == ["--- captured", "+++ current", "-a", "+b"]
    assert run.out.splitlines()[:4] == ["--- captured", "+++ current", "-a", "+b"]


def test_with_downstream_those_that_follow_are_reported_and_waited_for(
    skerry: Skerry, played: FakeService
) -> None:
    text = skerry("rerun", "1", "--failed", "--downstream", "--dry-run")
    answer = skerry("rerun", "1", "--failed", "--downstream", "--json")
    detached = skerry("rerun", "1", "--failed", "--downstream", "--detach")

    assert text.out.splitlines()[2:] == [
        "  extract: keeps its outcome", "instance 2 (report), after instance 1", "  a: runs",
    ]  # fmt: skip
    assert [each["instance"] for each in answer.document["instances"]] == [1, 2]
    assert played.asked[-1] == ("rerun", [Rerun(1, "failed", downstream=True)])
    assert detached.out.splitlines() == [
        "instance 1 run 2 is started", "instance 2 run 4 comes after instance 1",
    ]  # fmt: skip


def test_detached_gives_the_document_at_once(skerry: Skerry, played: FakeService) -> None:
    played.found[1] = instance(1, "running")

    assert skerry("rerun", "1", "--failed", "--detach", "--json").document["status"] == "running"
    assert skerry("rerun", "1", "--failed", "--detach").out == "instance 1 run 2 is started\n"


def test_an_outcome_is_settled_with_a_reason(skerry: Skerry, played: FakeService) -> None:
    answer = skerry("force", "1", "load", "succeeded", "--reason", "by hand")

    assert answer.out == "load of instance 1 is succeeded; the instance is succeeded\n"
    assert played.asked == [("force", 1, "load", "succeeded", "by hand")]
    assert skerry("force", "1", "load", "succeeded").status == 2
    assert skerry("force", "1", "load", "skipped", "--reason", "x").status == 2


def test_pause_and_resume_ask_with_the_reason(skerry: Skerry, played: FakeService) -> None:
    assert skerry("pause", "1", "--reason", "the disk is full").out == "instance 1 is paused\n"
    assert skerry("resume", "1").out == "instance 1 goes on\n"
    assert played.asked == [("pause", 1, "the disk is full"), ("resume", 1, "")]


# -- the repair example, as its story goes -----------------------------------------------------------


def test_the_repair_example_word_for_word(site: Site) -> None:
    """Run, fails at load after its retry; rerun what failed; then from load on another value."""
    failed = site("run", str(REPAIR), status=1)
    number, journal = str(failed["instance"]), Path(failed["directory"]) / "journal"
    assert (failed["status"], _of(failed, "load")["attempt"]) == ("failed", 2)
    assert journal.read_text().split().count("load") == 2
    before = journal.read_text().split()

    assert site("rerun", number, "--failed", "--dry-run") == {
        "run": ["load", "index", "publish"], "keep": ["extract", "audit"], "skip": [],
    }  # fmt: skip
    second = site("rerun", number, "--failed", "--set", "$.TASK.PARAMS['limit']=30")
    assert (second["status"], second["run"], second["instance"]) == ("succeeded", 2, failed["instance"])
    assert journal.read_text().split() == [*before, "load", "index", "publish"]
    assert second["params"]["limit"] == 30

    third = site(
        "rerun", number, "--from", "load", "--set", "$.JOB['extract'].RESULT['rows']=5", "--reason", "typo"
    )
    assert (third["status"], third["run"]) == ("succeeded", 3)
    assert journal.read_text().split() == [*before, *["load", "index", "publish"] * 2]
    assert {each["node"]: each["based_on_edit"] for each in third["jobs"]} == {
        "extract": False, "audit": False, "load": True, "index": True, "publish": True,
    }  # fmt: skip
    assert sorted(third["edited"]) == [ROWS, LIMIT]
    assert site("show", number) == third
    lines = [json.loads(line) for line in (Path(third["directory"]) / "ctx.log").read_text().splitlines()]
    [typo] = [line for line in lines if line.get("why") == "typo"]
    assert (typo["path"], typo["old"], typo["new"]) == (ROWS, 25, 5)


def _of(document: Any, node: str) -> Any:
    return next(each for each in document["jobs"] if each["node"] == node)


def test_a_rerun_is_refused_while_it_runs_and_a_batch_with_it(site: Site) -> None:
    ended = str(site("run", str(site.quick))["instance"])
    with site.begun(*site.run_gate()) as owner:
        site.until_held()
        refused = site("rerun", "2", "--all", status=3)
        site("rerun", ended, "2", "--all", status=3)
        site("rerun", "2", "--all", "--dry-run", status=3)
        again = site("rerun", ended, "--all")
        site.open()
        owner.communicate(timeout=60)

    assert refused["error"]["code"] == STILL_RUNNING.number
    assert again["run"] == 2
    assert site("rerun", "4711", "--all", status=2)["error"]["message"] == "there is no instance 4711"
    assert [each["run"] for each in site("rerun", ended, "2", "--all")["instances"]] == [3, 2]


def test_an_interrupt_cancels_all_of_a_batch(site: Site) -> None:
    site.open()
    one = site(*site.run_gate()[:-1])["instance"]
    two = site(*site.run_gate()[:-1])["instance"]
    for name in ("go", "up"):
        (site.gate / name).unlink()
    with site.begun("rerun", str(one), str(two), "--all", "--json") as run:
        site.until_held()
        run.send_signal(signal.SIGINT)
        out, errors = run.communicate(timeout=60)

    assert run.returncode == 1
    assert [each["status"] for each in json.loads(out)["instances"]] == ["cancelled", "cancelled"]
    assert f"cancelling instances {one}, {two}" in errors


def test_a_rerun_in_the_background_goes_on(site: Site) -> None:
    number = str(site("run", str(REPAIR), status=1)["instance"])

    begun = site("rerun", number, "--failed", "--set", f"{LIMIT}=30", "--detach")
    done = until(lambda: (d := site("show", number))["status"] == "succeeded" and d)

    assert (begun["run"], done["run"]) == (2, 2)


def test_what_was_settled_by_hand_is_kept(site: Site) -> None:
    number = str(site("run", str(REPAIR), status=1)["instance"])

    answer = site("force", number, "load", "succeeded", "--reason", "loaded by hand")
    done = site("rerun", number, "--failed")

    assert answer == {"instance": 1, "node": "load", "status": "succeeded", "instance_status": "failed"}
    assert done["status"] == "succeeded"
    assert _of(done, "load")["run"] == 1
    assert site("force", number, "load", "failed", "--reason", " ", status=2)


def test_a_question_is_answered(skerry: Skerry, played: FakeService) -> None:
    done = {"instance": 1, "node": "ask", "choice": "approve", "note": "x", "value": 7, "by": "anna"}
    played.answers["approve"] = done
    answer = skerry("approve", "1", "ask", "approve", "--index", "1", "--note", "x", "--value", "7")

    assert answer.out == "ask of instance 1 is answered: approve\n"
    assert played.asked == [("approve", 1, "ask", "approve", 1, "x", "7", os.getcwd())]
    assert skerry("approve", "1", "ask", "approve", "--json").document == done
    assert skerry("approve", "1", "ask").status == 2
