"""The codes mode as a person uses it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.desktop.codes.mode import CodesMode
from app.desktop.codes.rule_form import RuleForm
from app.desktop.kernel.console import Console, Nowhere, Target
from app.desktop.kernel.error_codes import Codes, domain
from app.desktop.widgets.pick_line import PickLine
from engine.api.documents import RunRequest, Source
from engine.api.service import Service
from tests.desktop.conftest import load_example

PROGRAM = -11000001003


@pytest.fixture
def mode(engine_console: Console, engine_service: Service, qtbot: QtBot) -> CodesMode:
    """One failure has happened."""
    load_example(engine_service, "repair")
    engine_service.run(RunRequest(task="nightly"))
    mode = CodesMode(engine_console)
    qtbot.addWidget(mode)
    mode.show()
    qtbot.waitUntil(lambda: len(mode.exceptions.table.shown) == 1, timeout=20_000)
    qtbot.waitUntil(
        lambda: (
            (mode.exceptions.whole is not None and mode.exceptions.whole["instance_status"] == "failed")
            or _again(mode)
        ),
        timeout=20_000,
    )
    return mode


def _again(mode: CodesMode) -> bool:
    mode.exceptions._look(mode.exceptions.table.current)
    return False


def gone(mode: CodesMode) -> list[Target]:
    assert isinstance(mode.console.navigator, Nowhere)
    return mode.console.navigator.gone


def test_from_an_exception_everything_is_one_step_away(mode: CodesMode, qtbot: QtBot) -> None:
    page = mode.exceptions
    for button in (page.job, page.context, page.rerun, page.code):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    assert gone(mode) == [
        Target("instance", "1", node="load", detail="error"),
        Target("instance", "1", node="load", detail="context"),
        Target("instance", "1", node="load", detail="rerun"),
        Target("code", str(PROGRAM)),
    ]
    assert "$.JOB['load']" in page.facts.text
    assert not page.queue.isEnabled()


def test_an_exception_leads_to_the_handler_that_ran_because_of_it(
    mode: CodesMode, engine_service: Service, qtbot: QtBot
) -> None:
    page = mode.exceptions
    assert not page.handler.isEnabled()  # the task has none
    text = "skerry: 1\ntasks: {ends: {nodes: {a: {type: shell, process: exit 3}}, on_end: {failed: {type: shell, process: 'true'}}}}"
    engine_service.load([Source(name="ends.yaml", text=text)])
    instance = engine_service.run(RunRequest(task="ends"))
    qtbot.waitUntil(lambda: engine_service.instance(instance)["ended_at"] is not None)
    page.refresh()
    qtbot.waitUntil(lambda: len(page.table.shown) == 2)

    page.table.select(page.table.shown[0]["id"])
    qtbot.waitUntil(page.handler.isEnabled)
    qtbot.mouseClick(page.handler, Qt.MouseButton.LeftButton)

    assert gone(mode) == [Target("instance", str(instance), node="on_end.failed")]


def test_an_exception_is_closed_with_a_reason(mode: CodesMode, qtbot: QtBot) -> None:
    def fill() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, QDialog):
            return QTimer.singleShot(10, fill)
        do = next(each for each in dialog.findChildren(QPushButton) if each.text() == "Do it")
        assert not do.isEnabled()
        dialog.findChild(QLineEdit).setText("known")
        do.click()

    QTimer.singleShot(0, fill)
    qtbot.mouseClick(mode.exceptions.answer, Qt.MouseButton.LeftButton)

    qtbot.waitUntil(lambda: mode.exceptions.table.shown == [], timeout=10_000)
    mode.exceptions.all.setChecked(True)
    shown = mode.exceptions.table
    qtbot.waitUntil(lambda: "known" in {row["note"] for row in shown.shown}, timeout=10_000)


def test_a_code_with_its_extra_part_finds_its_entry(mode: CodesMode) -> None:
    mode.open(Target("code", str(PROGRAM)))

    assert mode.tabs.currentWidget() is mode.catalogue
    assert "The program ended with an error status" in mode.catalogue.facts.text
    assert "3 (exit status" in mode.catalogue.facts.text


def test_the_catalogue_is_searched_and_speaks_chinese(mode: CodesMode, qtbot: QtBot) -> None:
    mode.catalogue.search.setText("error status")
    assert [row["id"] for row in mode.catalogue.table.shown] == [-11000001000]

    mode.console.language.switch("zh_CN")
    mode.catalogue.search.clear()

    qtbot.waitUntil(lambda: any("程序" in row["title"] for row in mode.catalogue.table.shown))


def test_a_rule_is_made_with_a_preview_and_switched_off(
    mode: CodesMode, engine_service: Service, qtbot: QtBot
) -> None:
    def fill() -> None:
        form = QApplication.activeModalWidget()
        if not isinstance(form, RuleForm):
            return QTimer.singleShot(10, fill)
        form.fields["id"].setText("wait-a-bit")
        form.fields["match.job"].setText("load")
        form.fields["match.message"].setText("exit status")
        form.does.setCurrentIndex(form.does.findData("retry"))
        form.fields["step.times"].setText("2")
        assert not form.fields["step.path"].isVisible()
        qtbot.waitUntil(lambda: len(form.matched.shown) == 1, timeout=10_000)
        assert "1 of the" in form.said.text()
        form.save.click()

    def delete() -> None:
        box = QApplication.activeModalWidget()
        if not isinstance(box, QDialog):
            return QTimer.singleShot(10, delete)
        next(each for each in box.findChildren(QPushButton) if each.text() == "Delete").click()

    QTimer.singleShot(0, fill)
    mode.console.actions.get("codes.new_rule").trigger()
    rules = mode.rules
    qtbot.waitUntil(lambda: len(rules.table.shown) == 1, timeout=10_000)
    qtbot.waitUntil(lambda: len(rules.matched.shown) == 1, timeout=10_000)

    qtbot.mouseClick(rules.switch, Qt.MouseButton.LeftButton)

    qtbot.waitUntil(lambda: not rules.table.shown[0]["enabled"], timeout=10_000)
    rule = engine_service.definition("rule", "wait-a-bit")["definition"]
    assert rule["action"] == {"retry": {"times": 2}}
    assert "Try the job again\nAt most so many times: 2" in rules.facts.text

    QTimer.singleShot(0, delete)
    qtbot.mouseClick(rules.remove, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: rules.table.shown == [], timeout=10_000)
    assert rules.facts.text == ""
    assert rules.matched.empty.words == "What a rule would have matched in the past is listed here."


def test_a_new_rule_opens_without_a_complaint(mode: CodesMode, qtbot: QtBot) -> None:
    form = RuleForm(mode.console, mode)
    form.show()
    qtbot.waitUntil(lambda: form.said.text() == "Say which failures it is for, and what it does.")
    assert not any(each.isVisible() for each in form.problems.values())
    assert not form.save.isEnabled()

    form.fields["match.code"].setText("nonsense")

    qtbot.waitUntil(lambda: form.problems["match.code"].isVisible())
    form.reject()


def test_a_wrong_rule_cannot_be_saved(mode: CodesMode, qtbot: QtBot) -> None:
    form = RuleForm(mode.console, mode)
    form.show()
    form.fields["id"].setText("r")
    form.fields["match.message"].setText("(")

    save = form.save
    qtbot.waitUntil(lambda: form.problems["match.message"].isVisible(), timeout=10_000)
    assert not save.isEnabled()

    form.fields["match.message"].setText("exit status")
    form.fields["match.domain"].setText("140")
    form.fields["step.times"].setText("0")
    qtbot.waitUntil(lambda: form.problems["match.domain"].text() == "At most 99.", timeout=10_000)
    assert form.problems["step.times"].text() == "At least 1."
    assert not form.problems["match.message"].isVisible()
    mode.console.language.switch("zh_CN")
    form.fields["step.times"].setText("many")
    qtbot.waitUntil(lambda: form.problems["step.times"].text() == "应为整数。", timeout=10_000)
    form.reject()


def test_tasks_nodes_and_codes_of_a_rule_are_picked(mode: CodesMode, qtbot: QtBot) -> None:
    form = RuleForm(mode.console, mode)
    with qtbot.waitExposed(form):
        form.show()
    field = form.fields["match.node"]
    assert isinstance(field, PickLine)
    qtbot.waitUntil(lambda: field._model.rowCount() > 0, timeout=10_000)

    field.setFocus()
    qtbot.keyClicks(field, "nothing, lo")
    popup = field._offer.popup()
    assert popup.isVisible()
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)

    assert field.text() == "nothing, load"
    codes = form.fields["match.code"]
    qtbot.keyClicks(codes, "error status")
    qtbot.keyClick(codes._offer.popup(), Qt.Key.Key_Down)  # type: ignore[attr-defined]
    qtbot.keyClick(codes._offer.popup(), Qt.Key.Key_Return)  # type: ignore[attr-defined]
    assert codes.text() == "-11000001000"
    form.reject()


def test_every_code_has_a_domain_and_both_languages() -> None:
    codes = Codes()
    for english, chinese in zip(codes.all("en"), codes.all("zh_CN"), strict=True):
        assert domain(english.code)
        assert english.title != chinese.title
    assert codes.explain(-19999999999, "en") is None


def test_what_helps_is_said_for_people_at_the_window(mode: CodesMode) -> None:
    mode.catalogue.show_row("-11000001000")

    assert "What to do" in mode.catalogue.facts.text
    assert "skerry rerun" not in mode.catalogue.facts.text
    assert "Rerun from here…" in mode.catalogue.facts.text
