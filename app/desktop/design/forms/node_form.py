"""The form of the selected node: its job, its parameters, its results, and the rules of its run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLineEdit, QToolButton, QWidget

from app.desktop.design.document import Document
from app.desktop.design.forms.field_tables import node_fields, task_fields
from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form import Form, NewParameter
from app.desktop.design.forms.form_context import FormContext, Hover
from app.desktop.design.forms.kinds.table import editor_for
from app.desktop.design.forms.parameter_sets import SetBar
from app.desktop.design.forms.plain_text import plain_label
from app.desktop.design.forms.shared_form import SharedForm
from app.desktop.design.forms.task_table import TaskTableDialog
from app.desktop.design.forms.try_node import TryNode
from app.desktop.design.forms.workspace_definitions import WorkspaceDefinitions
from app.desktop.design.library.convert_dialog import convert
from app.desktop.design.picker.samples import Samples
from app.desktop.design.tree import Path, get, node_at, node_path
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import named
from app.desktop.widgets.plain_label import tip_text
from app.desktop.widgets.reading_order import step
from app.desktop.widgets.roomy_buttons import PushButton
from app.desktop.widgets.tool_button import tool_button
from engine.model.names import is_handler

_BROAD = 600  # pixels of width, from which on it is one of the low panes at the bottom
_PAUSE = 400  # ms in which several ends of runs become one look


class NodeForm(QWidget):
    """``show_node(id)`` shows a node, None the task itself."""

    def __init__(self, console: Console, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.console, self.document = console, document
        self.node: str | None = None
        self.hover = Hover(self)
        self.standing = WorkspaceDefinitions(console, self)
        self.samples = Samples(console.link, document.task_id, _zone(document, "UTC"), self)
        self.standing.changed.connect(self._zoned)
        self.context = FormContext(
            console, document, self.standing, self.samples, self.hover, editor_for, lambda: self.node
        )
        self._build()
        document.changed.connect(self._show_head)
        console.link.changed.connect(self._happened)
        self._later = QTimer(self, singleShot=True, interval=_PAUSE)
        self._later.timeout.connect(self.samples.refresh)
        self.standing.refresh()
        self.samples.refresh()
        self.show_node(None)

    def _zoned(self) -> None:
        """Times are shown in the zone of the schedule, else of the workspace, as in a run."""
        zone = _zone(self.document, self.standing.zone)
        if zone != self.samples.zone:
            self.samples.zone = zone
            self.samples.refresh()

    def show_node(self, node: str | None) -> None:
        """Show a node; None: the task itself."""
        known = node if node in self.context.scope().parts else None
        if known != self.node:
            self.sets.member = 0
        self.node = known
        self.id.setText(known or self.document.task_id)
        self._show_head()
        self.form.follow()
        self.form.verticalScrollBar().setValue(0)

    def of_several(self, parent: QWidget) -> SharedForm:
        """A form of several nodes of the same task, which knows what this one knows."""
        return SharedForm(self.context, self.document, parent)

    def focus(self, path: Path) -> bool:
        """Focus the field that a path of the tree belongs to, of this node or of the task."""
        if (node := node_at(path)) is not None:
            self.show_node(node)
        return self.form.focus(path)

    def fields(self) -> Sequence[Field]:
        scope = self.context.scope()
        if self.node is None or self.node not in scope.parts:
            return task_fields(scope)
        return node_fields(scope, self.node, self.sets.member)

    def _build(self) -> None:
        self.setAccessibleName(tr("Form"))
        self.id = named(QLineEdit(self), "Id of the node")
        self.id.editingFinished.connect(self._rename)
        self.kind = plain_label("", self)
        self.library = PushButton(self)
        self.library.clicked.connect(self._convert)
        self.open = self._tool("open", "Open the job in the library", self._open_job)
        self.test = self._tool("try", "Test this node alone, with sample values", self._try)
        self.table = self._tool("table", "All parameters of the task in one table", self._table)
        self.sets = SetBar(self.context, self)
        self.form = Form(self.context, self.fields, self)
        self.sets.turned.connect(self.form.follow)
        self.adds = NewParameter(self.form, self._parameter_path, self)
        names = hbox((self.id, 1), self.open, self.test, self.table)
        kinds = hbox((self.kind, 1), self.sets.more, self.library)
        self._head = vbox((names, 1), (kinds, 1), margins=(8, 0, 8, 0), spacing=4)
        self.form.end_with(self.adds)
        vbox(self._head, self.sets, (self.form, 1), inside=self, margins=(0, 4, 0, 0), spacing=4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is broad it is low: its head is one line then."""
        super().resizeEvent(event)
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._head.setDirection(across if self.width() > _BROAD else down)

    def _tool(self, icon: str, text: str, do: Callable[[], None]) -> QToolButton:
        return tool_button(self.console.icons, icon, text, do, self, 28)

    def _show_head(self) -> None:
        scope, node = self.context.scope(), self.node
        raw = scope.node(node) if node else {}
        if node and node not in scope.parts:
            self.node, node = None, None
        job = scope.job_of(raw) if node else {}
        found = scope.type_of(job)
        if not self.id.hasFocus() or self.id.text() not in scope.parts:
            self.id.setText(node or self.document.task_id)
        handler = node is not None and is_handler(node)
        self.id.setReadOnly(node is None or handler)
        words = self.console.job_types[found.kind].label if found else None
        self.kind.setText(tr("The task itself") if node is None else self._kind_words(raw, words))
        self.kind.setToolTip(tip_text(self.context.say(found.help)) if found else "")
        self.library.setVisible(node is not None)
        self.library.setText(tr("Give it a job of its own") if "job" in raw else tr("Put into the library…"))
        acts = self.console.link.ACTS
        self.open.setVisible("job" in raw and acts)
        self.test.setVisible(node is not None and not handler and acts)
        self.sets.show_node(None if handler else node)
        self.adds.setVisible(node is not None)

    def _kind_words(self, raw: Mapping[str, Any], words: Any) -> str:
        kind = self.context.say(words) if words else str(raw.get("type", ""))
        return tr("{kind}, job {job} of the library", kind=kind, job=raw["job"]) if "job" in raw else kind

    def focusNextPrevChild(self, next: bool) -> bool:
        """Tab goes from the head through the fields to the foot."""
        return step(self, next, super().focusNextPrevChild)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._show_head()

    def _rename(self) -> None:
        new, old = self.id.text().strip(), self.node
        if old is None or new == old:
            return
        problem = self.document.id_problem(new)
        if problem:
            self.console.navigator.notify(problem, bad=True)
            self.id.setText(old)
            return
        self.node = new
        self.document.rename_node(old, new)

    def _parameter_path(self, name: str) -> Path | None:
        if self.node is None:
            return None
        if is_handler(self.node):
            return node_path(self.document.task_id, self.node, "params", name)
        return self.sets.path(self.node, name)

    def _convert(self) -> None:
        if self.node is not None:
            convert(self.context, self.node, self)

    def _open_job(self) -> None:
        raw = self.context.scope().node(self.node or "")
        self.console.navigator.go(Target("job", str(raw.get("job", ""))))

    def _try(self) -> None:
        if self.node is not None:
            dialog = TryNode(self.context, self.node, self.sets.member, self.window())
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.show()

    def _table(self) -> None:
        dialog = TaskTableDialog(self.context, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()

    def _happened(self, events: Sequence[Mapping[str, Any]]) -> None:
        """A run of this task has ended: its values are the latest now."""
        if any(_ended(each, self.document.task_id) for each in events):
            self._later.start()


def _ended(event: Mapping[str, Any], task: str) -> bool:
    if event.get("kind") == "resync":
        return True
    ends = ("succeeded", "failed", "cancelled", "timed_out", "lost")
    return event.get("kind") == "instance" and event.get("task") == task and event.get("status") in ends


def _zone(document: Document, usual: str) -> str:
    zone = get(document.task, ("schedule", "timezone"))
    return zone if isinstance(zone, str) else usual
