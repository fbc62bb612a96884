"""Definitions of one kind: found, made, edited as a draft, stored, copied, deleted, brought back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QListWidgetItem, QWidget

from app.desktop.design.definition_library import source_of, user_task, users_of
from app.desktop.design.editable import Editable, Sheet
from app.desktop.design.edits import free_id
from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form import Form
from app.desktop.design.forms.form_context import FormContext, Hover
from app.desktop.design.forms.kinds.table import editor_for
from app.desktop.design.forms.workspace_definitions import WorkspaceDefinitions
from app.desktop.design.library.definition_editor_view import DefinitionEditorView
from app.desktop.design.library.revisions import RevisionsDialog
from app.desktop.design.picker.samples import Samples
from app.desktop.design.questions import AskId, QuestionDialog
from app.desktop.design.tree import Tree, get
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.reasons import error_line
from app.desktop.widgets.layouts import dropped
from engine.api.documents import Kind
from engine.api.examine import examine
from engine.api.service import Service
from engine.model.errors import SkerryError
from engine.model.findings import Finding
from engine.plugins.job_type import JobType
from engine.plugins.resource_type import ResourceType


class DefinitionEditor(DefinitionEditorView):
    """A list on the left, the form of what is chosen on the right.

    ``stored`` brings the id of a definition that was saved or deleted.
    """

    stored = Signal(str)
    KIND: ClassVar[Kind]
    SECTION: ClassVar[str]

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self.standing = WorkspaceDefinitions(console, self)
        self.draft: Editable | None = None
        self.context: FormContext | None = None
        self.form: Form | None = None
        self.id = ""
        self._wanted = ""  # to be chosen when the list is there
        self._connect()
        translated(self, self._word)
        self.standing.changed.connect(self._listed)
        self.standing.refresh()

    def fields(self) -> Sequence[Field]:
        raise NotImplementedError

    def types(self) -> Mapping[str, JobType | ResourceType]:
        """The types that one may have, by name."""
        raise NotImplementedError

    def kinds(self) -> Sequence[tuple[str, str]]:
        """The types that a new one may have, with their words."""
        zh = self.console.language.current.startswith("zh")
        return [(name, each.label[zh]) for name, each in sorted(self.types().items()) if name == each.kind]

    def fresh(self, kind: str) -> dict[str, Any]:
        return {"type": kind}

    def definition_changed(self) -> None:
        """Another one is shown."""

    def _connect(self) -> None:
        self.search.textChanged.connect(lambda _text: self._show_list())
        self.list.currentItemChanged.connect(self._chosen)
        self.adds.clicked.connect(self.add)
        self.copies.clicked.connect(self.copy)
        self.deletes.clicked.connect(self.delete)
        self.revisions.clicked.connect(self.show_revisions)
        self.saves.clicked.connect(self.save)
        self.reverts.clicked.connect(self.revert)
        here = Qt.ShortcutContext.WidgetWithChildrenShortcut
        QShortcut(QKeySequence("Ctrl+Z"), self, self._undo, context=here)
        QShortcut(QKeySequence("Ctrl+S"), self, self.save, context=here)

    def _word(self) -> None:
        super()._word()
        self._show_head()

    def open(self, id: str) -> None:
        self._wanted = id
        self._show_list()

    def _listed(self) -> None:
        self._show_list()
        if self.draft is not None and self.draft.undo.isClean():
            stored = self.standing.library.section(self.SECTION).get(self.id)
            if stored is not None and stored != self.own():
                self._show(self.id, stored)
        self._show_head()

    def _show_list(self) -> None:
        definitions = self.standing.library.section(self.SECTION)
        found = self.show_definitions(definitions, dict(self.kinds()), self._wanted or self.id)
        if found is not None:
            self._wanted = ""
            self.list.setCurrentItem(found)
        elif not self.id and self.list.count():
            self.list.setCurrentRow(0)

    def _chosen(self, item: QListWidgetItem | None, _before: object = None) -> None:
        id = str(item.data(Qt.ItemDataRole.UserRole)) if item is not None else ""
        if not id or id == self.id:
            return
        if self.draft is not None and not self.draft.undo.isClean():
            self.save()
            if not self.draft.undo.isClean():
                return
        self._show(id, self.standing.library.section(self.SECTION)[id])

    def own(self) -> Any:
        """The tree of what is chosen, as it is edited now."""
        return get(self.draft.tree, (self.SECTION, self.id)) if self.draft else None

    def _show(self, id: str, tree: Tree) -> None:
        library = self.standing.library
        self.id = id
        task = user_task(library, self.KIND, id)
        if self.draft is not None:
            self.draft.deleteLater()
        self.draft = Editable(task, Sheet({self.SECTION: {id: tree}}), self.console.link, self._check, self)
        samples = Samples(self.console.link, task, parent=self.draft)
        owner = id if self.KIND == "job" else ""
        self.context = FormContext(
            self.console, self.draft, self.standing, samples, Hover(self.draft), editor_for, owner=owner
        )
        self._drop_form()
        self.form = Form(self.context, self.fields, self.page)
        self.place.addWidget(self.form)
        self.draft.undo.cleanChanged.connect(self._show_head)
        self.form.follow()
        self.error.hide()
        if task:
            samples.refresh()
        self._show_head()
        self.definition_changed()

    def _check(self, tree: Tree) -> Sequence[Finding]:
        types = (self.console.job_types, self.console.resource_types)
        return examine([source_of(tree, f"{self.id}.yaml")], *types, self.standing.library.find).findings

    def _drop_form(self) -> None:
        if self.form is not None:
            dropped(self.place, self.form)
            self.form = None

    def _show_head(self) -> None:
        chosen = self.draft is not None
        changed = self.draft is not None and not self.draft.undo.isClean()
        for widget in (self.copies, self.deletes, self.revisions):
            widget.setEnabled(chosen)
        self.saves.setEnabled(changed)
        self.reverts.setEnabled(changed)
        self.title.setText(f"{self.id} *" if changed else self.id if chosen else tr(self.NONE))
        users = users_of(self.standing.library, self.KIND, self.id) if chosen else ()
        self.show_users(users, tr("Not used yet") if chosen else "")

    def _undo(self) -> None:
        if self.draft is not None:
            self.draft.undo.undo()

    def save(self) -> None:
        """Store the draft: a new revision."""
        if self.draft is not None and not self.draft.undo.isClean():
            self._store(self.id, self.own())

    def revert(self) -> None:
        if self.draft is not None:
            self.draft.undo.setIndex(self.draft.undo.cleanIndex())

    def add(self) -> None:
        """Ask for a type and an id, and make it."""
        taken = self.standing.library.section(self.SECTION)
        dialog = AskId(self.console, tr("New"), "", taken, self.window(), kinds=self.kinds())
        dialog.chosen.connect(lambda id, kind: self._store(id, self.fresh(kind)))
        dialog.open()

    def copy(self) -> None:
        """Ask for another id, and make a copy."""
        taken = self.standing.library.section(self.SECTION)
        dialog = AskId(self.console, tr("Copy"), free_id(self.id, taken), taken, self.window())
        dialog.chosen.connect(lambda id, _kind: self._store(id, self.own()))
        dialog.open()

    def delete(self) -> None:
        """Delete it after asking; what is in use stays."""
        text = tr("Delete {id}?", id=self.id) + "\n\n"
        text += tr("Its earlier revisions stay, so that runs which used it can still be read.")
        QuestionDialog(tr("Delete"), text, ((tr("Delete"), self._delete),), self).open()

    def show_revisions(self) -> None:
        dialog = RevisionsDialog(self.console, self.KIND, self.id, self.window())
        dialog.chosen.connect(self._restore)
        dialog.open()

    def _restore(self, tree: Tree, revision: int) -> None:
        if self.draft is not None:
            self.draft.set((self.SECTION, self.id), dict(tree), tr("Bring back revision {n}", n=revision))

    def _store(self, id: str, tree: Any) -> None:
        source = source_of({self.SECTION: {id: tree}}, f"{id}.yaml")
        self._call(lambda service: service.load([source]), lambda: self._stored(id))

    def _call(self, call: Callable[[Service], object], done: Callable[[], None]) -> None:
        self.console.link.ask(call, lambda _answer: done(), owner=self, failed=self._failed)

    def _stored(self, id: str) -> None:
        self.error.hide()
        if id == self.id and self.draft is not None:
            self.draft.undo.setClean()
        self._wanted = id
        self.standing.refresh()
        self.stored.emit(id)

    def _delete(self) -> None:
        id, kind = self.id, self.KIND
        self._call(lambda service: service.delete(kind, id), lambda: self._deleted(id))

    def _deleted(self, id: str) -> None:
        self.id, self.draft = "", None
        self._drop_form()
        self.standing.refresh()
        self.stored.emit(id)

    def _failed(self, error: SkerryError) -> None:
        self.error.setText(f"{error.code}  {error_line(error)}")
        self.error.show()

    def showEvent(self, event: QShowEvent) -> None:
        """Others may have changed something while this was not seen."""
        super().showEvent(event)
        self.standing.refresh()
