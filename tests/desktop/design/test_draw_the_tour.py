"""The tour, drawn by hand from an empty canvas: every value is typed, chosen or picked; no expression is typed."""

from __future__ import annotations

from collections.abc import Iterable

import yaml
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.design.document import Document
from app.desktop.design.forms.kinds.branches import BranchesEditor
from app.desktop.design.forms.kinds.listing import ListEditor
from app.desktop.design.forms.kinds.members import MemberDialog, MembersEditor
from app.desktop.design.forms.kinds.specs import SpecsEditor
from app.desktop.design.forms.node_form import NodeForm
from app.desktop.design.mode import DesignMode
from app.desktop.design.picker.picker import Picker
from app.desktop.design.questions import AskId
from app.desktop.shell.window import MainWindow
from engine.api.documents import InstanceQuery, Source
from engine.api.service import Service
from engine.definitions.writer import dump
from tests.desktop.conftest import EXAMPLES
from tests.desktop.design.hands import click as click_node
from tests.desktop.design.hands import draw_link
from tests.desktop.forms.acting import choose, click, opened, pick, row, type_into

LINKS = (
    ("write", "exists"), ("exists", "join"), ("join", "read"), ("words", "table"), ("table", "query"),
    ("query", "pause"), ("query", "enough"), ("read", "greeting"), ("words", "greeting"), ("kernel", "report"),
    ("pause", "report"), ("four", "report"), ("other", "report"), ("greeting", "report"),
)  # fmt: skip
NODES = (
    ("shell", "write"), ("command", "kernel"), ("count_words", "words"), ("file_exists", "exists"),
    ("concat_text", "join"), ("read_file", "read"), ("sql", "table"), ("sql_query", "query"), ("wait", "pause"),
    ("condition", "enough"), ("shell", "four"), ("shell", "other"), ("greet", "greeting"), ("group", "report"),
)  # fmt: skip


class Person:
    """An operator at the window."""

    def __init__(self, mode: DesignMode, qtbot: QtBot) -> None:
        self.mode, self.qtbot = mode, qtbot

    @property
    def document(self) -> Document:
        assert self.mode.tasks.current is not None
        return self.mode.tasks.current

    @property
    def form(self) -> NodeForm:
        found = self.mode.form.form()
        assert found is not None
        return found

    def press(self, action: str) -> None:
        self.mode.console.actions.get(f"design.{action}").trigger()

    def new_task(self, id: str) -> None:
        self.press("new")
        dialog = self.mode.findChild(AskId)
        assert dialog is not None
        type_into(dialog.field, id)
        QTest.keyClick(dialog.field, Qt.Key.Key_Return)

    def insert(self, word: str, id: str) -> None:
        self.mode.canvas.select(())
        self.press("insert")
        type_into(self.mode.palette_list.field, word)
        QTest.keyClick(self.mode.palette_list.field, Qt.Key.Key_Return)
        if id not in self.mode.canvas.selected():
            self.press("rename")
            assert self.mode.canvas.editor is not None
            field = self.mode.canvas.editor.field
            assert isinstance(field, QLineEdit)
            type_into(field, id)
            QTest.keyClick(field, Qt.Key.Key_Return)
        assert self.mode.canvas.selected() == {id}

    def see(self, id: str) -> None:
        click_node(self.mode.canvas, id)
        assert self.form.node == id

    def add_param(self, name: str) -> None:
        type_into(self.form.adds, name)
        QTest.keyClick(self.form.adds, Qt.Key.Key_Return)

    def type(self, text: str, *path: str | int) -> None:
        type_into(self.edit(*path), text)

    def edit(self, *path: str | int) -> QWidget:
        return row(self.form, *path).box.main()

    def pick(self, words: str, *path: str | int) -> None:
        pick(row(self.form, *path).box.picks, words, self.qtbot)

    def folder_and(self, file: str, box: QWidget, picks: QWidget) -> None:
        """A file in the folder that the task was given: typed, then the folder picked in front of it."""
        type_into(box, file)
        QTest.keyClick(box, Qt.Key.Key_Home)
        pick(picks, "parameters of the task dir", self.qtbot)

    def folder_and_row(self, file: str, *path: str | int) -> None:
        box = row(self.form, *path).box
        self.folder_and(file, box.main(), box.picks)

    def branch(self, key: str, target: str) -> None:
        draw_link(self.mode.canvas, "enough", target)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        next(action for action in menu.actions() if action.text().endswith(f" {key}")).trigger()
        menu.close()


def test_the_tour_is_drawn_saved_and_run(
    engine_window: MainWindow, engine_service: Service, qtbot: QtBot
) -> None:
    raw = yaml.safe_load((EXAMPLES / "tour.yaml").read_text("utf-8"))
    del raw["tasks"]["tour"]
    engine_service.load([Source(name="library.yaml", text=dump(raw))])
    mode = engine_window.show_mode("design")
    assert isinstance(mode, DesignMode)
    engine_window.resize(1600, 1000)
    qtbot.waitUntil(lambda: "greet" in mode.tasks.library.section("tasks"))
    person = Person(mode, qtbot)

    person.new_task("drawn")
    give_parameters(person)
    for word, id in NODES:
        person.insert(word, id)
    mode.canvas.select(())
    mode.canvas.commands.layout()
    for source, target in LINKS:
        draw_link(mode.canvas, source, target)
    mode.canvas.commands.layout()
    fill_in(person)
    person.branch("4", "four")
    person.branch("default", "other")

    qtbot.waitUntil(lambda: person.document.checked is person.document.sheet, timeout=20_000)
    assert [str(finding) for finding in person.document.findings if finding.severity == "error"] == []
    drawn = person.document.tree["tasks"]["drawn"]
    assert typed_expressions(person.document) == []
    while person.document.undo.canUndo():
        person.press("undo")
    assert dict(person.document.nodes) == {}
    while person.document.undo.canRedo():
        person.press("redo")
    assert person.document.tree["tasks"]["drawn"] == drawn

    engine_service_run(person, engine_service)


def give_parameters(person: Person) -> None:
    editor = row(person.form, "params").box.editor
    assert isinstance(editor, SpecsEditor)
    for name in ("dir", "text"):
        type_into(editor.name, name)
        QTest.keyClick(editor.name, Qt.Key.Key_Return)
    pick(editor.cards["dir"].box.picks, "Folder of this run", person.qtbot)  # type: ignore[attr-defined]
    type_into(editor.cards["text"].box.main(), "the quick brown fox")  # type: ignore[attr-defined]


def fill_in(person: Person) -> None:
    """Every value of every node, in its form."""
    person.see("write")
    person.add_param("dir")
    person.pick("parameters of the task dir", "params", "dir")
    lines = "printf 'alpha\\nbeta\\n' > \"${dir}/a.txt\"; printf 'gamma\\n' > \"${dir}/b.txt\""
    person.type(lines, "process")

    person.see("kernel")
    items(person, "argv", ["uname", "-s"])
    person.see("words")
    person.pick("parameters of the task text", "params", "text")
    person.see("exists")
    person.folder_and_row("/a.txt", "params", "path")
    person.see("join")
    files = items(person, "files", ["", ""])
    for box, name in zip(files.boxes, ("/a.txt", "/b.txt"), strict=True):
        person.folder_and(name, box.main(), box.picks)
    person.folder_and_row("/c.txt", "params", "target")
    person.see("read")
    person.folder_and_row("/c.txt", "params", "path")

    person.see("table")
    choose(person.edit("resource"), "ledger")  # type: ignore[arg-type]
    statements = (
        "create table if not exists word(n integer, w text)",
        "delete from word",
        "insert into word values (:count, :first)",
    )
    items(person, "statements", statements)
    person.add_param("count")
    person.pick("words count", "params", "count")
    person.add_param("first")
    click(row(person.form, "params", "first").box.picks)
    picker = opened(Picker, person.qtbot)
    QTest.keyClicks(picker.search, "result['words")
    click(picker.parts.item)
    click(picker.use)
    person.see("query")
    choose(person.edit("resource"), "ledger")  # type: ignore[arg-type]
    person.type("select n, w from word", "statement")
    person.see("pause")
    person.type("1s", "for")
    decide(person)
    person.see("greeting")
    person.add_param("who")
    person.pick("words count", "params", "who")
    finish(person)


def items(person: Person, key: str, texts: Iterable[str]) -> ListEditor:
    """The items of a list, typed one after the other."""
    found = next(each for path, each in person.form.form.rows.items() if path.endswith(f"/{key}"))
    editor = found.box.editor
    assert isinstance(editor, ListEditor)
    for place, text in enumerate(texts):
        if place >= len(editor.boxes):
            click(editor.adds)
        type_into(editor.boxes[place].main(), text)
    return editor


def decide(person: Person) -> None:
    """The condition: the value of the first row of the query, and its two branches."""
    person.see("enough")
    editor = row(person.form, "branches").box.editor
    assert isinstance(editor, BranchesEditor)
    for old, new in (("true", "4"), ("false", "default")):
        type_into(editor.cards[old].title, new)
        QTest.keyClick(editor.cards[old].title, Qt.Key.Key_Return)
    person.document.set(person.document.node_path("enough", "value"), "", "Nothing yet")
    value = row(person.form, "value").box.editor
    assert value is not None
    value._turned(1)  # type: ignore[attr-defined]
    click(value.value.picks)  # type: ignore[attr-defined]
    picker = opened(Picker, person.qtbot)
    QTest.keyClicks(picker.search, "query rows")
    click(picker.parts.item)
    click(picker.parts.field)
    QTest.keyClicks(picker.parts._boxes[1], "n")
    click(picker.use)


def finish(person: Person) -> None:
    """The report: a group of one job, which runs whatever came before."""
    person.see("report")
    editor = row(person.form, "jobs").box.editor
    assert isinstance(editor, MembersEditor)
    choose(editor.combo, "Shell script")
    dialog = opened(MemberDialog, person.qtbot)
    code = next(each for path, each in dialog.form.rows.items() if path.endswith("/process"))
    type_into(code.box.main(), "echo done")
    dialog.accept()
    person.document.set(person.document.node_path("report", "run_if"), "all_done", "Runs if")


def typed_expressions(document: Document) -> list[str]:
    """What a person typed that is an expression: nothing, since typing arrives letter by letter."""
    steps = [document.undo.text(i) for i in range(document.undo.count())]
    return [step for step in steps if "$." in step]


def engine_service_run(person: Person, service: Service) -> None:
    person.press("run")
    from app.desktop.design.forms.run_form import RunForm

    form = opened(RunForm, person.qtbot)
    click(form.run)
    person.qtbot.waitUntil(lambda: bool(service.instances(InstanceQuery(task="drawn"))), timeout=15_000)
    number = service.instances(InstanceQuery(task="drawn"))[0]["instance"]
    ends = ("succeeded", "failed", "cancelled")
    person.qtbot.waitUntil(lambda: service.instance(number)["status"] in ends, timeout=40_000)
    jobs = {job["node"]: job["status"] for job in service.instance(number)["jobs"]}
    assert service.instance(number)["status"] == "succeeded", jobs
    assert jobs["four"] == "succeeded"
    assert jobs["other"] == "skipped"
