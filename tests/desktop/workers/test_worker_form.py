"""The assistant that adds a worker, against a real sshd: what is refused keeps it open at its field."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.workers.host_keys import HostKeyQuestion
from app.desktop.workers.worker_form import WorkerForm
from app.desktop.workers.workers_pane import WorkersPane
from engine.api.service import Service
from engine.model.worker_request import WorkerRequest
from tests.desktop.workers.test_workers_pane import press, state
from tests.servers.ssh_workers import Sshd, make_key


@pytest.fixture
def form(pane: WorkersPane, way: WorkerRequest, ssh_workers: Sshd) -> WorkerForm:
    """Filled with how that sshd is reached."""
    press(pane, "worker.add")
    found = next(each for each in pane.window().findChildren(WorkerForm) if each.isVisible())
    fields = found.fields
    fields.name.setText("build")
    fields.host.setText("127.0.0.1")
    fields.port.setValue(ssh_workers.port)
    fields.key.setText(str(ssh_workers.key))
    fields.root.setText(str(way.root))
    return found


def keys(*trusted: bool) -> list[str]:
    """Answer each question about a host key; what each said."""
    said: list[str] = []

    def act() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, HostKeyQuestion):
            return QTimer.singleShot(10, act)
        said.append(dialog.fingerprint.text())
        if len(said) < len(trusted):
            QTimer.singleShot(10, act)
        if dialog.confirmed is not None:
            assert not dialog.do.isEnabled()
            dialog.confirmed.setChecked(True)
        (dialog.do if trusted[len(said) - 1] else dialog.leave).click()

    QTimer.singleShot(0, act)
    return said


def refused_at(form: WorkerForm, field: QWidget, words: str, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: form.problem.isVisible() and words in form.problem.text())
    assert form.isVisible()
    assert field.accessibleDescription() == form.problem.text()
    assert form.do.isEnabled()


def test_a_worker_is_added_once_a_person_has_vouched_for_its_key(
    form: WorkerForm, pane: WorkersPane, ssh_workers: Sshd, qtbot: QtBot
) -> None:
    said = keys(True)

    form.do.click()

    qtbot.waitUntil(lambda: state(pane) == "online")
    assert said == [ssh_workers.host_key.fingerprint]
    assert not form.isVisible()
    assert pane.table.current is not None
    assert pane.table.current["name"] == "build"


def test_a_test_of_the_connection_registers_nothing(
    form: WorkerForm, engine_service: Service, qtbot: QtBot
) -> None:
    keys(True)

    form.test.click()

    qtbot.waitUntil(lambda: "lets the user in" in form.said.text())
    assert [each["name"] for each in engine_service.workers()] == ["local"]


def test_a_key_that_is_not_trusted_registers_nothing(
    form: WorkerForm, engine_service: Service, qtbot: QtBot
) -> None:
    keys(False)

    form.do.click()

    refused_at(form, form.fields.host, "not trusted", qtbot)
    assert [each["name"] for each in engine_service.workers()] == ["local"]


def test_what_is_no_id_is_refused_at_the_name(form: WorkerForm, qtbot: QtBot) -> None:
    form.fields.name.setText("a b")
    form.do.click()
    refused_at(form, form.fields.name, "is not an id", qtbot)


def test_a_name_that_is_used_is_refused_at_the_name(form: WorkerForm, qtbot: QtBot) -> None:
    form.fields.name.setText("local")
    form.do.click()
    refused_at(form, form.fields.name, "", qtbot)


def test_a_key_that_others_can_read_is_refused_at_the_key(
    form: WorkerForm, tmp_path: Path, qtbot: QtBot
) -> None:
    make_key(tmp_path / "open")
    os.chmod(tmp_path / "open", 0o644)
    form.fields.key.setText(str(tmp_path / "open"))
    form.do.click()
    refused_at(form, form.fields.key, "chmod 600", qtbot)


def test_a_key_that_is_not_let_in_is_refused_at_the_key(
    form: WorkerForm, tmp_path: Path, engine_service: Service, qtbot: QtBot
) -> None:
    make_key(tmp_path / "strange")
    form.fields.key.setText(str(tmp_path / "strange"))
    keys(True)
    form.do.click()
    refused_at(form, form.fields.key, "does not let the user in", qtbot)
    assert [each["name"] for each in engine_service.workers()] == ["local"]


def test_a_key_that_was_vouched_for_is_not_asked_about_again(
    form: WorkerForm, pane: WorkersPane, ssh_workers: Sshd, tmp_path: Path, qtbot: QtBot
) -> None:
    # given a key that a person has vouched for, before the login was refused
    make_key(tmp_path / "strange")
    form.fields.key.setText(str(tmp_path / "strange"))
    said = keys(True)
    form.do.click()
    refused_at(form, form.fields.key, "does not let the user in", qtbot)

    # when the login is put right
    form.fields.key.setText(str(ssh_workers.key))
    form.do.click()

    # then it is added, and nobody was asked twice
    qtbot.waitUntil(lambda: state(pane) == "online")
    assert said == [ssh_workers.host_key.fingerprint]


@pytest.mark.parametrize("way_in", ["key", "password"])
def test_a_way_to_log_in_without_what_it_needs_is_refused_before_anything_is_sent(
    form: WorkerForm, way_in: str, qtbot: QtBot
) -> None:
    form.fields.port.setValue(1)
    form.fields.login.setCurrentIndex(form.fields.login.findData(way_in))
    form.fields.key.clear()

    form.do.click()

    field = form.fields.key if way_in == "key" else form.fields.password
    refused_at(form, field, "is needed for this way to log in", qtbot)


def test_a_folder_that_cannot_be_used_is_refused_at_the_folder(
    form: WorkerForm, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "other").touch()
    form.fields.root.setText(str(tmp_path / "full"))
    keys(True)
    form.do.click()
    refused_at(form, form.fields.root, "", qtbot)


def test_a_host_that_is_not_reached_is_refused_at_the_host(form: WorkerForm, qtbot: QtBot) -> None:
    form.fields.port.setValue(1)
    form.do.click()
    refused_at(form, form.fields.host, "cannot be reached", qtbot)


def test_a_jump_host_that_is_none_is_refused_at_the_jumps(form: WorkerForm, qtbot: QtBot) -> None:
    form.fields.jumps.setText("a@b@")
    form.do.click()
    refused_at(form, form.fields.jumps, "USER@HOST", qtbot)


def test_a_short_fence_is_refused_at_the_fence(form: WorkerForm, qtbot: QtBot) -> None:
    form.fields.fence.setCurrentIndex(1)
    form.fields.fence_after.setValue(5)
    form.do.click()
    refused_at(form, form.fields.fence_after, "10 s at least", qtbot)


def test_without_a_connection_it_is_registered_and_not_trusted(
    form: WorkerForm, pane: WorkersPane, qtbot: QtBot
) -> None:
    form.fields.port.setValue(1)
    form.untested.setChecked(True)
    form.do.click()
    qtbot.waitUntil(lambda: state(pane) == "untrusted")


def test_of_a_changed_key_both_are_shown(
    pane: WorkersPane,
    way: WorkerRequest,
    ssh_workers: Sshd,
    engine_service: Service,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    other = make_key(tmp_path / "other")
    live = {"address": f"127.0.0.1:{ssh_workers.port}", "kind": other.kind, "fingerprint": "SHA256:now",
            "pinned": other.fingerprint}  # fmt: skip
    asked = HostKeyQuestion(pane, live)
    qtbot.addWidget(asked)

    assert asked.fingerprint.text() == "SHA256:now"
    assert asked.pinned.text() == other.fingerprint
    assert not asked.do.isEnabled()
    assert "Nothing was sent there" in asked.text.text()


def test_what_is_registered_is_changed_by_the_same_form(
    pane: WorkersPane, build: str, engine_service: Service, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: state(pane) == "online")
    press(pane, "worker.edit")
    qtbot.waitUntil(lambda: any(each.isVisible() for each in pane.window().findChildren(WorkerForm)))
    form = next(each for each in pane.window().findChildren(WorkerForm) if each.isVisible())
    assert not form.fields.name.isEnabled()
    before = engine_service.worker("build")
    form.fields.groups.setText("big, fast")
    form.fields.labels.setPlainText("os=linux\nrack=a, b")
    form.fields.handlers.setText("ledger, bills")

    form.do.click()

    qtbot.waitUntil(lambda: not form.isVisible())
    found = engine_service.worker("build")
    assert found["groups"] == ["big", "fast"]
    assert found["labels"] == {"os": "linux", "rack": "a, b"}
    assert found["handlers"] == ["ledger", "bills"]
    kept = ("ssh", "key", "root", "fence", "size", "secrets", "host_keys")
    assert {key: found[key] for key in kept} == {key: before[key] for key in kept}
