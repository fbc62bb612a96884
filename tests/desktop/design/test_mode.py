"""The design mode over a real engine: draw, save, run, and what goes wrong on the way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QMenu
from pytestqt.qtbot import QtBot

from app.desktop.design import open_tasks, recovery
from app.desktop.design.definition_library import DefinitionLibrary, read_library
from app.desktop.design.document import Document
from app.desktop.design.mode import DesignMode
from app.desktop.design.questions import AskId, QuestionDialog
from app.desktop.kernel.console import Target
from app.desktop.shell.window import MainWindow
from engine.api.documents import InstanceQuery, Source
from engine.api.service import Service
from tests.desktop.conftest import load_example
from tests.desktop.design.hands import click, draw_link

SMALL = "skerry: 1\ntasks:\n  small:\n    nodes:\n      one: {type: shell, process: echo one}\n"


@pytest.fixture
def mode(engine_window: MainWindow, qtbot: QtBot) -> DesignMode:
    found = engine_window.show_mode("design")
    assert isinstance(found, DesignMode)
    return found


def opened(mode: DesignMode, task: str, qtbot: QtBot) -> Document:
    mode.console.navigator.go(Target("task", task))
    qtbot.waitUntil(lambda: mode.tasks.current is not None and mode.tasks.current.task_id == task)
    assert mode.tasks.current is not None
    return mode.tasks.current


def load(service: Service, text: str) -> None:
    service.load([Source(name="from-outside.yaml", text=text)])


def press(mode: DesignMode, action: str) -> None:
    found = mode.console.actions.get(f"design.{action}")
    assert found.isEnabled()
    found.trigger()


def insert(mode: DesignMode, word: str) -> str:
    """What a person types into the palette; the id of the new node."""
    press(mode, "insert")
    QTest.keyClick(mode.palette_list.field, Qt.Key.Key_Backspace)
    QTest.keyClicks(mode.palette_list.field, word)
    QTest.keyClick(mode.palette_list.field, Qt.Key.Key_Return)
    [id] = mode.canvas.selected()
    return id


def said(mode: DesignMode) -> str:
    """What the status bar says."""
    window = mode.window()
    assert isinstance(window, MainWindow)
    return window.status.message.text()


def save(mode: DesignMode, qtbot: QtBot) -> None:
    press(mode, "save")
    qtbot.waitUntil(lambda: mode.tasks.current is not None and not mode.tasks.current.unsaved, timeout=10_000)


def test_a_task_is_drawn_from_an_empty_canvas_saved_run_and_undone_to_the_beginning(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    press(mode, "new")
    dialog = mode.findChild(AskId)
    assert dialog is not None
    dialog.field.setText("drawn")
    dialog.accept()
    canvas, document = mode.canvas, mode.tasks.current
    assert document is not None

    first = insert(mode, "shell")
    ask = insert(mode, "condition")
    document.set(document.node_path(ask, "value"), "1 == 1", "Change the condition")
    canvas.select(())
    yes, no = insert(mode, "shell"), None
    canvas.select(())
    no = insert(mode, "python")
    canvas.commands.layout()
    for target, key in ((yes, "true"), (no, "false")):
        draw_link(canvas, ask, target)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        next(action for action in menu.actions() if key in action.text()).trigger()
        menu.close()
    assert document.node(ask)["after"] == [first]
    assert document.node(ask)["branches"] == {"true": [yes], "false": [no]}

    drawn = document.tree
    steps = document.undo.count()
    while document.undo.canUndo():
        press(mode, "undo")
    assert dict(document.nodes) == {}
    while document.undo.canRedo():
        press(mode, "redo")
    assert document.undo.index() == steps
    assert document.tree == drawn

    press(mode, "run")
    qtbot.waitUntil(lambda: bool(engine_service.instances(InstanceQuery())), timeout=15_000)
    number = engine_service.instances(InstanceQuery())[0]["instance"]
    qtbot.waitUntil(lambda: engine_service.instance(number)["status"] == "succeeded", timeout=20_000)
    states = {job["node"]: job["status"] for job in engine_service.instance(number)["jobs"]}
    assert states == {first: "succeeded", ask: "succeeded", yes: "succeeded", no: "skipped"}
    assert engine_service.definition("task", "drawn")["revision"] == 1


def test_the_tour_is_opened_checked_and_saved_as_it_is(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load_example(engine_service, "tour")
    document = opened(mode, "tour", qtbot)

    qtbot.waitUntil(lambda: document.checked is not None)

    assert document.findings == ()
    assert not document.unsaved
    assert len(mode.canvas.items_by_id) == 14
    assert mode.form.form() is not None


def test_problems_are_walked_with_f8_and_selected(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load_example(engine_service, "tour")
    document = opened(mode, "tour", qtbot)
    document.set(document.node_path("join", "after"), ["nobody"], "wrong")
    document.set(document.node_path("read", "run_if"), "sometimes", "wrong")
    qtbot.waitUntil(lambda: len(mode.problems.findings()) == 2)

    press(mode, "next-problem")
    first = mode.canvas.selected()
    press(mode, "next-problem")

    assert first | mode.canvas.selected() == {"join", "read"}
    assert mode.docks["problems"].windowTitle() == "Problems (2)"


def test_a_load_from_outside_is_followed_while_nothing_was_edited(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    document = opened(mode, "small", qtbot)

    load(engine_service, SMALL.replace("echo one", "echo other"))
    mode.tasks.refresh()

    qtbot.waitUntil(lambda: document.node("one")["process"] == "echo other")
    assert not document.unsaved
    assert document.undo.count() == 0


def test_two_edits_at_once_are_a_conflict_that_is_shown_and_nothing_is_overwritten(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    document = opened(mode, "small", qtbot)
    document.set(document.node_path("one", "process"), "echo mine", "mine")
    load(engine_service, SMALL.replace("echo one", "echo theirs"))

    press(mode, "save")

    qtbot.waitUntil(lambda: document.conflict is not None)
    assert "small" in mode.notice.label.text()
    assert (
        engine_service.definition("task", "small")["definition"]["nodes"]["one"]["process"] == "echo theirs"
    )

    theirs = next(button for button in mode.notice.buttons if button.text() == "Take theirs")
    theirs.click()
    assert document.node("one")["process"] == "echo theirs"
    assert not document.unsaved
    press(mode, "undo")
    assert document.node("one")["process"] == "echo mine"
    save(mode, qtbot)
    assert engine_service.definition("task", "small")["revision"] == 3


def test_mine_is_kept_in_a_conflict_by_a_further_revision(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    document = opened(mode, "small", qtbot)
    document.set(document.node_path("one", "process"), "echo mine", "mine")
    load(engine_service, SMALL.replace("echo one", "echo theirs"))
    mode.tasks.refresh()
    qtbot.waitUntil(lambda: document.conflict is not None)

    next(button for button in mode.notice.buttons if button.text() == "Keep mine").click()
    save(mode, qtbot)

    assert mode.notice.isHidden()
    found = engine_service.definition("task", "small")
    assert found["revision"] == 3
    assert found["definition"]["nodes"]["one"]["process"] == "echo mine"


def test_what_is_typed_as_text_is_drawn_and_a_mistake_changes_nothing(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    document = opened(mode, "small", qtbot)
    mode.docks["text"].raise_()
    qtbot.waitUntil(lambda: "echo one" in mode.text.edit.toPlainText())

    mode.text.edit.setPlainText(SMALL + "      two: {type: shell, process: echo two, after: [one]}\n")
    qtbot.waitUntil(lambda: "two" in mode.canvas.items_by_id)
    assert [link.key for link in mode.canvas.graph.links] == [("one", "two")]
    assert document.undo.undoText() == "Edit of the text"

    mode.text.edit.setPlainText(SMALL + "      two: {type: shell")
    qtbot.waitUntil(lambda: mode.text.label.text().startswith("Line "))
    assert "two" in document.nodes
    document.set(document.node_path("one", "process"), "echo changed", "canvas")
    qtbot.waitUntil(lambda: "echo changed" in mode.text.edit.toPlainText())


def test_a_revision_is_compared_and_brought_back(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    load(engine_service, SMALL + "      two: {type: shell, process: echo two}\n")
    document = opened(mode, "small", qtbot)
    mode.revisions.window().resize(1280, 800)
    mode.docks["revisions"].raise_()
    qtbot.waitUntil(lambda: mode.revisions.list.topLevelItemCount() == 2)

    mode.revisions.list.setCurrentItem(mode.revisions.list.topLevelItem(1))  # type: ignore[arg-type]

    marks = {node.id: node.mark for node in mode.revisions.view.graph.nodes}
    assert marks == {"one": "", "two": "added"}
    mode.revisions.restore.click()
    assert set(document.nodes) == {"one"}
    assert document.undo.undoText() == "Back to revision 1"


def test_the_outline_does_by_keyboard_what_the_canvas_does(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load_example(engine_service, "tour")
    document = opened(mode, "tour", qtbot)
    mode.docks["outline"].raise_()
    model = mode.outline.model
    qtbot.waitUntil(lambda: bool(model.ids))
    row = model.ids.index("kernel")

    assert model.setData(model.index(row, 2), "write, words")
    assert document.node("kernel")["after"] == ["write", "words"]
    said: list[str] = []
    model._say = said.append
    assert model.setData(model.index(model.ids.index("write"), 2), "report")
    assert model.setData(model.index(model.ids.index("write"), 2), "nobody")
    assert "after" not in document.node("write")
    assert "circle: write" in said[0]
    assert "nobody" in said[1]
    model.setData(model.index(model.ids.index("kernel"), 0), "core")
    assert "core" in document.nodes
    model.setData(
        model.index(model.ids.index("core"), 6), Qt.CheckState.Unchecked.value, Qt.ItemDataRole.CheckStateRole
    )
    assert document.node("core")["enabled"] is False

    mode.outline.table.selectRow(model.ids.index("read"))
    assert mode.canvas.selected() == {"read"}
    click(mode.canvas, "core")
    assert mode.outline.tree.selectedItems()[0].text(0).startswith("core")


def test_unsaved_work_is_asked_about_when_a_task_is_closed(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    document = opened(mode, "small", qtbot)
    document.set(document.node_path("one", "process"), "echo mine", "mine")

    press(mode, "close")
    dialog = mode.findChild(QuestionDialog)
    assert dialog is not None
    dialog.buttons.buttons()[0].click()

    qtbot.waitUntil(lambda: mode.tasks.current is None)
    assert engine_service.definition("task", "small")["revision"] == 2
    assert mode.tabs.count() == 0


def test_what_can_be_undone_is_known_with_the_step_itself(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    document = opened(mode, "small", qtbot)
    undo, redo = (mode.console.actions.get(f"design.{each}") for each in ("undo", "redo"))

    document.set(document.node_path("one", "process"), "echo mine", "mine")

    assert undo.isEnabled()
    undo.trigger()
    assert (undo.isEnabled(), redo.isEnabled()) == (False, True)


def test_a_task_that_is_not_there_is_looked_for_once(
    mode: DesignMode, engine_service: Service, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[None] = []

    def look(service: Service) -> DefinitionLibrary:
        looks.append(None)
        return read_library(service)

    monkeypatch.setattr(open_tasks, "read_library", look)

    mode.tasks.open("missing")

    qtbot.waitUntil(lambda: "missing" in said(mode))
    assert len(looks) == 1


def test_a_text_that_cannot_be_read_is_not_saved(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    opened(mode, "small", qtbot)
    mode.raise_dock("text")
    qtbot.waitUntil(lambda: "echo one" in mode.text.edit.toPlainText())
    mode.text.edit.setPlainText("skerry: 1\ntasks: [")

    press(mode, "save")

    qtbot.waitUntil(lambda: said(mode).startswith("Nothing was saved."))
    assert engine_service.definition("task", "small")["revision"] == 1


def test_a_text_is_saved_as_it_was_typed_a_moment_ago(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    opened(mode, "small", qtbot)
    mode.raise_dock("text")
    qtbot.waitUntil(lambda: "echo one" in mode.text.edit.toPlainText())
    mode.text.edit.setPlainText(mode.text.edit.toPlainText().replace("echo one", "echo two"))

    press(mode, "save")

    qtbot.waitUntil(lambda: engine_service.definition("task", "small")["revision"] == 2)
    assert "echo two" in str(engine_service.definition("task", "small")["definition"])


def test_a_draft_with_problems_is_kept_and_its_first_problem_is_shown(
    mode: DesignMode, engine_service: Service, workspace: Path, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    document = opened(mode, "small", qtbot)
    document.set(document.node_path("one", "type"), "no_such_type", "mine")

    press(mode, "save")

    qtbot.waitUntil(lambda: mode.problems.list.currentItem() is not None)
    assert "draft" in said(mode)
    assert recovery.file_of(workspace, "small").exists()
    assert mode.canvas.selected() == {"one"}
    assert engine_service.definition("task", "small")["revision"] == 1


def test_found_work_is_asked_about_above_its_own_task_only(
    mode: DesignMode, engine_service: Service, workspace: Path, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    load(engine_service, SMALL.replace("small", "other"))
    first = opened(mode, "small", qtbot)
    first.set(first.node_path("one", "process"), "echo mine", "mine")
    mode.tasks.keep_for_later(first)
    mode.tasks.close(first)
    mode.tasks._recover()
    assert not mode.notice.isHidden()

    opened(mode, "other", qtbot)
    assert mode.notice.isHidden()
    opened(mode, "small", qtbot)
    assert not mode.notice.isHidden()

    mode.notice.buttons[0].click()
    assert mode.notice.isHidden()


MID_EDIT = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from app import wiring
from app.desktop.kernel.console import Target
from app.desktop.kernel.settings import WindowSettings
from app.desktop.shell.window_process import the_application
from app.desktop.shell.startup import link_to, make_console
from app.desktop.shell.window import MainWindow

root = Path(sys.argv[1])
application = the_application()
workspace = wiring.open_workspace(root)
link = link_to(workspace)
window = MainWindow(make_console(application, root, link, WindowSettings(root / "other.ini")))
window.show()
mode = window.show_mode("design")

def edit():
    document = mode.tasks.current
    document.set(document.node_path("one", "process"), "echo unsaved", "Edit")

mode.tasks.current_changed.connect(lambda document: document and QTimer.singleShot(0, edit))
link.start()
window.go(Target("task", "small"))
application.exec()
"""


def test_a_window_killed_in_mid_edit_loses_nothing(
    engine_window: MainWindow, engine_service: Service, workspace: Path, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    other = subprocess.Popen([sys.executable, "-c", MID_EDIT, str(workspace)])
    kept = recovery.folder(workspace) / f"small.{other.pid}.json"
    qtbot.waitUntil(kept.exists, timeout=60_000)
    other.kill()
    other.wait()

    mode = engine_window.show_mode("design")
    assert isinstance(mode, DesignMode)
    qtbot.waitUntil(lambda: mode.tasks.current is not None, timeout=10_000)
    found = mode.tasks.current
    assert found is not None
    assert found.node("one")["process"] == "echo unsaved"
    assert found.unsaved
    assert "small" in mode.notice.label.text()
    assert not kept.exists()
    mode.notice.buttons[1].click()
    assert found.node("one")["process"] == "echo one"


def agree(mode: DesignMode, qtbot: QtBot) -> None:
    """What the question that comes asks for is to be done."""
    qtbot.waitUntil(lambda: mode.findChild(QuestionDialog) is not None)
    question = mode.findChild(QuestionDialog)
    assert question is not None
    with qtbot.waitSignal(question.destroyed):
        question.buttons.buttons()[0].click()


def test_tasks_are_copied_put_online_and_deleted_from_the_list(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load(
        engine_service, SMALL.replace("    nodes:", "    project: harbour\n    schedule: manual\n    nodes:")
    )
    mode.tasks.refresh()
    qtbot.waitUntil(lambda: "small" in mode.list.items())
    folder = mode.list.items()["small"].parent()
    assert folder is not None
    assert folder.text(0) == "harbour"

    for state in ("online", "offline"):
        mode.commands.do(state, "small")
        agree(mode, qtbot)
        qtbot.waitUntil(lambda state=state: mode.list.items()["small"].text(1) == state)

    mode.commands.do("copy", "small")
    dialog = mode.findChild(AskId)
    assert dialog is not None
    assert dialog.field.text() == "small_2"
    dialog.accept()
    assert mode.tasks.current is not None
    assert set(mode.tasks.current.nodes) == {"one"}

    mode.list.field.setText("small_2")
    assert set(mode.list.items()) == {"small_2"}
    mode.list.field.clear()
    mode.commands.do("deleted", "small")
    agree(mode, qtbot)
    qtbot.waitUntil(lambda: "small" not in mode.list.items())


def test_the_library_and_the_resources_have_tabs_beside_the_tasks(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load_example(engine_service, "tour")
    opened(mode, "tour", qtbot)

    mode.console.navigator.go(Target("job", "count_words"))
    shelf = mode.pages.shelves["job"]
    qtbot.waitUntil(lambda: shelf.id == "count_words")
    assert [mode.tabs.tabText(i) for i in range(mode.tabs.count())] == ["tour", "Job library"]
    assert not mode.console.actions.get("design.save").isEnabled()
    press(mode, "resources")
    assert not mode.pages.drawing

    mode.tabs.setCurrentIndex(0)
    assert mode.pages.drawing
    assert mode.console.actions.get("design.save").isEnabled()
    mode.tabs.tabCloseRequested.emit(1)
    assert mode.tabs.count() == 2


def test_the_outline_calls_the_type_of_a_node_what_the_palette_calls_it(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    opened(mode, "small", qtbot)
    mode.docks["outline"].raise_()
    qtbot.waitUntil(lambda: mode.outline.tree.topLevelItemCount() == 1)
    line, cell = mode.outline.tree.topLevelItem(0), mode.outline.model.index(0, 1)
    assert (line.text(0), cell.data()) == ("one – Shell script", "Shell script")

    mode.console.language.switch("zh_CN")

    qtbot.waitUntil(lambda: mode.outline.tree.topLevelItem(0).text(0) == "one – Shell 脚本")
    assert cell.data() == "Shell 脚本"


def test_the_condition_of_a_node_is_chosen_in_words_in_the_table(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    document = opened(mode, "small", qtbot)
    mode.docks["outline"].raise_()
    mode.outline.setCurrentWidget(mode.outline.table)
    qtbot.waitUntil(lambda: mode.outline.model.ids == ["one"])
    index = mode.outline.model.index(0, 3)
    assert index.data() == "all before it succeeded"

    mode.outline.table.setCurrentIndex(index)
    mode.outline.table.edit(index)
    box = mode.outline.table.findChild(QComboBox)
    assert box is not None
    box.setCurrentText("at least one failed")
    QTest.keyClick(box, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: document.node("one").get("run_if") == "any_failed")
    assert index.data() == "at least one failed"


def test_a_revision_of_a_loop_is_compared_too(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load_example(engine_service, "loop")
    document = opened(mode, "climb", qtbot)
    mode.docks["revisions"].raise_()

    qtbot.waitUntil(lambda: len(mode.revisions.view.graph.nodes) == len(document.nodes))

    assert mode.list.tree.currentItem() is mode.list.items()["climb"]
    assert any(link.kind == "loop" for link in mode.canvas.graph.links)


def test_a_task_deleted_elsewhere_is_closed_and_said(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    opened(mode, "small", qtbot)

    engine_service.delete("task", "small")
    mode.tasks.refresh()

    qtbot.waitUntil(lambda: mode.tasks.current is None)
    assert "small" not in mode.list.items()


def test_on_a_screen_of_1280x720_several_job_types_are_in_sight(
    engine_window: MainWindow, engine_service: Service, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    engine_window.resize(1280, 720)
    mode = engine_window.show_mode("design")
    assert isinstance(mode, DesignMode)
    opened(mode, "small", qtbot)
    entries = mode.palette_list.list

    qtbot.waitUntil(lambda: entries.model().rowCount() > 6)
    sixth = entries.model().index(6, 0)  # below the heading

    qtbot.waitUntil(lambda: entries.viewport().rect().contains(entries.visualRect(sixth)))
