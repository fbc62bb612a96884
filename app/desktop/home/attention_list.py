"""The list of Home: three sections, each line a shape, a word, a name and what is the matter."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from app.desktop.home.attention import Item, RunProgress, Section
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated, trn
from app.desktop.kernel.reasons import failure_line, in_words
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.times import length_text, when
from app.desktop.kernel.visible_text import visible
from app.desktop.widgets.cut_cells import tell_cut_cells
from app.desktop.widgets.remedy_words import in_window
from app.desktop.widgets.rows import row_height

SECTIONS = {Section.NEEDS: "Needs you now", Section.RUNNING: "Running", Section.COMING: "Comes next"}
EMPTY = {
    Section.NEEDS: "Nothing needs you now.",
    Section.RUNNING: "Nothing runs.",
    Section.COMING: "Nothing is planned.",
}
LOOKING = "Looking…"
_OTHER = {
    "disk": ("disk", "disk"),
    "clock": ("status-clock", "clock"),
    "engine": ("engine", "engine"),
    "damaged": ("warning", "damaged"),
    "alert": ("bell", "alert"),
}
_COLUMNS = ("State", "Subject", "Why", "When")
_WIDTHS = (130, 260, 0, 140)  # pixels at most; the third has the rest
_SHARES = (0.2, 0.28, 0, 0.2)  # of a narrow list, so that why something needs a person can be read there too


class AttentionList(QTreeWidget):
    """``chosen`` and ``looked_at`` bring an Item (``looked_at`` None where none is selected)."""

    chosen = Signal(object)
    looked_at = Signal(object)

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent)
        self._console = console
        self._shown: list[Item] | None = None
        self._loading = True
        self._by_itself: tuple[str, str] | None = None  # the line that no hand has selected
        self.setColumnCount(len(_COLUMNS))
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setIndentation(12)
        self.setAllColumnsShowFocus(True)
        self.setUniformRowHeights(True)
        tell_cut_cells(self)
        self.setIconSize(QSize(16, 16))
        self.header().setStretchLastSection(False)
        self._given = list(_WIDTHS)
        for column, width in enumerate(_WIDTHS):
            if width:
                self.setColumnWidth(column, width)
        self.header().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self.itemDoubleClicked.connect(lambda item, _column: self._chose(item))
        self.currentItemChanged.connect(lambda now, _before: self.looked_at.emit(_of(now)))
        console.theme.changed.connect(self._again)
        translated(self, self._word)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Columns that a person has not drawn wider or narrower share the width."""
        super().resizeEvent(event)
        for column, (most, share) in enumerate(zip(_WIDTHS, _SHARES, strict=True)):
            if most and self.columnWidth(column) == self._given[column]:
                self._given[column] = min(most, int(self.viewport().width() * share))
                self.setColumnWidth(column, self._given[column])

    @property
    def current(self) -> Item | None:
        return _of(self.currentItem())

    @property
    def shown(self) -> list[Item]:
        return list(self._shown or ())

    @property
    def nothing(self) -> str:
        """What there is to say while no line is selected, an English source text."""
        if self._loading:
            return LOOKING
        needed = any(item.section is Section.NEEDS for item in self.shown)
        return "Nothing is selected." if needed else EMPTY[Section.NEEDS]

    def show_items(self, items: list[Item], *, loading: bool = False) -> None:
        """Show these; what was selected stays so, else the first thing that needs a person is. What was
        selected by itself gives way to that, unless it needs one too.

        ``loading``: they are not all, so that nothing is said to be empty.
        """
        if items == self._shown and loading == self._loading:
            return
        self._loading = loading
        before = self.current
        self._shown = items
        self.blockSignals(True)
        self.clear()
        sections = {section: list(own) for section, own in groupby(items, key=lambda item: item.section)}
        rows = [row for section in Section for row in self._section(section, sections.get(section, []))]
        self.expandAll()
        self.blockSignals(False)
        self._select(rows, before)

    def _section(self, section: Section, items: list[Item]) -> Iterable[QTreeWidgetItem]:
        many = "…" if self._loading else len(items)
        head = QTreeWidgetItem(self, [f"{tr(SECTIONS[section])} ({many})"])
        head.setFirstColumnSpanned(True)
        head.setFlags(Qt.ItemFlag.ItemIsEnabled)
        font = self.font()
        font.setBold(True)
        head.setFont(0, font)
        head.setSizeHint(0, QSize(0, row_height(self)))
        if not items:
            empty = QTreeWidgetItem(head, [tr(LOOKING if self._loading else EMPTY[section])])
            empty.setFirstColumnSpanned(True)
            empty.setFlags(Qt.ItemFlag.NoItemFlags)
        return [self._row(head, item) for item in items]

    def _row(self, head: QTreeWidgetItem, item: Item) -> QTreeWidgetItem:
        icon, word = _OTHER.get(item.status) or (look_of(item.status).icon, look_of(item.status).word)
        error = visible(item.line) or failure_line(item.code, item.detail)
        why = " · ".join(part for part in (said(item), error) if part)
        name = f"{item.name}  ×{len(item.alike)}" if len(item.alike) > 1 else item.name
        row = QTreeWidgetItem(head, [tr(word), name, " ".join(why.split()), when(item.time)])
        colours = self._console.theme.colours
        colour = self._console.theme.status_ink(item.status) if item.status not in _OTHER else colours.warning
        row.setIcon(0, self._console.icons.get(icon, colour))
        row.setSizeHint(0, QSize(0, row_height(self)))
        row.setData(0, Qt.ItemDataRole.UserRole, item)
        return row

    def _select(self, rows: list[QTreeWidgetItem], before: Item | None) -> None:
        if not rows:
            return
        same = [row for row in rows if before is not None and _key(row) == before.key]
        first = _of(rows[0])
        urgent = first is not None and first.section is Section.NEEDS
        idle = before is not None and before.key == self._by_itself and before.section is not Section.NEEDS
        if not same or (urgent and idle):
            same = rows[:1]
            self._by_itself = _key(rows[0])
        self.setCurrentItem(same[0])

    def _chose(self, row: QTreeWidgetItem) -> None:
        if (item := _of(row)) is not None:
            self.chosen.emit(item)

    def _again(self) -> None:
        items, self._shown = self._shown, None
        if items is not None:
            self.show_items(items, loading=self._loading)

    def _word(self) -> None:
        self.setHeaderLabels([tr(each) for each in _COLUMNS])
        self.setAccessibleName(tr("What needs you now, what runs, and what comes next"))
        self._again()


def said(item: Item) -> str:
    """The note of a line and its reason, in the language that is on."""
    note = tr(item.note, **item.values) if item.note else ""
    return " · ".join(
        part for part in (note, in_window(in_words(item.reason)), _how_far(item.progress)) if part
    )


def _how_far(progress: RunProgress | None) -> str:
    """``4 of 9 jobs · 1 failed · 2 min · usually 5 min``."""
    if progress is None:
        return ""
    parts = []
    if progress.all:
        parts.append(trn(progress.all, "{done} of {n} job", "{done} of {n} jobs", done=progress.done))
    if progress.bad:
        parts.append(tr("{n} failed", n=progress.bad))
    parts.append(length_text(progress.elapsed))
    if progress.usual is not None:
        parts.append(tr("usually {time}", time=length_text(progress.usual)))
    return " · ".join(parts)


def _of(row: QTreeWidgetItem | None) -> Item | None:
    found = row.data(0, Qt.ItemDataRole.UserRole) if row is not None else None
    return found if isinstance(found, Item) else None


def _key(row: QTreeWidgetItem) -> tuple[str, str] | None:
    item = _of(row)
    return item.key if item else None
