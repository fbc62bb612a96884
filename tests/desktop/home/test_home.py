"""Home as a person uses it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.desktop.home.attention import Item, Section, items
from app.desktop.home.attention_detail import Detail
from app.desktop.home.attention_list import AttentionList
from app.desktop.home.condition_pages import PAGES
from app.desktop.home.mode import HomeMode
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.link import LinkState
from app.desktop.kernel.overview import Snapshot
from app.desktop.run.error_box import ErrorBox
from app.desktop.shell.window import MainWindow
from engine.api.documents import RunRequest, Source
from engine.api.service import Service
from engine.model.codes.store import DAMAGED, ROW_DAMAGED
from engine.store.sqlite import connect
from tests.api.fake_service import FakeService, instance
from tests.desktop.conftest import FakeLink, load_example
from tests.desktop.queue.test_queue import answer


def home(window: MainWindow) -> HomeMode:
    mode = window.mode("home")
    assert isinstance(mode, HomeMode)
    return mode


def test_a_new_workspace_offers_the_examples(engine_window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: home(engine_window).welcome.isVisible(), timeout=10_000)

    qtbot.mouseClick(home(engine_window).welcome.load, Qt.MouseButton.LeftButton)

    qtbot.waitUntil(lambda: engine_window.front == "design", timeout=10_000)
    tasks = {row["id"] for row in engine_window.console.link.service().definitions("task")}
    assert {"tour", "nightly"} <= tasks


def test_the_failed_job_is_one_enter_away(
    engine_window: MainWindow, engine_service: Service, qtbot: QtBot
) -> None:
    load_example(engine_service, "repair")
    number = engine_service.run(RunRequest(task="nightly"))
    lines = home(engine_window).lines
    qtbot.waitUntil(lambda: lines.current is not None and lines.current.status == "failed", timeout=20_000)
    detail = home(engine_window).detail
    qtbot.waitUntil(lambda: "too many rows: 25 > 10" in detail.tail.toPlainText())
    assert detail.title.text().startswith("-11000001003")
    assert detail.remedy.text()
    engine_window.show_mode("home").entered()

    qtbot.keyClick(lines, Qt.Key.Key_Return)

    assert lines.current is not None
    assert lines.current.target == Target("instance", str(number), node="load", detail="error")
    assert engine_window.front == "run"
    error = engine_window.mode("run").findChild(ErrorBox)
    assert isinstance(error, ErrorBox)
    qtbot.waitUntil(lambda: error.isVisible() and "-11000001003" in error.code.text(), timeout=10_000)


def test_why_something_needs_a_person_can_be_read_on_a_small_screen(window: MainWindow, qtbot: QtBot) -> None:
    lines = home(window).lines
    window.resize(1600, 800)
    qtbot.waitUntil(lambda: lines.columnWidth(1) == 260)

    window.resize(800, 500)

    qtbot.waitUntil(lambda: lines.columnWidth(1) < 200)
    assert lines.columnWidth(2) > lines.viewport().width() * 0.3
    lines.setColumnWidth(1, 90)
    window.resize(1600, 800)
    qtbot.waitUntil(lambda: lines.columnWidth(3) == 140)
    assert lines.columnWidth(1) == 90


def test_what_to_do_about_a_failure_is_scrolled_where_it_has_no_room(
    engine_window: MainWindow, engine_service: Service, qtbot: QtBot
) -> None:
    load_example(engine_service, "repair")
    engine_service.run(RunRequest(task="nightly"))
    lines, detail = home(engine_window).lines, home(engine_window).detail
    qtbot.waitUntil(lambda: lines.current is not None and lines.current.status == "failed", timeout=20_000)

    engine_window.resize(800, 500)

    texts = (detail.title, detail.fact, detail.cause, detail.remedy)
    qtbot.waitUntil(lambda: all(each.height() >= each.heightForWidth(each.width()) for each in texts))
    qtbot.waitUntil(lambda: detail.words.verticalScrollBar().maximum() > 0)
    assert detail.words.horizontalScrollBar().maximum() == 0
    assert detail.code.geometry().bottom() < detail.height()


def test_home_says_that_no_engine_runs(window: MainWindow) -> None:
    link = window.console.link
    assert isinstance(link, FakeLink)

    link.turn(LinkState.READ_ONLY)
    lines = home(window).lines

    assert lines.shown[0].status == "engine"
    link.turn(LinkState.CONNECTED)
    assert "engine" not in {item.status for item in lines.shown}


def test_held_schedules_go_on_once_a_person_says_that_the_clock_is_right(
    window: MainWindow, service: FakeService, qtbot: QtBot
) -> None:
    since = "2026-11-21T01:00:00+00:00"
    service.answers["clock"] = {"held": True, "since": since, "reason": "the clock was set ahead"}
    window.show_mode("home")
    home(window).console.overview.soon()
    lines = home(window).lines
    qtbot.waitUntil(lambda: bool(lines.shown) and lines.shown[0].status == "clock")
    lines.setCurrentItem(lines.topLevelItem(0).child(0))
    service.answers.pop("clock")

    answer("It is right")
    qtbot.keyClick(lines, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: ("accept",) in service.asked)
    qtbot.waitUntil(lambda: all(item.status != "clock" for item in lines.shown))
    assert not window.console.actions.get("home.accept_clock").isEnabled()


ASKING = """
skerry: 1
tasks:
  month:
    nodes:
      ask: {type: approve, question: "Load the figures of May?", value: number, note: required, deadline: 1h}
"""


def test_a_question_is_answered_on_home_with_the_keyboard(
    engine_window: MainWindow, engine_service: Service, qtbot: QtBot
) -> None:
    # given a job that asks
    engine_service.load([Source(name="month.yaml", text=ASKING)])
    number = engine_service.run(RunRequest(task="month"))
    lines, card = home(engine_window).lines, home(engine_window).detail.card
    qtbot.waitUntil(lambda: lines.current is not None and lines.current.asked is not None, timeout=20_000)
    engine_window.show_mode("home").entered()

    # then the line says what is asked, and beside it are the fields; the deadline is a time of the clock here
    assert lines.current is not None
    assert lines.current.section is Section.NEEDS
    assert lines.current.name == f"month #{number} · ask"
    assert "Load the figures of May?" in lines.currentItem().text(2)
    assert card.isVisible()
    question, deadline = card.question.text().splitlines()
    assert question == "Load the figures of May?"
    assert deadline.startswith("To be answered by ")
    assert "T" not in deadline.removeprefix("To")

    # when what is needed is typed, and Enter pressed
    card.value.setFocus()
    qtbot.keyClicks(card.value, "7")
    qtbot.keyClicks(card.note, "as agreed")
    qtbot.keyClick(card.note, Qt.Key.Key_Return)

    # then it is answered, the line is gone and the list has the focus
    qtbot.waitUntil(lambda: engine_service.instance(number)["status"] == "succeeded", timeout=20_000)
    qtbot.waitUntil(lambda: not any(item.asked for item in lines.shown), timeout=20_000)
    assert engine_service.instance(number)["jobs"][0]["results"]["note"] == "as agreed"
    assert engine_window.front == "home"
    assert not card.isVisible()
    assert lines.hasFocus()


def texts(lines: AttentionList) -> list[list[str]]:
    """What each row shows, below its section."""
    heads = [lines.topLevelItem(at) for at in range(lines.topLevelItemCount())]
    rows = [head.child(at) for head in heads for at in range(head.childCount())]
    return [[row.text(column) for column in range(4)] for row in rows]


def test_while_nothing_is_known_nothing_is_said_to_need_nobody(console: Console, qtbot: QtBot) -> None:
    mode = HomeMode(console)
    qtbot.addWidget(mode)

    mode.lines.setCurrentItem(mode.lines.topLevelItem(0))  # a heading, as the keyboard has it
    assert {row[0] for row in texts(mode.lines)} == {"Looking…"}
    assert mode.detail.name.text() == "Looking…"
    qtbot.waitUntil(lambda: console.overview.latest is not None)
    qtbot.waitUntil(lambda: mode.detail.name.text() != "Looking…")
    assert "Nothing runs." in {row[0] for row in texts(mode.lines)}


def test_what_needs_a_person_takes_the_place_of_a_line_that_no_hand_selected(
    console: Console, qtbot: QtBot
) -> None:
    lines = HomeMode(console).lines
    qtbot.addWidget(lines)
    coming = [Item(Section.COMING, "planned", f"t #{n}", "2026-11-29T10:00:00Z") for n in (1, 2)]
    asked = Item(Section.NEEDS, "waiting", "u #3", "2026-11-29T09:00:00Z")
    lines.show_items(coming)
    assert lines.current == coming[0]

    lines.show_items([asked, *coming])
    assert lines.current == asked

    lines.setCurrentItem(lines.topLevelItem(2).child(1))
    lines.show_items([replace(asked, name="u #4"), asked, *coming])
    assert lines.current == coming[1]


def test_what_is_said_about_a_line_has_its_share_of_the_window(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 720)
    mode = home(window)

    qtbot.waitUntil(lambda: mode.detail.width() > 0.3 * (mode.lines.width() + mode.detail.width()))


def test_three_failures_of_one_kind_are_one_row_with_what_the_last_of_them_wrote(
    engine_window: MainWindow, engine_service: Service, qtbot: QtBot
) -> None:
    load_example(engine_service, "repair")
    numbers = [engine_service.run(RunRequest(task="nightly")) for _ in range(3)]
    lines = home(engine_window).lines

    qtbot.waitUntil(lambda: lines.current is not None and len(lines.current.alike) == 3, timeout=30_000)
    qtbot.waitUntil(lambda: "too many rows: 25 > 10" in texts(lines)[0][2], timeout=10_000)

    [row] = [row for row in texts(lines) if row[0] == "failed"]
    assert row[1].endswith("· load  ×3")
    assert lines.current is not None
    assert set(lines.current.alike) == set(numbers)
    assert all(f"#{number}" in home(engine_window).detail.fact.text() for number in numbers)
    lines.setCurrentItem(lines.topLevelItem(0))
    assert home(engine_window).detail.name.text() == "Nothing is selected."


def test_a_failure_is_on_home_while_its_run_goes_on_and_the_row_of_the_run_counts_it(
    engine_window: MainWindow, engine_service: Service, qtbot: QtBot
) -> None:
    text = """\
skerry: 1
tasks:
  half: {nodes: {bad: {type: shell, process: "exit 3"}, hold: {type: wait, for: 1h}, after: {after: [bad], type: shell, process: "true"}}}
"""
    engine_service.load([Source(name="t.yaml", text=text)])
    number = engine_service.run(RunRequest(task="half"))
    lines = home(engine_window).lines

    qtbot.waitUntil(
        lambda: any(row[0] == "running" and "1 failed" in row[2] for row in texts(lines)), timeout=30_000
    )

    [needs] = [item for item in lines.shown if item.alike]
    assert needs.alike == (number,)
    [row] = [row for row in texts(lines) if row[0] == "running"]
    assert "2 of 3 jobs" in row[2] or "1 of 3 jobs" in row[2]
    engine_service.cancel(number)
    qtbot.waitUntil(lambda: not any(row[0] == "running" for row in texts(lines)), timeout=30_000)
    assert [item.note for item in lines.shown if item.alike] == ["in a run that was cancelled"]


def test_each_condition_that_lasts_has_a_page_with_what_to_do(console: Console, qtbot: QtBot) -> None:
    went: list[Target] = []
    console.navigator.go = went.append  # type: ignore[method-assign]
    detail = Detail(console, None)  # type: ignore[arg-type]
    qtbot.addWidget(detail)
    detail.show()
    for name, page in PAGES.items():
        detail.show_item(Item(Section.NEEDS, "disk", "", page=name))
        assert detail.title.text() == page.title
        assert detail.cause.text() == page.meaning
        assert detail.remedy.text() == page.remedy
        assert [each.text() for each in detail.doing if not each.isHidden()] == [
            text for text, _ in page.buttons
        ]
        assert detail.open.isHidden()

    detail.show_item(Item(Section.NEEDS, "disk", "", page="full"))
    qtbot.mouseClick(detail.doing[0], Qt.MouseButton.LeftButton)
    assert went == [Target("admin", "room")]


def test_a_damaged_definition_is_on_home_until_it_is_whole_again(
    engine_window: MainWindow, engine_service: Service, workspace: Path, qtbot: QtBot
) -> None:
    load_example(engine_service, "tour")
    spoil = "UPDATE definition_revision SET content = replace(content, ?, ?) WHERE id = 'tour'"
    with closing(connect(workspace / "skerry.db", read_only=False)) as database:
        triggers = database.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'definition_revision'"
        ).fetchall()
        for name, _ in triggers:
            database.execute(f"DROP TRIGGER {name}")
        database.execute(spoil, ("alpha", "omega"))
    lines, overview = home(engine_window).lines, engine_window.console.overview

    overview.soon()

    qtbot.waitUntil(lambda: [each.status for each in lines.shown] == ["damaged"], timeout=20_000)
    [item] = lines.shown
    assert (item.name, item.page, item.target) == ("tour", "damaged", Target("task", "tour"))
    with closing(connect(workspace / "skerry.db", read_only=False)) as database:
        database.execute(spoil, ("omega", "alpha"))
    overview.soon()
    qtbot.waitUntil(lambda: lines.shown == [], timeout=20_000)


def test_damage_of_the_database_stays_on_home_after_its_alert_was_seen() -> None:
    since, words = "2026-11-21T01:00:00+00:00", "2 places are damaged"
    alert = {"id": 1, "instance": None, "message": words, "created_at": since, "code": DAMAGED.number}
    damage = {"since": since, "reason": words, "reason_facts": None}
    now = datetime(2026, 11, 21, tzinfo=UTC)

    unseen, seen = items(Snapshot(alerts=(alert,), damage=damage), now), items(Snapshot(damage=damage), now)

    assert [(each.status, each.page, each.detail) for each in unseen] == [("damaged", "damaged", words)]
    assert seen == unseen
    assert items(Snapshot(), now) == []


def test_a_damaged_instance_is_on_home_until_it_is_gone() -> None:
    row = {
        **instance(3, "lost", jobs=[]), "task": "nightly", "error_code": ROW_DAMAGED.number,
        "error_message": "instance 3: the stored row does not fit its checksum",
    }  # fmt: skip
    now = datetime(2026, 11, 21, tzinfo=UTC)

    found = items(Snapshot(instances=(row,)), now)

    assert [(each.status, each.page, each.name) for each in found] == [("damaged", "damaged", "nightly #3")]
    assert items(Snapshot(), now) == []
