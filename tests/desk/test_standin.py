"""Stand-in runs: recorded outcomes replace the jobs, and changed tasks can be tried without the site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from engine.model.errors import SkerryError
from engine.runtime.interventions.question_answers import Reply
from export_import.desk.evidence import Evidence
from export_import.desk.stand_in_choices import Choices, ChosenOutcome
from export_import.desk.standin import Trial, Tried, TriedJob, try_out
from tests.desk.conftest import REPAIR
from tests.runtime.site import Site, definitions, shell, task


@pytest.fixture
def evidence(site: Site) -> Iterator[Evidence]:
    with Evidence.open(site.root) as found:
        yield found


@pytest.fixture
def attempt(evidence: Evidence, tmp_path: Path) -> Any:
    """Try something in a new scratch workspace."""
    number = iter(range(100))

    def run(instance: int, **keys: Any) -> Tried:
        root = tmp_path / f"scratch{next(number)}"
        return try_out(evidence, wiring.installed_types(), Trial(instance, **keys), root)

    return run


def hows(tried: Tried) -> dict[str, tuple[str, str | None]]:
    return {job.node: (job.status, job.how) for job in tried.jobs}


def test_the_same_task_goes_as_it_went_at_the_site(site: Site, attempt: Any) -> None:
    seen = site.run(REPAIR.read_text())

    tried = attempt(seen.id)

    assert tried.status == tried.recorded_status == "failed"
    assert hows(tried) == {
        "extract": ("succeeded", "recorded"), "audit": ("succeeded", "recorded"),
        "load": ("failed", "recorded"), "index": ("skipped", None), "publish": ("skipped", None),
    }  # fmt: skip
    assert tried.divergences == ()
    assert sorted((seen.folder / "journal").read_text().split()) == ["audit", "extract", "load", "load"]
    assert not (tried.root / "instances" / f"task-nightly-{seen.id}" / "journal").exists()


def test_another_limit_shows_where_the_runs_part_and_what_cannot_be_known(site: Site, attempt: Any) -> None:
    seen = site.run(REPAIR.read_text())

    tried = attempt(seen.id, values={"$.TASK.PARAMS['limit']": 30})

    assert tried.first is not None
    assert (tried.first.path, tried.first.recorded, tried.first.now) == ("$.TASK.PARAMS['limit']", 10, 30)
    [job] = unknown(tried)
    assert (job.node, job.status, _why(job)) == ("load", "failed", "its inputs differ: limit")
    assert job.error_code == -15020002000


def test_a_job_whose_inputs_differ_can_really_run_here(site: Site, attempt: Any) -> None:
    seen = site.run(REPAIR.read_text())

    tried = attempt(seen.id, values={"$.TASK.PARAMS['limit']": 30}, choices=Choices(others="run"))

    assert tried.status == "succeeded"
    assert hows(tried) == {
        "extract": ("succeeded", "recorded"), "audit": ("succeeded", "recorded"),
        "load": ("succeeded", "run"), "index": ("succeeded", "run"), "publish": ("succeeded", "run"),
    }  # fmt: skip


def test_a_changed_definition_can_be_given_an_outcome_by_hand(site: Site, attempt: Any) -> None:
    seen = site.run(REPAIR.read_text())
    changed = definitions(REPAIR.read_text().replace("limit: 10", "limit: 30")).raw
    by_hand = {name: ChosenOutcome() for name in ("load", "index", "publish")}

    tried = attempt(seen.id, definitions=changed, choices=Choices(by_hand=by_hand))

    assert tried.status == "succeeded"
    assert hows(tried)["load"] == ("succeeded", "by_hand")


def test_a_job_whose_work_was_changed_is_unknown(site: Site, attempt: Any) -> None:
    seen = site.run(REPAIR.read_text())
    changed = definitions(REPAIR.read_text().replace("echo audit", "echo other")).raw

    tried = attempt(seen.id, definitions=changed)

    assert [(job.node, _why(job)) for job in unknown(tried)] == [("audit", "its definition differs")]


def test_another_result_of_a_job_changes_what_follows(site: Site, attempt: Any) -> None:
    seen = site.run(REPAIR.read_text())

    tried = attempt(seen.id, values={"$.JOB['extract'].RESULT['rows']": 5}, choices=Choices(others="run"))

    assert tried.status == "succeeded"
    assert tried.first is not None
    assert (tried.first.path, tried.first.now) == ("$.JOB['extract'].RESULT['rows']", 5)


MIXED = {
    "read": {"type": "file_exists", "params": {"path": "/etc/hostname"}},
    "wait": {"type": "wait", "for": "1s"},
    "many": shell('printf "$n" > "$SKERRY_OUTPUTS/n"; echo "out $n"', for_each=[1, 2], params={"n": "$.ITEM"},
                  results={"n": {"kind": "number"}, "twice": {"value": "{$.JOB['many'].OUTPUT}!"}}),
    "flaky": shell('[ "$SKERRY_ATTEMPT" != "x" ]; [ -e "$TMPDIR_X/done" ] || { echo no >&2; kill -9 $$; }',
                   ready="exit 0", timeout="30s", continue_on_failure=True),
    "noted": shell("echo 0 > status; exit 0", continue_on_failure=True),
    "look": {"type": "condition", "after": ["many"], "value": "{$.JOB['many'][1].RESULT['n']} == 2",
             "branches": {"true": ["yes"], "false": ["no"]}},
    "yes": {"type": "group", "jobs": [shell("echo a", ready="true"), shell("echo b")]},
    "no": shell("exit 1"),
}  # fmt: skip


def test_every_kind_of_job_is_stood_in_for(site: Site, attempt: Any) -> None:
    seen = site.run(task(MIXED))

    tried = attempt(seen.id)

    assert {node: state for node, (state, _) in hows(tried).items()} == {
        row.node: row.status for row in seen.rows
    }
    assert tried.status == seen.status
    assert unknown(tried) == []
    assert [each for each in tried.divergences if "twice" in each.path] == []
    assert tried.divergences == ()


def test_a_value_that_cannot_be_overridden_and_a_node_that_is_not_there(site: Site, attempt: Any) -> None:
    seen = site.run(REPAIR.read_text())

    for wrong in (
        {"values": {"$.JOB['extract'].STATUS": "failed"}},
        {"values": {"$.JOB['nobody'].RESULT['x']": 1}},
        {"choices": Choices(run={"nobody"})},
    ):
        with pytest.raises(SkerryError) as caught:
            attempt(seen.id, **wrong)
        assert caught.value.code == -15020003000


def test_who_watches_can_stop_it(site: Site, evidence: Evidence, tmp_path: Path) -> None:
    seen = site.run(REPAIR.read_text())

    def stop(done: int, of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        try_out(evidence, wiring.installed_types(), Trial(seen.id), tmp_path / "scratch", stop)


WEB = {
    "resources": {"api": {"type": "http", "uri": "http://127.0.0.1:9/{$.TASK.PARAMS['part']}", "check": {"status": 200}}},
    "tasks": {
        "sub": {"params": {"n": 1}, "nodes": {"in": shell("true")}, "results": {"n": {"value": "$.TASK.PARAMS['n']"}}},
        "t": {
            "params": {"part": "x"},
            "nodes": {
                "asked": {"type": "http", "resource": "api", "method": "GET", "continue_on_failure": True},
                "below": {"type": "task", "task": "sub", "params": {"n": 7}},
                "use": shell("echo $n", after=["below"], params={"n": "$.JOB['below'].RESULT['n']"}),
                "late": shell("sleep 0.1", mode="async", check={"every": "10ms", "success": "1 == 1"}),
                "again": shell('echo "$SKERRY_ATTEMPT"; exit 4', retry={"times": 2, "interval": "10ms"},
                               continue_on_failure=True),
                "built": {"type": "shell", "process": {"class": "file_exists"}, "params": {"path": "/etc"}},
                "round": shell('printf 1 > "$SKERRY_OUTPUTS/n"', results={"n": {"kind": "number"}}),
                "loop": {"type": "condition", "after": ["round"], "value": "{$.JOB['round'].RESULT['n']} == 1",
                         "branches": {"true": ["out"]}},
                "out": shell("true"),
            },
        },
    },
}  # fmt: skip


def test_calls_sub_tasks_and_asynchronous_jobs_are_stood_in_for(site: Site, attempt: Any) -> None:
    from tests.runtime.site import tree

    seen = site.run(tree(WEB), "t")

    tried = attempt(seen.id)

    assert unknown(tried) == [], unknown(tried)
    assert {node: state for node, (state, _) in hows(tried).items()} == {
        row.node: row.status for row in seen.latest
    }
    assert [(each.path, each.recorded, each.now) for each in tried.divergences] == []
    assert tried.status == seen.status


def test_another_address_of_a_resource_is_another_input(site: Site, attempt: Any) -> None:
    from tests.runtime.site import tree

    seen = site.run(tree(WEB), "t")

    tried = attempt(seen.id, values={"$.TASK.PARAMS['part']": "y"})

    assert [job.node for job in tried.jobs if job.error_code == -15020002000] == ["asked"]


def test_a_case_that_lost_its_files_still_gives_the_values(site: Site, attempt: Any) -> None:
    import shutil

    seen = site.run(REPAIR.read_text())
    shutil.rmtree(seen.folder / "jobs")

    tried = attempt(seen.id)

    assert tried.divergences == ()
    assert hows(tried)["extract"] == ("succeeded", "recorded")


def test_jobs_that_differ_can_be_taken_to_do_what_they_did(site: Site, attempt: Any) -> None:
    seen = site.run(REPAIR.read_text())

    tried = attempt(seen.id, values={"$.TASK.PARAMS['limit']": 30}, choices=Choices(others="recorded"))

    assert tried.status == "failed"
    assert [_why(job) for job in tried.jobs if job.node == "load"] == ["its inputs differ: limit"]
    assert {each.path for each in tried.divergences} == {
        "$.TASK.PARAMS['limit']", "$.JOB['load'].PARAMS['limit']",
    }  # fmt: skip


def test_handlers_of_the_end_are_as_they_were_and_never_really_run(
    site: Site, attempt: Any, tmp_path: Path
) -> None:
    handler = shell(f"echo run >> {tmp_path}/handled", params={"status": "$.TASK.STATUS"})
    keys = {"on_end": {"succeeded": handler, "failed": handler}}
    site.run(task({"a": shell("exit 3")}, **keys))
    repaired = {"tasks": {"t": {"nodes": {"a": shell("true")}, **keys}}}

    same = attempt(1)
    other = attempt(1, definitions=repaired, choices=Choices(others="run"))

    assert (hows(same)["on_end.failed"][1], same.divergences) == ("recorded", ())
    assert hows(other)["on_end.succeeded"][1] == "unknown"
    assert (tmp_path / "handled").read_text() == "run\n"


@pytest.mark.parametrize(("choice", "status"), [("approve", "succeeded"), ("reject", "failed")])
def test_a_question_is_answered_as_it_was_and_nobody_is_asked_again(
    site: Site, attempt: Any, choice: str, status: str
) -> None:
    ask = {"type": "approve", "question": "Load?", "value": "number"}
    after = shell("true", after=["ask"], params={"given": "$.JOB['ask'].RESULT"})
    number = site.begin(task({"ask": ask, "after": after}))
    site.until_state(number, "ask", "waiting")
    site.engine.approve(number, Reply("ask", choice, note="so be it", value="7"), "anna")
    site.end(number)

    tried = attempt(number)

    assert (tried.status, tried.recorded_status, tried.divergences) == (status, status, ())
    assert hows(tried)["ask"] == (status, "recorded")


def unknown(tried: Tried) -> list[TriedJob]:
    """The jobs whose outcome cannot be known here."""
    return [job for job in tried.jobs if job.how == "unknown"]


def _why(job: TriedJob) -> str:
    return str(job.to_json()["why"])
