"""Handlers of the end when an engine dies before, in or between them."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from engine.runtime.runs.end_handlers import EndHandlers
from tests.runtime.site import Gate, Site, shell, task
from tests.runtime.test_end_handlers import alerts, lines, note
from tests.runtime.test_rebuilt_rows import rebuilt
from tests.runtime.test_take_up import Fallen, fallen
from tests.waiting import until

__all__ = ["fallen"]


def gated(gate: Gate, journal: Path, name: str, **keys: Any) -> dict[str, Any]:
    return shell(f"echo {name} >> {journal}; {gate.script(name)}", **keys)


def test_a_handler_outlives_its_engine_and_the_next_one_follows(
    fallen: Fallen, gate: Gate, journal: Path
) -> None:
    handlers = {"failed": gated(gate, journal, "failed"), "always": note(journal, "always")}
    fallen.begin({"a": shell("exit 3")}, on_end=handlers)
    gate.until_up("failed")
    fallen.kill()

    fallen.again()
    gate.open("failed")
    seen = fallen.end()

    code = seen.row.error_code
    assert seen.status == "failed"
    assert "job 'a'" in str(seen.row.error_message)
    assert lines(journal) == ["failed", f"always failed {code} a"]
    assert seen.states == {"a": "failed", "on_end.failed": "succeeded", "on_end.always": "succeeded"}
    seen.assert_replays()


def test_an_engine_that_dies_between_them_leaves_the_other(fallen: Fallen, gate: Gate, journal: Path) -> None:
    handlers = {"succeeded": note(journal, "succeeded"), "always": gated(gate, journal, "always")}
    fallen.begin({"a": shell("echo 7 > outputs/n", results={"n": {"kind": "number"}})},
                 results={"n": "$.JOB['a'].RESULT['n']"}, on_end=handlers)  # fmt: skip
    gate.until_up("always")
    fallen.kill()

    gate.open("always")
    seen = fallen.end()

    assert (seen.status, seen.results) == ("succeeded", {"n": 7})
    assert lines(journal) == ["succeeded succeeded none none", "always"]
    seen.assert_replays()


def test_an_outcome_that_is_known_is_not_decided_again(
    site: Site, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EndHandlers, "begin", lambda handlers: None)  # the engine dies before they begin
    instance = site.begin(task({"a": shell("exit 3")}, on_end={"failed": note(journal, "failed")}))
    until(lambda: site.see(instance).context["TASK"]["STATUS"] == "failed")
    monkeypatch.undo()

    site.again()
    seen = site.end(instance)

    assert seen.status == "failed"
    assert [each.split()[0] for each in lines(journal)] == ["failed"]
    seen.assert_replays()


def test_a_loss_after_a_restart_is_an_alert_and_nobody_is_asked(
    fallen: Fallen, gate: Gate, journal: Path
) -> None:
    handlers = {"succeeded": gated(gate, journal, "succeeded"), "always": note(journal, "always")}
    fallen.begin({"a": shell("true")}, on_end=handlers)
    pid = gate.until_up("succeeded")
    fallen.kill()
    supervisor = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(supervisor, signal.SIGKILL)
    os.killpg(os.getpgid(pid), signal.SIGKILL)

    seen = fallen.end()

    assert seen.status == "succeeded"
    assert seen.states["on_end.succeeded"] == "lost"
    assert lines(journal) == ["succeeded", "always succeeded none none"]
    assert fallen.site is not None
    assert alerts(fallen.site) == ["handler_failed"]
    asked = [each for each in fallen.site.engine.store.exceptions() if each.details.get("asks")]
    assert asked == []


def test_a_cancel_is_no_second_one_for_the_next_engine(fallen: Fallen, gate: Gate, journal: Path) -> None:
    handlers = {"cancelled": gated(gate, journal, "h"), "always": note(journal, "always")}
    fallen.begin({"a": shell(gate.script("a"))}, on_end=handlers)
    gate.until_up("a")
    assert fallen.process is not None
    fallen.process.cancel()
    gate.until_up("h")
    fallen.kill()

    fallen.again()
    gate.open("h")
    seen = fallen.end()

    assert seen.status == "cancelled"
    assert [each.split()[0] for each in lines(journal)] == ["h", "always"]


def test_what_a_second_cancel_passed_over_does_not_begin_under_the_next_engine(
    fallen: Fallen, gate: Gate, journal: Path
) -> None:
    handlers = {"cancelled": shell(f"trap '' TERM; {gate.script('h')}"), "always": note(journal, "always")}
    fallen.begin({"a": shell(gate.script("a"))}, on_end=handlers)
    gate.until_up("a")
    assert fallen.process is not None
    fallen.process.cancel()
    gate.until_up("h")
    fallen.process.cancel()
    until(lambda: fallen.reader.see(fallen.instance).states.get("on_end.always") == "skipped")
    fallen.kill()

    fallen.again()
    gate.open("h")
    seen = fallen.end()

    assert seen.status == "cancelled"
    assert [str(job.row.status) for job in seen.rows if job.row.node == "on_end.always"] == ["skipped"]
    assert lines(journal) == []


def test_handlers_of_one_that_was_not_tried_again_go_on(fallen: Fallen, gate: Gate, journal: Path) -> None:
    handlers = {"cancelled": gated(gate, journal, "h"), "always": note(journal, "always")}
    fallen.begin({"a": shell("exit 1")}, retry={"times": 1, "interval": 3600}, on_end=handlers)
    until(lambda: fallen.reader.see(fallen.instance).status == "waiting")
    assert fallen.process is not None
    fallen.process.cancel()
    gate.until_up("h")
    fallen.kill()

    fallen.again()
    gate.open("h")
    seen = fallen.end()

    assert seen.status == "cancelled"
    assert [each.split()[0] for each in lines(journal)] == ["h", "always"]
    seen.assert_replays()


def test_a_database_made_again_knows_that_they_were_at_work(site: Site, gate: Gate, journal: Path) -> None:
    handlers = {"failed": gated(gate, journal, "h"), "always": note(journal, "always")}
    instance = site.begin(task({"a": shell("exit 3")}, on_end=handlers))
    gate.until_up("h")

    row, jobs = rebuilt(site, instance)
    site.again()
    gate.open("h")
    seen = site.end(instance)

    assert row.status == "running"
    assert {job.node: job.type for job in jobs} == dict.fromkeys(("a", "on_end.failed"), "shell")
    assert seen.status == "failed"
    assert lines(journal) == ["h", f"always failed {seen.row.error_code} a"]
