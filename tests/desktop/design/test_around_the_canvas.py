"""What is around the canvas, over an engine that is played: search, menus, the palette, the text."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.desktop.design import recovery
from app.desktop.design.definition_library import DefinitionLibrary
from app.desktop.design.mode import DesignMode
from app.desktop.design.questions import AskId
from app.desktop.design.text_view import YamlColours, replace_changed
from app.desktop.kernel.console import Console, Nowhere
from app.desktop.kernel.theme import LIGHT
from tests.desktop.design.hands import click, middle

RAW: dict[str, Any] = {
    "jobs": {"count": {"type": "shell", "process": "wc", "name": "Count words"}},
    "tasks": {
        "load": {
            "nodes": {
                "get": {"type": "shell", "process": "true"},
                "put": {"job": "count", "after": ["get"]},
                "ask": {
                    "type": "condition",
                    "value": "1 == 1",
                    "after": ["put"],
                    "branches": {"true": ["tell"]},
                },
                "tell": {"type": "shell", "process": "true"},
            }
        },
    },
}


@pytest.fixture
def mode(console: Console, qtbot: QtBot) -> DesignMode:
    made = DesignMode(console)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    with qtbot.waitExposed(made):
        made.show()
    made.tasks.library = DefinitionLibrary(RAW)
    made.tasks._looked = True
    made.tasks.open("load")
    return made


def test_a_search_rings_what_fits_goes_from_one_to_the_next_and_ends_with_escape(mode: DesignMode) -> None:
    mode.console.actions.get("design.find").trigger()
    QTest.keyClicks(mode.finder, "t")
    assert mode.finder.count.text() == "4 nodes"
    mode.canvas.set_zoom(0.2)
    QTest.keyClick(mode.finder, Qt.Key.Key_Return)
    assert mode.canvas.zoom == 0.8  # large enough to be read
    assert mode.finder.count.text() == "1 of 4"
    first = mode.canvas.selected()
    QTest.keyClick(mode.finder, Qt.Key.Key_Return)

    assert first == {"get"}
    assert mode.canvas.selected() == {"put"}
    QTest.keyClick(mode.finder, Qt.Key.Key_Escape)
    assert mode.finder.isHidden()
    assert not any(item.dim for item in mode.canvas.items_by_id.values())


def test_selected_nodes_are_aligned_and_distributed(mode: DesignMode) -> None:
    canvas = mode.canvas
    canvas.commands.place({"get": (0.0, 0.0), "put": (400.0, 70.0), "ask": (520.0, 300.0)})
    canvas.select({"get", "put", "ask"})

    mode.console.actions.get("design.spread_across").trigger()
    assert [canvas.positions()[id] for id in ("get", "put", "ask")] == [(0, 0), (260, 70), (520, 300)]
    mode.console.actions.get("design.align_top").trigger()
    assert {canvas.positions()[id][1] for id in ("get", "put", "ask")} == {0}
    mode.commands.undo()
    assert canvas.positions()["ask"] == (520, 300)


def test_a_new_task_has_a_name_which_makes_its_id(mode: DesignMode) -> None:
    mode.console.actions.get("design.new").trigger()
    dialog = mode.findChild(AskId)
    assert dialog is not None
    QTest.keyClicks(dialog.name, "Load of the night")
    assert dialog.field.text() == "load_of_the_night"
    dialog.name.setText("")
    dialog.name.insert("夜间")
    assert dialog.field.text() == "task"
    dialog.field.setText("")
    QTest.keyClicks(dialog.field, "night")
    dialog.name.insert("加载")
    assert dialog.field.text() == "night"  # what was typed is kept
    dialog.accept()

    assert mode.tasks.current is not None
    assert mode.tasks.current.task_id == "night"
    assert mode.tasks.current.task["name"] == "夜间加载"


def test_types_are_called_on_the_canvas_as_in_the_palette(mode: DesignMode, qtbot: QtBot) -> None:
    names = mode.canvas.shared.type_names
    assert names["shell"] == mode.console.job_types["shell"].label[0]

    mode.console.language.switch("zh_CN")

    qtbot.waitUntil(
        lambda: mode.canvas.shared.type_names["shell"] == mode.console.job_types["shell"].label[1],
        timeout=5000,
    )


def test_the_menu_of_a_node_selects_it_and_has_what_can_be_done(mode: DesignMode) -> None:
    at = middle(mode.canvas, "put")
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, mode.canvas.viewport().mapToGlobal(at))
    QApplication.sendEvent(mode.canvas.viewport(), event)

    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert mode.canvas.selected() == {"put"}
    next(action for action in menu.actions() if action.text() == "Delete").trigger()
    menu.close()
    assert mode.tasks.current is not None
    assert "put" not in mode.tasks.current.nodes


def test_a_node_belongs_to_one_branch_only(mode: DesignMode) -> None:
    mode.canvas.commands.branch("ask", "false", "tell")

    navigator = mode.console.navigator
    assert isinstance(navigator, Nowhere)
    assert navigator.said[-1] == "tell belongs to branch true of ask already"
    mode.canvas.commands.link_plainly("get", "tell")
    assert mode.tasks.current is not None
    assert mode.tasks.current.node("tell")["after"] == ["get"]


def test_a_branch_is_deleted_by_its_link(mode: DesignMode) -> None:
    mode.canvas.select_link(next(link for link in mode.canvas.graph.links if link.kind == "branch"))

    mode.canvas.commands.delete()

    assert mode.tasks.current is not None
    assert mode.tasks.current.node("ask")["branches"] == {"true": []}


def test_what_is_inserted_comes_after_the_selection(
    mode: DesignMode,
) -> None:
    click(mode.canvas, "tell")
    field = mode.palette_list.field
    mode.console.actions.get("design.insert").trigger()
    QTest.keyClicks(field, "count words")
    QTest.keyClick(field, Qt.Key.Key_Down)
    QTest.keyClick(mode.palette_list.list, Qt.Key.Key_Return)

    assert mode.tasks.current is not None
    assert mode.tasks.current.node("count") == {
        "job": "count",
        "after": ["tell"],
        "position": mode.tasks.current.node("count")["position"],
    }
    assert mode.canvas.selected() == {"count"}
    QTest.keyClick(field, Qt.Key.Key_Escape)


def test_every_view_speaks_chinese_at_once(mode: DesignMode, console: Console) -> None:
    console.language.switch("zh_CN")
    QApplication.processEvents()

    assert mode.docks["problems"].windowTitle() == "问题"
    assert mode.list.tree.headerItem().text(0) == "任务"
    assert mode.outline.tabText(1) == "表格"
    assert console.actions.get("design.undo").text().startswith("撤销")


def test_a_text_is_replaced_only_where_it_differs_and_the_cursor_stays(qtbot: QtBot) -> None:
    edit = QPlainTextEdit("one\n二三😀\nfour\n")
    qtbot.addWidget(edit)
    cursor = edit.textCursor()
    cursor.setPosition(1)
    edit.setTextCursor(cursor)

    for text in ("one\n二😀三\nfour\n", "one\n😀\nfour\nfive\n", "", "one\n"):
        replace_changed(edit, text)
        assert edit.toPlainText() == text


def test_yaml_is_coloured_line_by_line(qtbot: QtBot) -> None:
    document = QTextDocument('# a comment\nkey: "text"  # more\nnumber: 12\n')
    colours = YamlColours(document, LIGHT)

    formats = document.findBlockByNumber(1).layout().formats()

    assert [(each.start, each.length) for each in formats] == [(0, 3), (5, 6), (13, 6)]
    assert colours.document() is document


def test_the_picture_moves_with_the_wheel_button(mode: DesignMode) -> None:
    mode.canvas.set_zoom(1)
    before = mode.canvas.horizontalScrollBar().value()
    port, button = mode.canvas.viewport(), Qt.MouseButton.MiddleButton
    QTest.mousePress(port, button, Qt.KeyboardModifier.NoModifier, QPoint(200, 200))
    QTest.mouseMove(port, QPoint(150, 200))
    QTest.mouseRelease(port, button, Qt.KeyboardModifier.NoModifier, QPoint(150, 200))

    assert mode.canvas.horizontalScrollBar().value() == before + 50


def test_a_closed_window_leaves_its_unsaved_work_to_the_next_one(mode: DesignMode, console: Console) -> None:
    document = mode.tasks.current
    assert document is not None
    document.set(document.node_path("get", "process"), "echo mine", "Edit")
    document.edit_extras(lambda _: {"pins": ["get"]}, "Pin")

    assert mode.may_close()
    [left] = recovery.left_behind(console.workspace)

    assert left.task == "load"
    assert left.extras == {"pins": ["get"]}
    mode.tasks.close(document)
    mode.tasks._recover()
    found = mode.tasks.current
    assert found is not None
    assert found is not document
    assert found.node("get")["process"] == "echo mine"
    assert mode.notice.isVisible()
    assert list(recovery.left_behind(console.workspace)) == []


def test_unsaved_work_that_was_saved_from_elsewhere_is_not_offered(
    mode: DesignMode, console: Console
) -> None:
    document = mode.tasks.current
    assert document is not None
    document.set(document.node_path("get", "process"), "echo mine", "Edit")
    mode.may_close()
    tree = document.tree
    mode.tasks.close(document)

    mode.tasks.library = DefinitionLibrary({**RAW, "tasks": tree["tasks"]})
    mode.tasks._recover()

    assert mode.tasks.documents == {}
    assert list(recovery.left_behind(console.workspace)) == []
