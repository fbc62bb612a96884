"""Handling rules at work: each action, in which order, how often, and what stays written of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.model.definitions import Definitions
from engine.model.states import Trigger
from engine.runtime.submission import Submission
from engine.store.filters import ExceptionFilter
from engine.store.rows import ExceptionRow
from tests.runtime.site import Gate, Seen, Site, shell, tree
from tests.waiting import until

TOO_MANY = {"type": "shell", "process": '[ "${rows}" -le "${limit}" ] || { echo no >&2; exit 3; }'}


def rule(id: str, action: Any, priority: int = 0, **match: Any) -> dict[str, Any]:
    return {"id": id, "match": match or {"task": "t"}, "action": action, "priority": priority}


def wanted(*rules: dict[str, Any], nodes: dict[str, Any] | None = None, **tasks: Any) -> Definitions:
    own = {"a": shell("exit 3"), "b": shell("true", after=["a"])}
    return tree({"tasks": {**tasks, "t": {"nodes": nodes or own}}, "rules": list(rules)})


def records(site: Site, seen: Seen) -> list[ExceptionRow]:
    """The oldest first."""
    return site.engine.store.exceptions(ExceptionFilter(instance=seen.id))[::-1]


def once(flag: Path) -> str:
    """A script that fails until it was run once."""
    return f"[ -e '{flag}' ] || {{ touch '{flag}'; exit 3; }}"


@pytest.mark.parametrize(
    ("action", "states", "status"),
    [
        ("skip", {"a": "skipped", "b": "skipped"}, "succeeded"),
        ("succeed", {"a": "succeeded", "b": "succeeded"}, "succeeded"),
    ],
)
def test_a_rule_skips_or_marks_as_succeeded(
    site: Site, action: str, states: dict[str, str], status: str
) -> None:
    seen = site.run(wanted(rule("r1", action)))

    assert (seen.states, seen.status) == (states, status)
    assert seen["a"].reason == "rule: r1"
    [record] = records(site, seen)
    assert (record.status, record.handled_by, record.note) == (
        "handled", "rule r1", f"marked as {states['a']}",
    )  # fmt: skip
    assert record.handled_at is not None
    [line] = [each for each in seen.lines if each["actor"] == "rule r1"]
    assert (line["path"], line["why"]) == ("$.JOB['a']", f"rule r1: marked as {states['a']}")
    log = (site.root / "logs" / "execution.log").read_text()
    assert f"rule r1: marked as {states['a']}" in log
    seen.assert_replays()


def test_a_rule_tries_again_so_many_times(site: Site, journal: Path) -> None:
    nodes = {"a": shell(f"echo x >> {journal}; exit 3", retry={"times": 1})}
    seen = site.run(wanted(rule("again", {"retry": {"after": 0, "times": 2}}), nodes=nodes))

    assert seen.states == {"a": "failed"}
    assert journal.read_text().count("x") == 4
    assert [each.handled_by for each in records(site, seen)] == ["retry", "rule again", "rule again", None]
    assert seen["a"].row.handling["rules"] == {"again": 2}


def test_a_rule_sets_a_value_and_tries_again(site: Site) -> None:
    raw = {
        "tasks": {"t": {"params": {"rows": 25, "limit": 10}, "nodes": {"load": {"job": "load"}}}},
        "jobs": {"load": {**TOO_MANY, "params": {"rows": {}, "limit": {}}}},
        "rules": [rule("more", {"set": {"path": "$.TASK.PARAMS['limit']", "value": 30}}, job="load")],
    }
    seen = site.run(tree(raw))

    assert (seen.status, len(seen["load"].attempts)) == ("succeeded", 2)
    assert seen.row.edited == ["$.TASK.PARAMS['limit']"]
    assert seen["load"].based_on_edit is True
    [line] = [each for each in seen.lines if each["actor"] == "rule more" and "new" in each]
    assert (line["old"], line["new"], line["why"]) == (10, 30, "error -11000001003")
    seen.assert_replays()


def test_a_rule_runs_a_task_that_repairs(site: Site, journal: Path) -> None:
    fix = {
        "params": {"file": {}},
        "nodes": {"f": shell('echo "fixed" > "${file}"', params={"file": "$.TASK.PARAMS['file']"})},
    }
    nodes = {"a": shell("test -s $file", params={"file": str(journal)})}
    params = {"file": "$.JOB['a'].PARAMS['file']"}
    seen = site.run(wanted(rule("fix", {"run": {"task": "fix", "params": params}}), nodes=nodes, fix=fix))

    assert seen.status == "succeeded"
    [remedy] = [row for row in site.engine.store.instances() if row.task == "fix"]
    assert (remedy.status, remedy.trigger, remedy.parent) == ("succeeded", "subtask", seen["a"].id)
    assert records(site, seen)[0].note == f"task 'fix' repairs (instance {remedy.id})"


def test_a_remedy_that_fails_leaves_the_rest_to_the_next_rule(site: Site) -> None:
    fix = {"nodes": {"f": shell("exit 7")}}
    rules = [
        rule("fix", {"run": {"task": "fix"}}, 9),
        rule("skip", "skip"),
        rule("none", {"run": {"task": "x"}}, 8),
    ]
    seen = site.run(wanted(*rules, fix=fix))

    assert seen.states == {"a": "skipped", "b": "skipped"}
    [record] = records(site, seen)
    assert record.handled_by == "rule skip"
    whys = [each["why"] for each in seen.lines if "could not" in each.get("why", "")]
    assert len(whys) == 2
    assert whys[0].startswith("rule fix could not: its remedy (instance")


def test_when_no_rule_could_do_it_the_exception_is_open_and_says_why(site: Site) -> None:
    seen = site.run(wanted(rule("none", {"run": {"task": "nobody"}})))

    [record] = records(site, seen)
    assert (record.status, record.handled_by) == ("open", None)
    assert "rule none could not" in (record.note or "")
    assert seen.status == "failed"


def test_an_alert_tells_and_lets_the_next_rule_decide(site: Site) -> None:
    tell = {"alert": {"level": "error", "text": "look at the ledger"}}
    seen = site.run(wanted(rule("tell", tell, 5), rule("ok", "succeed")))

    assert seen.status == "succeeded"
    [alert] = site.engine.store.alerts(acknowledged=False)
    assert (alert.kind, alert.level, alert.message) == ("rule", "error", "look at the ledger (rule tell)")
    assert alert.code == -11000001003


def test_the_highest_priority_acts_and_what_does_not_match_never(site: Site) -> None:
    rules = [
        rule("low", "skip", 1),
        rule("other", "skip", 99, message="permission"),
        rule("scheduled", "skip", 98, trigger="schedule"),
        rule("high", "succeed", 2, domain=10, message="exit status 3"),
    ]
    seen = site.run(wanted(*rules))

    assert seen["a"].reason == "rule: high"


@pytest.mark.parametrize(
    ("answer", "state"),
    [("skip", "skipped"), ("succeed", "succeeded"), ("fail", "failed"), ("discard", "discarded")],
)
def test_a_paused_job_waits_for_a_person(site: Site, answer: Any, state: str) -> None:
    instance = site.begin(wanted(rule("ask", "pause")))
    site.until_state(instance, "a", "waiting")
    seen = site.see(instance)
    [asks] = records(site, seen)

    assert seen["a"].reason == "paused by rule ask, waits for an answer: exit status 3"
    assert (asks.status, asks.details) == ("open", {"asks": True})
    site.engine.handle(asks.id, answer, "looked at it", "ann")

    seen = site.end(instance)
    assert seen.states["a"] == state
    assert seen["a"].reason == "by hand: looked at it (ann)"
    [asks] = records(site, seen)
    assert (asks.handled_by, asks.note) == ("ann", f"{answer}: looked at it")
    seen.assert_replays()


def test_a_paused_job_may_be_tried_again_and_outlives_the_engine(site: Site, tmp_path: Path) -> None:
    nodes = {"a": shell(once(tmp_path / "flag"))}
    instance = site.begin(wanted(rule("ask", "pause"), nodes=nodes))
    site.until_state(instance, "a", "waiting")

    site.again()
    until(lambda: site.engine.services.asking)
    assert site.state(instance, "a") == "waiting"
    [asks] = records(site, site.see(instance))
    site.engine.handle(asks.id, "retry", "the disk is there again")

    seen = site.end(instance)
    assert (seen.status, len(seen["a"].attempts)) == ("succeeded", 2)
    assert len(records(site, seen)) == 1


def test_a_remedy_under_way_is_waited_for_after_a_restart(site: Site, tmp_path: Path) -> None:
    gate = Gate(tmp_path / "gate")
    fix = {"nodes": {"f": shell(gate.script())}}
    nodes = {"a": shell(once(tmp_path / "flag"))}
    instance = site.begin(wanted(rule("fix", {"run": {"task": "fix"}}), nodes=nodes, fix=fix), "t")
    gate.until_up()

    site.again()
    assert site.state(instance, "a") == "waiting"
    gate.open()

    seen = site.end(instance)
    assert (seen.status, len(seen["a"].attempts)) == ("succeeded", 2)


def test_rules_of_the_workspace_hold_for_every_run_and_can_be_switched_off(site: Site) -> None:
    site.engine.store.save_definitions({"rules": [rule("house", "succeed")]})
    plain = wanted()

    assert site.run(plain).status == "succeeded"
    off = {**rule("house", "succeed"), "enabled": False}
    site.engine.store.save_definitions({"rules": [off]})
    assert site.run(plain).status == "failed"


def test_a_rule_of_the_file_stands_in_for_the_one_of_the_workspace(site: Site) -> None:
    site.engine.store.save_definitions({"rules": [rule("same", "succeed")]})

    assert site.run(wanted(rule("same", "skip"))).states["a"] == "skipped"


def test_a_rule_acts_before_recovery_also_where_nobody_can_run_a_job(site: Site) -> None:
    nodes = {"a": shell("true", on={"workers": ["elsewhere"]}), "b": shell("true", after=["a"])}
    request = Submission(
        "t", wanted(rule("r", "skip", code=-11100002000), nodes=nodes), trigger=Trigger.SCHEDULE
    )
    seen = site.end(site.engine.submit(request))

    assert seen.states == {"a": "skipped", "b": "skipped"}
    assert site.engine.store.alerts(acknowledged=False) == []


def test_after_a_remedy_that_fails_a_person_is_asked_about_a_job_that_nobody_can_run(site: Site) -> None:
    nodes = {"a": shell("true", on={"workers": ["elsewhere"]})}
    remedied = wanted(
        rule("fix", {"run": {"task": "fix"}}), nodes=nodes, fix={"nodes": {"f": shell("exit 7")}}
    )
    instance = site.begin(remedied, "t")
    site.until_state(instance, "a", "no_worker")

    [asks] = site.engine.store.exceptions(ExceptionFilter(instance=instance, status="open"))
    site.engine.handle(asks.id, "fail", "nobody will come")

    assert site.end(instance).states == {"a": "failed"}


def test_a_cancel_is_no_matter_for_rules(site: Site, tmp_path: Path) -> None:
    gate = Gate(tmp_path / "gate")
    instance = site.begin(wanted(rule("r", "succeed"), nodes={"a": shell(gate.script())}))
    gate.until_up()
    site.engine.cancel(instance)

    assert site.see(instance).states == {"a": "cancelled"}


def test_a_secret_in_a_message_is_masked_before_rules_and_records_see_it(site: Site) -> None:
    made = tree(
        {
            "tasks": {
                "t": {
                    "params": {"word": {"secret": True}},
                    "nodes": {"a": {"type": "file_exists", "params": {"path": "$.TASK.PARAMS['word']"},
                                    "results": {"x": {"kind": "number",
                                                      "value": "{$.TASK.PARAMS['word']} no"}}}},
                }
            },
            "rules": [rule("r", "skip", message="hunter2")],
        }
    )  # fmt: skip
    seen = site.run(made, word="hunter2hunter2")

    assert seen.status == "failed"
    assert all("hunter2" not in f"{each.message}{each.details}" for each in records(site, seen))
