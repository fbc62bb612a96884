"""Every mode can be used on screens of four sizes, in both languages: nothing is cut off or covered."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Target
from app.desktop.run.mode import RunMode
from app.desktop.shell.modes import MODES
from app.desktop.shell.window import MainWindow
from tests.api.fake_service import FakeService, instance, job
from tests.desktop.geometry import faults

SIZES = [(800, 500), (1024, 600), (1280, 720), (1920, 1080)]
_TURNS = 100  # of the loop, in which answers come and parts get their sizes


def seen(window: QWidget, name: str, folder: Path, qtbot: QtBot) -> None:
    """Nothing is wrong with it once it has come to rest; a picture is kept of what is."""
    for _ in range(_TURNS):
        if not (found := faults(window)):
            break
        qtbot.wait(20)
    if found:
        file = folder / f"{name}.png"
        window.grab().save(str(file))
        pytest.fail("\n".join([f"{name} ({file}):", *found]))


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
        qtbot.waitUntil(lambda mode=mode: mode.narrow == (mode._wide is not None))

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
