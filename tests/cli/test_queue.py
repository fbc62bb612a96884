"""``skerry queue …`` and ``skerry clean`` on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.api.fake_queue import entry
from tests.api.fake_service import FakeService
from tests.cli.conftest import Skerry


def test_the_queue_is_listed_with_and_without_the_word(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("queue")
    assert answer.status == 0
    assert answer.out == skerry("queue", "list").out
    lines = answer.out.splitlines()
    assert lines[0] == "1 of 2 slots taken"
    assert "load[0]" in answer.out
    assert "busy (exclusive)" in answer.out
    assert skerry("queue", "--json").document == service.queue()
    assert skerry("queue", "list", "--json").document == service.queue()


def test_what_runs_and_waits_on_other_workers_is_listed_with_these(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = [entry(12, "queued", workers=["build"]), entry(13, "queued", workers=["local"])]
    found = {**service.queue(), "running": [entry(11, "running", worker="build")], "waiting": waiting}
    monkeypatch.setattr(service, "queue", lambda: found)

    head, _, _, there, _, _, first, second = skerry("queue").out.splitlines()

    assert head == "1 of 2 slots taken; 1 on other workers"
    assert "running @build" in there
    assert ["@build" in first, "@" in second] == [True, False]


def test_where_no_engine_runs_the_queue_says_that_nothing_goes_on(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "about", lambda: {"pid": None})

    assert skerry("queue").err == "no engine runs: nothing goes on until one does (skerry serve)\n"
    monkeypatch.setattr(service, "queue", lambda: {**service.places, "running": [], "waiting": []})
    assert skerry("queue").err == ""


@pytest.mark.parametrize(("given", "kept"), [("5", 5), ("auto", "auto"), ("default", None)])
def test_the_size_is_a_number_auto_or_the_default(
    skerry: Skerry, service: FakeService, given: str, kept: Any
) -> None:
    assert skerry("queue", "size", given, "--json").document["size"] == kept
    assert service.places["size"] == kept


@pytest.mark.parametrize("wrong", ["0", "-1", "many", "1.5", "10001"])
def test_another_size_is_wrong_use(skerry: Skerry, service: FakeService, wrong: str) -> None:
    assert skerry("queue", "size", "--", wrong).status == 2


def test_pause_and_resume(skerry: Skerry, service: FakeService) -> None:
    assert skerry("queue", "pause").out == "the queue is paused\n"
    assert "paused" in skerry("queue").out
    assert skerry("queue", "resume", "--json").document["paused"] is False


@pytest.mark.parametrize(
    ("line", "asked", "said"),
    [
        ("clear", ("clear",), "2 jobs removed from the queue: 12, 13"),
        ("clean 1.5", ("clean", 1.5), "1 job ended: 11"),
        ("remove 12", ("remove", 12), "job instance 12 is removed from the queue"),
        ("priority 12 -3", ("priority", 12, -3), "job instance 12 has priority -3"),
        ("hold 12 --reason late", ("hold", 12, True, "late"), "job instance 12 is held"),
        ("release 12", ("hold", 12, False, ""), "job instance 12 waits for its slot again"),
        ("add load -p a=1 -p b=x=y", ("add", "load", {}, {"a": "1", "b": "x=y"}), "instance 8"),
    ],
)
def test_what_is_done_to_jobs(skerry: Skerry, service: FakeService, line: str, asked: Any, said: str) -> None:
    answer = skerry("queue", *line.split())
    assert (answer.status, answer.out) == (0, f"{said}\n")
    assert service.asked == [asked]


@pytest.mark.parametrize("line", ["clean", "clean -1", "clean x", "remove", "remove 0", "priority 1", "add"])
def test_wrong_use(skerry: Skerry, service: FakeService, line: str) -> None:
    assert skerry("queue", *line.split()).status == 2
    assert not service.asked


def test_values_for_an_added_job_come_from_a_file_too(
    skerry: Skerry, service: FakeService, tmp_path: Path
) -> None:
    file = tmp_path / "values.yaml"
    file.write_text("n: [1, 2]\n")
    assert skerry("queue", "add", "load", "--params", str(file)).status == 0
    assert service.asked == [("add", "load", {"n": [1, 2]}, {})]


def test_without_an_engine_it_is_seen_sized_and_paused_but_not_cleared(skerry: Skerry) -> None:
    assert skerry("queue", "size", "3").out == "0 of 3 slots taken (by command)\n"
    assert skerry("queue", "pause").status == 0
    found = skerry("queue", "--json").document
    assert (found["size"], found["paused"], found["waiting"]) == (3, True, [])
    for line in ("clear", "clean 1", "remove 1", "priority 1 1"):
        assert skerry("queue", *line.split()).status == 3


def test_clean_tells_what_went_and_what_stays(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("clean")
    assert answer.status == 1, "something could not be removed"
    assert "instance 4 stays: it runs again" in answer.err
    assert answer.out.splitlines()[-1] == "1 instance removed, 4096 bytes"
    looked = skerry("clean", "--dry-run")
    assert looked.status == 0
    assert looked.out.splitlines()[-1] == "1 instance would be removed, 4096 bytes"


def test_clean_without_an_engine_and_without_rules_does_nothing(skerry: Skerry) -> None:
    for line in ("clean --dry-run", "clean"):
        answer = skerry(*line.split(), "--json")
        assert answer.status == 0
        assert answer.document["removed"] == []


def test_a_held_job_is_listed_apart(skerry: Skerry, service: FakeService) -> None:
    service.places = {**service.places, "held_jobs": [entry(14, "queued", node="index")]}

    assert skerry("queue", "hold", "14", "--json").document == {"job_instance": 14, "held": True}
    assert "held:\n" in skerry("queue").out
    assert skerry("queue", "release", "14", "--json").document == {"job_instance": 14, "held": False}


def test_a_job_that_runs_on_another_worker_says_on_which(skerry: Skerry, service: FakeService) -> None:
    whole = service.queue()
    running = [{**whole["running"][0], "worker": "build"}, {**whole["running"][0], "node": "here"}]
    service.queue = lambda: {**whole, "running": running}  # type: ignore[method-assign]

    lines = skerry("queue").out.splitlines()

    assert any("load" in line and "running @build" in line for line in lines)
    assert any("here" in line and "running " in line and "@" not in line for line in lines)
