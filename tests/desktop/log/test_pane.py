"""The log pane as a person uses it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Console
from app.desktop.kernel.times import shown
from app.desktop.log.model import LogStream
from app.desktop.log.pane import LogPane
from engine.api.documents import LogFile
from engine.model.missing_files import MissingFile, record

LINES = [f"{i:05} all is well" for i in range(5000)]


@pytest.fixture
def pane(console: Console, qtbot: QtBot) -> Iterator[LogPane]:
    pane = LogPane(console)
    pane.resize(900, 500)
    qtbot.addWidget(pane)
    with qtbot.waitExposed(pane):
        pane.show()
    yield pane
    pane.stop()


def file(path: Path, node: str = "load", *, ended: bool = True, attempt: int = 1) -> LogFile:
    return LogFile(node=node, instance=1, attempt=attempt, path=str(path), ended=ended)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "job.log"
    path.write_text(
        "\n".join([*LINES[:2000], "ERROR here", *LINES[2000:4000], "an error there", *LINES[4000:], ""])
    )
    (tmp_path / "job-error.log").write_text("nothing good\n")
    return path


def current_line(pane: LogPane) -> str:
    page = pane.model.all_rows().page(pane.full.caret, 1)
    return page[0].row.text.decode()


def counted(pane: LogPane, qtbot: QtBot, text: str) -> None:
    qtbot.waitUntil(lambda: not pane.model.searching and pane.bar.count.text() == text)


def test_a_log_opens_at_its_end_and_the_keys_walk_through_it(pane: LogPane, log: Path, qtbot: QtBot) -> None:
    pane.open([file(log)])
    assert pane.full.at_end

    qtbot.keyClick(pane.full, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(pane.full, Qt.Key.Key_Down)
    assert current_line(pane) == LINES[1]
    assert not pane.bar.follow.isChecked()

    qtbot.keyClick(pane.full, Qt.Key.Key_PageDown)
    qtbot.keyClick(pane.full, Qt.Key.Key_PageUp)
    assert current_line(pane) == LINES[1]
    qtbot.keyClick(pane.full, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert current_line(pane) == LINES[-1]


def test_typing_finds_and_f3_goes_round(pane: LogPane, log: Path, qtbot: QtBot) -> None:
    pane.open([file(log)])
    qtbot.keyClick(pane.full, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(pane.bar.search, "error")
    counted(pane, qtbot, "– / 2")

    qtbot.keyClick(pane.bar.search, Qt.Key.Key_Return)
    assert current_line(pane) == "ERROR here"
    assert pane.bar.count.text() == "1 / 2"
    pane.matches.go_next()
    assert current_line(pane) == "an error there"
    pane.matches.go_next()
    assert current_line(pane) == "ERROR here"
    pane.matches.go_previous()
    assert current_line(pane) == "an error there"

    qtbot.mouseClick(pane.bar.case, Qt.MouseButton.LeftButton)
    counted(pane, qtbot, "1 / 1")


def test_levels_and_patterns_and_the_list_of_matches(pane: LogPane, log: Path, qtbot: QtBot) -> None:
    pane.open([file(log)])
    qtbot.mouseClick(pane.bar.levels["error"], Qt.MouseButton.LeftButton)
    counted(pane, qtbot, "– / 1")
    qtbot.mouseClick(pane.bar.levels["error"], Qt.MouseButton.LeftButton)
    qtbot.mouseClick(pane.bar.regex, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(pane.bar.search, "^0[01]..7")
    counted(pane, qtbot, "– / 200")

    qtbot.mouseClick(pane.bar.only, Qt.MouseButton.LeftButton)
    assert pane.found.isVisible()
    qtbot.keyClick(pane.found, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(pane.found, Qt.Key.Key_Down)
    assert current_line(pane) == LINES[17]


def test_a_bad_pattern_is_said_and_not_shown_as_no_match(pane: LogPane, log: Path, qtbot: QtBot) -> None:
    pane.open([file(log)])
    pane.bar.regex.setChecked(True)
    qtbot.keyClicks(pane.bar.search, "(oops")
    qtbot.waitUntil(lambda: "missing" in " ".join(getattr(pane._console.navigator, "said", [])))


def test_a_growing_log_is_followed_until_the_operator_looks_back(
    pane: LogPane, log: Path, qtbot: QtBot
) -> None:
    pane.open([file(log, ended=False)])
    with log.open("a") as more:
        more.write("a new line\n")
    qtbot.waitUntil(lambda: pane.model.text.size == log.stat().st_size)
    assert pane.full.at_end

    qtbot.keyClick(pane.full, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    with log.open("a") as more:
        more.write("error again\n")
    qtbot.waitUntil(lambda: pane.model.text.size == log.stat().st_size)
    assert current_line(pane) == LINES[0]
    assert pane.full.caret == 0


def test_a_search_goes_on_in_what_comes_later(pane: LogPane, log: Path, qtbot: QtBot) -> None:
    pane.open([file(log, ended=False)])
    qtbot.keyClicks(pane.bar.search, "error")
    counted(pane, qtbot, "– / 2")
    with log.open("a") as more:
        more.write("one more error\n")
    counted(pane, qtbot, "3 / 3")


def test_a_log_that_was_cut_is_shown_again(pane: LogPane, log: Path, qtbot: QtBot) -> None:
    pane.open([file(log, ended=False)])
    log.write_text("short\n")
    qtbot.waitUntil(lambda: pane.model.text.size == 6)
    assert current_line(pane) == "short"


def test_dragging_selects_and_copying_gives_the_text_as_it_is(pane: LogPane, log: Path, qtbot: QtBot) -> None:
    log.write_text("first line\n\x1b[31mred\x1b[0m\ttab\nthird line\n")
    pane.open([file(log)])
    pane.full.viewport().repaint()
    line, margin = int(pane.full._line), int(pane.full._margin()) + 4
    view = pane.full.viewport()
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(margin, 2))
    qtbot.mouseMove(view, QPoint(margin + int(pane.full._digit * 5) + 2, 2 * line + 2))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(margin, 2 * line + 2))
    pane.copy()
    assert QGuiApplication.clipboard().text() == "first line\nred\ttab\nthird"

    pane.full.select_all()
    pane.copy()
    assert QGuiApplication.clipboard().text() == "first line\nred\ttab\nthird line"


def test_going_to_a_line_a_part_and_a_time(pane: LogPane, log: Path, qtbot: QtBot) -> None:
    log.write_text("".join(f"2026-11-21 08:{i // 60:02}:{i % 60:02} line {i}\n" for i in range(3000)))
    pane.open([file(log)])
    qtbot.waitUntil(lambda: pane.model.index.counted == pane.model.text.size)
    for typed, line in (("17", 16), ("50 %", 1518), ("08:41:07", 2467)):
        pane.bar.place.setText(typed)
        qtbot.keyClick(pane.bar.place, Qt.Key.Key_Return)
        assert abs(int(current_line(pane).split()[-1]) - line) <= (2 if "%" in typed else 0)
    pane.bar.place.setText("99999")
    qtbot.keyClick(pane.bar.place, Qt.Key.Key_Return)
    assert pane._console.navigator.said[-1] == "There is no such line or time in this log."


def test_going_to_a_time_in_both_streams_together_goes_by_what_was_measured(
    pane: LogPane, log: Path, qtbot: QtBot
) -> None:
    begun = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
    (log.parent / "ctx.json").write_text(
        json.dumps({"START_TIME": begun.isoformat(), "END_TIME": (begun + timedelta(seconds=9)).isoformat()})
    )
    log.write_text("one\ntwo\nthree\n")
    (log.parent / "job-error.log").write_text("first trouble\nsecond trouble\n")
    rows = ("time,output,errors", "2026-11-21T08:00:02+00:00,4,0", "2026-11-21T08:00:05+00:00,8,14")
    (log.parent / "monitor.csv").write_text("\n".join(rows))
    pane.open([file(log)], LogStream.BOTH)
    qtbot.waitUntil(lambda: pane.model.index.counted == pane.model.text.size)

    pane.bar.place.setText(shown((begun + timedelta(seconds=3)).timestamp()).strftime("%H:%M:%S"))
    qtbot.keyClick(pane.bar.place, Qt.Key.Key_Return)
    assert current_line(pane) == "two"

    pane.bar.place.setText(shown((begun + timedelta(seconds=6)).timestamp()).strftime("%H:%M:%S"))
    qtbot.keyClick(pane.bar.place, Qt.Key.Key_Return)
    assert current_line(pane) == "three"

    pane.bar.place.setText(shown((begun + timedelta(hours=2)).timestamp()).strftime("%H:%M:%S"))
    qtbot.keyClick(pane.bar.place, Qt.Key.Key_Return)
    assert pane._console.navigator.said[-1] == "There is no such line or time in this log."  # type: ignore[attr-defined]


def test_both_streams_apart_and_together(pane: LogPane, log: Path, qtbot: QtBot) -> None:
    pane.open([file(log)], LogStream.ERRORS)
    assert current_line(pane) == "nothing good"
    pane.bar.streams.setCurrentIndex(2)
    pane.bar.streams.activated.emit(pane.bar.streams.currentIndex())
    last = pane.model.all_rows().page(pane.model.all_rows().step(pane.model.text.size, -1), 1)
    assert (last[0].row.source, last[0].row.text) == (1, b"nothing good")


def test_several_attempts_are_offered_by_name(pane: LogPane, log: Path) -> None:
    pane.open([file(log), file(log, attempt=2), file(log, "other")])
    assert [pane.bar.logs.itemText(i) for i in range(3)] == ["load · attempt 1", "load · attempt 2", "other"]
    pane.open(())
    assert pane.empty.isVisible()


def test_a_log_is_saved_byte_for_byte(pane: LogPane, log: Path, tmp_path: Path, qtbot: QtBot) -> None:
    log.write_bytes(b"\xff\x00raw\r\n\x1b[31mred" * 1000)
    pane.open([file(log)])
    pane.save_to(tmp_path / "copy.log")
    qtbot.waitUntil(lambda: "The log is saved." in pane._console.navigator.said)
    assert (tmp_path / "copy.log").read_bytes() == log.read_bytes()


def test_a_very_long_line_is_cut_on_the_screen_and_whole_in_a_window(
    pane: LogPane, log: Path, qtbot: QtBot
) -> None:
    log.write_text("x" * 100_000 + "!\n")
    pane.open([file(log)])
    pane.full.setFocus()
    qtbot.keyClick(pane.full, Qt.Key.Key_Return)
    [window] = pane.findChildren(QDialog)
    assert window.findChild(QPlainTextEdit).toPlainText() == "x" * 100_000 + "!"
    window.close()


def test_the_logs_text_cannot_dress_up_as_something_else(pane: LogPane, log: Path, qtbot: QtBot) -> None:
    log.write_text("<b>bold</b> \u202egpj.exe\n")
    pane.open([file(log)])
    pane.full.viewport().repaint()
    page = pane.full._page
    assert page[0].row.text.decode() == "<b>bold</b> \u202egpj.exe"
    assert pane.full._text(0).text == "<b>bold</b> ‹U+202E›gpj.exe"


def test_what_a_power_cut_took_of_a_log_is_said(pane: LogPane, tmp_path: Path) -> None:
    # given an instance whose record says that a log is missing
    (tmp_path / ".skerry").mkdir()
    left = record({"jobs/job-a-1/job.log": MissingFile(5, 0)}, "2026-11-22T08:00:00+00:00")
    (tmp_path / ".skerry/missing.json").write_bytes(left)
    folder = tmp_path / "jobs/job-a-1"
    folder.mkdir(parents=True)

    # when it is shown, then an empty pane does not look as if nothing had been printed
    pane.open([file(folder / "job.log", "a")])
    assert pane.missing.isVisible()
    assert pane.missing.text() == "job.log: a power cut took 5 of 5 bytes"

    # and another log has nothing of it
    pane.open([file(folder.with_name("job-b-2") / "job.log", "b")])
    assert not pane.missing.isVisible()
    pane.open([])
    assert not pane.missing.isVisible()
