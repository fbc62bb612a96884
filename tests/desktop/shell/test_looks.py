"""Language, theme, text size: changed live and remembered."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QRawFont
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.kernel.icons import ICONS
from app.desktop.kernel.settings import WindowSettings
from app.desktop.kernel.statuses import LOOKS
from app.desktop.shell.fonts import FAMILY
from app.desktop.shell.locator_search import ICONS as FOUND_ICONS
from app.desktop.shell.modes import MODES
from app.desktop.shell.startup import chosen_language, make_console
from app.desktop.shell.window import MainWindow
from tests.api.fake_service import FakeService
from tests.desktop.conftest import FakeLink


def test_the_language_changes_at_once(window: MainWindow, qtbot: QtBot) -> None:
    actions = window.console.actions

    actions.get("view.language.zh_CN").trigger()

    qtbot.waitUntil(lambda: actions.get("mode.home").text() == "首页")
    qtbot.waitUntil(lambda: window.status.engine.words == "引擎：已连接")
    assert window.menuBar().actions()[0].text() == "文件(&F)"
    actions.get("view.language.en").trigger()
    qtbot.waitUntil(lambda: actions.get("mode.home").text() == "Home")


def test_the_theme_changes_at_once(window: MainWindow, looks: QApplication) -> None:
    window.console.actions.get("view.theme.dark").trigger()
    dark = looks.palette().window().color().lightness()
    window.console.actions.get("view.theme.light").trigger()

    assert dark < 100 < looks.palette().window().color().lightness()


def test_the_text_size_stays_between_its_limits(window: MainWindow) -> None:
    for _ in range(10):
        window.console.actions.get("view.larger").trigger()
    assert window.appearance.size == 150
    for _ in range(10):
        window.console.actions.get("view.smaller").trigger()
    assert window.appearance.size == 80
    window.console.actions.get("view.normal").trigger()
    assert window.appearance.size == 100


def test_choices_are_remembered(looks: QApplication, workspace: Path, settings: WindowSettings) -> None:
    settings.set("theme", "dark")
    settings.set("language", "zh_CN")
    settings.set("text_size", 120)
    link = FakeLink(FakeService())

    console = make_console(looks, workspace, link, settings)

    assert console.theme.dark
    assert console.theme.scale == 1.2
    assert console.language.current == "zh_CN"
    console.language.switch("en")
    link.close()


def test_the_language_of_the_machine_is_the_first_choice(
    settings: WindowSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    assert chosen_language(settings) == "zh_CN"
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    assert chosen_language(settings) == "en"


def test_the_shipped_font_has_chinese(window: MainWindow, looks: QApplication) -> None:
    assert looks.font().families()[0] == FAMILY
    shipped = QRawFont.fromFont(looks.font())
    assert all(shipped.supportsCharacter(ord(each)) for each in "Aé运行失败任务繁體")


def test_every_icon_can_be_drawn(looks: QApplication) -> None:
    for file in ICONS.glob("*.svg"):
        assert QSvgRenderer(str(file)).isValid(), file
        assert "currentColor" in file.read_text("utf-8"), file


def test_every_table_names_icons_that_exist() -> None:
    named = {each.icon for each in MODES} | {each.icon for each in LOOKS.values()} | set(FOUND_ICONS.values())

    assert {name for name in named if not (ICONS / f"{name}.svg").exists()} == set()


def test_every_action_names_an_icon_that_exists(window: MainWindow) -> None:
    for entry in MODES:
        window.show_mode(entry.key)
    named = {spec.icon for spec, _ in window.console.actions.all() if spec.icon}

    assert {name for name in named if not (ICONS / f"{name}.svg").exists()} == set()
