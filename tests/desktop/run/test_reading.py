"""What is read of runs and jobs: remedies, results, earlier runs, definitions that are gone, broken files."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app import wiring
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.times import exact_text, length_text, local, shown, time_text, took_text, when
from app.desktop.run.compare import compared, side
from app.desktop.run.context_feed import ContextFeed
from app.desktop.run.reading import RunLook, captured, look_at_job, read_json, result_file
from app.desktop.run.reading import look as look_at
from app.desktop.run.remedies import definition_of, remedies
from app.desktop.run.remedy_kinds import TABLE, kinds_of
from engine.api.documents import Rerun, RunRequest, Source
from engine.api.service import Service
from engine.model.catalogue import codes_of, engine_codes
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


def test_a_handler_of_the_end_leads_to_its_definition() -> None:
    raw = {**RAW, "tasks": {"nightly": {"nodes": {}, "on_end": {"failed": {"job": "loader"}}}}}
    failed = job("on_end.failed", "failed", error_code=-11000001003)
    look = RunLook(instance(1, "failed", jobs=[failed]), raw)

    assert definition_of(failed, look) == Target("job", "loader", detail="definition")
    assert look.keys("on_end.failed")["type"] == "shell"


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


def test_each_run_is_compared_by_the_definition_that_it_went_by(
    engine_service: Service, ran: Callable[..., int], qtbot: QtBot
) -> None:
    # given a run, and another one of the same instance by a newer definition
    number = ran("repair", "nightly")
    task = engine_service.definition("task", "nightly")["definition"]
    newer = {"skerry": 1, "tasks": {"nightly": {**task, "description": "newer"}}}
    engine_service.load([Source(name="newer.json", text=json.dumps(newer))])
    engine_service.rerun([Rerun(number, "all", current=True)])
    qtbot.waitUntil(lambda: engine_service.instance(number)["ended_at"] is not None, timeout=20_000)

    found = compared(engine_service, (number, 1), (number, 2))

    assert any(line.startswith("+") and "newer" in line for line in found.definition)
    assert "description" not in engine_service.captured(number, 1)["tasks"]["nightly"]


def test_every_code_of_the_catalogue_leads_somewhere_in_the_window() -> None:
    installed = [*engine_codes(), *codes_of(wiring.job_types().values()),
                 *codes_of(wiring.resource_types().values())]  # fmt: skip
    for code in installed:
        failed = job("load", "failed", error_code=code.number, error_message="x", results={"instance": 4})
        found = list(remedies(failed, RunLook(instance(1, "failed", jobs=[failed]), RAW)))
        assert all(each.action or each.target for each in found)
        assert kinds_of(code.number) or 50 <= (domain := -code.number // 10**8 % 100) < 60, domain


def test_the_table_of_remedies_names_no_code_that_does_not_exist() -> None:
    installed = {code.number for code in (*engine_codes(), *codes_of(wiring.job_types().values()),
                                          *codes_of(wiring.resource_types().values()))}  # fmt: skip
    below = {-(-number // size * size) for number in installed for size in (1, 10**6, 10**8)}
    assert set(TABLE) <= below


def test_a_wrong_value_leads_to_the_only_job_whose_values_were_read() -> None:
    failed = job("load", "failed", error_code=-10200008000, error_message="$.JOB['other'] is in some text")
    jobs = [job("ask", "succeeded"), job("other", "succeeded"), failed]
    params = {"rows": "$.JOB['ask'].RESULT['rows']", "note": "of $.TASK.ID"}
    raw = {"tasks": {"nightly": {"nodes": {"load": {"type": "shell", "params": params}}}}}

    first = next(iter(remedies(failed, RunLook(instance(1, "failed", jobs=jobs), raw))))

    assert first.target == Target("instance", "1", "ask")
    assert first.text.format(**first.values) == "To its source: ask"

    params["more"] = "{$.JOB['other'].RESULT['rows']}"
    texts = {each.text for each in remedies(failed, RunLook(instance(1, "failed", jobs=jobs), raw))}
    assert "To its source: {node}" not in texts, "nobody knows which of the two it was"


def test_a_missing_value_leads_to_the_job_that_its_error_is_about(
    engine_service: Service, qtbot: QtBot
) -> None:
    give = {
        "type": "shell",
        "process": "echo '[1]' > \"${SKERRY_OUTPUTS}/rows\"",
        "results": {"rows": {"kind": "list"}},
    }
    params = {"one": "$.JOB['ask'].RESULT['rows'][7]", "more": "$.JOB['other'].RESULT['rows']"}
    load = {"type": "shell", "after": ["ask", "other"], "params": params, "process": "true"}
    tree = {"skerry": 1, "tasks": {"nightly": {"nodes": {"ask": give, "other": give, "load": load}}}}
    engine_service.load([Source(name="nightly.json", text=json.dumps(tree))])
    number = engine_service.run(RunRequest("nightly"))
    qtbot.waitUntil(lambda: engine_service.instance(number)["ended_at"] is not None, timeout=20_000)

    look = look_at(engine_service, number)

    failed = look.job("load")
    assert failed is not None
    assert failed["error_code"] == -10200003000
    first = next(iter(remedies(failed, look)))
    assert first.target == Target("instance", str(number), "ask")


def test_a_log_that_was_written_again_is_read_again(tmp_path: Path, ran: Callable[..., int]) -> None:
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


def test_every_time_is_shown_in_the_zone_of_the_settings(
    workspace: Path, request: pytest.FixtureRequest
) -> None:
    (workspace / "workspace.yaml").write_text("timezone: Pacific/Kiritimati\n")
    request.getfixturevalue("console")

    for same in ("2026-11-21T23:00:01.5+00:00", "2026-11-22T07:00:01.5+08:00"):
        assert local(same) == "2026-11-22 13:00:01"
        assert time_text(same) == "11-22 13:00:01"
        assert exact_text(same) == "2026-11-22 13:00:01.500 +1400"
        assert when(same) == "2026-11-22 13:00"
        assert shown(same).hour == shown(datetime.fromisoformat(same).timestamp()).hour == 13


def test_times_are_shown_in_the_machines_zone_where_the_settings_name_none(console: Console) -> None:
    here = datetime.fromisoformat("2026-11-21T23:00:01+05:00").astimezone()

    assert local(here.astimezone(UTC).isoformat()) == f"{here:%Y-%m-%d %H:%M:%S}"


def test_times_and_durations_are_written_for_people() -> None:
    assert time_text("soon") == "soon"
    assert exact_text("soon") == "soon"
    assert [length_text(each) for each in (None, 0.03, 2, 42.0, 59.7, 75, 7384)] == [
        "", "30 ms", "2.0 s", "42 s", "1 min 00 s", "1 min 15 s", "2 h 03 min",
    ]  # fmt: skip
    assert took_text("2026-11-21T08:00:00+00:00", None) == ""


def test_durations_have_the_units_of_the_language(console: Console) -> None:
    console.language.switch("zh_CN")

    assert [length_text(each) for each in (0.03, 2, 42.0, 75, 7384)] == [
        "30 毫秒",
        "2.0 秒",
        "42 秒",
        "1 分 15 秒",
        "2 小时 03 分",
    ]
