"""Where a job runs: what is picked in the form, and what it comes to in words."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QMenu, QToolButton
from pytestqt.qtbot import QtBot

from app.desktop.design.forms.kinds.where import (
    ConsequenceEditor,
    WorkerGroupEditor,
    WorkerLabelsEditor,
    WorkersEditor,
)
from app.desktop.design.forms.where_words import consequence
from app.desktop.design.tree import get
from tests.api.fake_service import LOCAL_WORKER, FakeService
from tests.desktop.forms.acting import row
from tests.desktop.forms.conftest import Play, Show


def worker(name: str, state: str = "online", **more: Any) -> dict[str, Any]:
    return {**LOCAL_WORKER, "name": name, "kind": "ssh", "state": state, "groups": ["big"], **more}


ROWS = [
    LOCAL_WORKER,
    worker("a", labels={"os": "linux"}),
    worker("b", "offline"),
    worker("c", groups=["small"], labels={"os": "linux", "disk": "ssd"}),
]
SAID = {
    "nothing is this machine": ({}, ["It runs on this machine."]),
    "one": ({"workers": ["a"]}, ["On a."]),
    "one of several": (
        {"labels": {"os": "linux"}},
        ["On one of 2 workers (a, c): the one with most free slots, then the lowest load."],
    ),
    "any of several": ({"labels": {"os": "linux"}, "choose": "random"}, ["On any of 2 workers (a, c)."]),
    "each": (
        {"workers": ["local", "a", "c"], "strategy": "all", "success": "single"},
        ["On each of 3 workers (local, a, c): succeeds if one does."],
    ),
    "each, and all must": (
        {"workers": ["a", "c"], "strategy": "all"},
        ["On each of 2 workers (a, c): succeeds if all do."],
    ),
    "alone there": (
        {"workers": ["a"], "exclusive": True},
        ["On a. It waits until nothing runs there, and nothing starts beside it."],
    ),
    "one is away": (
        {"group": "big", "strategy": "all"},
        ["On each of 2 workers (a, b): succeeds if all do.", "Takes no jobs now: b (not reached)"],
    ),
    "one is not there": ({"workers": ["z"]}, ["On z.", "Not registered: z"]),
    "nobody": (
        {"group": "none"},
        ["No registered worker is meant: it waits for one (no worker) until its time is up."],
    ),
    "an expression": (
        {"workers": ["$.TASK.PARAMS['host']"]},
        ["An expression decides which workers are meant, when the job begins."],
    ),
}


@pytest.mark.parametrize("case", SAID)
def test_the_consequence_is_said_in_words(case: str) -> None:
    on, words = SAID[case]

    assert consequence(on, ROWS, movable=True) == words


def test_a_type_that_is_not_moved_passes_ssh_hosts_over() -> None:
    found = consequence({"workers": ["local", "a"]}, ROWS, movable=False)

    assert found[1:] == ["Jobs of this type do not run on SSH hosts, so these are passed over: a"]


@pytest.mark.parametrize("on", [{"workers": 3}, {"labels": ["x"]}, {"group": {"a": 1}}, {"workers": "a"}])
def test_what_is_half_typed_is_no_trouble(on: dict[str, Any]) -> None:
    assert consequence(on, ROWS, movable=True)


def pick(button: QToolButton, text: str) -> None:
    """Open the menu and choose what begins with a text."""
    menu = button.menu()
    assert isinstance(menu, QMenu)
    menu.aboutToShow.emit()
    next(each for each in menu.actions() if each.text().startswith(text)).trigger()


def test_workers_groups_and_labels_are_picked_and_what_follows_is_shown(
    play: Play, show: Show, service: FakeService, qtbot: QtBot
) -> None:
    service.workers = lambda: ROWS  # type: ignore[method-assign,assignment,return-value]
    document = play("t", {"tasks": {"t": {"nodes": {"a": {"type": "shell", "process": "true"}}}}})
    form = show(document)
    form.show_node("a")
    form.form.sections["where"].head.setChecked(True)
    names, group = row(form, "on", "workers").box.editor, row(form, "on", "group").box.editor
    labels = row(form, "on", "labels").box.editor
    assert isinstance(names, WorkersEditor)
    assert isinstance(group, WorkerGroupEditor)
    assert isinstance(labels, WorkerLabelsEditor)
    said = row(form, "a", "on").box.editor
    assert isinstance(said, ConsequenceEditor)
    assert said.words.text() == "It runs on this machine."
    qtbot.waitUntil(lambda: said.context.console.overview.latest is not None)

    pick(names.picks, "a")
    pick(names.picks, "b")
    pick(group.picks, "big")
    pick(labels.picks, "os = linux")

    on = get(document.tree, document.node_path("a", "on"))
    assert on == {"workers": ["a", "b"], "group": "big", "labels": {"os": "linux"}}
    qtbot.waitUntil(lambda: said.words.text() == "On a.")


def test_a_call_that_can_only_run_there_is_a_finding(play: Play, show: Show, qtbot: QtBot) -> None:
    node = {"type": "http", "url": "http://127.0.0.1", "on": {"workers": ["a"]}}
    document = play("t", {"tasks": {"t": {"nodes": {"a": node}}}})
    form = show(document)
    form.show_node("a")
    form.form.sections["where"].head.setChecked(True)

    qtbot.waitUntil(lambda: any("SSH hosts" in str(each.message) for each in document.findings))
    qtbot.waitUntil(lambda: "SSH hosts" in row(form, "a", "on").finding.text())
