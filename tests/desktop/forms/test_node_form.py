"""The form of a node: typing, choosing, findings at their fields, batches, undo."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget, QWidgetItem
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.desktop.design import canvas_extras as beside
from app.desktop.design.document import Document
from app.desktop.design.entries import starting_node
from app.desktop.design.forms.kinds.cards import CardsEditor
from app.desktop.design.forms.kinds.choosing import ChoiceEditor
from app.desktop.design.forms.kinds.condition import ConditionEditor
from app.desktop.design.forms.kinds.listing import ListEditor
from app.desktop.design.forms.kinds.members import MemberDialog, MembersEditor
from app.desktop.design.forms.kinds.several import SeveralEditor
from app.desktop.design.forms.kinds.text import TextEditor
from app.desktop.design.forms.node_form import NodeForm
from app.desktop.design.forms.task_table import TaskTableDialog
from app.desktop.design.forms.try_node import TryNode
from app.desktop.design.picker.condition_rows import ConditionRow, ConditionRows
from app.desktop.design.picker.picker import Picker
from app.desktop.design.questions import AskId, QuestionDialog
from app.desktop.design.tree import get
from engine.api.service import Service
from tests.desktop.forms.acting import choose, click, opened, pick, row, type_into
from tests.desktop.forms.conftest import Play, Shelved, Show, run


def unfold(form: NodeForm, group: str) -> None:
    head = form.form.sections[group].head
    if not head.isChecked():
        click(head)


def first_row(form: NodeForm, key: str) -> tuple[ConditionRows, ConditionRow]:
    """Press "Add a comparison" of an empty condition."""
    editor = row(form, key).box.editor
    assert isinstance(editor, ConditionEditor)
    click(editor.rows.adds)
    first = editor.rows.parts[0]
    assert isinstance(first, ConditionRow)
    return editor.rows, first


def test_typing_is_one_step_and_comes_back_with_undo(tour: Document, show: Show) -> None:
    form = show(tour)
    form.show_node("write")
    box = row(form, "name").box
    type_into(box.main(), "Write two files")

    assert get(tour.tree, tour.node_path("write", "name")) == "Write two files"
    assert tour.undo.count() == 1
    assert tour.undo.undoText() == "Change Name"
    tour.undo.undo()
    assert get(tour.tree, tour.node_path("write", "name")) is None
    assert isinstance(box.editor, TextEditor)
    assert box.editor.edit.text() == ""


def test_code_is_typed_and_kept_to_the_letter(tour: Document, show: Show) -> None:
    form = show(tour)
    form.show_node("four")
    edit = row(form, "process").box.main()
    type_into(edit, "echo {four}")
    QTest.keyClick(edit, Qt.Key.Key_Return)
    QTest.keyClicks(edit, "exit 0")

    assert get(tour.tree, tour.node_path("four", "process")) == "echo {four}\nexit 0"


def test_a_value_that_does_not_fit_is_said_at_its_field(tour: Document, show: Show, qtbot: QtBot) -> None:
    form = show(tour)
    form.show_node("kernel")
    unfold(form, "failure")
    shown = row(form, "retry", "times")
    type_into(shown.box.main(), "often")

    qtbot.waitUntil(lambda: shown.finding.isVisible() and "times" in shown.finding.text())
    assert get(tour.tree, tour.node_path("kernel", "retry", "times")) == "often"
    type_into(shown.box.main(), "2")
    qtbot.waitUntil(lambda: not shown.finding.isVisible())
    assert get(tour.tree, tour.node_path("kernel", "retry", "times")) == 2


def test_a_required_parameter_without_a_value_is_said_at_its_field(
    tour: Document, show: Show, qtbot: QtBot
) -> None:
    form = show(tour)
    form.show_node("exists")
    shown = row(form, "params", "path")
    assert shown.label.text() == "Path *"
    click(shown.clear)

    qtbot.waitUntil(shown.finding.isVisible)


def test_what_is_cleared_leaves_no_empty_map_behind(tour: Document, show: Show) -> None:
    form = show(tour)
    form.show_node("kernel")
    unfold(form, "limits")
    shown = row(form, "limits", "memory")
    type_into(shown.box.main(), "10MB")
    assert get(tour.tree, tour.node_path("kernel", "limits")) == {"memory": "10MB"}
    click(shown.clear)

    assert "limits" not in tour.node("kernel")


def test_a_second_set_of_parameters_makes_a_batch(tour: Document, show: Show) -> None:
    form = show(tour)
    form.show_node("exists")
    click(form.sets.more)
    assert form.sets.words.text() == "Set 2 of 2"
    type_into(row(form, "path").box.main(), "/tmp/second")

    params = get(tour.tree, tour.node_path("exists", "params"))
    assert [each["path"] for each in params] == ["{$.TASK.PARAMS['dir']}/a.txt", "/tmp/second"]
    click(form.sets.before)
    assert form.sets.words.text() == "Set 1 of 2"
    click(form.sets.less)
    assert get(tour.tree, tour.node_path("exists", "params")) == {"path": "/tmp/second"}


def test_a_parameter_is_added_by_its_name(tour: Document, show: Show) -> None:
    form = show(tour)
    form.show_node("four")
    type_into(form.adds, "colour")
    QTest.keyClick(form.adds, Qt.Key.Key_Return)
    type_into(row(form, "params", "colour").box.main(), "12")

    assert get(tour.tree, tour.node_path("four", "params")) == {"colour": 12}
    click(row(form, "params", "colour").clear)
    assert "params" not in tour.node("four")


def test_choices_and_what_is_usual(tour: Document, show: Show) -> None:
    form = show(tour)
    form.show_node("report")
    unfold(form, "order")
    editor = row(form, "run_if").box.editor
    assert isinstance(editor, ChoiceEditor)
    assert editor.combo.currentText() == "all before it ended, however"
    choose(editor.combo, "at least one failed")
    assert tour.node("report")["run_if"] == "any_failed"
    choose(editor.combo, "all before it succeeded (as usual)")
    assert "run_if" not in tour.node("report")


def test_what_a_node_runs_after_is_chosen_and_cannot_make_a_circle(tour: Document, show: Show) -> None:
    form = show(tour)
    form.show_node("words")
    unfold(form, "order")
    editor = row(form, "after").box.editor
    assert isinstance(editor, SeveralEditor)
    choose(editor.combo, "write")
    assert editor.combo.findText("kernel") > 0
    assert editor.combo.findText("table") < 0

    assert tour.node("words")["after"] == ["write"]


def test_a_list_grows_and_is_put_in_order(tour: Document, show: Show) -> None:
    form = show(tour)
    form.show_node("kernel")
    editor = row(form, "argv").box.editor
    assert isinstance(editor, ListEditor)
    click(editor.adds)
    type_into(editor.boxes[-1].main(), "-r")
    assert tour.node("kernel")["argv"] == ["uname", "-s", "-r"]
    editor._move(2, 1)

    assert tour.node("kernel")["argv"] == ["uname", "-r", "-s"]


def test_a_condition_is_built_from_rows_and_tried_on_the_latest_run(
    real_tour: Document, show: Show, engine_service: Service, qtbot: QtBot
) -> None:
    instance = run(engine_service, "tour", qtbot)
    form = show(real_tour)
    qtbot.waitUntil(lambda: bool(form.samples.runs))
    form.show_node("query")
    unfold(form, "order")
    _, first = first_row(form, "when")
    editor = row(form, "when").box.editor
    assert isinstance(editor, ConditionEditor)
    pick(first.left.picks, "words count", qtbot)
    choose(first.operator, "is at least")
    type_into(first.right.main(), "3")
    path = real_tour.node_path("query", "when")
    assert get(real_tour.tree, path) == "{$.JOB['words'].RESULT['count']} >= 3"
    qtbot.waitUntil(lambda: editor.result.text() == f"With run #{instance} it holds")

    click(editor.rows.adds)
    second = editor.rows.parts[1]
    assert isinstance(second, ConditionRow)
    pick(second.left.picks, "words what it printed", qtbot)
    choose(second.operator, "contains")
    type_into(second.right.main(), "it's")
    choose(editor.rows.joins, "at least one of these holds")

    assert get(real_tour.tree, path) == (
        "{$.JOB['words'].RESULT['count']} >= 3 or {$.JOB['words'].OUTPUT} # 'it\\'s'"
    )


def test_a_new_condition_is_empty_until_something_is_picked(tour: Document, show: Show, qtbot: QtBot) -> None:
    kind = tour._console.job_types["condition"]
    tour.set(tour.node_path("ask"), starting_node("condition", kind) | {"after": ["words"]}, "Add")
    form = show(tour)
    form.show_node("ask")
    assert "value" not in tour.node("ask")

    rows, first = first_row(form, "value")
    assert "value" not in tour.node("ask"), "a row without a left side says nothing yet"
    assert rows.parts == [first]
    pick(first.left.picks, "words count", qtbot)
    type_into(first.right.main(), "3")

    assert tour.node("ask")["value"] == "{$.JOB['words'].RESULT['count']} == 3"


def test_what_is_picked_takes_the_place_of_what_was_typed(tour: Document, show: Show, qtbot: QtBot) -> None:
    form = show(tour)
    form.show_node("query")
    unfold(form, "order")
    _, first = first_row(form, "when")
    type_into(first.left.main(), "1")
    type_into(first.right.main(), "1")
    pick(first.left.picks, "words count", qtbot)

    assert tour.node("query")["when"] == "{$.JOB['words'].RESULT['count']} == 1"


def test_a_field_stays_while_something_is_picked_for_it(tour: Document, show: Show, qtbot: QtBot) -> None:
    tour.set(tour.node_path("table", "params", "count"), 5, "Change count")
    form = show(tour)
    form.show_node("table")
    box = row(form, "count").box
    click(box.picks)
    picker = opened(Picker, qtbot)
    tour.set(tour.node_path("table", "params", "further"), 1, "Change elsewhere")
    form.form.renew()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QTest.keyClicks(picker.search, "words count")
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not isValid(picker) or not picker.isVisible())

    assert get(tour.tree, tour.node_path("table", "params", "count")) == "$.JOB['words'].RESULT['count']"
    assert row(form, "further").field.value == 1


def test_results_are_made_from_what_the_job_printed(tour: Document, show: Show, qtbot: QtBot) -> None:
    form = show(tour)
    form.show_node("kernel")
    unfold(form, "results")
    editor = row(form, "results").box.editor
    assert isinstance(editor, CardsEditor)
    type_into(editor.name, "system")
    click(editor.adds)
    pick(editor.cards["system"].box.picks, "what it printed", qtbot)  # type: ignore[attr-defined]

    assert tour.node("kernel")["results"] == {"system": "$.JOB['kernel'].OUTPUT"}


def test_branches_of_a_condition_are_cards(tour: Document, show: Show) -> None:
    form = show(tour)
    form.show_node("enough")
    editor = row(form, "branches").box.editor
    assert isinstance(editor, CardsEditor)
    type_into(editor.name, "5")
    click(editor.adds)
    card = editor.cards["5"]
    choose(card.run.combo, "kernel")  # type: ignore[attr-defined]
    click(card.again)  # type: ignore[attr-defined]

    assert tour.node("enough")["branches"]["5"] == {"run": ["kernel"], "again": True}


def test_a_member_of_a_group_has_a_form_and_sees_the_one_before_it(
    tour: Document, show: Show, qtbot: QtBot
) -> None:
    form = show(tour)
    form.show_node("report")
    editor = row(form, "jobs").box.editor
    assert isinstance(editor, MembersEditor)
    choose(editor.combo, "Command")
    dialog = opened(MemberDialog, qtbot)
    argv = dialog.form.rows["tasks/tour/nodes/report/jobs/2/argv"].box.editor
    assert isinstance(argv, ListEditor)
    click(argv.adds)
    pick(argv.boxes[0].picks, "report.1 printed", qtbot)

    assert tour.node("report")["jobs"][2] == {"type": "command", "argv": ["$.JOB['report.1'].OUTPUT"]}
    dialog.accept()


def test_a_node_is_renamed_wherever_it_is_named(tour: Document, show: Show) -> None:
    tour.edit_extras(beside.frame("Numbers", ["words", "table"]), "Frame")
    form = show(tour)
    form.show_node("words")
    type_into(form.id, "counting")
    QTest.keyClick(form.id, Qt.Key.Key_Return)

    assert "counting" in tour.nodes
    assert beside.frames(tour.sheet.extras)[0].members == {"counting", "table"}
    assert get(tour.tree, tour.node_path("table", "params", "count")) == "$.JOB['counting'].RESULT['count']"
    assert tour.undo.undoText() == "Rename words to counting"
    type_into(form.id, "table")
    QTest.keyClick(form.id, Qt.Key.Key_Return)
    assert form.id.text() == "counting"


def test_a_job_goes_into_the_library_and_comes_out_again(tour: Document, show: Show, qtbot: QtBot) -> None:
    form = show(tour)
    form.show_node("write")
    before = tour.node("write")
    click(form.library)
    dialog = opened(AskId, qtbot)
    assert dialog.field.text() == "write"
    dialog.field.setText("write_files")
    dialog.accept()
    assert tour.node("write")["job"] == "write_files"
    assert get(tour.tree, ("jobs", "write_files", "process")) == before["process"]

    click(form.library)
    opened(QuestionDialog, qtbot).buttons.buttons()[0].click()
    assert tour.node("write") == before


def test_the_table_of_the_task_has_every_parameter_and_what_it_overrides(
    tour: Document, show: Show, qtbot: QtBot
) -> None:
    form = show(tour)
    click(form.table)
    table = opened(TaskTableDialog, qtbot).table
    shown = {(each.title, str(each.field.path[-1])) for each in table.rows}
    assert {("words", "text"), ("table", "count"), ("report.0", "k"), ("", "dir")} <= shown
    index = next(at for at, each in enumerate(table.rows) if each.title == "words")
    assert "from the task's parameter of the same name" in table.table.item(index, 3).text()  # type: ignore[union-attr]

    type_into(table.search, "exists")
    index = next(at for at, each in enumerate(table.rows) if each.title == "exists")
    assert not table.table.isRowHidden(index)
    table.table.selectRow(index)
    click(table.adds)
    assert len(get(tour.tree, tour.node_path("exists", "params"))) == 2
    box = table.boxes["tasks/tour/nodes/exists/params/1/path"]
    type_into(box.main(), "/tmp/two")
    assert get(tour.tree, tour.node_path("exists", "params", 1, "path")) == "/tmp/two"


def test_the_form_speaks_chinese_at_once(tour: Document, show: Show, qtbot: QtBot) -> None:
    form = show(tour)
    form.show_node("words")

    def heads(words: str) -> bool:
        return form.form.sections["params"].head.text().startswith(words)

    form.console.language.switch("zh_CN")
    qtbot.waitUntil(lambda: heads("参数"))
    assert row(form, "params", "text").label.text() == "text *"  # a name is not translated
    chip = row(form, "params", "text").box.chip
    assert chip is not None
    qtbot.waitUntil(lambda: chip.body.text() == "任务参数 › text")
    form.console.language.switch("en")
    qtbot.waitUntil(lambda: heads("Parameters"))


def test_html_in_a_definition_stays_letters(play: Play, show: Show) -> None:
    evil = "<b>bold</b><img src='x'>"
    form = show(play("t", {"tasks": {"t": {"name": evil, "nodes": {
        "a": {"type": "shell", "process": "true", "params": {"x": evil}},
    }}}}))  # fmt: skip

    editor = row(form, "name").box.editor
    assert isinstance(editor, TextEditor)
    assert editor.edit.text() == evil
    form.show_node("a")
    editor = row(form, "params", "x").box.editor
    assert isinstance(editor, TextEditor)
    assert editor.edit.toPlainText() == evil


def test_a_place_in_the_tree_is_gone_to(tour: Document, show: Show) -> None:
    form = show(tour)

    assert form.focus(tour.node_path("kernel", "retry", "times"))
    assert form.node == "kernel"
    assert form.form.sections["failure"].head.isChecked()
    assert not form.focus(("resources", "ledger", "uri"))


def test_dialogs_on_a_task_go_when_it_is_closed_below_them(tour: Document, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    form = NodeForm(tour._console, tour, window)
    window.show()
    qtbot.waitUntil(lambda: bool(form.standing.library.raw), timeout=10_000)
    form.show_node("words")
    form._try()
    form._table()
    row(form, "params/text").box.pick()
    dialogs = [each for kind in (TryNode, TaskTableDialog, Picker) for each in window.findChildren(kind)]
    assert len(dialogs) == 3

    form.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)

    assert not any(each.isVisible() for each in dialogs if isValid(each))
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not any(isValid(each) for each in dialogs)


def test_tab_goes_through_the_form_as_it_is_read(tour: Document, show: Show, qtbot: QtBot) -> None:
    # given a form whose fields are newer than what is below them
    form = show(tour)
    form.show_node("write")
    form.window().activateWindow()
    qtbot.waitUntil(lambda: form.isActiveWindow() and row(form, "name").isVisible())
    form.form.focus_first()
    qtbot.waitUntil(lambda: row(form, "name").isAncestorOf(QApplication.focusWidget()))

    # when Tab is pressed until the form has been left
    seen = [QApplication.focusWidget()]
    while seen[-1] is not form.adds:  # a script takes no Tab for itself
        assert len(seen) < 100
        QTest.keyClick(seen[-1], Qt.Key.Key_Tab)
        seen.append(QApplication.focusWidget())

    # then every line comes after the one above it, and the way back is the same
    heights = [each.mapTo(form.form.widget(), QPoint()).y() for each in seen[:-1]]
    assert len(heights) > 5
    assert all(here <= there + 20 for here, there in pairwise(heights))
    QTest.keyClick(form.adds, Qt.Key.Key_Backtab)
    assert QApplication.focusWidget() is seen[-2]


def test_what_is_selected_in_a_field_stays_when_the_workspace_is_read_late(
    tour: Document, show: Show, service: Shelved, qtbot: QtBot
) -> None:
    # given a script that is all selected, to be written over
    form = show(tour)
    form.show_node("four")
    form.activateWindow()
    qtbot.waitUntil(form.isActiveWindow)
    edit = row(form, "process").box.main()
    edit.setFocus()
    QTest.keyClick(edit, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)

    # when the workspace's definitions come, and the fields are made again
    service.raw = {**service.raw, "calendars": {"late": {"weekdays": [1]}}}
    form.standing.refresh()
    qtbot.waitUntil(lambda: row(form, "process").box.main() is not edit)
    QTest.keyClicks(QApplication.focusWidget(), "echo better")

    assert get(tour.tree, tour.node_path("four", "process")) == "echo better"


def test_a_heading_keeps_the_keyboard_when_the_fields_are_made_again(
    tour: Document, show: Show, qtbot: QtBot
) -> None:
    form = show(tour)
    form.show_node("four")
    form.activateWindow()
    qtbot.waitUntil(form.isActiveWindow)
    form.form.sections["failure"].head.setFocus()

    form.form.renew()

    assert QApplication.focusWidget() is form.form.sections["failure"].head


def test_the_fields_stay_when_the_workspace_has_nothing_new(tour: Document, show: Show, qtbot: QtBot) -> None:
    form = show(tour)
    form.show_node("four")
    edit = row(form, "process").box.main()

    with qtbot.waitSignal(form.standing.changed):
        form.standing.refresh()

    assert row(form, "process").box.main() is edit


def test_links_and_headings_keep_the_height_of_large_text_where_there_is_little_room(
    tour: Document, show: Show, qtbot: QtBot
) -> None:
    tour._console.theme.switch(scale=1.5)
    form = show(tour)
    form.show_node("table")
    chip = row(form, "params/count").box.chip
    assert chip is not None
    buttons = [chip.body, form.form.sections["failure"].head]

    form.resize(form.width(), 200)

    for button in buttons:
        qtbot.waitUntil(lambda shown=button: shown.height() >= shown.sizeHint().height())
        assert QWidgetItem(button).minimumSize().height() == button.sizeHint().height() > 26
