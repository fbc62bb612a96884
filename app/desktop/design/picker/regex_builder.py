"""Taking a part out of a text: by what is around it, or by a pattern, tested on a past run's output."""

from __future__ import annotations

import re
from dataclasses import replace

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QCheckBox, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.forms.plain_text import plain_label, short
from app.desktop.design.picker.bindings import PathBinding
from app.desktop.design.picker.samples import Sample
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import error_line
from app.desktop.widgets.layouts import resize_within_screen, vbox
from app.desktop.widgets.pane_widgets import form
from app.desktop.widgets.questions import do_or_cancel
from app.desktop.widgets.reading_order import ReadingDialog
from engine.model.expression import as_text
from engine.model.expression.pattern import compile_pattern

_SHOWN = 100_000  # characters of a sample
_SPECIAL = re.compile(r"([\\.^$*+?{}\[\]|()])")
_LITERAL = r"(?:\\.|[^()\\])*"
_AROUND = re.compile(rf"(?:\(\?<=(?P<before>{_LITERAL})\))?\.\*(?:\?\(\?=(?P<after>{_LITERAL})\))?")


def around(before: str, after: str) -> str:
    """The pattern for what is between two texts on one line; an empty one means its beginning or end."""
    start = f"(?<={_literal(before)})" if before else ""
    end = f"?(?={_literal(after)})" if after else ""
    return f"{start}.*{end}" if start or end else ""


def _literal(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def read_around(pattern: str) -> tuple[str, str] | None:
    """The two texts of such a pattern; None for any other."""
    found = _AROUND.fullmatch(pattern)
    if not found:
        return None
    before, after = (re.sub(r"\\(.)", r"\1", each or "") for each in (found["before"], found["after"]))
    return (before, after) if around(before, after) == pattern else None


class RegexBuilder(ReadingDialog):
    """``built`` brings the binding with its pattern."""

    built = Signal(object)

    def __init__(self, context: FormContext, binding: PathBinding, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._context, self._binding = context, binding
        self._build()
        self._fill(binding)
        context.sample(binding.path, self._sampled, self)

    def _build(self) -> None:
        self.setWindowTitle(tr("Part of a text"))
        resize_within_screen(self, 620, 520)
        self.before, self.after, self.pattern = QLineEdit(self), QLineEdit(self), QLineEdit(self)
        self.optional = QCheckBox(tr("It may be missing: then there is no value, and no error"), self)
        self.sample = QPlainTextEdit(self)
        self.sample.setPlaceholderText(tr("Paste a sample of the text here, or run the task once."))
        self.sample.setAccessibleName(tr("Sample"))
        self.outcome = plain_label("", self)
        buttons, self.use = do_or_cancel(self, tr("Use it"), self._take)
        self.before.setPlaceholderText(tr("the text right before it"))
        self.after.setPlaceholderText(tr("the text right after it; empty: the end of the line"))
        self.pattern.setPlaceholderText(tr("made from the two above; change it if you know how"))
        head = plain_label(tr("What is between two texts is taken. Try it on the sample:"), self)
        fields = form(("Starts after", self.before), ("Ends before", self.after), ("Pattern", self.pattern))
        vbox(head, fields, self.optional, (self.sample, 1), self.outcome, buttons, inside=self)
        self._timer = QTimer(self, singleShot=True, interval=120)
        self._timer.timeout.connect(self._test)
        self._connect()

    def _connect(self) -> None:
        self.before.textEdited.connect(self._made)
        self.after.textEdited.connect(self._made)
        self.pattern.textEdited.connect(lambda _text: self._shown_around())
        self.pattern.textChanged.connect(lambda _text: self._timer.start())
        self.optional.toggled.connect(lambda _on: self._timer.start())
        self.sample.textChanged.connect(self._timer.start)

    def _fill(self, binding: PathBinding) -> None:
        self.optional.setChecked(binding.optional)
        self.pattern.setText(binding.pattern or "")
        self._shown_around()
        self.before.setFocus()

    @property
    def binding(self) -> PathBinding:
        return replace(self._binding.plain(), pattern=self.pattern.text(), optional=self.optional.isChecked())

    def _made(self) -> None:
        self.pattern.setText(around(self.before.text(), self.after.text()))

    def _shown_around(self) -> None:
        before, after = read_around(self.pattern.text()) or ("", "")
        self.before.setText(before)
        self.after.setText(after)

    def _sampled(self, sample: Sample | None) -> None:
        if sample is not None and not sample.error and sample.value is not None:
            self.sample.setPlainText(as_text(sample.value)[:_SHOWN])
        self._timer.start()

    def _test(self) -> None:
        pattern, text = self.pattern.text(), self.sample.toPlainText()
        self.use.setEnabled(bool(pattern))
        if not pattern:
            self._say(tr("Say what comes before it, or after it."), None)
            return
        self._context.console.link.ask(
            lambda _service: tried(pattern, text), self._tested, owner=self,
            failed=lambda error: self._say(error_line(error), None),
        )  # fmt: skip

    def _tested(self, found: str | None) -> None:
        if not self.sample.toPlainText():
            self._say(tr("There is no sample to try it on."), None)
        elif found is None:
            self._say(tr("Nothing in the sample fits."), None)
        else:
            self._say(tr("This gives: {value}", value=short(found, 300)), found)

    def _say(self, text: str, found: str | None) -> None:
        self.outcome.setText(text)
        marks = []
        once = bool(found) and self.sample.toPlainText().count(found or "") == 1
        cursor = self.sample.document().find(found or "") if once else QTextCursor()
        if not cursor.isNull():
            mark = QTextEdit.ExtraSelection()
            mark.cursor = cursor
            mark.format = _marked(self._context)
            marks.append(mark)
        self.sample.setExtraSelections(marks)

    def _take(self) -> None:
        if self.pattern.text():
            self.built.emit(self.binding)
            self.accept()


def tried(pattern: str, text: str) -> str | None:
    """What the pattern finds; SkerryError when it is wrong or too slow."""
    return compile_pattern(pattern).search(text)


def _marked(context: FormContext) -> QTextCharFormat:
    format = QTextCharFormat()
    format.setBackground(QColor(context.console.theme.colours.selection))
    format.setFontWeight(700)
    return format
