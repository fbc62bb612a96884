"""Binding values by picking: no expression is typed, and the document holds the contract's."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.design.document import Document
from app.desktop.design.forms.kinds.text import TextEditor
from app.desktop.design.picker.picker import Picker
from app.desktop.design.picker.regex_builder import RegexBuilder
from app.desktop.design.tree import REMOVE, get
from engine.api.service import Service
from tests.desktop.forms.acting import click, opened, pick, row, type_into
from tests.desktop.forms.conftest import Play, Show, run


def test_a_value_is_bound_by_searching_and_enter(tour: Document, show: Show, qtbot: QtBot) -> None:
    form = show(tour)
    form.show_node("words")
    path = tour.node_path("words", "params", "text")
    tour.set(path, REMOVE, "away")

    click(row(form, "params", "text").box.picks)
    picker = opened(Picker, qtbot)
    QTest.keyClicks(picker.search, "kernel")  # it is not before this node
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    assert not picker.use.isEnabled()
    QTest.keyClick(picker, Qt.Key.Key_Escape)
    assert get(tour.tree, path) is None

    tour.set(tour.node_path("table", "params", "count"), 0, "a literal")
    form.show_node("table")
    pick(row(form, "params", "count").box.picks, "words count", qtbot)

    assert get(tour.tree, tour.node_path("table", "params", "count")) == "$.JOB['words'].RESULT['count']"
    chip = row(form, "params", "count").box.chip
    assert chip is not None
    qtbot.waitUntil(lambda: chip.body.text() == "words › count")


def test_the_sample_and_the_preview_come_from_the_latest_run(
    real_tour: Document, show: Show, engine_service: Service, qtbot: QtBot
) -> None:
    instance = run(engine_service, "tour", qtbot)
    form = show(real_tour)
    qtbot.waitUntil(lambda: bool(form.samples.runs))
    form.show_node("table")
    shown = row(form, "params", "count")
    qtbot.waitUntil(lambda: shown.sample.text() == f"With run #{instance} this gives 4")

    click(row(form, "params", "first").box.picks)
    picker = opened(Picker, qtbot)
    rows = {each.text(0): each for each in _leaves(picker)}
    qtbot.waitUntil(lambda: rows["words"].text(2) == '["the","quick","brown","fox"]')
    picker.tree.setCurrentItem(rows["words"].child(2))
    qtbot.waitUntil(lambda: picker.preview.text() == f"With run #{instance} this gives brown")
    click(picker.use)

    assert (
        get(real_tour.tree, real_tour.node_path("table", "params", "first"))
        == "$.JOB['words'].RESULT['words'][2]"
    )


def test_a_path_is_put_into_a_text_where_the_cursor_is(tour: Document, show: Show, qtbot: QtBot) -> None:
    form = show(tour)
    form.show_node("read")
    box = row(form, "params", "path").box
    editor = box.editor
    assert isinstance(editor, TextEditor)
    type_into(editor.edit, "/data//x.txt")
    for _ in range(len("/x.txt")):
        QTest.keyClick(editor.edit, Qt.Key.Key_Left)

    pick(box.picks, "name of the task", qtbot)

    assert get(tour.tree, tour.node_path("read", "params", "path")) == "/data/{$.TASK.NAME}/x.txt"
    QTest.keyClick(editor.edit, Qt.Key.Key_Backspace)
    assert get(tour.tree, tour.node_path("read", "params", "path")) == "/data//x.txt"


def test_an_item_and_a_field_are_chosen_without_any_run(tour: Document, show: Show, qtbot: QtBot) -> None:
    form = show(tour)
    tour.set(tour.node_path("enough", "value"), REMOVE, "away")
    form.show_node("enough")
    box = row(form, "value").box
    editor = box.editor
    assert editor is not None
    editor._turned(1)  # type: ignore[attr-defined]
    click(editor.value.picks)  # type: ignore[attr-defined]
    picker = opened(Picker, qtbot)
    QTest.keyClicks(picker.search, "query rows")
    click(picker.parts.item)
    click(picker.parts.field)
    QTest.keyClicks(picker.parts._boxes[1], "n")
    click(picker.use)

    assert get(tour.tree, tour.node_path("enough", "value")) == "$.JOB['query'].RESULT['rows'][0]['n']"


def test_a_part_of_an_output_is_built_and_tried_on_a_past_run(
    real_tour: Document, show: Show, engine_service: Service, qtbot: QtBot
) -> None:
    run(engine_service, "tour", qtbot)
    form = show(real_tour)
    qtbot.waitUntil(lambda: bool(form.samples.runs))
    form.show_node("table")
    click(row(form, "params", "count").box.picks)
    picker = opened(Picker, qtbot)
    QTest.keyClicks(picker.search, "what it printed")
    click(picker.pattern)
    builder = opened(RegexBuilder, qtbot)
    qtbot.waitUntil(lambda: builder.sample.toPlainText() == "start 4 end")
    type_into(builder.before, "start ")
    type_into(builder.after, " end")
    qtbot.waitUntil(lambda: builder.outcome.text() == "This gives: 4")
    click(builder.use)
    qtbot.waitUntil(lambda: "this gives 4" in picker.preview.text())
    click(picker.use)

    wanted = "{$.JOB['words'].OUTPUT}:REGEX:(?<=start ).*?(?= end)"
    assert get(real_tour.tree, real_tour.node_path("table", "params", "count")) == wanted


def test_a_chip_tells_the_canvas_where_it_comes_from(tour: Document, show: Show, qtbot: QtBot) -> None:
    form = show(tour)
    form.show_node("table")
    reported: list[str] = []
    form.hover.node.connect(reported.append)
    chip = row(form, "params", "count").box.chip
    assert chip is not None

    place = QPointF(3, 3)
    QApplication.sendEvent(chip, QEnterEvent(place, place, place))
    assert reported[-1:] == ["words"]
    QApplication.sendEvent(chip, QEvent(QEvent.Type.Leave))
    assert reported[-1:] == [""]


def test_a_chip_is_taken_away_by_its_cross_and_comes_back_with_undo(
    tour: Document, show: Show, qtbot: QtBot
) -> None:
    form = show(tour)
    form.show_node("table")
    path = tour.node_path("table", "params", "count")
    before = get(tour.tree, path)
    chip = row(form, "params", "count").box.chip
    assert chip is not None

    click(chip._clear)
    assert get(tour.tree, path) is None
    tour.undo.undo()

    assert get(tour.tree, path) == before
    assert tour.undo.redoText() == "Clear count"


def test_what_was_typed_as_yaml_is_shown_as_a_chip_or_as_text(play: Play, show: Show) -> None:
    nodes = {
        "a": {"type": "shell", "process": "echo 1"},
        "b": {"type": "shell", "process": "true", "after": ["a"], "params": {
            "whole": "$.JOB['a'].OUTPUT", "odd": "$.JOB['a'].RESULT[?(@.x > 1)]", "literal": "$$.x",
        }},
    }  # fmt: skip
    form = show(play("t", {"tasks": {"t": {"nodes": nodes}}}))
    form.show_node("b")

    assert row(form, "params", "whole").box.chip is not None
    assert row(form, "params", "literal").box.chip is None


def _leaves(picker: Picker) -> list[object]:
    tree = picker.tree
    groups = [tree.topLevelItem(each) for each in range(tree.topLevelItemCount())]
    return [group.child(each) for group in groups if group for each in range(group.childCount())]
