"""Each kind of editor, as a person uses it."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import wiring
from app.desktop.design.document import Document
from app.desktop.design.forms.kinds.branches import BranchCard
from app.desktop.design.forms.kinds.cards import CardsEditor
from app.desktop.design.forms.kinds.choosing import ChoiceEditor
from app.desktop.design.forms.kinds.code import CodeEditor
from app.desktop.design.forms.kinds.code_window import CodeWindow
from app.desktop.design.forms.kinds.condition import ConditionEditor
from app.desktop.design.forms.kinds.mapping import MapEditor
from app.desktop.design.forms.kinds.members import MemberDialog, MembersEditor
from app.desktop.design.forms.kinds.text import PathEditor, TextEditor
from app.desktop.design.forms.value_box import ValueBox
from app.desktop.design.picker.condition_rows import ConditionRow, ConditionRows
from app.desktop.design.picker.date_builder import DateBuilder
from app.desktop.design.picker.picker import Picker
from app.desktop.design.picker.samples import PastRun
from app.desktop.design.questions import QuestionDialog
from app.desktop.design.tree import REMOVE, get
from app.desktop.kernel.console import Console, Nowhere, Target
from tests.desktop.forms.acting import choose, click, opened, pick, row, type_into
from tests.desktop.forms.conftest import Play, Show


def one(node: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The definitions of a task with the node ``a`` after ``before``."""
    nodes = {"before": {"type": "shell", "process": "echo 1"}, "a": {"after": ["before"], **node}}
    return {"tasks": {"t": {"params": {"day": "2026-11-21"}, "nodes": nodes}}, **more}


def test_a_value_that_is_very_deep_is_written_as_json_and_not_wider_than_the_form(
    play: Play, show: Show
) -> None:
    deep: Any = 1
    for _ in range(40):
        deep = {"a": [deep]}
    document = play("t", one({"type": "shell", "process": "true", "params": {"d": {"b": deep}}}))
    form = show(document)
    form.show_node("a")
    shown = row(form, "params", "d")
    assert shown.minimumSizeHint().width() <= 420
    editor = shown.box.editor
    assert isinstance(editor, MapEditor)
    [box] = [each for each in editor.findChildren(ValueBox) if each.field.path[-1] == "b"]

    type_into(box.main(), '{"c": [1]}')

    assert get(document.tree, document.node_path("a", "params", "d")) == {"b": {"c": [1]}}


def test_headers_are_a_map_whose_values_can_be_picked(play: Play, show: Show, qtbot: QtBot) -> None:
    document = play("t", one({"type": "http", "url": "http://127.0.0.1/"}))
    form = show(document)
    form.show_node("a")
    editor = row(form, "headers").box.editor
    assert isinstance(editor, MapEditor)
    type_into(editor.name, "X-Day")
    QTest.keyClick(editor.name, Qt.Key.Key_Return)
    pick(editor.boxes["X-Day"].picks, "day", qtbot)
    assert document.node("a")["headers"] == {"X-Day": "$.TASK.PARAMS['day']"}

    type_into(editor.name, "Accept")
    click(editor.adds)
    type_into(editor.boxes["Accept"].main(), "text/plain")
    editor.rename("Accept", "accept")
    assert list(document.node("a")["headers"]) == ["X-Day", "accept"]
    editor.settle({})
    assert "headers" not in document.node("a")


def test_a_date_is_moved_and_written_by_choosing(play: Play, show: Show, qtbot: QtBot) -> None:
    document = play("t", one({"type": "shell", "process": "true", "params": {"d": ""}}))
    form = show(document)
    form.show_node("a")
    click(row(form, "params", "d").box.picks)
    picker = opened(Picker, qtbot)
    QTest.keyClicks(picker.search, "scheduled time")
    click(picker.date)
    builder = opened(DateBuilder, qtbot)
    assert builder.outcome.text() == "21 November 2026, 8:30 becomes 20261121"
    builder.number.setValue(1)
    qtbot.waitUntil(lambda: builder.outcome.text().endswith("20261120"))
    builder.unit.setCurrentText("months")
    qtbot.waitUntil(lambda: builder.outcome.text().endswith("20261021"))
    builder.form.setCurrentText("%Q")
    qtbot.waitUntil(lambda: "is not a part of a time format" in builder.outcome.text())
    builder.form.setCurrentText("%Y-%m-%d")
    click(builder.use)
    click(picker.use)

    wanted = "{$.TASK.SCHEDULED_TIME}:DATE:-1mo:%Y-%m-%d"
    assert get(document.tree, document.node_path("a", "params", "d")) == wanted
    chip = row(form, "params", "d").box.chip
    assert chip is not None
    assert chip.body.accessibleName() == "taken from Of the run › Scheduled time › -1mo"

    # What was chosen is there again when the chip is opened, and can be left out.
    QTest.keyClick(chip, Qt.Key.Key_Return)
    again = opened(Picker, qtbot)
    assert again.binding is not None
    assert again.binding.text == wanted
    click(again.plain)
    click(again.use)
    assert get(document.tree, document.node_path("a", "params", "d")) == "$.TASK.SCHEDULED_TIME"
    chip = row(form, "params", "d").box.chip
    assert chip is not None
    QTest.keyClick(chip, Qt.Key.Key_Delete)
    assert get(document.tree, document.node_path("a", "params", "d")) is None


def test_a_script_is_edited_in_a_window_of_its_own(play: Play, show: Show, qtbot: QtBot) -> None:
    document = play("t", one({"type": "shell", "process": "echo 1\n"}))
    form = show(document)
    form.show_node("a")
    editor = row(form, "process").box.editor
    assert isinstance(editor, CodeEditor)

    click(editor.larger)
    window = opened(CodeWindow, qtbot)
    assert window.edit.toPlainText() == "echo 1\n"
    assert window.edit.wide() <= window.edit.margin.width()
    window.edit.setPlainText("echo 1\n" * 1000)
    assert window.edit.viewport().x() >= window.edit.wide()  # room for four digits
    window.wrap.setChecked(True)
    assert not window.grab().isNull()
    window.edit.setPlainText("echo 2\n")
    click(window.take)

    assert document.node("a")["process"] == "echo 2\n"
    document.undo.undo()
    assert document.node("a")["process"] == "echo 1\n"


def test_a_branch_offers_no_node_that_comes_before_its_condition(play: Play, show: Show) -> None:
    node = {"type": "condition", "value": "1 == 1", "branches": {"true": []}}
    definitions = one(node)
    definitions["tasks"]["t"]["nodes"]["later"] = {"type": "shell", "process": "echo 2", "after": ["a"]}
    form = show(play("t", definitions))
    form.show_node("a")

    card = form.findChild(BranchCard)

    assert card is not None
    assert list(card.run.possible()) == ["later"]


def test_a_condition_may_be_a_resource_or_a_value(play: Play, show: Show, qtbot: QtBot) -> None:
    node = {"type": "condition", "value": "{$.TASK.RUN} > 1", "branches": {"true": []}}
    document = play("t", one(node, resources={"inbox": {"type": "file", "uri": "/in"}}))
    form = show(document)
    form.show_node("a")
    editor = row(form, "value").box.editor
    assert isinstance(editor, ConditionEditor)
    assert len(editor.rows.parts) == 1

    choose(editor.way, "a resource in order")
    choose(editor.resource, "inbox")
    assert document.node("a")["value"] == {"resource": "inbox"}
    choose(editor.way, "a value")
    assert editor.value is not None
    pick(editor.value.picks, "number of the run", qtbot)
    assert document.node("a")["value"] == "$.TASK.RUN"
    document.undo.undo()
    document.undo.undo()
    assert document.node("a")["value"] == {"resource": "inbox"}


@pytest.mark.parametrize(
    "value", ["{$.TASK.RUN} >", "all is well", [{"resource": "inbox"}, "{$.TASK.RUN} > 1"]]
)
def test_a_condition_that_rows_cannot_show_stays_what_it_is(play: Play, show: Show, value: Any) -> None:
    document = play("t", one({"type": "shell", "process": "true", "success": value}))
    form = show(document)
    form.show_node("a")
    click(form.form.sections["results"].head)
    editor = row(form, "success").box.editor
    assert isinstance(editor, ConditionEditor)

    assert editor.rows.isHidden()
    assert editor.value is not None
    assert editor.value.field.value == value
    assert document.node("a")["success"] == value
    assert document.undo.count() == 0


def test_rows_are_grouped_turned_round_and_taken_out(play: Play, show: Show, qtbot: QtBot) -> None:
    document = play("t", one({"type": "shell", "process": "true", "when": "{$.TASK.RUN} > 1"}))
    form = show(document)
    form.show_node("a")
    click(form.form.sections["order"].head)
    editor = row(form, "when").box.editor
    assert isinstance(editor, ConditionEditor)
    first = editor.rows.parts[0]
    assert isinstance(first, ConditionRow)
    choose(first.operator, "is missing")
    assert document.node("a")["when"] == "{$.TASK.RUN} == null"
    click(editor.rows.groups)
    inner = editor.rows.parts[1]
    assert isinstance(inner, ConditionRows)
    inside = inner.parts[0]
    assert isinstance(inside, ConditionRow)
    pick(inside.left.picks, "status of the task", qtbot)
    type_into(inside.right.main(), "true")
    choose(editor.rows.joins, "none of these holds")
    assert document.node("a")["when"] == "not ({$.TASK.RUN} == null or {$.TASK.STATUS} == true)"
    editor.rows.remove(inner)
    editor.rows.remove(first)
    assert "when" not in document.node("a")


def test_the_parameters_of_a_task_are_specified(play: Play, show: Show) -> None:
    document = play("t", one({"type": "shell", "process": "true"}))
    form = show(document)
    editor = form.form.rows["tasks/t/params"].box.editor
    assert isinstance(editor, CardsEditor)
    card: Any = editor.cards["day"]
    choose(card.kind, "text")
    click(card.more)
    click(card.required)
    type_into(card.help, "Which day")
    QTest.keyClick(card.help, Qt.Key.Key_Return)
    type_into(card.choices, "a, b")
    QTest.keyClick(card.choices, Qt.Key.Key_Return)
    choose(card.secret, "what is typed is secret")
    click(card.dynamic)
    assert get(document.tree, ("tasks", "t", "params", "day")) == {
        "value": "2026-11-21", "kind": "text", "required": True, "help": "Which day", "choices": ["a", "b"],
        "secret": True, "dynamic": False,
    }  # fmt: skip
    editor.rename("day", "date")
    assert list(get(document.tree, ("tasks", "t", "params"))) == ["date"]
    editor.take_out("date")
    assert get(document.tree, ("tasks", "t", "params")) is None


def test_a_file_is_chosen_on_the_disk(tour: Document, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    form = show(tour)
    form.show_node("exists")
    editor = row(form, "params", "path").box.editor
    assert isinstance(editor, PathEditor)
    monkeypatch.setattr(editor, "ask", lambda: "/tmp/chosen.txt")
    editor._choose()

    assert get(tour.tree, tour.node_path("exists", "params", "path")) == "/tmp/chosen.txt"


def test_chips_are_copied_and_pasted_as_what_they_are(tour: Document, show: Show) -> None:
    form = show(tour)
    form.show_node("exists")
    editor = row(form, "params", "path").box.editor
    assert isinstance(editor, TextEditor)
    text = "{$.TASK.PARAMS['dir']}/a.txt"
    editor.edit.selectAll()
    data = editor.edit.createMimeDataFromSelection()
    assert data.text() == text
    editor.edit.clear()
    editor.edit.insertFromMimeData(data)
    assert get(tour.tree, tour.node_path("exists", "params", "path")) == text

    more = QMimeData()
    more.setText("x\n{$.TASK.ID}")
    editor.edit.moveCursor(QTextCursor.MoveOperation.End)
    editor.edit.insertFromMimeData(more)
    assert editor.edit.text() == text + "x {$.TASK.ID}"


def test_a_path_that_is_typed_becomes_a_chip_when_the_field_is_left(tour: Document, show: Show) -> None:
    form = show(tour)
    form.show_node("exists")
    editor = row(form, "params", "path").box.editor
    assert isinstance(editor, TextEditor)
    type_into(editor.edit, "/x/{$.TASK.ID}")
    assert "$.TASK.ID" in editor.edit.toPlainText()
    form.id.setFocus()
    QApplication.processEvents()

    assert editor.edit.toPlainText() == "/x/\ufffc"
    assert get(tour.tree, tour.node_path("exists", "params", "path")) == "/x/{$.TASK.ID}"


def test_the_pointer_over_a_chip_in_a_text_tells_its_node(play: Play, show: Show, qtbot: QtBot) -> None:
    document = play(
        "t", one({"type": "shell", "process": "true", "params": {"x": "{$.JOB['before'].OUTPUT} end"}})
    )
    form = show(document)
    form.show_node("a")
    reported: list[str] = []
    form.hover.node.connect(reported.append)
    editor = row(form, "params", "x").box.editor
    assert isinstance(editor, TextEditor)
    QTest.mouseMove(editor.edit.viewport(), QPoint(20, 12))
    QTest.mouseMove(editor.edit.viewport(), QPoint(24, 12))
    qtbot.waitUntil(lambda: reported[-1:] == ["before"])


def test_undo_in_a_field_is_the_documents(tour: Document, show: Show) -> None:
    form = show(tour)
    form.show_node("write")
    edit = row(form, "name").box.main()
    type_into(edit, "abc")
    QTest.keyClick(edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)

    assert get(tour.tree, tour.node_path("write", "name")) == "abc"  # the box keeps nothing to itself
    tour.undo.undo()
    assert get(tour.tree, tour.node_path("write", "name")) is None


def test_a_stored_secret_is_named_and_nothing_can_be_typed_over_it(
    play: Play, show: Show, console: Console, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setenv("SKERRY_PASSPHRASE", "correct horse")
    wiring.open_vault(wiring.open_workspace(console.workspace)).set("ledger", "s3cret")
    jobs = {"j": {"type": "shell", "process": "true", "params": {"pw": {"secret": "ledger"}}}}
    document = play("t", {"jobs": jobs, "tasks": {"t": {"nodes": {"a": {"job": "j"}}}}})
    form = show(document)
    form.show_node("a")
    shown = row(form, "params", "pw")
    assert shown.origin.text() == "the secret ledger"
    assert not shown.box.isVisible()
    qtbot.waitUntil(lambda: form.standing.secrets == ("ledger",))

    click(form.library)
    assert isinstance(console.navigator, Nowhere)
    assert "stored secret" in console.navigator.said[-1]
    boxes = [each for each in QApplication.topLevelWidgets() if isinstance(each, QuestionDialog)]
    assert not [each for each in boxes if each.isVisible()]


def test_the_way_to_a_resource_and_to_a_job_is_one_click(play: Play, show: Show, console: Console) -> None:
    resources = {"db": {"type": "database", "uri": "sqlite:///a"}}
    jobs = {"j": {"type": "sql_query", "resource": "db", "statement": "select 1"}}
    nodes = {"a": {"job": "j"}, "b": {"type": "sql_query", "resource": "db", "statement": "select 1"}}
    form = show(play("t", {"resources": resources, "jobs": jobs, "tasks": {"t": {"nodes": nodes}}}))
    form.show_node("a")
    click(form.open)
    form.show_node("b")
    editor = row(form, "resource").box.editor
    assert isinstance(editor, ChoiceEditor)
    editor._open()  # type: ignore[attr-defined]

    assert isinstance(console.navigator, Nowhere)
    assert console.navigator.gone == [Target("job", "j"), Target("resource", "db")]


def test_an_unknown_type_or_job_still_has_a_form(play: Play, show: Show) -> None:
    nodes = {"a": {"type": "nonsense"}, "b": {"job": "missing"}, "c": {}}
    form = show(play("t", {"tasks": {"t": {"nodes": nodes}}}))
    for node in nodes:
        form.show_node(node)
        assert form.form.rows or form.form.sections


def test_a_sub_task_asks_for_the_parameters_of_the_task_it_starts(tour: Document, show: Show) -> None:
    form = show(tour)
    tour.set(tour.node_path("greeting", "params"), REMOVE, "away")
    form.show_node("greeting")
    shown = row(form, "params", "who")
    assert shown.origin.text() == "nobody, from the task that is started"


def test_a_member_of_a_group_gets_a_parameter(tour: Document, show: Show, qtbot: QtBot) -> None:
    form = show(tour)
    form.show_node("report")
    editor = row(form, "jobs").box.editor
    assert isinstance(editor, MembersEditor)
    editor.open(1)
    dialog = opened(MemberDialog, qtbot)
    type_into(dialog.adds, "x")
    QTest.keyClick(dialog.adds, Qt.Key.Key_Return)
    pick(dialog.form.rows["tasks/tour/nodes/report/jobs/1/params/x"].box.picks, "report.0 printed", qtbot)
    dialog.accept()

    assert tour.node("report")["jobs"][1]["params"] == {"x": "$.JOB['report.0'].OUTPUT"}


def test_a_stage_that_is_a_file_is_shown_as_what_it_is(play: Play, show: Show) -> None:
    document = play(
        "t", one({"type": "shell", "process": {"file": "/x.sh"}, "ready": {"class": "read_file"}})
    )
    form = show(document)
    form.show_node("a")
    editor = row(form, "process").box.editor
    assert isinstance(editor, MapEditor)
    type_into(editor.boxes["file"].main(), "/y.sh")

    assert document.node("a")["process"] == {"file": "/y.sh"}


def test_the_item_of_a_round_has_a_sample() -> None:
    run = PastRun(7, {"TASK": {"PARAMS": {"all": ["a", "b"]}}, "JOB": {}}, {}, "UTC")

    assert run.value("$.ITEM", item="a").value == "a"
    assert run.value("$.JOB['x'].OUTPUT").error
    assert run.truth("{$.ITEM} == 'a'", item="a").value is True
    assert run.truth("{$.TASK.PARAMS['none']} == 1").error


def test_a_dark_window_and_bigger_letters_keep_the_form(tour: Document, show: Show, console: Console) -> None:
    form = show(tour)
    form.show_node("table")
    console.theme.switch(dark=True, scale=1.5)
    assert row(form, "params", "count").box.chip is not None
    console.theme.switch(dark=False, scale=1.0)


def test_a_task_that_is_gone_from_the_document_leaves_an_empty_form(tour: Document, show: Show) -> None:
    form = show(tour)
    form.show_node("four")
    tour.edit(lambda tree: {**tree, "tasks": {"tour": {"nodes": {}}}}, "everything away")

    assert form.node is None
    assert form.kind.text() == "The task itself"
