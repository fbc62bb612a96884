"""The jobs of a run as a tree: the same as the graph, for those who do not see it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Target
from app.desktop.run.job_rows import lines_of
from app.desktop.run.mode import RunMode
from app.desktop.widgets.tree_items import tops
from tests.api.fake_service import job

PATIENCE = 20_000


def test_rounds_members_and_the_members_of_a_group_stand_below_their_node() -> None:
    jobs = [
        job("look", "succeeded"),
        job("look", "running", round=2),
        job("each", "succeeded", index=0),
        job("each", "failed", index=1),
        job("report", "running"),
        job("report.0", "running"),
        job("gone", "succeeded"),
    ]

    lines = lines_of(jobs, ["report", "each", "look"])

    assert [(line.name, line.state.status, [part.name for part in line.below]) for line in lines] == [
        ("report", "running", ["report", "report.0"]),
        ("each", "failed", ["each[0]", "each[1]"]),
        ("look", "running", ["look", "look ↻2"]),
        ("gone", "succeeded", []),
    ]


def test_keys_in_the_tree_of_jobs_select_in_every_pane(
    mode: RunMode, ran: Callable[..., int], qtbot: QtBot
) -> None:
    number = ran("batch", "sizes")
    mode.open(Target("instance", str(number)))
    mode.raise_dock("jobs")
    table = mode.jobs.table
    qtbot.waitUntil(lambda: table.topLevelItemCount() == 4, timeout=PATIENCE)
    table.setCurrentItem(table.topLevelItem(0))
    first = mode.session.selection.now.node

    QTest.keyClick(table, Qt.Key.Key_Right)
    QTest.keyClick(table, Qt.Key.Key_Down)

    qtbot.waitUntil(lambda: mode.session.selection.now.index is not None or first == "list", timeout=PATIENCE)
    assert mode.session.selection.now.node == first
    assert mode.graph.view.selected() == {first}
    fixed = next(item for item in tops(table) if item.text(0) == "fixed")
    assert fixed.text(1) == "succeeded 3/3"
    table.setCurrentItem(fixed.child(2))
    assert mode.session.selection.now.index == 2
    assert mode.job.members.currentData() == 2
