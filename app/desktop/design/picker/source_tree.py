"""The tree of sources: what fits, found by typing, with the latest real value beside each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.forms.plain_text import short
from app.desktop.design.picker.samples import Sample
from app.desktop.design.picker.source_group import SourceGroup, ValueSource
from app.desktop.design.picker.value_parts import Step
from app.desktop.kernel.language import tr
from app.desktop.widgets.cut_cells import tell_cut_cells
from app.desktop.widgets.plain_label import tip_text
from app.desktop.widgets.tree_items import children, tops

_MOST = 50  # items of a sample that are shown
_SOURCE = Qt.ItemDataRole.UserRole
_STEPS = Qt.ItemDataRole.UserRole + 1
_KINDS = {"boolean": "yes or no", None: "any"}  # the others are called what they are


class SourceTree(QTreeWidget):
    """``chosen`` brings a source and the steps into its value; ``taken`` when it is double-clicked."""

    chosen = Signal(object, object)
    taken = Signal()

    def __init__(self, context: FormContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._by_path: dict[str, QTreeWidgetItem] = {}
        self.setHeaderLabels([tr("Source"), tr("Kind"), tr("Latest value")])
        self.setUniformRowHeights(True)
        tell_cut_cells(self)
        self.setAccessibleName(tr("What the value can be taken from"))
        header = self.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.resizeSection(0, 260)
        header.resizeSection(1, 80)
        self.currentItemChanged.connect(lambda now, _before: self._announce(now))
        self.itemActivated.connect(lambda item, _column: self.taken.emit() if item.data(0, _SOURCE) else None)

    def show_groups(self, groups: Iterable[SourceGroup]) -> None:
        self.clear()
        self._by_path = {}
        for group in groups:
            top = self._item(None, self._context.say(group.title), group.icon)
            for source in group.sources:
                self._source(top, source)
            top.setExpanded(True)

    def show_samples(self, found: Mapping[str, Sample]) -> None:
        """Put the latest values beside their sources."""
        for path, sample in found.items():
            item = self._by_path.get(path)
            if item is not None and not sample.error:
                item.setText(2, short(sample.value))
                item.setToolTip(2, tip_text(short(sample.value, 2000)))
                self._inside(item, sample.value, ())

    def search(self, text: str) -> None:
        """Show only what has these letters in its name, its group or its value."""
        words = text.casefold().split()
        found: list[QTreeWidgetItem] = []
        for group in tops(self):
            shown = 0
            for item in children(group):
                hit = all(word in self._letters(group, item) for word in words)
                item.setHidden(not hit)
                shown += hit
                found += [item] if hit else []
            group.setHidden(not shown)
        if words:
            own = (item for item in found if all(word in item.text(0).casefold() for word in words))
            self._choose(next(own, found[0] if found else None))

    def select(self, source: ValueSource | None) -> None:
        item = self._by_path.get(source.path) if source else next(iter(self._by_path.values()), None)
        if item is not None:
            self.setCurrentItem(item)

    def _choose(self, item: QTreeWidgetItem | None) -> None:
        """Nothing is chosen when nothing is found: Enter must not take what is hidden."""
        if item is not None:
            self.setCurrentItem(item)
        else:
            self.setCurrentIndex(QModelIndex())
        self._announce(item)

    def _letters(self, group: QTreeWidgetItem, item: QTreeWidgetItem) -> str:
        source: ValueSource = item.data(0, _SOURCE)
        return f"{group.text(0)} {item.text(0)} {item.text(2)} {source.path}".casefold()

    def _item(self, above: QTreeWidgetItem | None, text: str, icon: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem([text, "", ""])
        item.setIcon(0, self._context.console.icons.get(icon))
        if above is None:
            self.addTopLevelItem(item)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        else:
            above.addChild(item)
        return item

    def _source(self, top: QTreeWidgetItem, source: ValueSource) -> None:
        item = self._item(top, self._context.say(source.label), source.icon)
        item.setText(1, tr(_KINDS.get(source.kind) or str(source.kind)))
        item.setData(0, _SOURCE, source)
        item.setData(0, _STEPS, ())
        help = self._context.say(source.help)
        item.setToolTip(0, tip_text(f"{help}\n{source.path}" if help else source.path))
        self._by_path[source.path] = item

    def _inside(self, item: QTreeWidgetItem, value: Any, steps: tuple[Step, ...]) -> None:
        """The items and fields of a value that is known, to be picked one by one."""
        if len(steps) >= 3 or not isinstance(value, (list, dict)):
            return
        pairs = list(value.items() if isinstance(value, dict) else enumerate(value))[:_MOST]
        for step, each in pairs:
            name = tr("item {n}", n=step + 1) if isinstance(step, int) else str(step)
            child = self._item(item, name, "source-item")
            child.setText(2, short(each))
            child.setData(0, _SOURCE, item.data(0, _SOURCE))
            child.setData(0, _STEPS, (*steps, step))
            self._inside(child, each, (*steps, step))

    def _announce(self, item: QTreeWidgetItem | None) -> None:
        source = item.data(0, _SOURCE) if item is not None else None
        self.chosen.emit(source, item.data(0, _STEPS) if item is not None and source else ())
