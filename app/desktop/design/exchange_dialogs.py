"""Definitions come in from files, the clipboard or a drop, what changes is seen first; and go out as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFileDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTreeWidgetItem,
    QWidget,
)

from app.desktop.design.definition_library import DefinitionLibrary
from app.desktop.design.exchange import (
    ImportPreview,
    Incoming,
    exported,
    preview_import,
    sources_of,
)
from app.desktop.kernel.console import Console
from app.desktop.kernel.dropped_files import DEFINITIONS
from app.desktop.kernel.language import tr, trn
from app.desktop.kernel.reasons import error_line, failure_line
from app.desktop.kernel.visible_text import visible
from app.desktop.widgets.cut_cells import cut_items
from app.desktop.widgets.layouts import hbox, resize_within_screen, split, vbox
from app.desktop.widgets.pane_widgets import button, code_box, holder, named, plain, row, tree
from app.desktop.widgets.questions import do_or_cancel
from app.desktop.widgets.reading_order import ReadingDialog
from engine.api.documents import Source
from engine.model.errors import SkerryError

_KINDS = {
    "task": "Task", "job": "Job", "resource": "Resource", "calendar": "Calendar",
    "rule": "Handling rule", "error": "Catalogue entry",
}  # fmt: skip
_EFFECTS = {"new": "new", "changed": "changed", "same": "as it is here"}
_INCOMING = Qt.ItemDataRole.UserRole
_TASK = Qt.ItemDataRole.UserRole


class DefinitionExchange(QObject):
    """The ways in and out; ``came`` brings the ids of tasks that were brought in."""

    came = Signal(object)

    def __init__(self, console: Console, owner: QWidget) -> None:
        super().__init__(owner)
        self._console, self._owner = console, owner

    def bring_in(self, sources: Sequence[Source] = (), files: Sequence[Path] = ()) -> ImportDialog:
        """See what definitions would change; without any they are asked for."""
        dialog = ImportDialog(self._console, sources, self._owner)
        dialog.came.connect(self.came)
        dialog.open()
        if files:
            dialog.read(files)
        elif not sources:
            dialog.choose()
        return dialog

    def give_out(self, library: DefinitionLibrary, tasks: Sequence[str]) -> ExportDefinitions:
        dialog = ExportDefinitions(self._console, library, tasks, self._owner)
        dialog.open()
        return dialog


class ImportDialog(ReadingDialog):
    """What ``sources`` would change; ``came`` brings the ids of the tasks in it once they are stored."""

    came = Signal(object)

    def __init__(self, console: Console, sources: Sequence[Source], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Import definitions"))
        resize_within_screen(self, 940, 560)
        self._console, self._sources = console, list(sources)
        self.preview: ImportPreview | None = None
        self.said = plain(tr("Choose files, or take what is on the clipboard."))
        columns = ("Kind", "Id", "What happens")
        self.list = tree("What comes in", columns, widths=(100, 150), empty="Nothing was chosen yet.")
        differs = "Difference to what is here"
        self.changes = named(code_box(console.theme, read_only=True), differs, differs)
        self.files = button("&Files…", self.choose)
        self.pasted = button("From the &clipboard", self.paste)
        for each in (self.files, self.pasted):
            each.setAutoDefault(False)
        buttons, self.take = do_or_cancel(self, tr("Import"), self._take)
        self.take.setEnabled(False)
        self.take.setDefault(True)
        self.list.currentItemChanged.connect(lambda item, _: self._explain(item))
        both = split((self.list, 1), (self.changes, 1), sizes=(430, 470), collapsible=False)
        foot = hbox(self.files, self.pasted, 1, buttons, margins=0)
        vbox((both, 1), self.said, foot, inside=self)
        self._look()

    def choose(self) -> None:
        """Ask for files."""
        kinds = tr("Definitions ({suffixes})", suffixes=" ".join(f"*{each}" for each in DEFINITIONS))
        chosen, _ = QFileDialog.getOpenFileNames(self, tr("Choose files"), filter=kinds)
        if chosen:
            self.read([Path(each) for each in chosen])

    def paste(self) -> None:
        """Take the text that is on the clipboard."""
        text = QGuiApplication.clipboard().text()
        if text.strip():
            self._sources = [Source(name=tr("clipboard"), text=text)]
            self._look()
        else:
            self.said.setText(tr("There is no text on the clipboard."))

    def read(self, paths: Sequence[Path]) -> None:
        """Take these files; what cannot be read is said."""
        try:
            self._sources = sources_of(paths)
        except SkerryError as error:
            return self._failed(error)
        return self._look()

    def _look(self) -> None:
        """Compare on a worker; nothing is stored."""
        sources, types = self._sources, (self._console.job_types, self._console.resource_types)
        if not sources:
            return
        self.take.setEnabled(False)
        ask = self._console.link.ask
        ask(lambda service: preview_import(service, sources, *types), self._show, owner=self,
            failed=self._failed)  # fmt: skip

    def _show(self, found: ImportPreview) -> None:
        self.preview = found
        self.list.clear()
        self.changes.clear()
        for each in found.definitions:
            texts = tr(_KINDS[each.kind]), each.id, tr(_EFFECTS[each.effect])
            self.list.addTopLevelItem(row(texts, each))
        first = self.list.topLevelItem(0)
        if first is not None:
            self.list.setCurrentItem(first)
        self.said.setText("\n".join(self._words(found)))
        self.take.setEnabled(found.possible and self._console.link.writable)

    def _words(self, found: ImportPreview) -> list[str]:
        wrong = [each for each in found.findings if each.severity == "error"]
        if wrong:
            return [f"{each.file}:{each.line}  {failure_line(each.code, each.message)}" for each in wrong[:8]]
        n = sum(each.effect != "same" for each in found.definitions)
        if not n:
            return [tr("Nothing differs from what is here.")]
        return [trn(n, "{n} definition gets a new revision.", "{n} definitions get a new revision.")]

    def _explain(self, item: QTreeWidgetItem | None) -> None:
        each = item.data(0, _INCOMING) if item is not None else None
        self.changes.setPlainText(visible("\n".join(each.lines)) if isinstance(each, Incoming) else "")

    def _take(self) -> None:
        sources, found = self._sources, self.preview
        if found is None or not self.take.isEnabled():
            return
        self.take.setEnabled(False)
        tasks = [each.id for each in found.definitions if each.kind == "task"]

        def done(_answer: object) -> None:
            self.came.emit(tasks)
            self.accept()

        self._console.link.ask(lambda service: service.load(sources), done, owner=self, failed=self._failed)

    def _failed(self, error: SkerryError) -> None:
        self.said.setText(f"{error.code}  {error_line(error)}")


class ExportDefinitions(ReadingDialog):
    """Tasks of ``library`` with all that they use, as a file or on the clipboard."""

    def __init__(
        self, console: Console, library: DefinitionLibrary, chosen: Sequence[str], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Export definitions"))
        resize_within_screen(self, 860, 560)
        self._library = library
        self.search = named(QLineEdit(clearButtonEnabled=True), "Search tasks", "Search tasks")
        self.list = named(QListWidget(), "Tasks")
        cut_items(self.list)
        self.text = named(code_box(console.theme, read_only=True), "What is written")
        self.said = plain(tr("As they are stored: what is not saved yet is not in it."))
        self.copies = button("&Copy", self.copy)
        self.copies.setAutoDefault(False)
        buttons, self.saves = do_or_cancel(self, tr("Save as…"), self.save)
        self._fill(chosen)
        self.search.textChanged.connect(self._search)
        self.list.itemChanged.connect(lambda _: self._show())
        left = holder(vbox(self.search, self.list, margins=0))
        vbox((split((left, 2), (self.text, 3), sizes=(340, 510), collapsible=False), 1), self.said,
             hbox(self.copies, 1, buttons, margins=0), inside=self)  # fmt: skip
        self._show()

    def _fill(self, chosen: Sequence[str]) -> None:
        for id, each in sorted(self._library.section("tasks").items()):
            item = QListWidgetItem(f"{id} – {each['name']}" if each.get("name") else id, self.list)
            item.setData(_TASK, id)
            item.setCheckState(Qt.CheckState.Checked if id in chosen else Qt.CheckState.Unchecked)

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(at) for at in range(self.list.count())]

    def chosen(self) -> list[str]:
        """The tasks that are ticked."""
        return [str(each.data(_TASK)) for each in self._items() if each.checkState() is Qt.CheckState.Checked]

    def _search(self, text: str) -> None:
        for each in self._items():
            each.setHidden(text.strip().casefold() not in each.text().casefold())

    def _show(self) -> None:
        chosen = self.chosen()
        self.text.setPlainText(exported(self._library, chosen) if chosen else "")
        for each in (self.copies, self.saves):
            each.setEnabled(bool(chosen))

    def copy(self) -> None:
        """Onto the clipboard."""
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.said.setText(tr("It is on the clipboard."))

    def save(self) -> None:
        """Into a file that a person chooses."""
        name = f"{self.chosen()[0] if len(self.chosen()) == 1 else 'tasks'}.yaml"
        chosen, _ = QFileDialog.getSaveFileName(self, tr("Save as"), name)
        if not chosen:
            return
        try:
            Path(chosen).write_text(exported(self._library, self.chosen()), "utf-8", "surrogateescape")
        except OSError as error:
            self.said.setText(visible(f"{chosen}: {error.strerror}"))
            return
        self.accept()
