"""A time, moved and written as it is needed: a day earlier, as 20261121."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QSpinBox, QWidget

from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.forms.plain_text import plain_label
from app.desktop.design.picker.bindings import PathBinding
from app.desktop.design.picker.samples import Sample, sample_words
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import error_line
from app.desktop.widgets.layouts import hbox, resize_within_screen, vbox
from app.desktop.widgets.pane_widgets import named
from app.desktop.widgets.questions import do_or_cancel
from app.desktop.widgets.reading_order import ReadingDialog
from engine.model.errors import SkerryError
from engine.model.expression.dates import check_format, format_shifted, parse_shift

UNITS: Final = (
    ("d", "days"), ("w", "weeks"), ("mo", "months"), ("y", "years"), ("h", "hours"), ("m", "minutes"),
    ("s", "seconds"),
)  # fmt: skip
FORMS: Final = (
    "%Y%m%d", "%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y%m%d%H%M%S", "%Y%m", "%Y-%m", "%Y", "%m%d", "%H%M",
)  # fmt: skip
_SIMPLE = re.compile(r"(?P<sign>[+-]?)(?P<number>\d+)(?P<unit>mo|[smhdwy])")
_EXAMPLE = "2026-11-21T08:30:00+00:00"


class DateBuilder(ReadingDialog):
    """``built`` brings the binding with its shift and format."""

    built = Signal(object)

    def __init__(self, context: FormContext, binding: PathBinding, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._context, self._binding = context, binding
        self._kept = ""  # a shift of several parts, which the fields cannot show
        self._build()
        self._fill(binding)
        self._test()

    def _build(self) -> None:
        self.setWindowTitle(tr("A time, moved and written"))
        self.number, self.unit = named(QSpinBox(self), "How much"), named(QComboBox(self), "Unit")
        self.way, self.form = named(QComboBox(self), "Direction"), named(QComboBox(self), "Written as")
        self.number.setRange(0, 999_999)
        self.unit.addItems([tr(name) for _, name in UNITS])
        self.way.addItems([tr("earlier"), tr("later")])
        self.form.setEditable(True)
        self.form.addItems(list(FORMS))
        self.outcome = plain_label("", self)
        self.outcome.setMinimumHeight(48)
        resize_within_screen(self, 460, 200)
        buttons, self.use = do_or_cancel(self, tr("Use it"), self._take)
        form = QFormLayout()
        form.addRow(tr("Moved by"), hbox(self.number, self.unit, self.way))
        form.addRow(tr("Written as"), self.form)
        vbox(form, self.outcome, buttons, inside=self)
        self._timer = QTimer(self, singleShot=True, interval=120)
        self._timer.timeout.connect(self._test)
        self.number.valueChanged.connect(self._changed)
        self.unit.currentIndexChanged.connect(self._changed)
        self.way.currentIndexChanged.connect(self._changed)
        self.form.currentTextChanged.connect(lambda _text: self._wait())

    def _fill(self, binding: PathBinding) -> None:
        found, kept = _SIMPLE.fullmatch(binding.shift or ""), binding.shift or ""
        self.number.setValue(int(found["number"]) if found else 0)
        self.unit.setCurrentIndex([unit for unit, _ in UNITS].index(found["unit"]) if found else 0)
        self.way.setCurrentIndex(1 if found and found["sign"] != "-" else 0)
        self._kept = "" if found else kept
        if binding.shift is not None:
            self.form.setCurrentText(binding.form)

    @property
    def binding(self) -> PathBinding:
        sign = "-" if self.way.currentIndex() == 0 else "+"
        number = self.number.value()
        shift = f"{sign}{number}{UNITS[self.unit.currentIndex()][0]}" if number else "0d"
        return replace(self._binding.plain(), shift=self._kept or shift, form=self.form.currentText())

    def _changed(self) -> None:
        self._kept = ""
        self._wait()

    def _wait(self) -> None:
        self.use.setEnabled(not problem(self.binding))
        self._timer.start()

    def _test(self) -> None:
        wrong = problem(self.binding)
        if wrong:
            self.outcome.setText(wrong)
            return
        if self._context.samples.runs:
            self._context.sample(self.binding.text, self._tested, self)
            return
        self.outcome.setText(_example(self.binding))

    def _tested(self, sample: Sample | None) -> None:
        self.outcome.setText(sample_words(sample))

    def _take(self) -> None:
        if problem(self.binding):
            return
        self.built.emit(self.binding)
        self.accept()


def problem(binding: PathBinding) -> str:
    """What is wrong with a shift or format; empty when nothing is."""
    try:
        parse_shift(binding.shift or "")
        check_format(binding.form)
    except SkerryError as error:
        return error_line(error)
    return ""


def _example(binding: PathBinding) -> str:
    """What it makes of some time, while there is no run."""
    try:
        written = format_shifted(_EXAMPLE, parse_shift(binding.shift or "0d"), binding.form, "UTC")
    except SkerryError as error:
        return error_line(error)
    return tr("21 November 2026, 8:30 becomes {value}", value=written)
