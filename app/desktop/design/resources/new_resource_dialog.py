"""*New resource…* where one is chosen: its parts by type, and a check, without leaving what one is at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFormLayout,
    QLineEdit,
    QToolButton,
    QWidget,
)

from app.desktop.design.definition_library import source_of
from app.desktop.design.edits import free_id
from app.desktop.design.forms.form_context import Editor, FormContext
from app.desktop.design.resources.check_words import check_word
from app.desktop.design.resources.new_resource import (
    PRODUCTS,
    likely_type,
    missing,
    parts_of,
    resource_tree,
)
from app.desktop.kernel.dropped_files import Takes, takes_files
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import error_line, failure_line
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import button, choices, holder
from app.desktop.widgets.plain_label import PlainLabel
from app.desktop.widgets.questions import do_or_cancel, open_on
from app.desktop.widgets.reading_order import ReadingDialog
from engine.definitions.notes import id_problem
from engine.model.errors import SkerryError
from engine.model.message import message_in

_LABELS = {
    "product": "Database", "path": "Path", "written": "", "host": "Host", "port": "Port",
    "database": "Name of the database", "url": "Address", "user": "User", "secret": "Secret",
    "host_key": "Host key",
}  # fmt: skip
_TYPED = ("path", "host", "port", "database", "url", "user", "host_key")
_WIDTH = 360  # pixels of a field


class NewResource(ReadingDialog):
    """``made`` brings the id once it is stored and wanted."""

    made = Signal(str)

    def __init__(self, context: FormContext, kind: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("New resource"))
        self._context = context
        self._known = dict(context.scope().section("resources"))
        zh = context.console.language.current.startswith("zh")
        self.kind = QComboBox(self)
        for name, each in sorted(context.console.resource_types.items()):
            if name == each.kind:
                self.kind.addItem(each.label[zh], name)
        self.id = QLineEdit(self)
        self.product = choices(PRODUCTS)
        self.secret = QComboBox(self)
        self.secret.addItems([tr("none"), *context.standing.secrets])
        self.written = QCheckBox(tr("A job writes it: it need not be there yet"), self)
        self.lines = {key: self._line(key) for key in _TYPED}
        self.problem, self.outcome = PlainLabel("", self), PlainLabel("", self)
        self.problem.setForegroundRole(QPalette.ColorRole.BrightText)
        self.check = button("&Check", self._check)
        self.check.setAutoDefault(False)
        self.buttons, self.make = do_or_cancel(self, tr("Make it"), self._store)
        self.make.setDefault(True)
        self._lay_out()
        self.kind.setCurrentIndex(max(0, self.kind.findData(kind)))
        self.id.setText(free_id(kind, self._known))
        for box in (self.kind, self.product):
            box.currentIndexChanged.connect(lambda _: self._show_parts())
        self._show_parts()
        open_on(self.id)

    def _line(self, key: str) -> QLineEdit:
        field = QLineEdit(self)
        field.setMinimumWidth(_WIDTH)
        field.setPlaceholderText(tr("as usual") if key == "port" else "")
        return field

    def _lay_out(self) -> None:
        self.form = QFormLayout()
        self.form.addRow(tr("Type"), self.kind)
        self.form.addRow(tr("Id"), self.id)
        takes_files(self.lines["path"], Takes.PATH)
        files = button("&File…", lambda: self._choose(folder=False))
        folders = button("F&older…", lambda: self._choose(folder=True))
        for each in (files, folders):
            each.setAutoDefault(False)
        others = {"product": self.product, "secret": self.secret, "written": self.written}
        self.rows: dict[str, QWidget] = {**self.lines, **others}
        self.rows["path"] = holder(hbox((self.lines["path"], 1), files, folders, margins=0))
        for key, label in _LABELS.items():
            words = tr(label) if label else ""
            (self.lines.get(key) or others[key]).setAccessibleName(words or self.written.text())
            self.form.addRow(words, self.rows[key])
        foot = hbox(self.check, 1, self.buttons, margins=0)
        vbox(self.form, self.problem, self.outcome, 1, foot, inside=self)

    def _show_parts(self) -> None:
        """What its type needs."""
        asked = parts_of(str(self.kind.currentData()), str(self.product.currentData()))
        for key, row in self.rows.items():
            self.form.setRowVisible(row, key in asked)
        self._say("")

    def _choose(self, *, folder: bool) -> None:
        start = str(self._context.console.workspace)
        if folder:
            chosen = QFileDialog.getExistingDirectory(self, tr("Choose a folder"), start)
        else:
            chosen, _ = QFileDialog.getOpenFileName(self, tr("Choose a file"), start)
        if chosen:
            self.lines["path"].setText(chosen)

    def tree(self) -> dict[str, Any]:
        """The definition as it is typed now."""
        return resource_tree(str(self.kind.currentData()), self._texts())

    def _texts(self) -> dict[str, str]:
        secret = self.secret.currentText() if self.secret.currentIndex() > 0 else ""
        written = "yes" if self.written.isChecked() else ""
        product = str(self.product.currentData())
        texts = {key: line.text() for key, line in self.lines.items()}
        return {**texts, "product": product, "secret": secret, "written": written}

    def _wrong(self) -> tuple[str, QLineEdit] | None:
        """What keeps it from being stored, in words, and the field."""
        id = self.id.text().strip()
        if id in self._known:
            return tr("There is {id} already.", id=id), self.id
        if problem := id_problem(id):
            return problem, self.id
        if lacks := missing(str(self.kind.currentData()), self._texts()):
            return tr("{what} is needed.", what=tr(_LABELS[lacks])), self.lines[lacks]
        return None

    def _is_wrong(self) -> bool:
        """Whether something is, which is said then."""
        self._say("")
        if (wrong := self._wrong()) is not None:
            self._say(wrong[0])
            open_on(wrong[1])
        return wrong is not None

    def _store(self) -> None:
        """Store it, unless something is wrong with it; then it is used."""
        if self._is_wrong():
            return
        id = self.id.text().strip()
        source = source_of({"resources": {id: self.tree()}}, f"{id}.yaml")

        def done(_answer: object) -> None:
            self._context.standing.refresh()
            self.made.emit(id)
            self.accept()

        self._context.console.link.ask(
            lambda service: service.load([source]), done, owner=self, failed=self._failed
        )

    def _check(self) -> None:
        """As it is typed; nothing is stored."""
        if self._is_wrong():
            return
        id, tree = self.id.text().strip(), self.tree()
        self.outcome.setText(tr("Checking…"))
        self._context.console.link.ask(
            lambda service: service.try_resource(id, tree), self._checked, owner=self, failed=self._failed
        )

    def _checked(self, found: Mapping[str, Any]) -> None:
        said = failure_line(found.get("code"), message_in(found, "message"))
        word = check_word(found)
        self._say("" if found["ok"] else f"{word}: {said}")
        self.outcome.setText(f"{word}: {said}" if found["ok"] else "")

    def _failed(self, error: SkerryError) -> None:
        self.outcome.clear()
        self._say(error_line(error))

    def _say(self, text: str) -> None:
        self.problem.setText(text)
        self.problem.setVisible(bool(text))
        self.outcome.setVisible(not text)
        if text:
            self.outcome.clear()


def adding_tool(editor: Editor, done: Callable[[str], object]) -> QToolButton:
    """A button beside an editor's choice that asks for one; ``done`` gets its id."""
    tool = editor.tool("add", tr("New resource…"), lambda: ask_new_resource(editor, done))
    tool.setVisible(editor.context.console.link.ACTS)
    editor.row.addWidget(tool)
    return tool


def ask_new_resource(editor: Editor, done: Callable[[str], object]) -> NewResource:
    """Ask for one over a form; ``done`` gets its id."""
    context = editor.context
    node = context.node()
    job = context.scope().job_of(context.scope().node(node)) if node else {}
    dialog = NewResource(context, likely_type(str(job.get("type", ""))), editor.window())
    dialog.made.connect(done)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog
