"""What an instance waits for before it begins: shown, one click away, and let go without; on the real engine."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Target
from app.desktop.run.awaited import awaited_rows, held_tasks
from app.desktop.run.mode import RunMode
from engine.api.documents import InstanceQuery, Source
from engine.api.service import Service
from engine.model.reason import Kind, Reason
from engine.model.reason_words import said
from tests.api.fake_service import instance

PATIENCE = 20_000
TASKS = """
skerry: 1
tasks:
  tides:
    schedule: {{once: "{at}"}}
    nodes: {{m: {{type: wait, for: 1h}}}}
  coast:
    schedule: {{once: "{at}"}}
    nodes: {{m: {{type: wait, for: 1h}}}}
  load:
    schedule: {{once: "{at}"}}
    depends_on: [{{task: tides}}, {{task: coast}}]
    nodes: {{m: {{type: shell, process: 'true'}}}}
"""


def upstream(task: str, *partners: tuple[int, str], **changes: Any) -> dict[str, Any]:
    at = "2026-11-21T09:00:00+00:00"
    found = [{"instance": number, "scheduled_time": at, "status": status} for number, status in partners]
    good = sum(status == "succeeded" for _, status in partners)
    return {"task": task, "window": "latest", "first": at, "last": at, "count": 1, "decided": False,
            "released": None, "succeeded": good, "instances": found, **changes}  # fmt: skip


def waiting(*upstreams: dict[str, Any], **changes: Any) -> Any:
    return instance(7, "waiting", run=0, upstream=list(upstreams), **changes)


@pytest.fixture
def held(mode: RunMode, engine_service: Service, qtbot: QtBot) -> int:
    """An instance that waits for two others, which run for an hour; shown."""
    at = datetime.now(UTC) + timedelta(seconds=3)
    engine_service.load([Source(name="tasks.yaml", text=TASKS.format(at=at.isoformat()))])
    engine_service.move_tasks(["tides", "coast", "load"], "online")
    engine_service.fire_schedules()

    def number() -> int | None:
        found = engine_service.instances(InstanceQuery("load", status="waiting"))
        return found[0]["instance"] if found else None

    qtbot.waitUntil(lambda: number() is not None, timeout=PATIENCE)
    found = number()
    assert found is not None
    mode.open(Target("instance", str(found)))
    qtbot.waitUntil(lambda: statuses(mode) == ["running", "running"], timeout=PATIENCE)
    return found


def statuses(mode: RunMode) -> list[str]:
    return [row["status"] for row in mode.graph.awaited.table.shown]


def test_what_it_waits_for_is_shown_and_one_click_away(mode: RunMode, held: int) -> None:
    awaited = mode.graph.awaited
    assert sorted(row["task"] for row in awaited.table.shown) == ["coast", "tides"]
    assert "Waits for" in mode.graph.why.text.text()

    shown = awaited.table.current
    assert shown is not None
    QTest.mouseClick(awaited.show_it, Qt.MouseButton.LeftButton)

    assert mode.session.selection.now.instance == shown["instance"] != held


def test_it_is_let_go_without_one_and_then_the_other_with_a_reason(
    mode: RunMode, held: int, engine_service: Service, qtbot: QtBot
) -> None:
    awaited = mode.graph.awaited
    for rest in (1, 0):
        qtbot.waitUntil(awaited.release.isEnabled, timeout=PATIENCE)
        QTest.mouseClick(awaited.release, Qt.MouseButton.LeftButton)
        question = mode.commands.shown
        assert question is not None
        assert ("It still waits for: " in question.text.text()) == bool(rest)
        assert not question.do.isEnabled()
        QTest.keyClicks(question.why, "the gauge is broken")
        QTest.mouseClick(question.do, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda rest=rest: len(held_tasks(awaited.table.shown)) == rest, timeout=PATIENCE)

    qtbot.waitUntil(lambda: engine_service.instance(held)["status"] == "succeeded", timeout=PATIENCE)
    qtbot.waitUntil(awaited.isHidden, timeout=PATIENCE)
    assert {each["released"] for each in engine_service.instance(held)["upstream"]} == {"the gauge is broken"}
    assert not mode.console.actions.get("run.release").isEnabled()


def test_what_holds_it_up_comes_first_and_each_has_its_remark() -> None:
    rows = awaited_rows(
        waiting(
            upstream("done", (3, "succeeded")),
            upstream("free", (4, "running"), released="late"),
            upstream("none", count=0, first=None, last=None),
            upstream("gone"),
            upstream("week", (5, "failed"), count=7, succeeded=6, last="2026-11-27T09:00:00+00:00"),
        )
    )

    assert [(row["task"], row["instance"], row["remark"]) for row in rows[:2]] == [
        ("gone", None, "no instance yet"),
        ("week", 5, "6 of 7 succeeded"),
    ]
    assert {row["task"]: row["remark"] for row in rows[2:]} == {
        "done": "", "free": "let go without it: late", "none": "nothing to wait for",
    }  # fmt: skip
    assert held_tasks(rows) == ["gone", "week"]


def test_an_earlier_instance_of_its_own_task_is_waited_for_too() -> None:
    [row] = awaited_rows(waiting(**said(Reason.of(Kind.EARLIER, instance=3))))

    assert (row["task"], row["instance"], row["held"]) == ("nightly", 3, True)


@pytest.mark.parametrize("changes", [{"run": 1}, {"status": "running"}])
def test_what_has_begun_waits_for_nothing(changes: dict[str, Any]) -> None:
    assert awaited_rows({**waiting(upstream("tides", (3, "running"))), **changes}) == []
