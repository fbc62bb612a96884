"""Questions before something that cannot be taken back; they say what will happen, as plain text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from app.desktop.kernel.language import tr
from app.desktop.kernel.link import Link
from app.desktop.kernel.reasons import error_line
from app.desktop.widgets.layouts import hbox, in_layout, row_of, vbox
from app.desktop.widgets.pane_widgets import Tall, holder
from app.desktop.widgets.plain_label import PlainLabel
from app.desktop.widgets.reading_order import ReadingDialog
from engine.model.errors import SkerryError

if TYPE_CHECKING:
    from engine.api.service import Service

T = TypeVar("T")

_TEXT = 400  # pixels of what a small form says, at least


def message_box(parent: QWidget | None, title: str, text: str, more: str = "") -> QMessageBox:
    """A message box that shows data as what it is."""
    box = QMessageBox(parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setWindowTitle(title)
    box.setText(text)
    box.setInformativeText(more)
    return box


def confirm(parent: QWidget, title: str, text: str, do: str) -> bool:
    """Whether the person wants it; ``do`` is the word on the button. Nothing is the default."""
    box = message_box(parent, title, text)
    box.setIcon(QMessageBox.Icon.Question)
    yes = box.addButton(do, QMessageBox.ButtonRole.AcceptRole)
    no = box.addButton(tr("Do nothing"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(no)
    box.setEscapeButton(no)
    box.exec()
    return box.clickedButton() is yes


def do_or_cancel(
    dialog: QDialog, do: str, accept: Callable[[], object]
) -> tuple[QDialogButtonBox, QPushButton]:
    """The buttons of a dialog: one that does it, by its word, and one that leaves everything as it was."""
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, dialog)
    button = box.addButton(do, QDialogButtonBox.ButtonRole.AcceptRole)
    box.accepted.connect(accept)
    box.rejected.connect(dialog.reject)
    return box, button


def open_on(field: QWidget) -> None:
    """The keyboard on a field, with what is in it selected: what is typed takes its place."""
    field.setFocus(Qt.FocusReason.TabFocusReason)
    if isinstance(field, (QLineEdit, QPlainTextEdit, QAbstractSpinBox)):
        field.selectAll()


class Asking(ReadingDialog):
    """A small form: a text, some fields, a button that does it.

    It opens on ``begin``, else on its first field, with what is in it selected. With ``attempt`` the button
    calls that instead of closing the form: its owner closes it, or says what is wrong (``refuse``). A
    ``tall`` one may have more fields than a small screen has room for.
    """

    def __init__(self, parent: QWidget, title: str, text: str, do: str, *, tall: bool = False) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.text = PlainLabel(text, self)
        self.text.setMinimumWidth(_TEXT)  # of the dialog itself it would let fields be cut
        self.form = QFormLayout()
        self.begin: QWidget | None = None
        self.attempt: Callable[[], None] | None = None
        self.problem = PlainLabel("", self)
        self.problem.setForegroundRole(QPalette.ColorRole.BrightText)
        self.problem.setVisible(False)
        self._needs: list[Callable[[], bool]] = []
        self.buttons, self.do = do_or_cancel(self, do, self.accept)
        self.do.setDefault(True)
        self.leave = self.buttons.button(QDialogButtonBox.StandardButton.Cancel)
        self.leave.setAutoDefault(False)  # Enter does not leave a form that lacks something
        self.said = PlainLabel("", self)
        self.said.setVisible(False)
        self._room = Tall(holder(vbox(self.form, 1, margins=0))) if tall else None
        vbox(self.text, (self._room or self.form, 1), self.said, self.buttons, inside=self)

    def add(self, label: str, field: QWidget, *beside: QWidget) -> None:
        """A field with its label, ``beside`` in the same row what belongs to it."""
        field.setAccessibleName(label)
        fields = self._fields()
        self.form.addRow(label, _in_row(field, beside) if beside else field)
        ends = () if fields else (self.do, self.leave)
        for one, other in pairwise([*fields[-1:], field, *beside, *ends]):
            QWidget.setTabOrder(one, other)

    def show_row(self, field: QWidget, shown: bool) -> None:
        """Show or hide a field with its label."""
        self.form.setRowVisible(row_of(self.form, field), shown)

    def inform(self, text: str) -> None:
        """Say below the fields how far it is; nothing for an empty text."""
        self.said.setText(text)
        self.said.setVisible(bool(text))

    def _fields(self) -> list[QWidget]:
        role = QFormLayout.ItemRole.FieldRole
        found = [each for each in in_layout(self.form) if isinstance(each, QWidget)]
        places: list[tuple[Any, QWidget]] = [(self.form.getWidgetPosition(each), each) for each in found]
        fields = [(at, each) for (at, its), each in places if its == role and not isinstance(each, QLabel)]
        return [each for _, each in sorted(fields, key=lambda field: field[0])]

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            first = next((each for each in self._fields() if each.isEnabled()), None)
            open_on(self.begin or first or self.leave)

    def accept(self) -> None:
        """What the button does; nothing while something is missing or is being tried."""
        if not self.do.isEnabled():
            return
        if self.attempt is None:
            super().accept()
            return
        self.do.setEnabled(False)
        self.problem.setVisible(False)
        self.attempt()

    def refuse(self, message: str, field: QWidget) -> None:
        """Say what is wrong below the field and lead to it; what was typed stays."""
        if self.form.indexOf(self.problem) >= 0:
            self.form.takeRow(self.problem)
        self.form.insertRow(row_of(self.form, field) + 1, self.problem)
        self.problem.setText(message)
        self.problem.setVisible(True)
        field.setAccessibleDescription(message)
        self._judge()
        open_on(field)
        if self._room is not None:
            self._room.ensureWidgetVisible(self.problem)

    def carry_out(
        self,
        link: Link,
        make: Callable[[], Callable[[Service], T]],
        done: Callable[[T], object],
        field: QWidget,
        words: Callable[[SkerryError], str] = error_line,
    ) -> None:
        """Open it; its button makes the call that ``make`` gives, and what refuses that is said at ``field``.

        The form is closed once the call has succeeded, or by Cancel. ``words`` says what is wrong.
        """

        def came(answer: T) -> None:
            QDialog.accept(self)
            done(answer)

        def failed(error: SkerryError) -> None:
            self.refuse(words(error), field)

        def attempt() -> None:
            link.ask(make(), came, owner=self, failed=failed)

        self.attempt = attempt
        self.exec()

    def carry_out_here(
        self, do: Callable[[], object], done: Callable[[], object], field: QWidget,
        words: Callable[[Exception], str],
    ) -> None:  # fmt: skip
        """The same for what takes no time: ``words`` says what refused it, an error of ours or of a file."""

        def attempt() -> None:
            try:
                do()
            except (SkerryError, OSError) as error:
                return self.refuse(words(error), field)
            QDialog.accept(self)
            done()
            return None

        self.attempt = attempt
        self.exec()

    def reason(self, *, needed: bool) -> QLineEdit:
        """Why it is done, for the record."""
        field = self.line(tr("Reason"), needed=needed)
        field.setPlaceholderText(tr("Why, for those who come after you"))
        return field

    def line(self, label: str, text: str = "", needed: bool = False, unseen: bool = False) -> QLineEdit:
        """A field of one line; a needed one holds the button back while it is empty."""
        field = QLineEdit(text, self)
        field.setEchoMode(QLineEdit.EchoMode.Password if unseen else QLineEdit.EchoMode.Normal)
        self.add(label, field)
        if needed:
            field.textChanged.connect(self._need(lambda: bool(field.text().strip())))
        return field

    def ticks(
        self, label: str, choices: Sequence[tuple[str, str]], chosen: Collection[str] = ()
    ) -> list[QCheckBox]:
        """Boxes of which at least one must be ticked: name and text of each; the name is its object name."""
        boxes = [QCheckBox(text, self) for _, text in choices]
        for box, (name, _) in zip(boxes, choices, strict=True):
            box.setObjectName(name)
            box.setChecked(name in chosen)
        judge = self._need(lambda: any(box.isChecked() for box in boxes))
        for box in boxes:
            box.toggled.connect(judge)
            self.add(label if box is boxes[0] else "", box)
            box.setAccessibleName(f"{label}: {box.text()}")
        return boxes

    def _need(self, holds: Callable[[], bool]) -> Callable[[], None]:
        """Hold the button back while that does not hold; what is called when it may have changed."""
        self._needs.append(holds)
        self._judge()
        return self._judge

    def _judge(self) -> None:
        self.do.setEnabled(all(holds() for holds in self._needs))

    @property
    def wanted(self) -> bool:
        """Ask; whether the person pressed the button."""
        return self.exec() == QDialog.DialogCode.Accepted


def _in_row(field: QWidget, beside: Sequence[QWidget]) -> QWidget:
    """Several widgets as the field of one row; the first one is what its label is of."""
    row = holder(hbox((field, 1), *beside, margins=0))
    row.setFocusProxy(field)
    row.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    return row
