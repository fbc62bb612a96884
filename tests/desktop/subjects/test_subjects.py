"""One set of actions for what is selected, whichever mode shows it; driven through the window itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QDialog, QFileDialog, QMenu
from pytestqt.qtbot import QtBot

from app.desktop.bundles.export_dialog import ExportDialog
from app.desktop.bundles.removable import Volume, medium
from app.desktop.codes.rule_form import RuleForm
from app.desktop.design.mode import DesignMode
from app.desktop.kernel.console import Target
from app.desktop.kernel.mode import Mode
from app.desktop.kernel.subject import Subject
from app.desktop.monitor.mode import MonitorMode
from app.desktop.plan.mode import PlanMode
from app.desktop.run.confirmation import Confirm
from app.desktop.run.mode import RunMode
from app.desktop.shell.locator import Locator
from app.desktop.shell.window import MainWindow
from app.desktop.subjects.start_task import WhichTask
from app.desktop.subjects.table import ENDED, JOB_ENDED_ALREADY, MENU, NONE_FAILED, OWN, refusal
from engine.api.documents import InstanceQuery, RunRequest, Source
from engine.api.service import Service
from tests.desktop.conftest import load_example
from tests.desktop.home.test_home import home

LONG = 30_000
TASK = 'skerry: 1\ntasks: {plain: {nodes: {a: {type: shell, process: "true"}}}}\n'


@pytest.fixture
def failed(engine_window: MainWindow, engine_service: Service, qtbot: QtBot) -> int:
    """A failed run, selected on Home by itself."""
    load_example(engine_service, "repair")
    number = engine_service.run(RunRequest(task="nightly"))
    lines = home(engine_window).lines
    qtbot.waitUntil(lambda: lines.current is not None and lines.current.status == "failed", timeout=LONG)
    engine_window.show_mode("home").entered()
    return number


def menu_of(view: QAbstractScrollArea) -> QMenu:
    """By the menu key, as a person without a mouse opens it."""
    at = view.viewport().rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, at, view.mapToGlobal(at))
    QApplication.sendEvent(view.viewport(), event)
    found = QApplication.activePopupWidget()
    assert isinstance(found, QMenu)
    return found


def entry(menu: QMenu, text: str) -> QAction:
    return next(each for each in menu.actions() if each.text() == text)


def dialog(window: MainWindow, kind: type[QDialog]) -> QDialog:
    return next(each for each in window.findChildren(kind) if each.isVisible())


def test_a_failed_run_is_on_the_stick_in_three_clicks_and_nothing_is_typed(
    engine_window: MainWindow, failed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    monkeypatch.setattr("app.desktop.bundles.export_dialog.medium", lambda _volumes: stick)

    menu = menu_of(home(engine_window).lines)  # 1
    entry(menu, "Send to support…").trigger()  # 2
    menu.close()
    export = dialog(engine_window, ExportDialog)
    assert isinstance(export, ExportDialog)
    qtbot.mouseClick(export.write, Qt.MouseButton.LeftButton)  # 3

    qtbot.waitUntil(lambda: export.written is not None, timeout=LONG)
    assert export.written is not None
    assert export.written.parent == stick
    assert export.runs.text() == f"{failed}:load"
    export.reject()


def test_without_a_stick_the_next_bundle_goes_where_the_last_one_went(
    engine_window: MainWindow, failed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.desktop.bundles.export_dialog.medium", lambda _volumes: None)
    engine_window.console.settings.set("export/folder", str(tmp_path))

    engine_window.console.actions.get("thing.send").trigger()

    export = dialog(engine_window, ExportDialog)
    assert isinstance(export, ExportDialog)
    assert Path(export.target.text()).parent == tmp_path
    export.reject()


def test_the_medium_is_what_is_plugged_in_and_can_be_written(tmp_path: Path) -> None:
    for disk, flag in (("sda", "0"), ("sdb", "1")):
        part = tmp_path / disk / f"{disk}1"
        part.mkdir(parents=True)
        (tmp_path / disk / "removable").write_text(f"{flag}\n")
        (tmp_path / f"{disk}1").symlink_to(part)
    fixed, stick = Volume(Path("/data"), "/dev/sda1", 9), Volume(Path("/mnt/stick"), "/dev/sdb1", 5)
    locked = Volume(Path("/media/anna/OLD"), "/dev/sdc1", 99, writable=False)
    by_place = Volume(Path("/media/anna/NEW"), "/dev/mapper/x", 7)

    assert medium([fixed, stick, locked], tmp_path) == stick.root
    assert medium([fixed, stick, locked, by_place], tmp_path) == by_place.root
    assert medium([fixed, locked], tmp_path) is None


def test_the_menu_of_home_asks_in_run_what_run_itself_asks(
    engine_window: MainWindow, failed: int, qtbot: QtBot
) -> None:
    menu = menu_of(home(engine_window).lines)
    assert entry(menu, "Retry what failed…").isEnabled()
    assert not entry(menu, "Cancel the instance…").isEnabled()

    entry(menu, "Settle it by hand…").trigger()
    menu.close()

    assert engine_window.front == "run"
    run = engine_window.mode("run")
    assert isinstance(run, RunMode)
    qtbot.waitUntil(lambda: run.commands.shown is not None, timeout=LONG)
    assert isinstance(run.commands.shown, Confirm)
    assert run.subject() == Subject(
        "nightly",
        failed,
        "load",
        "failed",
        "failed",
        -11000001003,
        run.subject().message,  # type: ignore[union-attr]
        failed=True,
    )
    run.commands.shown.reject()


def test_a_rule_from_an_error_knows_code_task_and_node(
    engine_window: MainWindow, failed: int, qtbot: QtBot
) -> None:
    seen: dict[str, object] = {}

    def look() -> None:
        form = QApplication.activeModalWidget()
        if not isinstance(form, RuleForm):
            return QTimer.singleShot(50, look)
        seen.update(form.rule)
        form.reject()
        return None

    QTimer.singleShot(0, look)
    engine_window.console.actions.get("thing.rule").trigger()

    assert seen["match"] == {"code": -11000001003, "task": "nightly", "node": "load"}
    assert seen["id"] == "nightly-load"


def test_any_task_is_started_from_home_in_two_clicks(
    engine_window: MainWindow, engine_service: Service, qtbot: QtBot
) -> None:
    engine_service.load([Source(name="t.yaml", text=TASK)])

    engine_window.console.actions.get("thing.start").trigger()  # 1
    qtbot.waitUntil(lambda: any(each.isVisible() for each in engine_window.findChildren(WhichTask)))
    which = dialog(engine_window, WhichTask)
    assert isinstance(which, WhichTask)
    qtbot.waitUntil(lambda: which.list.count() > 0)
    assert which.list.currentItem().text() == "plain"
    qtbot.mouseClick(which.start, Qt.MouseButton.LeftButton)  # 2

    qtbot.waitUntil(lambda: engine_window.front == "run", timeout=LONG)
    [row] = engine_service.instances(InstanceQuery())
    assert row["task"] == "plain"


def test_a_task_is_found_by_typing_a_part_of_it(
    engine_window: MainWindow, engine_service: Service, qtbot: QtBot
) -> None:
    load_example(engine_service, "tour")
    engine_service.load([Source(name="t.yaml", text=TASK)])
    engine_window.console.actions.get("thing.start").trigger()
    which = dialog(engine_window, WhichTask)
    assert isinstance(which, WhichTask)

    qtbot.keyClicks(which.focusWidget(), "lai")  # before the tasks are known

    assert which.list.count() == 0
    assert not which.start.isEnabled()
    qtbot.waitUntil(lambda: which.list.count() > 0)
    assert [which.list.item(at).text() for at in range(which.list.count())] == ["plain"]
    qtbot.keyClicks(which.text, "zzz")
    assert not which.start.isEnabled()
    which.reject()


def test_copy_and_folder_are_those_of_what_is_selected(
    engine_window: MainWindow, engine_service: Service, failed: int, qtbot: QtBot
) -> None:
    opened: list[Path] = []
    engine_window.subjects.browse = opened.append

    engine_window.console.actions.get("thing.copy").trigger()
    engine_window.console.actions.get("thing.folder").trigger()

    assert QGuiApplication.clipboard().text().startswith(f"nightly #{failed} · load\n-11000001003 ")
    qtbot.waitUntil(lambda: bool(opened))
    jobs = engine_service.instance(failed)["jobs"]
    assert opened == [Path(next(job["directory"] for job in jobs if job["node"] == "load"))]


def test_a_bundle_is_opened_from_every_mode(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    went: list[Target] = []
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(tmp_path / "x.skerry")], ""))
    monkeypatch.setattr(window, "go", went.append)
    for key in ("home", "design", "run", "history", "queue", "monitor", "codes", "admin", "plan"):
        window.show_mode(key)
        action = window.console.actions.get("file.open_bundle")
        assert action.isVisible()
        assert action.isEnabled()
        assert action.shortcut().toString() == "Ctrl+O"
        action.trigger()

    assert went == [Target("file", str(tmp_path / "x.skerry"))] * 9


def test_no_key_means_two_things_in_a_mode(window: MainWindow) -> None:
    for key in ("home", "design", "run", "history", "queue", "monitor", "codes", "admin", "plan"):
        window.show_mode(key)
        window.subjects.refresh()
        keys = [
            (each.toString(), spec.id)
            for spec, action in window.console.actions.all()
            if spec.mode in (None, key) and action.isVisible()
            for each in action.shortcuts()
            if not (spec.mode == key and spec.id.startswith("design."))  # texts have some of the canvas's
        ]
        twice = {text for text, _ in keys if [each for each, _ in keys].count(text) > 1}
        assert twice == set(), (key, [each for each in keys if each[0] in twice])


@pytest.mark.parametrize(("id", "modes"), OWN.items())
def test_a_mode_with_an_action_of_its_own_is_not_offered_a_second_one(
    window: MainWindow, id: str, modes: tuple[str, ...]
) -> None:
    for key in ("home", "run", "history", "queue"):
        window.show_mode(key)
        assert window.console.actions.get(id).isVisible() is (key not in modes)


def test_what_makes_no_sense_is_greyed() -> None:
    over, runs = Subject("t", 1, "a", "failed", "failed", -5), Subject("t", 1, "a", "running", "running")
    ids = [id for id in MENU if id is not None]

    def sensible(subject: Subject | None, locked: str = "") -> set[str]:
        return {id.partition(".")[2] for id in ids if not refusal(id, subject, locked)}

    assert sensible(None) == {"start"}
    assert sensible(over) - sensible(runs) == {"retry", "rerun", "rerun_from", "rule"}
    assert sensible(runs) - sensible(over) == {"cancel", "cancel_job", "pause"}
    assert "priority" in sensible(Subject("t", 1, "a", "running", "queued"))
    looking = {"compare", "show_log", "definition", "send", "copy", "folder", "last_run", "runs"}
    assert sensible(over, locked="no engine") == looking
    assert sensible(Subject("t")) == {"start", "definition", "copy", "last_run", "runs"}


def test_what_is_greyed_says_why() -> None:
    over = Subject("t", 1, "a", "failed", "succeeded", failed=False)
    runs = Subject("t", 1, "a", "running", "failed")

    assert refusal("thing.cancel", over) == ENDED
    assert refusal("thing.retry", over) == NONE_FAILED
    assert refusal("thing.cancel_job", runs) == JOB_ENDED_ALREADY
    assert refusal("thing.retry", over, "no engine") == "no engine"


def test_an_action_that_cannot_be_done_says_why_in_menu_and_locator(
    engine_window: MainWindow, failed: int, qtbot: QtBot
) -> None:
    menu = menu_of(home(engine_window).lines)

    cancel = entry(menu, "Cancel the instance…")
    menu.close()

    assert not cancel.isEnabled()
    assert menu.toolTipsVisible()
    assert "The run has ended." in cancel.toolTip()
    engine_window.locate("> cancel the inst")
    locator = engine_window.findChild(Locator)
    assert locator is not None
    assert [locator.list.item(at).text() for at in range(locator.list.count())] == [
        "Cancel the instance…   The run has ended."
    ]
    qtbot.keyClick(locator.line, Qt.Key.Key_Return)
    assert engine_window.status.message.text().endswith("The run has ended.")


@pytest.mark.parametrize("mode", ["plan", "monitor", "design"])
def test_the_last_run_of_what_is_selected_is_shown_from_every_mode(
    mode: str, engine_window: MainWindow, engine_service: Service, failed: int, qtbot: QtBot
) -> None:
    shown = engine_window.show_mode(mode)
    select(shown, failed, qtbot)
    subject = shown.subject()
    assert subject is not None
    assert subject.task == "nightly"

    engine_window.console.actions.get("thing.last_run").trigger()

    qtbot.waitUntil(lambda: engine_window.front == "run", timeout=LONG)
    run = engine_window.mode("run")
    assert isinstance(run, RunMode)
    qtbot.waitUntil(
        lambda: run.session.look is not None, timeout=LONG
    )  # which selects what failed, if nothing is
    assert run.session.selection.now.instance == failed
    assert run.session.selection.now.node == (subject.node or "load")


def select(mode: Mode, run: int, qtbot: QtBot) -> None:
    """The failed task or its run, as a person does with the keys."""
    if isinstance(mode, PlanMode):
        mode.tabs.setCurrentWidget(mode.map)
        mode.map.ask()
        qtbot.waitUntil(lambda: mode.map.table.select("nightly"), timeout=LONG)
    elif isinstance(mode, MonitorMode):
        qtbot.waitUntil(lambda: bool(mode.strips[0].lanes.runs), timeout=LONG)
        qtbot.keyClick(mode.strips[0], Qt.Key.Key_Left)
    else:
        assert isinstance(mode, DesignMode)
        mode.open(Target("task", "nightly", node="load"))
        qtbot.waitUntil(lambda: mode.canvas.selected() == {"load"}, timeout=LONG)


def test_a_task_of_the_list_in_design_has_the_actions_of_every_task(
    engine_window: MainWindow, failed: int, qtbot: QtBot
) -> None:
    design = engine_window.show_mode("design")
    assert isinstance(design, DesignMode)
    qtbot.waitUntil(lambda: "nightly" in design.list.items(), timeout=LONG)
    design.list.tree.setFocus()
    design.list.tree.setCurrentItem(design.list.items()["nightly"])

    menu = menu_of(design.list.tree)

    texts = [each.text() for each in menu.actions() if each.text()]
    menu.close()
    assert texts[:3] == ["New task…", "Open", "Start…"]
    assert {"Show its last run", "All its runs", "Start task…"} <= set(texts)
    assert "Cancel the instance…" not in texts
    assert design.subject() == Subject("nightly")
