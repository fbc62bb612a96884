"""How fast the canvas is: open, fit, pan, layout, with many nodes; beside an empty view of the same size.

Run it with ``QT_QPA_PLATFORM=offscreen python -m benchmarks.desktop_canvas``; times are medians in ms.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication, QGraphicsScene, QGraphicsView

from app.desktop.canvas.graph import CanvasGraph, GraphLink, GraphNode
from app.desktop.canvas.layout import arrange
from app.desktop.canvas.view import GraphView
from app.desktop.design.canvas import DesignCanvas
from app.desktop.design.definition_library import DefinitionLibrary
from app.desktop.design.document import Document, opened
from app.desktop.design.form_dock import FormDock
from app.desktop.kernel.actions import Actions
from app.desktop.kernel.console import Console
from app.desktop.kernel.icons import Icons
from app.desktop.kernel.language import Language
from app.desktop.kernel.link import Link
from app.desktop.kernel.settings import WindowSettings
from app.desktop.kernel.theme import Theme

SIZE = (1600, 900)
ROUNDS = 15


def layered_graph(nodes: int, links: int, layers: int) -> CanvasGraph:
    """A random graph as tasks are: most links go to the next layer, some further."""
    chance = random.Random(1)
    columns: list[list[int]] = [[] for _ in range(layers)]
    for number in range(nodes):
        columns[chance.randrange(layers)].append(number)
    found: set[tuple[int, int]] = set()
    while len(found) < links:
        left = chance.randrange(layers - 1)
        right = min(layers - 1, left + 1 + int(chance.random() ** 3 * 4))
        found.add((chance.choice(columns[left]), chance.choice(columns[right])))
    made = tuple(GraphNode(f"n{i}", f"node {i}", "shell", status="running") for i in range(nodes))
    return CanvasGraph(made, tuple(GraphLink(f"n{a}", f"n{b}") for a, b in sorted(found)))


def console(application: QApplication, folder: Path) -> Console:
    """A console without an engine."""
    theme = Theme(application)
    icons = Icons(theme)
    settings = WindowSettings(folder / "window.ini")
    actions, language = Actions(icons), Language(application)
    return Console(folder, Link(), settings, language, theme, icons, actions)


def ms(act: Callable[[], object]) -> float:
    """How long one call takes, its painting included."""
    start = perf_counter()
    act()
    return (perf_counter() - start) * 1000


def painting(view: QGraphicsView, act: Callable[[], object]) -> float:
    """The median of a change and the painting that follows it."""

    def once() -> None:
        act()
        view.viewport().repaint()

    return median(ms(once) for _ in range(ROUNDS))


def empty(application: QApplication) -> float:
    """The same of a view with nothing in it."""
    view = QGraphicsView(QGraphicsScene())
    view.resize(*SIZE)
    view.show()
    application.processEvents()
    return painting(view, lambda: None)


def measure(application: QApplication, console: Console, graph: CanvasGraph, base: float) -> None:
    """One size of graph."""
    layout_time = ms(lambda: arrange(graph))
    view = GraphView(console)
    view.resize(*SIZE)
    view.show()
    application.processEvents()

    def show() -> None:
        view.show_graph(graph)
        view.viewport().repaint()

    opened = ms(show)
    across = view.horizontalScrollBar()
    figures = {"fit": painting(view, view.fit)}
    view.set_zoom(0.4)
    figures["zoom 0.4"] = painting(view, lambda: None)
    view.set_zoom(1)
    figures["pan at 1"] = painting(view, lambda: across.setValue(across.value() + 40))
    statuses = {node.id: "succeeded" for node in graph.nodes[:200]}
    figures["200 statuses"] = painting(view, lambda: view.set_statuses(statuses))
    times = ", ".join(f"{name} {time:.1f} ({time / base:.0f}x)" for name, time in figures.items())
    size = f"{len(graph.nodes)} nodes, {len(graph.links)} links"
    print(f"{size}: layout {layout_time:.0f}, open {opened:.0f}, {times}")
    view.close()


def as_task(graph: CanvasGraph) -> dict[str, Any]:
    """The same graph as a task of a definition file."""
    nodes: dict[str, Any] = {node.id: {"type": "shell", "process": "true"} for node in graph.nodes}
    for link in graph.links:
        nodes[link.target].setdefault("after", []).append(link.source)
    return {"nodes": nodes}


def design(application: QApplication, console: Console, graph: CanvasGraph) -> None:
    """The same as a task under edit, with its form: what a person waits for."""
    canvas = DesignCanvas(console)
    canvas.resize(*SIZE)
    canvas.show()
    document = opened(console, "big", DefinitionLibrary({"tasks": {"big": as_task(graph)}}))

    def show() -> None:
        canvas.show_document(document)
        canvas.viewport().repaint()

    figures = {"open": ms(show)}
    dock = FormDock(console, canvas)
    dock.show()
    figures["its form"] = ms(lambda: dock.show_document(document))
    figures |= of_all(dock, lambda: canvas.select(document.nodes), document)
    canvas.select([node.id for node in graph.nodes[:200]])

    def step(act: Callable[[], object]) -> float:
        return ms(lambda: (act(), canvas.viewport().repaint()))

    figures["delete 200"] = step(canvas.commands.delete)
    figures["undo"] = step(document.undo.undo)
    figures["redo"] = step(document.undo.redo)
    document.undo.undo()
    path = document.node_path("n400", "process")
    figures["an edit"] = median(step(partial(document.set, path, f"true {i}", "edit")) for i in range(ROUNDS))
    places = canvas.positions()
    x, y = places["n400"]
    figures["drag"] = median(step(lambda: canvas.move_nodes({"n400": (x + 8, y)})) for _ in range(ROUNDS))
    times = ", ".join(f"{name} {time:.0f}" for name, time in figures.items())
    print(f"task of {len(graph.nodes)} nodes in the designer: {times}")
    dock.close()
    canvas.close()
    document.deleteLater()


def of_all(dock: FormDock, select: Callable[[], object], document: Document) -> dict[str, float]:
    """All nodes are selected, a field is set in each of them and taken back."""
    figures = {"select all": ms(select)}
    [shared] = dock.shared.values()
    field = next(each for each in shared.form.fields if each.path[-1] == "enabled")
    figures["set in all"] = ms(lambda: shared.context.set(field, False))
    figures["undo in all"] = ms(document.undo.undo)
    return figures


def main() -> None:
    """Measure and print."""
    application = QApplication(sys.argv)
    with tempfile.TemporaryDirectory() as folder:
        made = console(application, Path(folder))
        base = empty(application)
        print(f"empty view {base:.2f} ms")
        measure(application, made, layered_graph(1000, 3000, 25), base)
        measure(application, made, layered_graph(5000, 7500, 40), base)
        design(application, made, layered_graph(500, 1500, 20))
        design(application, made, layered_graph(1000, 3000, 25))
        made.link.close()


if __name__ == "__main__":
    main()
