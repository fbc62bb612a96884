"""exceptions, alerts and rules on the command line."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import pytest

from app.cli.cli_context import CliContext
from app.cli.main import cli
from engine.api.documents import ExceptionQuery
from tests.api.fake_service import FakeService
from tests.cli.conftest import Skerry
from tests.cli.test_whole import EXAMPLES, Site
from tests.waiting import until

RULES = """\
skerry: 1
tasks:
  t: {nodes: {a: {type: shell, process: exit 3}}}
rules:
  - {id: ask, match: {task: t}, action: pause}
  - {id: drop, match: {task: t}, action: skip, enabled: false, priority: 5}
"""


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_exceptions_are_listed_with_what_was_done(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("exceptions")
    filtered = skerry(
        "exceptions", "list", "--instance", "3", "--code", "-11000000000", "--status", "open",
        "--since", "2026-11-21T08:00+08:00", "--task", "t", "--limit", "7", "--json",
    )  # fmt: skip

    assert [line.split() for line in answer.out.splitlines()][1:] == [
        [
            "8",
            "2026-11-21",
            "08:00:00",
            "+08:00",
            "asks",
            "1",
            "load",
            "2",
            "-11000001003:",
            "exit",
            "status",
            "3",
        ],
        [
            "7",
            "2026-11-21",
            "08:00:00",
            "+08:00",
            "handled",
            "1",
            "load",
            "2",
            "-11000001003:",
            "exit",
            "status",
            "3",
            "retry:",
            "again",
        ],
    ]
    assert [each["id"] for each in filtered.document["exceptions"]] == [8, 7]
    assert service.asked == [
        ("exceptions", ExceptionQuery()),
        ("exceptions", ExceptionQuery(3, "t", -11000000000, "open", "2026-11-21T08:00:00+08:00", 7)),
    ]


def test_one_exception_shows_everything_that_helps(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("exceptions", "show", "8")
    document = skerry("exceptions", "show", "8", "--json").document

    for part in (
        "exit status 3",
        "cause",
        "remedy",
        "$.JOB['load']",
        "pids 7",
        "asks: a decision",
        "skerry queue",
    ):
        assert part in answer.out
    assert "edit the context" not in answer.out
    assert document["title"] == "The program ended with an error status"
    assert document["commands"]["look"] == ["skerry show 1 load"]
    assert skerry("exceptions", "show", "9", "--json").status == 2


def test_an_exception_is_closed_or_answered(skerry: Skerry, service: FakeService) -> None:
    assert skerry("exceptions", "handle", "8", "--reason", "known").out == "exception 8 is handled\n"
    assert (
        skerry("exceptions", "handle", "8", "retry", "--reason", "x").out == "exception 8 is handled: retry\n"
    )
    assert skerry("exceptions", "handle", "8", "explode", "--reason", "x").status == 2
    assert skerry("exceptions", "handle", "8").status == 2
    assert service.asked == [("handle", 8, None, "known"), ("handle", 8, "retry", "x")]


def test_alerts_are_listed_and_seen(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("alerts")
    assert "recovery_retry" in answer.out
    assert skerry("alerts", "list", "--instance", "1", "--seen", "--json").document["alerts"][0]["id"] == 5
    assert skerry("alerts", "ack", "5", "--json").document == {"acknowledged": [5]}
    assert skerry("alerts", "ack", "--all").out == "1 alerts are acknowledged\n"
    assert skerry("alerts", "ack").status == 2
    assert skerry("alerts", "ack", "5", "--all").status == 2


def test_rules_are_switched_and_tested(skerry: Skerry, service: FakeService) -> None:
    assert skerry("rules", "disable", "r").out == "rule r is off\n"
    assert skerry("rules", "enable", "r", "--json").document["enabled"] is True
    answer = skerry("rules", "test", "r", "--limit", "50")

    assert answer.out.splitlines()[0] == "rule r matches 1 of 2 exceptions"
    assert service.asked == [("enable", "r", False), ("enable", "r", True), ("test", "r", 50)]


def test_a_paused_job_goes_on_when_someone_answers(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(RULES)
    site("load", str(file))

    assert [each["id"] for each in site("rules")["rules"]] == ["drop", "ask"]
    assert site("rules", "show", "ask")["definition"]["action"] == "pause"
    begun = site("run", "t", "--detach")
    [asks] = until(lambda: site("exceptions", "list", "--status", "open")["exceptions"])
    shown = site("exceptions", "show", str(asks["id"]))
    assert (asks["asks"], shown["waits"]) == (True, True)
    done = site("exceptions", "handle", str(asks["id"]), "fail", "--reason", "not today")
    document = until(lambda: (d := site("show", str(begun["instance"])))["status"] != "running" and d)

    assert (done["answer"], document["status"]) == ("fail", "failed")
    assert document["jobs"][0]["reason"].startswith("by hand: not today")
    site("exceptions", "handle", str(asks["id"]), "retry", "--reason", "too late", status=3)
    assert site("rules", "test", "drop")["matched"][0]["id"] == asks["id"]
    assert site("rules", "enable", "drop")["enabled"] is True
    assert site("run", "t")["jobs"][0]["status"] == "skipped"
    site("rules", "delete", "drop")
    site("rules", "show", "drop", status=2)


def test_every_command_that_an_exception_names_is_understood(site: Site) -> None:
    site("run", str(EXAMPLES / "repair.yaml"), status=1)
    [newest, *_] = site("exceptions")["exceptions"]
    shown = site("exceptions", "show", str(newest["id"]))

    for line in (line for lines in shown["commands"].values() for line in lines):
        words = shlex.split(line)[1:]
        command: click.Command = cli
        context = command.make_context("skerry", words, obj=CliContext())
        while isinstance(command, click.Group) and (rest := [*context._protected_args, *context.args]):
            name, found, rest = command.resolve_command(context, rest)
            assert found is not None, line
            command, context = found, found.make_context(name, rest, parent=context, obj=CliContext())


def test_a_wrong_rule_is_reported_with_its_place(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(RULES.replace("action: pause", "action: pasue"))

    [finding] = site("check", str(file), status=2)["findings"]

    assert (finding["line"], finding["severity"]) == (5, "error")
    assert "did you mean `pause`" in finding["message"]
