"""Short dialogs, answered as a person does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QPushButton

from app.desktop.kernel.console import Target
from app.desktop.shell.dialogs import about, failed
from app.desktop.shell.run_notices import RunNotice
from app.desktop.shell.window import MainWindow


def answer(word: str, look: Callable[[QMessageBox], None] = lambda _: None) -> None:
    def act() -> None:
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            return QTimer.singleShot(10, act)
        look(box)
        next(each for each in box.findChildren(QPushButton) if each.text().replace("&", "") == word).click()

    QTimer.singleShot(0, act)


def test_a_failure_is_shown_as_plain_text_and_its_report_saved(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report, wanted = tmp_path / "report.txt", tmp_path / "copy.txt"
    report.write_text("what happened")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(wanted), ""))

    def look(box: QMessageBox) -> None:
        assert box.textFormat() is Qt.TextFormat.PlainText
        assert box.text() == "<b>bad</b>"

    answer("Save the report as…", look)
    failed(window, report, "<b>bad</b>")

    assert wanted.read_text() == "what happened"


def test_going_on_saves_nothing(window: MainWindow, tmp_path: Path) -> None:
    report = tmp_path / "report.txt"
    report.write_text("x")
    answer("Go on")

    failed(window, report, "bad")

    assert list(tmp_path.glob("copy*")) == []


def test_it_says_what_it_is(window: MainWindow) -> None:
    texts: list[str] = []
    answer("OK", lambda box: texts.append(box.text() + box.informativeText()))

    about(window, window.console.workspace)

    assert "Skerry" in texts[0]
    assert str(window.console.workspace) in texts[0]


def test_a_click_on_a_message_leads_to_its_place(window: MainWindow) -> None:
    window.notify("look here", bad=True, target=Target("mode", "codes"))

    window.status.message.click()

    assert window.front == "codes"


def test_a_word_on_the_desktop_leads_to_its_place(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MainWindow, "isActiveWindow", lambda _: False)
    window.tray._notify(RunNotice("nightly #3: failed", True, Target("mode", "queue")))

    window.tray._follow()

    assert window.front == "queue"


def test_back_and_forward_through_the_modes(window: MainWindow) -> None:
    for key in ("queue", "codes"):
        window.show_mode(key)
    actions = window.console.actions

    actions.get("go.back").trigger()
    assert window.front == "queue"
    actions.get("go.forward").trigger()
    assert window.front == "codes"
