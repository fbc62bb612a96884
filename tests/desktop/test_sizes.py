"""Every mode can be used on screens of four sizes, in both languages: nothing is cut off or covered."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip, QTreeWidgetItem, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.canvas.graph import CanvasGraph, GraphLink, GraphNode
from app.desktop.canvas.view import GraphView
from app.desktop.design.mode import DesignMode
from app.desktop.kernel.console import Console, Target
from app.desktop.run.mode import RunMode
from app.desktop.shell.modes import MODES
from app.desktop.shell.window import MainWindow
from app.desktop.widgets.pane_widgets import tree
from tests.api.fake_service import FakeService, instance, job
from tests.desktop.geometry import faults

SIZES = [(800, 500), (1024, 600), (1280, 720), (1920, 1080)]
_TURNS = 100  # of the loop, in which answers come and parts get their sizes


def seen(window: QWidget, name: str, folder: Path, qtbot: QtBot) -> None:
    """Nothing is wrong with it once it has come to rest."""
    if found := wrong(window, name, folder, qtbot):
        pytest.fail("\n".join(found))


def wrong(window: QWidget, name: str, folder: Path, qtbot: QtBot) -> list[str]:
    """What is wrong once it has come to rest, under its name; a picture is kept of it."""
    for _ in range(_TURNS):
        if not (found := faults(window)):
            return []
        qtbot.wait(20)
    file = folder / f"{name}.png"
    window.grab().save(str(file))
    return [f"{name} ({file}):", *found]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_mode_fits(
    window: MainWindow,
    service: FakeService,
    qtbot: QtBot,
    tmp_path: Path,
    width: int,
    height: int,
    language: str,
) -> None:
    service.found[1] = instance(1, "failed", jobs=[job("load", "failed"), job("index", "succeeded")])
    window.console.language.switch(language)
    window.resize(width, height)
    for entry in MODES:
        mode = window.show_mode(entry.key)
        if isinstance(mode, RunMode):
            mode.open(Target("instance", "1", "load"))
            qtbot.waitUntil(lambda run=mode: run.session.look is not None)
        qtbot.waitUntil(lambda mode=mode: mode.settled)

        assert window.size() == QSize(width, height)
        seen(window, f"{entry.key}-{width}-{language}", tmp_path, qtbot)


def test_a_widget_that_is_cut_or_covered_is_found(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(200, 100)
    for name, box in (("one", (0, 0, 80, 30)), ("two", (60, 0, 60, 30)), ("three", (150, 40, 90, 30))):
        part = QWidget(window)
        part.setObjectName(name)
        part.setGeometry(*box)
    with qtbot.waitExposed(window):
        window.show()

    found = faults(window)

    assert any("“one” lies over" in fault for fault in found)
    assert any("“three” is cut off" in fault for fault in found)
    assert len(found) == 2


def test_the_docks_of_the_right_are_tabs_below_while_a_mode_is_narrow(
    window: MainWindow, qtbot: QtBot
) -> None:
    mode = window.show_mode("design")
    window.resize(1400, 800)
    qtbot.waitUntil(lambda: mode.docks["form"].x() > mode.centralWidget().x())

    window.resize(800, 500)
    qtbot.waitUntil(lambda: mode.docks["form"].y() > mode.centralWidget().y())
    assert mode.docks["form"] in mode.tabifiedDockWidgets(mode.docks["problems"])

    window.resize(1400, 800)
    qtbot.waitUntil(lambda: mode.docks["form"].x() > mode.centralWidget().x())
    assert mode.docks["form"] not in mode.tabifiedDockWidgets(mode.docks["problems"])


def test_what_a_new_task_is_made_of_is_in_front_where_panes_are_tabs(
    window: MainWindow, qtbot: QtBot
) -> None:
    mode = window.show_mode("design")
    assert isinstance(mode, DesignMode)
    window.resize(800, 500)
    qtbot.waitUntil(lambda: mode.docks["palette"] in mode.tabifiedDockWidgets(mode.docks["tasks"]))
    assert mode.palette_list.visibleRegion().isEmpty()

    mode.tasks.make("hello")

    qtbot.waitUntil(lambda: not mode.palette_list.visibleRegion().isEmpty())


def test_the_picture_of_a_run_stays_fitted_when_a_job_is_selected_in_a_low_view(
    console: Console, qtbot: QtBot
) -> None:
    view = GraphView(console)
    qtbot.addWidget(view)
    view.keeps_fit = True
    view.resize(400, 60)
    with qtbot.waitExposed(view):
        view.show()
    nodes = tuple(GraphNode(id, id, "shell") for id in ("a", "b", "c", "d"))
    view.show_graph(CanvasGraph(nodes, (GraphLink("a", "b"),)))

    view.select({"c"}, show=True)

    view.resize(400, 50)  # a line of text appears above it
    seen = view.mapToScene(view.viewport().rect()).boundingRect()
    assert all(seen.contains(item.sceneBoundingRect().center()) for item in view.items_by_id.values())


def test_the_tip_of_a_cell_that_is_cut_is_all_of_its_text(qtbot: QtBot) -> None:
    # given a table with a text that fits and one that does not, of somewhere else
    table = tree("Jobs", ("Job", "Why"), widths=(120,))
    qtbot.addWidget(table)
    table.resize(240, 100)
    table.addTopLevelItem(QTreeWidgetItem(["load", "<b>all of</b> the words that do not fit into this cell"]))
    with qtbot.waitExposed(table):
        table.show()

    # when the pointer rests on them
    tips = []
    for column in range(2):
        QToolTip.hideText()
        place = table.visualItemRect(table.topLevelItem(0)).center()
        place.setX(table.header().sectionPosition(column) + 20)
        QApplication.sendEvent(
            table.viewport(), QHelpEvent(QEvent.Type.ToolTip, place, table.mapToGlobal(place))
        )
        tips.append(QToolTip.text())

    # then only that says something, letter by letter
    assert tips[0] == ""
    assert "&lt;b&gt;all of&lt;/b&gt; the words that do not fit" in tips[1]
    QToolTip.hideText()
