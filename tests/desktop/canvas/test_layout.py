"""Where nodes are and how links run between them."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from app.desktop.canvas.coordinates import rising
from app.desktop.canvas.graph import HEIGHT, WIDTH, CanvasGraph, GraphLink, GraphNode
from app.desktop.canvas.keyboard_walk import nearest, ways
from app.desktop.canvas.layout import COLUMN, ROW, arrange
from app.desktop.canvas.routing import Router
from tests.effort import effort

pairs = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40)


def graph(links: list[tuple[int, int]], count: int = 12) -> CanvasGraph:
    nodes = tuple(GraphNode(str(i), str(i)) for i in range(count))
    return CanvasGraph(nodes, tuple(GraphLink(str(a), str(b)) for a, b in links))


@given(pairs)
@settings(max_examples=effort(25, all=60))
def test_no_two_nodes_overlap_and_the_same_graph_gives_the_same_picture(links: list[tuple[int, int]]) -> None:
    layout = arrange(graph(links))

    places = list(layout.positions.values())
    assert len(places) == 12
    for i, (x, y) in enumerate(places):
        for left, top in places[:i]:
            assert abs(x - left) >= WIDTH or abs(y - top) >= HEIGHT
    assert layout == arrange(graph(links))


@given(pairs)
@settings(max_examples=effort(25, all=60))
def test_links_of_a_task_without_cycles_lead_to_the_right(links: list[tuple[int, int]]) -> None:
    forward = [(a, b) for a, b in links if a < b]

    places = arrange(graph(forward)).positions

    assert all(places[str(a)][0] < places[str(b)][0] for a, b in forward)


def test_pinned_nodes_stay_and_nothing_is_on_them() -> None:
    links = [(0, 1), (0, 2), (0, 3)]
    pinned = {"0": (1000.0, 500.0), "2": (1272.0, 496.0)}

    places = arrange(graph(links, 4), pinned).positions

    assert {id: places[id] for id in pinned} == pinned
    assert len(set(places.values())) == 4


def test_a_link_goes_around_a_node_in_its_way() -> None:
    places = {"a": (0.0, 0.0), "b": (300.0, 0.0), "c": (600.0, 0.0)}

    route = Router(places).route(GraphLink("a", "c"))

    assert len(route) == 4
    assert all(y < 0 or y > HEIGHT for _, y in route[1:-1])


def test_a_loop_runs_below_and_back() -> None:
    places = {"a": (0.0, 0.0), "b": (300.0, 0.0)}

    route = Router(places).route(GraphLink("b", "a", "loop"))

    assert route[0][1] == HEIGHT
    assert route[1][1] > HEIGHT
    assert route[-1] == (WIDTH / 2, HEIGHT)


def test_a_loop_to_the_node_itself_and_a_link_backwards_have_a_way() -> None:
    places = {"a": (0.0, 0.0), "b": (300.0, 0.0)}

    assert len(Router(places).route(GraphLink("a", "a", "loop"))) == 4
    assert len(Router(places).route(GraphLink("b", "a"))) == 4


@given(st.lists(st.tuples(st.floats(-100, 100), st.floats(0.1, 10)), max_size=30))
def test_pooled_values_never_fall(items: list[tuple[float, float]]) -> None:
    found = rising([value for value, _ in items], [weight for _, weight in items])

    assert all(a <= b + 1e-9 for a, b in itertools.pairwise(found))


def test_the_nearest_node_is_the_one_a_person_would_name() -> None:
    places = {"here": (0.0, 0.0), "right": (272.0, 16.0), "far": (544.0, 0.0), "below": (0.0, 80.0)}

    assert nearest(places, "here", "right") == "right"
    assert nearest(places, "here", "down") == "below"
    assert nearest(places, "here", "left") is None


def test_a_way_is_found_along_the_links() -> None:
    assert ways(graph([(0, 1), (1, 2), (0, 3)]), "0", "2") == ["0", "1", "2"]
    assert ways(graph([(0, 1)]), "1", "0") == []


def test_a_link_to_the_node_right_below_goes_straight_down() -> None:
    places = {"a": (0.0, 0.0), "b": (20.0, 200.0)}

    route = Router(places).route(GraphLink("a", "b"))

    assert route == ((102.0, HEIGHT), (102.0, 200.0))


cells = st.tuples(st.integers(0, 4), st.integers(0, 4))


@given(st.lists(cells, min_size=2, max_size=14, unique=True), st.data())
def test_no_link_to_the_left_or_below_crosses_a_node(at: list[tuple[int, int]], data: st.DataObject) -> None:
    places = {str(n): (x * COLUMN, y * ROW) for n, (x, y) in enumerate(at)}
    source, target = data.draw(st.permutations(sorted(places)))[:2]
    if places[target][0] > places[source][0]:
        source, target = target, source

    route = Router(places).route(GraphLink(source, target))

    for (x0, y0), (x1, y1) in itertools.pairwise(route):
        for id, (left, top) in places.items():
            across = max(x0, x1) > left and min(x0, x1) < left + WIDTH
            over = max(y0, y1) > top and min(y0, y1) < top + HEIGHT
            assert not (across and over), (id, route)
