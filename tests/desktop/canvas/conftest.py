"""A console of its own, for the canvas by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.canvas.view import GraphView
from app.desktop.kernel.actions import Actions
from app.desktop.kernel.console import Console
from app.desktop.kernel.icons import Icons
from app.desktop.kernel.language import Language
from app.desktop.kernel.link import Link
from app.desktop.kernel.settings import WindowSettings
from app.desktop.kernel.theme import Theme


@pytest.fixture
def plain_console(qapp: QApplication, tmp_path: Path) -> Iterator[Console]:
    """A console without an engine."""
    theme = Theme(qapp)
    icons = Icons(theme)
    link = Link()
    yield Console(
        tmp_path, link, WindowSettings(tmp_path / "window.ini"), Language(qapp), theme, icons,
        Actions(icons),
    )  # fmt: skip
    link.close()


@pytest.fixture
def view(qtbot: QtBot, plain_console: Console) -> GraphView:
    """A canvas on the screen."""
    made = GraphView(plain_console)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    with qtbot.waitExposed(made):
        made.show()
    return made
