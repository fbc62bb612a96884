"""Every dialog can be used on screens of four sizes, in both languages: nothing is cut off or covered."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QTabWidget, QWidget
from pytestqt.qtbot import QtBot

import app.desktop
from app.desktop.bundles.bundle_dialog import WorkDialog
from app.desktop.bundles.package_dialog import PackageDialog
from app.desktop.kernel.console import Console
from app.desktop.widgets.reading_order import ReadingDialog
from tests.api.fake_service import FakeService
from tests.desktop.dialogs import DIALOGS, Room, WholeService
from tests.desktop.test_sizes import SIZES, seen

_FRAME = QSize(20, 50)  # what of a screen the frame of a dialog takes
_BASES = {WorkDialog, PackageDialog, ReadingDialog}


@pytest.fixture
def service() -> FakeService:
    return WholeService()


@pytest.fixture
def room(console: Console, service: FakeService, qtbot: QtBot, tmp_path: Path) -> Iterator[Room]:
    over = QWidget()
    qtbot.addWidget(over)
    made = Room(console, service, over, tmp_path, qtbot.waitUntil)
    yield made
    for each in reversed(made.kept):
        if hasattr(each, "let_go"):
            each.let_go()
        each.deleteLater()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("kind", DIALOGS, ids=lambda kind: kind.__name__)
def test_every_dialog_fits(
    room: Room, qtbot: QtBot, tmp_path: Path, kind: type[QDialog], language: str
) -> None:
    room.console.language.switch(language)
    dialog = DIALOGS[kind](room)
    with qtbot.waitExposed(dialog):
        dialog.show()
    for width, height in reversed(SIZES):
        screen = QSize(width, height) - _FRAME
        dialog.resize(dialog.size().boundedTo(screen))

        assert dialog.size() == dialog.size().boundedTo(screen), (width, height)
        for page in pages(dialog):
            seen(dialog, f"{kind.__name__}-{width}-{language}-{page}", tmp_path, qtbot)
    dialog.close()


def pages(dialog: QDialog) -> Iterator[str]:
    """Each page of its tabs is in front once; one where there are none."""
    found = [each for each in dialog.findChildren(QTabWidget) if each.isVisible()]
    for tabs in found:
        for at in range(tabs.count()):
            tabs.setCurrentIndex(at)
            yield f"{found.index(tabs)}-{at}"
        tabs.setCurrentIndex(0)
    yield "whole"


def test_every_dialog_of_the_window_is_looked_at() -> None:
    for module in pkgutil.walk_packages(app.desktop.__path__, "app.desktop."):
        importlib.import_module(module.name)

    assert set(_dialogs(QDialog)) - _BASES == set(DIALOGS)


def _dialogs(base: type[QDialog]) -> Iterator[type[QDialog]]:
    for kind in base.__subclasses__():
        if kind.__module__.startswith("app.desktop."):
            yield kind
            yield from _dialogs(kind)
