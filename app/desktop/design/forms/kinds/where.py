"""Where a job runs: workers, groups and labels are picked from those that are registered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form_context import Editor, FormContext
from app.desktop.design.forms.kinds.listing import ListEditor
from app.desktop.design.forms.kinds.mapping import MapEditor
from app.desktop.design.forms.kinds.text import TextEditor
from app.desktop.design.forms.plain_text import plain_label, tinted_label
from app.desktop.design.forms.where_words import consequence
from app.desktop.design.tree import get
from app.desktop.kernel.console import Target
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import vbox
from engine.plugins.job_type import CallType

Row = Mapping[str, Any]
Entry = tuple[str, str, Any]  # what a menu shows, the status of its sign, what it gives


def _fill(editor: Editor, menu: QMenu, entries: Iterable[Entry], chosen: Callable[[Any], None]) -> None:
    """The entries; without any what leads to where workers are added."""
    menu.clear()
    console = editor.context.console
    for text, status, value in entries:
        action = QAction(text, menu)
        if status:
            action.setIcon(console.status_icon(status))
        action.triggered.connect(lambda _=False, value=value: chosen(value))
        menu.addAction(action)
    if menu.isEmpty():
        action = menu.addAction(tr("None is registered: show the workers"))
        action.triggered.connect(lambda: console.navigator.go(Target("worker")))


def workers_of(context: FormContext) -> Sequence[Row]:
    """The registered workers as the window knows them now."""
    latest = context.console.overview.latest
    return latest.workers if latest is not None else ()


class WorkersEditor(ListEditor):
    """Names, each typed, bound, or picked."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.picks = _picks(self, tr("Pick a worker"), self._entries, self._pick)
        self.row.addWidget(self.picks)

    def _entries(self) -> Iterator[Entry]:
        taken = self.values()
        for row in workers_of(self.context):
            if row["name"] not in taken:
                yield str(row["name"]), f"worker_{row['state']}", str(row["name"])

    def _pick(self, name: str) -> None:
        self.settle([*(each for each in self.values() if each), name])


class WorkerGroupEditor(TextEditor):
    """A group, typed, bound or picked."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.picks = _picks(self, tr("Pick a group"), self._entries, self.settle)
        self.row.addWidget(self.picks)

    def _entries(self) -> Iterator[Entry]:
        members: dict[str, list[str]] = defaultdict(list)
        for row in workers_of(self.context):
            for group in row["groups"]:
                members[str(group)].append(str(row["name"]))
        for group, names in sorted(members.items()):
            yield f"{group}  ·  {', '.join(names)}", "", group


class WorkerLabelsEditor(MapEditor):
    """Labels that a worker must have, typed or picked."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.picks = _picks(self, tr("Pick a label"), self._entries, self._pick)
        self.row.addWidget(self.picks)

    def _entries(self) -> Iterator[Entry]:
        found = {pair for row in workers_of(self.context) for pair in row["labels"].items()}
        for key, value in sorted(found):
            yield f"{key} = {value}", "", (key, value)

    def _pick(self, pair: tuple[str, str]) -> None:
        self.settle({**self.values(), pair[0]: pair[1]})


class ConsequenceEditor(Editor):
    """What all of it comes to, in words; nothing can be changed in it."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.words = plain_label("", self)
        self.obstacles = tinted_label(context.console.theme, "warning", "", self)
        self.row.addLayout(vbox(self.words, self.obstacles, spacing=2), 1)
        context.console.overview.refreshed.connect(self._look)
        self.show_field(field)

    def show_field(self, field: Field) -> None:
        super().show_field(field)
        self._look()

    def _look(self, _: object = None) -> None:
        on, movable = self._effective()
        first, *rest = consequence(on, workers_of(self.context), movable)
        self.words.setText(first)
        self.obstacles.setText("\n".join(rest))
        self.obstacles.setVisible(bool(rest))

    def _effective(self) -> tuple[Mapping[str, Any], bool]:
        """What holds: its own, that of its job, that of all nodes of its task; and whether its type moves."""
        scope = self.context.scope()
        raw = get(self.context.document.tree, self.field.path[:-1], {})
        raw = raw if isinstance(raw, Mapping) else {}
        used = scope.job_of(raw)
        type_ = scope.type_of(raw)
        movable = not isinstance(type_, CallType) and used.get("type", raw.get("type")) != "task"
        defaults = scope.raw_task.get("defaults")
        usual = defaults.get("on") if isinstance(defaults, Mapping) and movable else None
        found = next(
            (each for each in (raw.get("on"), used.get("on"), usual) if isinstance(each, Mapping)), {}
        )
        return found, movable


def _picks(
    editor: Editor, name: str, entries: Callable[[], Iterable[Entry]], chosen: Callable[[Any], None]
) -> QToolButton:
    """A button with a menu of what can be picked; it is filled when it opens."""
    made = editor.tool("machine", name, lambda: None)
    menu = QMenu(made)
    made.setMenu(menu)
    made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    menu.aboutToShow.connect(lambda: _fill(editor, menu, entries(), chosen))
    return made
