"""The canvas under a person's hands."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.desktop.canvas.graph import HEIGHT, WIDTH, CanvasGraph, GraphLink, GraphNode
from app.desktop.canvas.view import GraphView
from app.desktop.kernel.console import Console
from app.desktop.kernel.contrast import READABLE, ratio

CHAIN = CanvasGraph(
    tuple(GraphNode(id, id, "shell") for id in ("first", "second", "third")),
    (GraphLink("first", "second"), GraphLink("second", "third")),
)


def middle(view: GraphView, id: str) -> QPoint:
    x, y = view.positions()[id]
    return view.mapFromScene(x + WIDTH / 2, y + HEIGHT / 2)


def click(view: GraphView, id: str, more: bool = False) -> None:
    keys = Qt.KeyboardModifier.ControlModifier if more else Qt.KeyboardModifier.NoModifier
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, keys, middle(view, id))


def test_nodes_without_places_stand_from_left_to_right_and_are_all_in_sight(view: GraphView) -> None:
    view.show_graph(CHAIN)

    places = view.positions()

    assert places["first"][0] < places["second"][0] < places["third"][0]
    assert all(view.viewport().rect().contains(middle(view, id)) for id in places)


def test_a_click_selects_one_node_and_with_ctrl_a_further_one(view: GraphView, qtbot: QtBot) -> None:
    view.show_graph(CHAIN)

    with qtbot.waitSignal(view.selection_changed):
        click(view, "first")
    click(view, "third", more=True)

    assert view.selected() == {"first", "third"}


def test_a_band_selects_what_it_touches_and_escape_leaves_it_as_it_was(view: GraphView) -> None:
    view.show_graph(CHAIN)
    port, button = view.viewport(), Qt.MouseButton.LeftButton
    corner = view.mapFromScene(-40, -40)
    end = middle(view, "second")

    QTest.mousePress(port, button, Qt.KeyboardModifier.NoModifier, corner)
    QTest.mouseMove(port, end)
    assert view.selected() == {"first", "second"}
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert view.selected() == frozenset()
    QTest.mouseRelease(port, button, Qt.KeyboardModifier.NoModifier, end)

    QTest.mousePress(port, button, Qt.KeyboardModifier.NoModifier, corner)
    QTest.mouseMove(port, end)
    QTest.mouseRelease(port, button, Qt.KeyboardModifier.NoModifier, end)
    assert view.selected() == {"first", "second"}


def test_arrows_go_to_the_nearest_node_and_tab_walks_as_the_task_runs(view: GraphView) -> None:
    view.show_graph(CHAIN)

    QTest.keyClick(view, Qt.Key.Key_Right)
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.selected() == {"second"}
    QTest.keyClick(view, Qt.Key.Key_Tab)
    assert view.selected() == {"third"}
    QTest.keyClick(view, Qt.Key.Key_Backtab)
    assert view.selected() == {"second"}


def test_thousands_of_status_changes_are_shown_as_the_last_of_each(view: GraphView, qtbot: QtBot) -> None:
    view.show_graph(CHAIN)

    for _ in range(1000):
        view.set_statuses({"first": "running"})
    view.set_statuses({"first": "succeeded", "nobody": "failed"})

    qtbot.waitUntil(lambda: view.items_by_id["first"].status == "succeeded")
    assert view.statuses() == {"first": "succeeded", "second": None, "third": None}


def test_a_link_is_found_under_the_mouse(view: GraphView) -> None:
    view.show_graph(CHAIN)
    x, y = view.positions()["first"]
    between = view.mapFromScene(x + WIDTH + 30, y + HEIGHT / 2)

    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, between)

    assert view.links.chosen == ("first", "second")


def test_a_type_is_found_and_told_by_the_name_that_is_seen(view: GraphView) -> None:
    view.show_graph(CanvasGraph((GraphNode("a", "a", "shell"), GraphNode("b", "b", "wait"))))
    view.shared.type_names = {"shell": "Shell 脚本", "wait": "等待"}

    assert view.search("等待") == view.search("wait") == ["b"]
    view.select({"a"})
    assert view.accessibleDescription() == "a, Shell 脚本"


def test_a_search_finds_in_the_order_of_the_task_and_rings_what_fits(view: GraphView) -> None:
    view.show_graph(CHAIN)

    assert view.search("IR") == ["first", "third"]
    assert view.items_by_id["third"].found
    assert view.items_by_id["second"].dim
    assert view.search("") == []
    assert not view.items_by_id["second"].dim


def test_what_stood_somewhere_stays_there_when_a_node_is_added(view: GraphView) -> None:
    view.show_graph(CHAIN)
    before = view.positions()

    view.show_graph(CanvasGraph((*CHAIN.nodes, GraphNode("fourth", "fourth")), CHAIN.links))

    assert {id: view.positions()[id] for id in before} == before


def test_space_and_drag_moves_the_picture(view: GraphView) -> None:
    view.show_graph(CHAIN)
    view.set_zoom(1)
    before = view.mapToScene(0, 0).x()
    QTest.keyPress(view, Qt.Key.Key_Space)
    QTest.mousePress(
        view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(300, 300)
    )
    QTest.mouseMove(view.viewport(), QPoint(200, 300))
    QTest.mouseRelease(
        view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(200, 300)
    )
    QTest.keyRelease(view, Qt.Key.Key_Space)

    assert view.mapToScene(0, 0).x() == before + 100


def test_every_detail_is_painted_at_every_zoom_in_light_and_dark(view: GraphView) -> None:
    nodes = (
        GraphNode(
            "a",
            "a long title that has no room at all",
            "shell",
            "what it does",
            "failed",
            ("×3",),
            mark="error",
        ),
        GraphNode("b", "b", "condition", status="running", faint=True),
        GraphNode("c", "c", "wait"),
    )
    links = (GraphLink("a", "b"), GraphLink("b", "c", "branch", "yes"), GraphLink("b", "a", "loop"))
    view.show_graph(CanvasGraph(nodes, links))

    for zoom in (1.0, 0.5, 0.2):
        view.set_zoom(zoom)
        assert not view.grab().isNull()


def test_a_link_led_by_the_layout_follows_its_node_when_it_is_moved(view: GraphView) -> None:
    long = CanvasGraph(CHAIN.nodes, (*CHAIN.links, GraphLink("first", "third")))
    view.show_graph(long)
    route = view.links._routes["first", "third"]
    assert len(route) > 2

    x, y = view.positions()["third"]
    view.show_graph(
        CanvasGraph((*CHAIN.nodes[:2], GraphNode("third", "third", position=(x, y + 400))), long.links)
    )

    assert view.links._routes["first", "third"][-1] == (x, y + 400 + HEIGHT / 2)
    assert view.links._routes["first", "third"] != route


def test_what_was_fitted_is_fitted_again_in_another_size_until_an_operator_looks_closer(
    view: GraphView, qtbot: QtBot
) -> None:
    view.keeps_fit = True
    view.show_graph(CHAIN)
    view.resize(360, 240)
    narrow = view.zoom
    view.resize(900, 600)

    assert view.zoom > narrow
    assert all(view.viewport().rect().contains(middle(view, id)) for id in view.positions())

    view.set_zoom(0.5)
    view.resize(360, 240)
    assert view.zoom == 0.5


def test_the_selected_node_stays_in_sight_when_the_picture_gets_smaller(view: GraphView) -> None:
    view.show_graph(CHAIN)
    view.set_zoom(1.0)
    last = max(view.positions(), key=lambda id: view.positions()[id][0])
    view.select({last}, show=True)
    assert view.viewport().rect().contains(middle(view, last))

    view.resize(300, 120)
    assert view.viewport().rect().contains(middle(view, last))

    first = min(view.positions(), key=lambda id: view.positions()[id][0])
    view.centerOn(view.items_by_id[first])  # an operator looks elsewhere
    view.resize(280, 120)
    assert view.viewport().rect().contains(middle(view, first))


def test_from_afar_what_is_selected_keeps_the_colour_of_its_status(view: GraphView) -> None:
    view.show_graph(
        CanvasGraph(tuple(GraphNode(id, id, "shell", status="succeeded") for id in ("one", "two")))
    )
    view.set_zoom(0.2)

    view.select({"one"})

    picture = view.viewport().grab().toImage()
    colours = {id: picture.pixelColor(middle(view, id)).name() for id in ("one", "two")}
    assert colours == dict.fromkeys(("one", "two"), view.brushes.colour("succeeded").name())
    for id in ("one", "two"):  # and its shape, at the left
        x, y = view.positions()[id]
        left = view.mapFromScene(x, y)
        strip = {picture.pixelColor(left.x() + at, middle(view, id).y()).name() for at in range(10)}
        assert len(strip) > 1
    above = [picture.pixelColor(middle(view, "one") - QPoint(0, up)).name() for up in range(20)]
    assert view.brushes.accent.name() in above


@pytest.mark.parametrize("dark", [False, True])
def test_what_is_switched_off_is_still_read_easily(
    view: GraphView, plain_console: Console, dark: bool
) -> None:
    plain_console.theme.switch(dark=dark)
    names = "WWWWWWWWWW"  # thick enough for pixels that are all ink
    view.show_graph(CanvasGraph((GraphNode("off", names, names, "failed", faint=True),)))
    view.set_zoom(2)
    view.centerOn(view.items_by_id["off"])

    picture, place = view.viewport().grab().toImage(), middle(view, "off")
    paper = picture.pixelColor(place + QPoint(int(WIDTH) - 12, -int(HEIGHT) + 12)).name()
    for line in (18, 40):  # of the title and of what is below, from the top of the node
        y = place.y() + 2 * (line - int(HEIGHT) // 2)
        inks = {
            picture.pixelColor(x, each).name()
            for x in range(place.x() - int(WIDTH) + 90, place.x())
            for each in range(y - 8, y + 8)
        }

        assert max(ratio(ink.upper(), paper.upper()) for ink in inks) >= READABLE


def test_the_map_leaves_a_small_canvas_free(view: GraphView) -> None:
    view.show_graph(CHAIN)
    view.set_zoom(3)
    assert view.map.isVisible()

    view.resize(400, 150)

    assert not view.map.isVisible()


def test_the_map_hides_nothing_that_is_selected(view: GraphView) -> None:
    view.show_graph(CHAIN)
    view.set_zoom(1.6)
    node = view.items_by_id["second"].sceneBoundingRect().center()
    port = view.viewport().rect()
    away = view.mapToScene(port.center()) - view.mapToScene(view.map.geometry().center())
    view.centerOn(node + away)
    assert on_view(view, "second").intersects(view.map.geometry())

    view.select(["second"])

    assert view.map.isVisible()
    assert not on_view(view, "second").intersects(view.map.geometry())
    assert view.rect().contains(view.map.geometry())


def on_view(view: GraphView, id: str) -> QRect:
    """Where a node lies."""
    box = view.mapFromScene(view.items_by_id[id].sceneBoundingRect()).boundingRect()
    return box.translated(view.viewport().pos())
