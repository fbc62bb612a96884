"""What is read of runs and jobs: remedies, results, earlier runs, definitions that are gone, broken files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from app.desktop.kernel.console import Target
from app.desktop.run.feed import ContextFeed
from app.desktop.run.reading import RunLook, captured, look_at_job, read_json, result_file
from app.desktop.run.remedies import definition_of, remedies
from app.desktop.run.sides import compared, side
from app.desktop.run.words import exact_text, length_text, time_text, took_text
from engine.api.repairing import Rerun
from engine.api.service import Service
from tests.api.fake_service import FakeService, instance, job

RAW = {
    "tasks": {
        "nightly": {"nodes": {"load": {"job": "loader"}, "ask": {"type": "sql", "resource": "ledger"}}}
    },
    "jobs": {"loader": {"type": "shell", "resources": ["disk", "ledger"]}},
}


def test_the_remedies_of_a_resource_lead_to_the_resource() -> None:
    failed = job("ask", "failed", error_code=-13000102005)
    look = RunLook(instance(1, "failed", jobs=[failed]), RAW)

    found = {each.text: each for each in remedies(failed, look)}

    assert found["Check its resource"].target == Target("resource", "ledger", detail="check")
    assert found["Rerun from here…"].changes
    assert list(remedies(job("ask", "succeeded"), look)) == []


def test_a_job_that_asks_offers_its_exception_and_no_rerun_while_it_runs() -> None:
    failed = job("load", "waiting", error_code=-10100001000, instance=5)
    look = RunLook(instance(1, jobs=[failed]), RAW, exceptions=[{"id": 9, "job_instance": 5}])

    found = {each.text: each for each in remedies(failed, look)}

    assert found["Its exception"].target == Target("exception", "9")
    assert "Retry what failed…" not in found
    assert "Its definition" in found
    assert definition_of(failed, look) == Target("job", "loader", detail="definition")
    assert definition_of(job("ask", "failed"), look) == Target("task", "nightly", "ask", "definition")


def test_a_definition_that_was_not_captured_is_the_workspaces() -> None:
    assert captured(FakeService(), instance(1))["tasks"] == {"nightly": {"nodes": {}}}
    assert captured(FakeService(), instance(1, task="gone")) == {}


def test_files_that_are_missing_or_broken_are_looked_through(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text('{"a":')
    (tmp_path / "ctx.log").write_text(
        'not json\n{"path": "$.JOB[\'x\'].PARAMS[\'a\']", "actor": "li.wei", "why": "typo"}\n'
    )
    (tmp_path / "ctx.json").write_text(json.dumps({"PARAMS": {"a": 1}, "STATUS": "failed"}))
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs" / "page").write_text("x")
    whole = job("x", "failed", directory=str(tmp_path))

    [given] = look_at_job(whole).inputs

    assert (given.value, given.actor, given.why) == (1, "li.wei", "typo")
    assert read_json(tmp_path / "broken.json") is None
    assert result_file(whole, "page", "x") == tmp_path / "outputs" / "page"
    assert result_file(whole, "other", 3) is None
    assert result_file(whole, "file", str(tmp_path / "ctx.json")) == tmp_path / "ctx.json"
    assert ContextFeed(tmp_path / "nothing").read() == 0


def test_an_earlier_run_of_an_instance_is_compared_with_the_latest(
    engine_service: Service, ran: Callable[..., int], qtbot: object
) -> None:
    number = ran("repair", "nightly")
    engine_service.set_value(number, "$.TASK.PARAMS['limit']", "30", "more rows")
    engine_service.rerun([Rerun(number, "failed")])
    while engine_service.instance(number)["status"] != "succeeded":
        pass

    first = side(engine_service, number, 1)
    found = compared(engine_service, (number, 1), (number, 2))

    assert (first.run["status"], first.run["run"]) == ("failed", 1)
    assert found.differing("status") > 0
    assert found.differing("results") > 0
    assert found.definition == ()


def test_a_log_that_was_written_anew_is_read_anew(tmp_path: Path, ran: Callable[..., int]) -> None:
    number = ran("repair", "nightly")
    log = next(tmp_path.glob(f"workspace/instances/*-{number}/ctx.log"))
    copy = tmp_path / "copy.log"
    copy.write_bytes(log.read_bytes())
    feed = ContextFeed(copy)
    whole = feed.read()
    lines = log.read_bytes().splitlines(keepends=True)

    copy.write_bytes(b"".join(lines[:10]) + lines[10][:5])

    assert feed.read() == 10
    copy.write_bytes(log.read_bytes())
    assert feed.read() == whole
    assert feed.time_of(1) <= feed.time_of(whole)


def test_times_and_durations_are_written_for_people() -> None:
    assert time_text("2026-11-21T08:00:01.5+08:00") == "11-21 08:00:01"
    assert time_text("soon") == "soon"
    assert exact_text("2026-11-21T08:00:01.5+08:00") == "2026-11-21 08:00:01.500 +0800"
    assert exact_text("soon") == "soon"
    assert [length_text(each) for each in (None, 0.03, 2, 75, 7384)] == [
        "", "30 ms", "2.0 s", "1 min 15 s", "2 h 03 min",
    ]  # fmt: skip
    assert took_text("2026-11-21T08:00:00+00:00", None) == ""
