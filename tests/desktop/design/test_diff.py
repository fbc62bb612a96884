"""What differs between two revisions, in words that people use."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.desktop.design.diff import differences
from app.desktop.design.mode import DesignMode
from app.desktop.widgets.tree_items import tops
from engine.api.service import Service
from tests.desktop.design.test_mode import load, mode, opened

__all__ = ["mode"]
OLD = """\
skerry: 1
tasks:
  small:
    nodes:
      one:
        type: shell
        name: First of all
        params: {limit: 10, day: today}
        retry: {times: 1}
        process: |
          echo start
          echo old
          echo end
"""


def test_values_that_differ_are_named_however_deep_they_lie() -> None:
    old = {"nodes": {"a": {"params": {"x": 1, "y": 2}, "position": [1, 2]}}, "params": {"p": {"value": 1}}}
    new = {
        "nodes": {"a": {"params": {"x": 3, "y": 2}, "position": [9, 9]}, "b": {}},
        "params": {"p": {"value": 2}},
    }

    found = [(each.mark, each.node, each.key, each.old, each.new) for each in differences(old, new)]

    assert found == [
        ("changed", "", ("params", "p", "value"), 1, 2),
        ("changed", "a", ("params", "x"), 1, 3),
        ("added", "b", (), None, None),
    ]


def test_a_revision_is_compared_in_names_and_lines(
    mode: DesignMode, engine_service: Service, tmp_path: Path, qtbot: QtBot
) -> None:
    load(engine_service, OLD)
    load(engine_service, OLD.replace("old", "new").replace("limit: 10", "limit: 30"))
    opened(mode, "small", qtbot)
    view = mode.revisions
    mode.raise_dock("revisions")
    qtbot.waitUntil(lambda: view.list.topLevelItemCount() == 2)

    view.list.setCurrentItem(view.list.topLevelItem(1))

    rows = [[item.text(column) for column in range(5)] for item in tops(view.changes)]
    assert rows == [
        ["Changed", "First of all (one)", "Parameters › limit", "10", "30"],
        ["Changed", "First of all (one)", "Script", "echo old", "echo new"],
    ]
