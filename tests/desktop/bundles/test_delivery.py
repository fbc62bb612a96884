"""A delivery in the window: seen before anything changes, a conflict decided, brought in, taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app import wiring
from app.desktop.admin.bundles_page import BundlesPage
from app.desktop.bundles.delivery_dialog import DeliveryDialog
from app.desktop.bundles.opening import OpeningDialog
from app.desktop.kernel.console import Console
from app.desktop.widgets.questions import Asking
from engine.api.documents import Source
from engine.api.service import Service
from engine.definitions.reader import SourceFile as Text
from engine.definitions.reader import read
from engine.model.worker_request import WorkerRequest
from engine.runtime.clock import SystemClock
from export_import.delivery.content import of_tree, write_delivery
from export_import.keys import Keys
from tests.desktop.queue.test_queue import answer

OURS = 'skerry: 1\ntasks:\n  load: {nodes: {a: {type: shell, process: "echo ours"}}}\n'
THEIRS = """\
skerry: 1
resources:
  api: {type: http, uri: "http://127.0.0.1:9/", request: {secret: api-key}}
tasks:
  load: {nodes: {a: {type: shell, process: "echo theirs"}}}
  more: {nodes: {a: {type: shell, process: "true"}}}
"""
LONG = 30_000  # milliseconds


@pytest.fixture
def delivery(engine_console: Console, engine_service: Service, tmp_path: Path) -> Path:
    """From an author whom the site trusts; of its two tasks the site has one already, with other words."""
    types, clock = wiring.installed_types(), SystemClock()
    engine_service.load([Source(name="ours.yaml", text=OURS)])
    author = Keys(wiring.open_workspace(tmp_path / "author").root, clock)
    Keys(engine_console.workspace, clock).trust(author.card("author"), roles=("author",))
    tree = read([Text("theirs.yaml", THEIRS.encode())], types.job_types, types.resource_types)
    made = of_tree(tree.definitions.raw, "Version 2", "What is new.\n" * 100, clock)
    return write_delivery(made, tmp_path / "delivery.skerry", author, clock)


@pytest.fixture
def dialog(engine_console: Console, delivery: Path, qtbot: QtBot) -> Iterator[DeliveryDialog]:
    dialog = DeliveryDialog(engine_console, [delivery])
    qtbot.addWidget(dialog)
    dialog.show()
    settled(dialog, qtbot)
    yield dialog
    dialog.reject()


def settled(dialog: DeliveryDialog, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not dialog.task.busy, timeout=LONG)


def process(service: Service) -> Any:
    return service.definition("task", "load")["definition"]["nodes"]["a"]["process"]


def decide(dialog: DeliveryDialog, choice: str, qtbot: QtBot) -> None:
    item = dialog.conflicts.topLevelItem(0)
    box = dialog.conflicts.itemWidget(item, 2)
    assert isinstance(box, QComboBox)
    box.setCurrentIndex(box.findData(choice))
    box.activated.emit(box.currentIndex())
    settled(dialog, qtbot)


def allow_missing(dialog: DeliveryDialog, qtbot: QtBot) -> None:
    dialog.allow.click()
    settled(dialog, qtbot)


def call_instead(dialog: DeliveryDialog, name: str, qtbot: QtBot) -> None:
    dialog.missing.topLevelItem(0).setText(3, name)
    settled(dialog, qtbot)


def test_what_it_changes_is_shown_and_nothing_is_changed(
    dialog: DeliveryDialog, engine_service: Service
) -> None:
    assert "Version 2" in dialog.head.text()
    assert "What is new." in dialog.letter.text()
    assert dialog.minimumSizeHint().height() <= 600, "a long letter is scrolled, not a dialog off the screen"
    assert "echo theirs" in dialog.diffs.toPlainText()
    assert dialog.said.text() == "1 conflict is to be decided\nMissing here: secret api-key"
    assert process(engine_service) == "echo ours"


def test_with_an_open_conflict_it_is_refused(
    dialog: DeliveryDialog, engine_service: Service, qtbot: QtBot
) -> None:
    dialog.bring_button.click()
    settled(dialog, qtbot)

    assert dialog.said.text().startswith("-150")
    assert [each["id"] for each in engine_service.definitions("task")] == ["load"]


@pytest.mark.parametrize(("choice", "text"), [("take", "echo theirs"), ("keep", "echo ours")])
def test_decided_it_is_brought_in_whole_and_taken_back_whole(
    dialog: DeliveryDialog, engine_service: Service, qtbot: QtBot, choice: str, text: str
) -> None:
    decide(dialog, choice, qtbot)
    allow_missing(dialog, qtbot)
    dialog.bring_button.click()
    settled(dialog, qtbot)

    assert dialog.said.text() == "The delivery is in place."
    assert process(engine_service) == text
    assert sorted(each["id"] for each in engine_service.definitions("task")) == ["load", "more"]

    answer("Take it back", lambda form: form.findChild(QLineEdit).setText("only tried"))
    dialog.undo_button.click()
    assert dialog.said.text() == "The delivery is taken back."
    assert process(engine_service) == "echo ours"
    assert [each["id"] for each in engine_service.definitions("task")] == ["load"]


def test_tried_without_changing_anything_it_says_whether_it_could_be_brought_in(
    dialog: DeliveryDialog, engine_service: Service, qtbot: QtBot
) -> None:
    decide(dialog, "take", qtbot)
    dialog.try_button.click()
    settled(dialog, qtbot)
    assert "api-key" in dialog.said.text()
    assert dialog.said.text().startswith("-150")

    allow_missing(dialog, qtbot)
    dialog.try_button.click()
    settled(dialog, qtbot)
    assert dialog.said.text() == "It could be brought in. Nothing was changed."
    assert process(engine_service) == "echo ours"


def test_a_missing_name_is_called_otherwise_and_a_slip_is_corrected(
    dialog: DeliveryDialog, engine_console: Console, engine_service: Service, qtbot: QtBot
) -> None:
    vault = wiring.open_vault(wiring.open_workspace(engine_console.workspace))
    vault.unlock(passphrase="p")
    vault.set("ours", "s3cret")
    decide(dialog, "keep", qtbot)

    call_instead(dialog, "uors", qtbot)
    assert dialog.said.text() == "Missing here: secret uors"
    assert dialog.missing.topLevelItem(0).text(1) == "api-key"
    call_instead(dialog, "ours", qtbot)
    assert dialog.said.text() == ""
    dialog.bring_button.click()
    settled(dialog, qtbot)

    assert dialog.said.text() == "The delivery is in place."
    request = engine_service.definition("resource", "api")["definition"]["request"]
    assert request["secret"] == "ours"


def test_a_conflict_is_avoided_by_another_name(
    dialog: DeliveryDialog, engine_service: Service, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def typed(asking: Asking) -> bool:
        asking.findChild(QLineEdit).setText("load-2")
        return True

    monkeypatch.setattr(Asking, "wanted", property(typed))
    decide(dialog, "rename", qtbot)
    allow_missing(dialog, qtbot)
    dialog.bring_button.click()
    settled(dialog, qtbot)

    assert sorted(each["id"] for each in engine_service.definitions("task")) == ["load", "load-2", "more"]
    assert process(engine_service) == "echo ours"


def test_what_was_brought_in_is_taken_back_also_much_later(
    dialog: DeliveryDialog, engine_console: Console, engine_service: Service, qtbot: QtBot
) -> None:
    decide(dialog, "take", qtbot)
    allow_missing(dialog, qtbot)
    dialog.bring_button.click()
    settled(dialog, qtbot)
    dialog.reject()

    parent = QWidget()
    qtbot.addWidget(parent)
    page = BundlesPage(engine_console, parent)
    qtbot.waitUntil(lambda: bool(page.changes.shown))
    [row] = page.changes.shown
    assert row["origin"]["title"] == "Version 2"
    assert page.back_button.isEnabled()
    answer("Take it back", lambda form: form.findChild(QLineEdit).setText("not before Monday"))
    page.back_button.click()
    qtbot.waitUntil(lambda: not page.back_button.isEnabled())

    assert page.said.text() == "It is taken back: all is as it was before."
    assert process(engine_service) == "echo ours"


def test_a_signer_is_called_by_the_name_that_it_has_here(dialog: DeliveryDialog) -> None:
    assert "Signed by author (SHA256:" in dialog.head.text()


def test_a_delivery_of_a_stranger_is_not_opened(
    engine_console: Console, delivery: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    author = Keys(tmp_path / "author", SystemClock())
    Keys(engine_console.workspace, SystemClock()).revoke(author.fingerprint, "stolen")
    opening = OpeningDialog(engine_console, [delivery], lambda _: None)
    qtbot.addWidget(opening)
    opening.show()
    qtbot.waitUntil(lambda: not opening.task.busy, timeout=LONG)

    assert "REVOKED" in opening.facts.text()
    assert not opening.go_on.isEnabled()
    opening.reject()


def test_workers_and_groups_get_the_names_that_they_have_here(
    engine_console: Console, engine_service: Service, tmp_path: Path, qtbot: QtBot
) -> None:
    # given a site whose worker and group have other names than the author's
    engine_service.add_worker("ours", WorkerRequest(ssh="127.0.0.1:1", groups=["our-farm"]))
    clock = SystemClock()
    author = Keys(wiring.open_workspace(tmp_path / "author").root, clock)
    Keys(engine_console.workspace, clock).trust(author.card("author"), roles=("author",))
    node = {"type": "shell", "process": "true", "on": {"workers": ["theirs"], "group": "farm"}}
    made = of_tree({"skerry": 1, "tasks": {"render": {"nodes": {"a": node}}}}, "Render", "", clock)
    dialog = DeliveryDialog(engine_console, [write_delivery(made, tmp_path / "d.skerry", author, clock)])
    qtbot.addWidget(dialog)
    dialog.show()
    settled(dialog, qtbot)
    assert dialog.said.text() == "Missing here: worker theirs\nMissing here: group of workers farm"

    # when one that nobody has is given, and one that can be none, then those that there are
    for wrong, said in (("nowhere", "worker nowhere"), ("../x", "-15022006000")):
        call_instead(dialog, wrong, qtbot)
        assert said in dialog.said.text()
    call_instead(dialog, "ours", qtbot)
    dialog.missing.topLevelItem(1).setText(3, "our-farm")
    settled(dialog, qtbot)
    assert dialog.said.text() == ""
    dialog.bring_button.click()
    settled(dialog, qtbot)

    # then the definition names them
    assert dialog.said.text() == "The delivery is in place."
    content = engine_service.definition("task", "render")["definition"]
    assert content["nodes"]["a"]["on"] == {"workers": ["ours"], "group": "our-farm"}
    dialog.reject()
