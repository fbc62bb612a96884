"""A form: fields in sections, the usual first and the rest folded; it follows its document."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFrame,
    QLineEdit,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from app.desktop.design.forms.field_row import FieldRow
from app.desktop.design.forms.fields import Field, FieldKind, is_below, owners
from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.forms.key_words import GROUPS, OPEN
from app.desktop.design.forms.plain_text import tinted_label
from app.desktop.design.tree import Path, node_at
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import failure_line
from app.desktop.widgets.keyboard_place import keyboard_in, put_keyboard
from app.desktop.widgets.layouts import dropped, vbox
from app.desktop.widgets.pane_widgets import named
from app.desktop.widgets.reading_order import in_order, step
from app.desktop.widgets.roomy_buttons import ToolButton
from engine.model.findings import Finding

_HEAD = 28  # pixels


class FormSection(QWidget):
    """A heading that folds what is under it."""

    def __init__(
        self, context: FormContext, title: str, parent: QWidget | None = None, *, opened: bool = True
    ) -> None:
        super().__init__(parent)
        self._context = context
        self.title = title
        self.head = ToolButton(self, _HEAD)
        self.head.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.head.setCheckable(True)
        self.head.setStyleSheet(_head_style(context))
        self.head.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.head.setVisible(bool(title))
        self.body = QWidget(self)
        self.rows = vbox(inside=self.body, margins=(4, 0, 0, 0), spacing=0)
        vbox(self.head, self.body, inside=self, margins=(0, 2, 0, 2), spacing=0)
        self.head.toggled.connect(self._fold)
        self.head.setChecked(opened)
        self._fold(opened)

    def describe(self, given: int, wrong: int) -> None:
        """How many of its fields have a value, and how many findings it hides."""
        words = tr(self.title) if self.title else ""
        words += f"  ({given})" if given and not self.head.isChecked() else ""
        words += "  " + tr("{n} to mend", n=wrong) if wrong else ""
        self.head.setText(words)

    def _fold(self, opened: bool) -> None:
        self.body.setVisible(opened)
        self.head.setIcon(self._context.console.icons.get("down" if opened else "right"))


def _head_style(context: FormContext) -> str:
    colours = context.console.theme.colours
    return (
        f"QToolButton {{ border: none; border-top: 1px solid {colours.border}; font-weight: 600;"
        f" padding: 4px 2px; text-align: left; }} QToolButton:hover {{ background: {colours.selection}; }}"
        f"QToolButton:focus {{ border: 2px solid {colours.accent}; }}"
    )


class Form(QScrollArea):
    """The fields that ``fields`` gives, as they are now; made again only when there are other ones."""

    def __init__(
        self, context: FormContext, fields: Callable[[], Sequence[Field]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.context, self._give = context, fields
        self.rows: dict[str, FieldRow] = {}  # of the sections that have been opened
        self.fields: tuple[Field, ...] = ()
        self.sections: dict[str, FormSection] = {}
        self.found: dict[str, list[Finding]] = {}
        self._folded: dict[str, bool] = {}
        self._shape: tuple[object, ...] | None = None
        self._awaited: QDialog | None = None
        self._end: QWidget | None = None
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._page = QWidget(self)
        self._column = vbox(inside=self._page, margins=(8, 4, 8, 8), spacing=2)
        self.setWidget(self._page)
        self.rest = tinted_label(context.console.theme, "danger", "", self._page)
        self.rest.hide()
        self._column.addWidget(self.rest)
        context.document.changed.connect(self.follow)
        context.document.findings_changed.connect(self._show_findings)
        self._known = context.standing.known
        context.standing.changed.connect(self._follow_workspace)
        context.console.theme.changed.connect(self.renew)

    def end_with(self, widget: QWidget) -> None:
        """Show it below all fields: a foot of its own would take the room of one where the form is low."""
        self._end = widget
        self._column.addWidget(widget)

    def renew(self) -> None:
        """Make every field again."""
        self._shape = None
        self.follow()

    def _follow_workspace(self) -> None:
        """Fields are made from the workspace's definitions, too; reading them again often finds the same."""
        before, self._known = self._known, self.context.standing.known
        if self._known != before:
            self.renew()

    def follow(self) -> None:
        fields = tuple(self._give())
        shape = tuple((each.key, each.kind, each.choices, each.language, each.own) for each in fields)
        if shape != self._shape and self._in_use():
            return
        self.fields = fields
        if shape != self._shape:
            self._shape = shape
            places = [(name, keyboard_in(each)) for name, each in self._named_parts().items()]
            self._rebuild(fields)
            self._show_fields()
            for name, place in places:
                if place is not None and name in self._named_parts():
                    put_keyboard(place, self._named_parts()[name])
        else:
            self._show_fields()
        self._show_findings()

    def _show_fields(self) -> None:
        for field in self.fields:
            if field.key in self.rows:
                self.rows[field.key].show_field(field)

    def _named_parts(self) -> dict[str, QWidget]:
        """The rows by the keys of their fields, the headings by those of their groups."""
        return {**{f"/{group}": each.head for group, each in self.sections.items()}, **self.rows}

    def _in_use(self) -> bool:
        """Whether a dialog is open that may belong to a field: its field stays until it has been answered."""
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, QDialog) or dialog is self.window():
            return False
        if dialog is not self._awaited:
            self._awaited = dialog
            dialog.finished.connect(self._answered)
        return True

    def _answered(self) -> None:
        self._awaited = None
        self.follow()

    def focus(self, path: Path) -> bool:
        """Unfold, scroll to and focus the field of a path; False when there is none."""
        keys = ["/".join(map(str, path[:length])) for length in range(len(path), 0, -1)]
        known = {field.key: field for field in self.fields}
        field = next((known[key] for key in keys if key in known), None)
        if field is None:
            return False
        self.sections[field.group].head.setChecked(True)
        row = self.rows[field.key]
        self.ensureWidgetVisible(row)
        row.box.setFocus()
        return True

    def focus_first(self) -> None:
        """The keyboard on the first field."""
        for each in in_order(self._page)[:1]:
            each.setFocus(Qt.FocusReason.TabFocusReason)

    def focusNextPrevChild(self, next: bool) -> bool:
        """Tab goes through the fields as they are read, and shows them."""
        moved = step(self, next, super().focusNextPrevChild)
        now = QApplication.focusWidget()
        if now is not None and self._page.isAncestorOf(now):
            self.ensureWidgetVisible(now)
        return moved

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.renew()

    def _rebuild(self, fields: tuple[Field, ...]) -> None:
        self._folded |= {group: each.head.isChecked() for group, each in self.sections.items()}
        for section in self.sections.values():
            dropped(self._column, section)
        self.rows, self.sections = {}, {}
        while item := self._column.takeAt(0):
            del item
        self._column.addWidget(self.rest)
        for group in dict.fromkeys(field.group for field in fields):
            self._section(group, fields)
        self._column.addStretch(1)
        if self._end is not None:
            self._column.addWidget(self._end)

    def _section(self, group: str, fields: tuple[Field, ...]) -> None:
        opened = self._folded.get(group, group in OPEN) or not GROUPS[group]
        section = FormSection(self.context, GROUPS[group], self._page, opened=opened)
        section.head.toggled.connect(lambda _on: self._opened(group))
        self.sections[group] = section
        self._column.addWidget(section)
        if opened:
            self._fill(group)

    def _opened(self, group: str) -> None:
        self._fill(group)
        self._show_findings()

    def _fill(self, group: str) -> None:
        """Make the fields of a section; those of folded ones are not made before they are seen."""
        section = self.sections[group]
        if section.rows.count() or not section.head.isChecked():
            return
        for field in self.fields:
            if field.group == group:
                self.rows[field.key] = FieldRow(self.context, field, section.body)
                section.rows.addWidget(self.rows[field.key])

    def _show_findings(self) -> None:
        """What is wrong, at its field; what belongs to no field is above them."""
        start = self.place()
        own = [each for each in self.context.document.findings if is_below(each.path, start)]
        self.found, rest = owners(own, self.fields)
        for key, row in self.rows.items():
            row.show_findings(self.found.get(key, ()))
        rest = [each for each in rest if len(start) != 2 or node_at(each.path) is None]
        self.rest.setText("\n".join(failure_line(each.code, each.message) for each in rest))
        self.rest.setVisible(bool(rest))
        self._describe()

    def place(self) -> Path:
        """The path of what is shown: what its fields have in common."""
        paths = [field.path for field in self.fields]
        length = 4 if paths and node_at(paths[0]) is not None else 2
        return paths[0][:length] if paths else ("",)

    def _describe(self) -> None:
        for group, section in self.sections.items():
            own = [each for each in self.fields if each.group == group]
            hidden = own if not section.head.isChecked() else []
            wrong = sum(len(self.found.get(each.key, ())) for each in hidden)
            section.describe(
                sum(each.given and each.kind is not FieldKind.CONSEQUENCE for each in own), wrong
            )


class NewParameter(QLineEdit):
    """Adds a parameter to what a form shows; ``path`` gives where the value of a name is, None: nowhere."""

    def __init__(self, form: Form, path: Callable[[str], Path | None], parent: QWidget) -> None:
        super().__init__(parent)
        self._form, self._path = form, path
        named(self, "Name of a new parameter", "Add a parameter: type its name, then Enter")
        self.returnPressed.connect(self._add)

    def _add(self) -> None:
        name = self.text().strip()
        path = self._path(name) if name else None
        if path is not None:
            self.clear()
            self._form.context.document.set(path, "", tr("Add the parameter {name}", name=name))
            self._form.focus(path)
