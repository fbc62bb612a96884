"""Whoever changes the language sees all of it at once: nothing that was already on the screen stays in the other one."""

from __future__ import annotations

import re

from pytestqt.qtbot import QtBot

from app.desktop.shell.window import MainWindow
from app.texts import catalogue
from tests.desktop.bundles.test_loop import failed
from tests.desktop.screen_texts import screen_texts
from tests.desktop.test_panes_fit import runs, shown

__all__ = ["failed", "runs"]
_KEYS = re.compile(r"<[^>]*>|\s*\([A-Z][\w+. ]*.\)$")  # tags; the keys of an action


def test_what_was_shown_in_english_is_in_chinese_after_the_switch(
    engine_window: MainWindow, runs: tuple[int, int], qtbot: QtBot
) -> None:
    for _ in shown(engine_window, runs, qtbot):
        qtbot.wait(1)

    engine_window.console.language.switch("zh_CN")

    def all_is_chinese() -> None:  # what was replaced goes a few turns later
        assert left_in_english(engine_window) == set()

    qtbot.waitUntil(all_is_chinese)


def left_in_english(window: MainWindow) -> set[tuple[str, str]]:
    """Sentences of the catalogue that are still shown as they are in the source."""
    known = {_plain(text) for text, chinese in catalogue("zh").items() if text != chinese and " " in text}
    return {(where, text) for where, text in screen_texts(window) if _plain(text) in known}


def _plain(text: str) -> str:
    return _KEYS.sub("", text).replace("&", "").rstrip("…")
