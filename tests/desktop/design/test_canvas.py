"""Drawing a task by hand, on the real canvas."""

from __future__ import annotations

import json
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from app.desktop.design import canvas_extras as beside
from app.desktop.design import edits
from app.desktop.design.canvas import DesignCanvas
from app.desktop.design.definition_library import DefinitionLibrary
from app.desktop.design.document import Document, opened
from app.desktop.design.entries import ENTRY_MIME
from app.desktop.design.entry_list import EntryList
from app.desktop.kernel.console import Console, Nowhere
from tests.desktop.design.hands import LEFT, NONE, click, drag, draw_link, middle, move, port, press, release

RAW: dict[str, Any] = {
    "jobs": {"count": {"type": "shell", "process": "wc"}},
    "tasks": {
        "load": {
            "nodes": {
                "get": {"type": "shell", "process": "true", "position": [0, 0]},
                "put": {"job": "count", "after": ["get"], "position": [272, 0]},
                "ask": {"type": "condition", "value": "1 == 1", "after": ["put"], "position": [544, 0]},
                "tell": {"type": "shell", "process": "true", "position": [816, 0]},
            }
        },
        "other": {"nodes": {"get": {"type": "wait", "for": "1s"}}},
    },
}


def show(console: Console, qtbot: QtBot, task: str = "load") -> DesignCanvas:
    canvas = DesignCanvas(console)
    qtbot.addWidget(canvas)
    canvas.resize(1280, 700)
    document = opened(console, task, DefinitionLibrary(RAW))
    document.setParent(canvas)
    canvas.show_document(document)
    with qtbot.waitExposed(canvas):
        canvas.show()
    canvas.set_zoom(1)
    canvas.setFocus()
    return canvas


@pytest.fixture
def canvas(console: Console, qtbot: QtBot) -> DesignCanvas:
    return show(console, qtbot)


def document(canvas: DesignCanvas) -> Document:
    assert canvas.document is not None
    return canvas.document


def test_dragged_nodes_move_together_in_one_step_with_a_name(canvas: DesignCanvas) -> None:
    click(canvas, "get")
    click(canvas, "put", Qt.KeyboardModifier.ControlModifier)
    start = middle(canvas, "get")

    drag(canvas, start, start + QPoint(0, 150))

    assert document(canvas).undo.undoText() == "Move of 2 nodes"
    assert document(canvas).node("get")["position"] == [0, 152]
    assert document(canvas).node("put")["position"] == [272, 152]
    document(canvas).undo.undo()
    assert canvas.positions()["get"] == (0, 0)


def test_a_dragged_node_snaps_beside_another_and_escape_puts_it_back(canvas: DesignCanvas) -> None:
    start = middle(canvas, "tell")
    press(canvas, start)
    move(canvas, start, start + QPoint(30, 5))
    assert canvas.positions()["tell"] == (848, 0)

    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    release(canvas, start)

    assert canvas.positions()["tell"] == (816, 0)
    assert document(canvas).undo.count() == 0


def test_a_link_is_drawn_from_the_port_to_a_node(canvas: DesignCanvas) -> None:
    draw_link(canvas, "get", "tell")

    assert document(canvas).node("tell")["after"] == ["get"]
    assert document(canvas).undo.undoText() == "Link get → tell"


def test_a_circle_is_refused_while_one_drags_with_its_path(canvas: DesignCanvas) -> None:
    start, end = port(canvas, "ask"), middle(canvas, "get")
    press(canvas, start)
    move(canvas, start, end)

    assert "get → put → ask → get" in canvas._sketch.wire.refused
    assert not canvas.grab().isNull()
    release(canvas, end)
    assert document(canvas).undo.count() == 0
    navigator = canvas.console.navigator
    assert isinstance(navigator, Nowhere)
    assert "get → put → ask → get" in navigator.said[-1]


def test_a_link_from_a_condition_asks_for_the_branch(canvas: DesignCanvas, qtbot: QtBot) -> None:
    draw_link(canvas, "ask", "tell")

    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    menu.actions()[0].trigger()
    menu.close()

    assert document(canvas).node("ask")["branches"] == {"true": ["tell"]}
    assert [(link.kind, link.label) for link in canvas.graph.links if link.target == "tell"] == [
        ("branch", "true")
    ]


def test_a_link_dropped_on_empty_canvas_offers_what_fits_and_enter_inserts_it(
    canvas: DesignCanvas, qtbot: QtBot
) -> None:
    start = port(canvas, "tell")
    drag(canvas, start, start + QPoint(-100, 250))
    assert canvas.menu is not None
    choice = canvas.menu.findChild(EntryList)
    assert choice is not None

    QTest.keyClicks(choice.field, "python")
    QTest.keyClick(choice.field, Qt.Key.Key_Return)

    assert document(canvas).node("python")["after"] == ["tell"]
    assert canvas.selected() == {"python"}
    assert canvas.menu is None


def drop_count(canvas: DesignCanvas, at: QPoint) -> tuple[QDropEvent, QDropEvent]:
    """Drag the job from the palette to a point of the view, and let go."""
    data = QMimeData()
    data.setData(ENTRY_MIME, json.dumps({"group": "job", "id": "count"}).encode())
    copy = Qt.DropAction.CopyAction
    enter = QDragEnterEvent(at, copy, data, LEFT, NONE)
    QApplication.sendEvent(canvas.viewport(), enter)
    drop = QDropEvent(QPointF(at), copy, data, LEFT, NONE)
    QApplication.sendEvent(canvas.viewport(), drop)
    return enter, drop


def test_a_job_type_dropped_from_the_palette_becomes_a_node_there(canvas: DesignCanvas) -> None:
    at = canvas.mapFromScene(300, 300)

    enter, drop = drop_count(canvas, at)

    assert enter.isAccepted()
    assert drop.isAccepted()
    assert document(canvas).node("count") == {"job": "count", "position": [208, 272]}


def test_the_first_job_of_an_empty_task_is_where_it_was_dropped(
    canvas: DesignCanvas, console: Console
) -> None:
    empty = opened(console, "new", DefinitionLibrary(RAW))
    empty.setParent(canvas)
    canvas.show_document(empty)
    at = QPoint(300, 200)

    drop_count(canvas, at)

    assert canvas.zoom == 1
    assert (middle(canvas, "count") - at).manhattanLength() < 32


def test_what_is_selected_in_one_task_is_not_selected_in_the_next(
    canvas: DesignCanvas, console: Console
) -> None:
    canvas.select({"get", "put"})
    library = DefinitionLibrary({**RAW, "tasks": {**RAW["tasks"], "twin": RAW["tasks"]["load"]}})
    twin = opened(console, "twin", library)
    twin.setParent(canvas)
    twin.select(frozenset({"tell"}))
    load = document(canvas)

    canvas.show_document(twin)

    assert twin.selection == canvas.selected() == {"tell"}
    assert load.selection == {"get", "put"}


def test_a_click_on_the_ground_takes_the_ring_away(canvas: DesignCanvas) -> None:
    click(canvas, "put")
    assert canvas.shared.here == "put"

    QTest.mouseClick(canvas.viewport(), LEFT, NONE, canvas.mapFromScene(300, 300))

    assert canvas.selected() == frozenset()
    assert canvas.shared.here is None


def test_selected_nodes_are_deleted_with_their_links_and_come_back(canvas: DesignCanvas) -> None:
    before = document(canvas).tree
    click(canvas, "put")

    canvas.commands.delete()

    assert "after" not in document(canvas).node("ask")
    assert document(canvas).undo.undoText() == "Delete of 1 node"
    document(canvas).undo.undo()
    assert document(canvas).tree == before


def test_a_clicked_link_is_deleted_alone(canvas: DesignCanvas) -> None:
    QTest.mouseClick(canvas.viewport(), LEFT, NONE, canvas.mapFromScene(228, 28))

    canvas.commands.delete()

    assert "after" not in document(canvas).node("put")
    assert set(document(canvas).nodes) == {"get", "put", "ask", "tell"}


def test_nodes_are_copied_into_another_task(canvas: DesignCanvas, console: Console, qtbot: QtBot) -> None:
    canvas.select({"get", "put"})
    canvas.commands.copy()
    second = show(console, qtbot, "other")

    second.commands.paste()

    nodes = document(second).nodes
    assert set(nodes) == {"get", "get_2", "put"}
    assert nodes["put"]["after"] == ["get_2"]
    assert second.selected() == {"get_2", "put"}
    second.commands.paste()
    assert nodes["put"]["position"] != document(second).node("put_2")["position"]


def test_duplicates_stand_beside_and_cut_takes_away(canvas: DesignCanvas) -> None:
    click(canvas, "get")
    canvas.commands.duplicate()
    assert document(canvas).node("get_2")["position"] == [32, 32]

    canvas.commands.cut()
    assert "get_2" not in document(canvas).nodes
    canvas.commands.paste()
    assert "get_2" in document(canvas).nodes


def test_a_node_is_renamed_over_itself(canvas: DesignCanvas) -> None:
    click(canvas, "get")
    canvas.commands.rename()
    assert canvas.editor is not None
    field = canvas.editor.field
    assert isinstance(field, QLineEdit)

    QTest.keyClicks(field, "fetch")
    QTest.keyClick(field, Qt.Key.Key_Return)

    assert document(canvas).node("put")["after"] == ["fetch"]
    assert canvas.selected() == {"fetch"}
    canvas.commands.rename_to("fetch", "put")
    canvas.commands.rename_to("fetch", "a b")
    assert "fetch" in document(canvas).nodes


def test_a_node_without_a_position_stays_where_it_is_under_its_new_id(canvas: DesignCanvas) -> None:
    document(canvas).edit(edits.add_node("load", "new", {"type": "shell", "process": "true"}), "Add")
    document(canvas).edit(edits.link("load", "tell", "new"), "Link")
    before = canvas.positions()["new"]

    document(canvas).rename_node("new", "last")

    assert canvas.positions()["last"] == before
    assert canvas.selected() == {"last"}


def test_frames_and_comments_are_steps_of_undo_too(canvas: DesignCanvas) -> None:
    canvas.select({"get", "put"})
    canvas.commands.group()
    assert canvas.editor is not None
    QTest.keyClicks(canvas.editor.field, "Load")
    QTest.keyClick(canvas.editor.field, Qt.Key.Key_Return)
    assert [frame.title for frame in canvas.frames.frames] == ["Load"]

    canvas.commands.comment()
    field = canvas.editor.field
    QTest.keyClicks(field, "Mind this")
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    [note] = canvas.frames.notes
    assert note.text == "Mind this"
    assert not canvas.grab().isNull()

    place = canvas.mapFromScene(note.position[0] + 50, note.position[1] + 20)
    drag(canvas, place, place + QPoint(0, 80))
    assert abs(canvas.frames.notes[0].position[1] - note.position[1] - 80) <= 4

    canvas.select({"get"})
    canvas.commands.ungroup()
    assert canvas.frames.frames == ()
    while document(canvas).undo.canUndo():
        document(canvas).undo.undo()
    assert document(canvas).sheet.extras == {}


def test_a_frame_is_dragged_by_its_title_with_what_is_in_it(canvas: DesignCanvas) -> None:
    document(canvas).edit_extras(beside.frame("Load", ["get", "put"]), "Frame")
    box = canvas.frames.box(canvas.frames.frames[0], canvas.positions())
    start = canvas.mapFromScene(box.left() + 40, box.top() + 10)

    drag(canvas, start, start + QPoint(0, 160))

    assert document(canvas).node("put")["position"] == [272, 160]
    assert document(canvas).node("ask")["position"] == [544, 0]


def test_automatic_layout_is_one_step_and_pinned_nodes_stay(canvas: DesignCanvas) -> None:
    document(canvas).set(document(canvas).node_path("get", "position"), [100, 900], "away")
    canvas.select({"get"})
    canvas.commands.pin()

    canvas.commands.layout()

    assert document(canvas).node("get")["position"] == [100, 900]
    assert document(canvas).undo.undoText() == "Automatic layout"
    assert document(canvas).node("put")["position"][0] > 100
    canvas.commands.pin()
    assert beside.pins(document(canvas).sheet.extras) == frozenset()


def test_only_the_selected_nodes_are_laid_out_when_there_are_several(canvas: DesignCanvas) -> None:
    canvas.select({"ask", "tell"})

    canvas.commands.layout()

    assert document(canvas).node("get")["position"] == [0, 0]


def test_the_keyboard_links_nudges_and_switches_off(canvas: DesignCanvas) -> None:
    canvas.select({"get", "tell"})
    canvas.commands.link_selected()
    assert document(canvas).node("tell")["after"] == ["get"]

    canvas.commands.nudge(0, 1)
    canvas.commands.nudge(0, 1)
    assert document(canvas).node("get")["position"] == [0, 16]
    assert document(canvas).undo.count() == 2

    canvas.commands.switch()
    assert document(canvas).node("get")["enabled"] is False
    canvas.commands.switch()
    assert "enabled" not in document(canvas).node("get")


def test_a_mistake_is_marked_on_its_node(canvas: DesignCanvas, qtbot: QtBot) -> None:
    document(canvas).set(document(canvas).node_path("put", "job"), "nobody", "Change")

    qtbot.waitUntil(lambda: canvas.items_by_id["put"].node.mark == "error")
    document(canvas).undo.undo()
    qtbot.waitUntil(lambda: canvas.items_by_id["put"].node.mark == "")
