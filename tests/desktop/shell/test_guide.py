"""The user guide in the window: every page, both languages, search, links; nothing leads out of it."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt, QUrl
from pytestqt.qtbot import QtBot

from app.desktop.shell.guide import Guide
from app.desktop.shell.guide_pages import found, named, pages
from app.desktop.shell.window import MainWindow


def opened(window: MainWindow, qtbot: QtBot) -> Guide:
    qtbot.keyClick(window, Qt.Key.Key_F1)
    guide = window.findChild(Guide)
    assert isinstance(guide, Guide)
    qtbot.waitUntil(guide.isVisible)
    return guide


def test_f1_shows_the_guide_which_is_searched(window: MainWindow, qtbot: QtBot) -> None:
    guide = opened(window, qtbot)
    assert guide.page is not None
    assert guide.page.name == "guide"

    qtbot.keyClicks(guide.line, "pinned host key")

    assert guide.list.count() >= 1
    assert guide.text.textCursor().selectedText().casefold() in ("pinned", "host", "key")
    guide.line.setText("zzzzz")
    assert guide.list.count() == 0
    assert guide.text.toPlainText() == "No page has this."
    guide.close()


def test_a_link_leads_to_its_page_and_out_of_the_guide_nowhere(window: MainWindow, qtbot: QtBot) -> None:
    guide = opened(window, qtbot)
    guide.open_page("designing")

    guide.text.anchorClicked.emit(QUrl("schedules.md#who-may-wait-for-whom"))
    assert guide.page is not None
    assert guide.page.name == "schedules"
    guide.text.anchorClicked.emit(QUrl("https://example.org/schedules.md"))
    guide.text.anchorClicked.emit(QUrl("../ARCHITECTURE.md"))
    assert guide.page.name == "schedules"
    guide.close()


def test_it_speaks_chinese_and_stays_on_its_page(window: MainWindow, qtbot: QtBot) -> None:
    guide = opened(window, qtbot)
    guide.open_page("designing")

    window.console.language.switch("zh_CN")

    qtbot.waitUntil(lambda: guide.page is not None and guide.page.title == "绘制任务")
    assert guide.windowTitle() == "用户指南"
    guide.close()


def test_pages_of_both_languages_link_to_each_other() -> None:
    english, chinese = pages(False), pages(True)
    assert {page.name for page in english} == {page.name for page in chinese}
    assert {"guide", "job-types/shell", "resources/file"} <= {page.name for page in english}

    plain = next(page for page in chinese if page.name == "guide")
    target = named(chinese, plain, "schedules.md")
    assert target is not None
    assert target.name == "schedules"
    assert found(english, "calendar")[0].title.casefold().count("calendar") <= 1
    assert found(english, "zzzz") == []


def test_every_page_is_in_chinese() -> None:
    for page in pages(True):
        assert "zh" in page.folder.parts, page.name
        assert re.search("[\u4e00-\u9fff]", page.title) or "/" in page.name, page.name


def test_what_reruns_are_is_found_in_chinese() -> None:
    assert "watching" in {page.name for page in found(pages(True), "重跑")[:3]}


def test_the_first_place_of_another_word_is_selected(window: MainWindow, qtbot: QtBot) -> None:
    window.console.language.switch("zh_CN")
    guide = opened(window, qtbot)

    guide.line.setText("重跑")

    assert guide.text.textCursor().selectedText() == "重新执行"
    guide.close()
