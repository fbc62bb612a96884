"""The picker: where a value is taken from, what is done to it, and what that gave in the latest run."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.forms.plain_text import plain_label
from app.desktop.design.picker import sources
from app.desktop.design.picker.bindings import PathBinding, steps_of
from app.desktop.design.picker.date_builder import DateBuilder
from app.desktop.design.picker.regex_builder import RegexBuilder
from app.desktop.design.picker.samples import Sample, sample_words
from app.desktop.design.picker.source_group import ValueSource
from app.desktop.design.picker.source_tree import SourceTree
from app.desktop.design.picker.value_parts import Step, ValueSteps, with_steps
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import hbox, resize_within_screen, vbox
from app.desktop.widgets.pane_widgets import named
from app.desktop.widgets.questions import do_or_cancel
from app.desktop.widgets.reading_order import ReadingDialog
from app.desktop.widgets.roomy_buttons import PushButton


class Picker(ReadingDialog):
    """``picked`` brings the Binding. ``inside``: its path may become a part of a text."""

    picked = Signal(object)

    def __init__(
        self, context: FormContext, field: Field, binding: PathBinding | None, *, inside: bool = False,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._context, self._field = context, field
        context.tie(self)
        self._source: ValueSource | None = None
        self._how = PathBinding("", *_done(binding)) if binding else PathBinding("")
        self._all = sources.groups(
            context.scope(), context.node(), field.picks or sources.FOR_PARAMS, field.member
        )
        self._build()
        self.into.setVisible(inside)
        self.into.setChecked(inside)
        self._fill(binding)
        context.samples.changed.connect(self._ask_samples)
        context.samples.refresh()
        self._ask_samples()

    @property
    def inside(self) -> bool:
        """Whether it becomes a part of the text, where the cursor is."""
        return self.into.isChecked()

    @property
    def binding(self) -> PathBinding | None:
        if self._source is None:
            return None
        path = with_steps(self._source.path, self.parts.steps())
        how = PathBinding("") if self.inside else self._how
        return PathBinding(path, how.pattern, how.optional, how.shift, how.form)

    def _build(self) -> None:
        self.setWindowTitle(tr("Take “{field}” from…", field=self._context.say(self._field.label)))
        resize_within_screen(self, 640, 560)
        self.search = named(QLineEdit(self), "Search", "Search: a name, a job, a value")
        self.search.setClearButtonEnabled(True)
        self.tree = SourceTree(self._context, self)
        self.everything = QCheckBox(tr("Also what does not fit this kind of value"), self)
        self.into = QCheckBox(tr("Put it into the text, where the cursor is (else it takes its place)"), self)
        self.parts = ValueSteps(self._context.console.icons, self)
        self.preview = plain_label("", self)
        self.preview.setMinimumHeight(40)
        self.preview.setAlignment(Qt.AlignmentFlag.AlignTop)
        buttons, self.use = do_or_cancel(self, tr("Use it"), self._take)
        rows = (self.search, self.tree, self.everything, self.into, self._how_row())
        vbox(*rows, self.preview, buttons, inside=self)
        self._timer = QTimer(self, singleShot=True, interval=120)
        self._timer.timeout.connect(self._ask_preview)
        self._connect()

    def _connect(self) -> None:
        self.search.textChanged.connect(self.tree.search)
        self.search.returnPressed.connect(self._take)
        self.tree.chosen.connect(self._chosen)
        self.tree.taken.connect(self._take)
        self.everything.toggled.connect(lambda _on: self._show_groups())
        self.into.toggled.connect(lambda _on: self._changed())
        self.parts.changed.connect(self._changed)

    def _how_row(self) -> QWidget:
        row = QWidget(self)
        self.pattern = PushButton(self._context.console.icons.get("pattern"), tr("Part of its text…"), row)
        self.pattern.clicked.connect(self._edit_pattern)
        self.date = PushButton(self._context.console.icons.get("calendar"), tr("As a date…"), row)
        self.date.clicked.connect(self._edit_date)
        self.plain = PushButton(tr("As it is"), row)
        self.plain.clicked.connect(lambda: self._do(PathBinding("")))
        only, how = plain_label(tr("Only a part:"), row, wrap=False), (self.pattern, self.date, self.plain)
        hbox(only, (self.parts, 1), *how, inside=row, margins=0)
        return row

    def _fill(self, binding: PathBinding | None) -> None:
        found = sources.find(self._all, binding.path) if binding else None
        if found and not sources.fits(self._field.wanted, found[1].kind):
            self.everything.setChecked(True)
        self._show_groups()
        if found and binding:
            self.tree.select(found[1])
            self.parts.show_steps(_tail(binding.path, found[1].path))
        self.search.setFocus()

    def _show_groups(self) -> None:
        fitting = self._all if self.everything.isChecked() else sources.fitting(self._all, self._field.wanted)
        self.everything.setVisible(sources.fitting(self._all, self._field.wanted) != self._all)
        self.tree.show_groups(fitting)
        self.tree.search(self.search.text())
        if self.tree.currentItem() is None:
            self.tree.select(None)
        self._ask_samples()

    def _chosen(self, source: ValueSource | None, steps: tuple[Step, ...]) -> None:
        self._source = source
        self._context.hover.node.emit((source.node if source else None) or "")
        self.parts.show_steps(steps)

    def _changed(self) -> None:
        self.use.setEnabled(self._source is not None)
        self.plain.setVisible(self._how != PathBinding("") and not self.inside)
        for each in (self.pattern, self.date):
            each.setVisible(not self.inside)
        kind = self._source.kind if self._source else None
        self.date.setEnabled(kind in ("text", None))
        self._timer.start()

    def _do(self, how: PathBinding) -> None:
        self._how = PathBinding("", *_done(how))
        self._changed()

    def _edit_pattern(self) -> None:
        if self.binding:
            builder = RegexBuilder(self._context, self.binding, self)
            builder.built.connect(self._do)
            builder.open()

    def _edit_date(self) -> None:
        if self.binding:
            builder = DateBuilder(self._context, self.binding, self)
            builder.built.connect(self._do)
            builder.open()

    def _take(self) -> None:
        if self.binding is not None:
            self.picked.emit(self.binding)
            self.accept()

    def done(self, result: int) -> None:
        self._context.hover.node.emit("")
        super().done(result)

    def _ask_samples(self) -> None:
        paths = [source.path for group in self._all for source in group.sources]
        self._context.samples.values(paths, self.tree.show_samples, owner=self, items=self._context.items())
        self._timer.start()

    def _ask_preview(self) -> None:
        if self.binding is None:
            self.preview.setText(tr("Nothing here fits."))
        elif not self._context.samples.runs:
            self.preview.setText(tr("The task has not run yet, so there is no sample."))
        else:
            self._context.sample(self.binding.text, self._show_preview, self)

    def _show_preview(self, sample: Sample | None) -> None:
        self.preview.setText(sample_words(sample))
        self.preview.setAccessibleDescription(self.preview.text())


def _done(binding: PathBinding) -> tuple[str | None, bool, str | None, str]:
    """What is done to a value, without where it comes from."""
    return binding.pattern, binding.optional, binding.shift, binding.form


def _tail(path: str, start: str) -> tuple[Step, ...]:
    """The steps of a path behind those of its source."""
    whole, known = steps_of(path), steps_of(start)
    if whole is None or known is None or whole.rest:
        return ()
    return tuple(step for step in whole.steps[len(known.steps) :] if isinstance(step, (str, int)))
