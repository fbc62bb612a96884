"""The admin mode as a person uses it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app import wiring
from app.desktop.admin.mode import AdminMode
from app.desktop.admin.settings_file import problems, read, write
from app.desktop.kernel.console import Console, Target
from app.desktop.shell.window import MainWindow
from app.desktop.widgets.questions import Asking
from app.desktop.workers.words import size_text
from engine.runtime.settings import Settings
from tests.desktop.conftest import PlayedService


@pytest.fixture
def mode(console: Console, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> AdminMode:
    for name in ("SKERRY_PASSPHRASE", "SKERRY_PASSPHRASE_FILE", "SKERRY_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    mode = AdminMode(console)
    qtbot.addWidget(mode)
    mode.show()
    return mode


def fill(word: str, *texts: str) -> None:
    """Type into the fields of the dialog that comes and press a button in it."""

    def act() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, QDialog | QMessageBox):
            return QTimer.singleShot(10, act)
        for field, text in zip(dialog.findChildren(QLineEdit), texts, strict=False):
            field.setText(text)
        next(each for each in dialog.findChildren(QPushButton) if each.text() == word).click()

    QTimer.singleShot(0, act)


def left_open() -> list[str]:
    """What the form that stays open says is wrong, and what has been typed is kept; it is left then."""
    said: list[str] = []

    def act() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, Asking) or not dialog.problem.isVisible():
            return QTimer.singleShot(10, act)
        said.append(dialog.problem.text())
        assert all(field.text() for field in dialog.findChildren(QLineEdit))
        dialog.leave.click()
        return None

    QTimer.singleShot(0, act)
    return said


def test_a_wrong_passphrase_leaves_the_form_open_with_what_was_typed(mode: AdminMode, qtbot: QtBot) -> None:
    page = mode.secrets
    fill("Keep it", "db.password", "hunter2", "open sesame")
    page.set.click()
    page._vault = wiring.open_vault(wiring.open_workspace(mode.console.workspace))  # closed again

    fill("Keep it", "one.more", "x", "open says me")
    said = left_open()
    page.set.click()

    assert len(said) == 1
    assert "passphrase" in said[0]
    assert page._vault.names() == ("db.password",)


def test_a_secret_is_set_and_removed(mode: AdminMode, qtbot: QtBot) -> None:
    page = mode.secrets
    fill("Keep it", "db.password", "hunter2", "open sesame")
    qtbot.mouseClick(page.set, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: [row["name"] for row in page.table.shown] == ["db.password"], timeout=10_000)

    vault = wiring.open_vault(wiring.open_workspace(mode.console.workspace))
    assert vault.unlock(passphrase="open sesame")
    assert vault.get("db.password") == "hunter2"

    fill("Remove")
    qtbot.mouseClick(page.remove, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.table.shown == [], timeout=10_000)


def test_the_engine_receives_the_passphrase(mode: AdminMode, service: PlayedService, qtbot: QtBot) -> None:
    page = mode.secrets
    fill("Keep it", "db.password", "hunter2", "open sesame")
    qtbot.mouseClick(page.set, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: ("unlock", "open sesame") in service.asked, timeout=10_000)
    service.asked.clear()
    service.locked = True
    page.refresh()
    qtbot.waitUntil(lambda: not page.unlock.isHidden(), timeout=10_000)

    fill("Unlock", "open sesame")
    page.unlock.click()

    qtbot.waitUntil(page.unlock.isHidden, timeout=10_000)
    assert ("unlock", "open sesame") in service.asked


def test_an_older_secret_file_is_accepted_with_its_names_shown(mode: AdminMode, qtbot: QtBot) -> None:
    # given a file of secrets that was put back from before the last change
    page, vault = mode.secrets, wiring.open_vault(wiring.open_workspace(mode.console.workspace))
    vault.unlock(passphrase="open sesame")
    vault.set("db.password", "hunter2")
    older = vault.path.read_bytes()
    vault.set("api.token", "later")
    vault.path.write_bytes(older)
    page.refresh()
    qtbot.waitUntil(lambda: bool(page.table.shown), timeout=10_000)

    # when something is to be stored, then nothing is, and the form and the page say why
    fill("Keep it", "one.more", "x", "open sesame")
    said = left_open()
    page.set.click()
    assert not page.accept.isHidden()
    assert said == [page.altered.text()]
    assert "older" in page.altered.text()
    assert "accept this one with the button" in page.altered.text()
    assert "skerry" not in page.altered.text()

    # and when it is accepted, then it opens
    fill("Accept", "open sesame")
    page.accept.click()
    qtbot.waitUntil(page.accept.isHidden, timeout=10_000)
    opened = wiring.open_vault(wiring.open_workspace(mode.console.workspace))
    assert opened.unlock(passphrase="open sesame")
    assert (opened.names(), opened.get("db.password")) == (("db.password",), "hunter2")


def test_the_page_of_settings_names_each_of_them(mode: AdminMode) -> None:
    assert all(name in mode.settings.head.text() for name in Settings.model_fields)


def test_settings_are_checked_while_typed_and_saved(mode: AdminMode, qtbot: QtBot) -> None:
    page = mode.settings
    page.text.setPlainText("places: many\n")
    qtbot.waitUntil(lambda: "workspace.yaml:1" in page.said.text(), timeout=10_000)
    assert not page.save.isEnabled()
    fill("Do nothing")
    assert not mode.may_close()

    page.text.setPlainText("places: 3\n")
    qtbot.waitUntil(page.save.isEnabled, timeout=10_000)
    qtbot.mouseClick(page.save, Qt.MouseButton.LeftButton)

    assert wiring.open_workspace(mode.console.workspace).settings.places == 3
    assert mode.may_close()


def test_the_window_page_changes_the_looks(window: MainWindow, qtbot: QtBot) -> None:
    mode = window.show_mode("admin")
    assert isinstance(mode, AdminMode)
    page = mode.window_page

    page.theme.setCurrentIndex(page.theme.findData("dark"))
    page.theme.activated.emit(page.theme.currentIndex())
    page.text_size.setValue(12)

    assert window.console.theme.dark
    assert window.console.theme.scale == 1.2


def test_a_file_dropped_on_the_window_is_opened(window: MainWindow, tmp_path: Path) -> None:
    opened: list[list[Path]] = []
    mode = window.mode("admin")
    assert isinstance(mode, AdminMode)
    mode.bundles.open_paths = lambda paths: opened.append(list(paths))  # type: ignore[method-assign]
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path))])
    drop = QDropEvent(
        QPointF(10, 10),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )

    window.dropEvent(drop)

    assert drop.isAccepted()
    assert window.front == "admin"
    assert opened == [[tmp_path]]


def test_a_target_without_a_path_shows_the_page(mode: AdminMode) -> None:
    mode.open(Target("file"))

    assert mode.tabs.currentWidget() is mode.bundles


def test_the_room_page_asks_for_a_dry_run(mode: AdminMode, qtbot: QtBot) -> None:
    gone = {
        "instance": 3,
        "task": "nightly",
        "status": "failed",
        "ended_at": None,
        "size": 5 << 20,
        "reason": "old",
    }
    mode.room._show({"removed": [gone], "size": 5 << 20, "problems": [], "dry_run": True})

    assert "5.0 MiB" in mode.room.said.text()
    assert mode.room.clean.isEnabled()
    assert size_text(1 << 20) == "1.0 MiB"


def test_the_settings_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "workspace.yaml"
    assert read(file) == ""
    write(file, "places: 2\n")

    assert read(file) == "places: 2\n"
    assert file.stat().st_mode & 0o777 == 0o600
    assert problems("places: 2\n") == []
    assert problems("a: [")


def test_what_is_no_longer_kept_is_taken_away_after_a_question(
    mode: AdminMode, service: PlayedService, qtbot: QtBot
) -> None:
    gone = {
        "instance": 3,
        "task": "nightly",
        "status": "failed",
        "ended_at": None,
        "size": 1 << 20,
        "reason": "old",
    }
    asked: list[bool] = []

    def clean(dry_run: bool = False) -> dict[str, object]:
        asked.append(dry_run)
        return {"removed": [gone], "size": 1 << 20, "problems": [], "dry_run": dry_run}

    service.clean = clean  # type: ignore[method-assign]
    qtbot.mouseClick(mode.room.look, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(mode.room.table.shown) == 1, timeout=10_000)
    fill("Take them away")

    qtbot.mouseClick(mode.room.clean, Qt.MouseButton.LeftButton)

    qtbot.waitUntil(lambda: asked == [True, False, True], timeout=10_000)


def test_the_export_assistant_opens_for_chosen_runs(mode: AdminMode) -> None:
    mode.bundles.export(["3", "4"])

    [dialog] = [each for each in mode.findChildren(QDialog) if type(each).__name__ == "ExportDialog"]
    assert any(each.text() == "3 4" for each in dialog.findChildren(QLineEdit))
    dialog.close()


def test_a_chosen_file_is_opened(mode: AdminMode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[list[Path]] = []
    mode.bundles.open_paths = lambda paths: opened.append(list(paths))  # type: ignore[method-assign]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(tmp_path / "x.skerry")], ""))

    mode.bundles.choose()

    assert opened == [[tmp_path / "x.skerry"]]
