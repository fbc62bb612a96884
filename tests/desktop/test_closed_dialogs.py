"""A dialog that was closed is gone: nothing that lives longer calls it when language, colours or the engine change."""

from __future__ import annotations

import ast
import gc
import re
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

import app.desktop
from app.desktop.kernel.console import Console
from app.desktop.kernel.link import LinkState
from tests.api.fake_service import FakeService
from tests.desktop.conftest import FakeLink
from tests.desktop.dialogs import DIALOGS, Room, WholeService

_SHARED = re.compile(r"\b_?(link|theme|overview)\.(changed|state_changed|failed|refreshed)$")


@pytest.fixture
def service() -> FakeService:
    return WholeService()


@pytest.fixture
def closed(
    console: Console, service: FakeService, qtbot: QtBot, tmp_path: Path
) -> Callable[[type[QDialog]], weakref.ref[QDialog]]:
    """Opens a dialog and closes it again, with all that was made for it."""

    def open_and_close(kind: type[QDialog]) -> weakref.ref[QDialog]:
        over, folder = QWidget(), tmp_path / f"{kind.__name__}-{console.language.current}"
        folder.mkdir()
        room = Room(console, service, over, folder, qtbot.waitUntil)
        dialog = DIALOGS[kind](room)
        with qtbot.waitExposed(dialog):
            dialog.show()
        dialog.close()
        for each in reversed(room.kept):
            if hasattr(each, "let_go"):
                each.let_go()
            each.deleteLater()
        over.deleteLater()
        return weakref.ref(dialog)

    return open_and_close


def test_what_was_closed_follows_no_language_no_colours_and_no_engine(
    console: Console, closed: Callable[[type[QDialog]], weakref.ref[QDialog]]
) -> None:
    link = console.link
    assert isinstance(link, FakeLink)
    left: dict[str, weakref.ref[QDialog]] = {}

    # when every dialog was opened and closed, in one language and look after the other
    for language, dark in (("en", False), ("zh_CN", True)):
        console.language.switch(language)
        console.theme.switch(dark=dark)
        for kind in DIALOGS:
            left[f"{kind.__name__} {language}"] = closed(kind)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    # then nothing of them is told what changes (an exception in a slot fails the test)
    console.language.switch("en")
    console.theme.switch(dark=False)
    link.turn(LinkState.READ_ONLY)
    gc.unfreeze()
    gc.collect()
    assert [name for name, each in left.items() if each() is not None] == []


def test_what_all_parts_share_holds_none_of_them() -> None:
    """A function that is connected to it would be called after its widget has died, and keeps it from dying."""
    root = Path(app.desktop.__file__).parent
    found = [
        f"{file.relative_to(root)}:{at}" for file in root.rglob("*.py") for at in lasting_functions(file)
    ]
    assert found == []


def lasting_functions(file: Path) -> Iterator[int]:
    """Lines where a lambda is connected to a signal of the console's link, theme or overview."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        match node:
            case ast.Call(func=ast.Attribute(attr="connect", value=signal), args=[ast.Lambda(), *_]):
                if _SHARED.search(ast.unparse(signal)):
                    yield node.lineno
