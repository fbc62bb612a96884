"""The revisions of a definition as rows: the number, when it was saved, and by whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from app.desktop.kernel.language import tr, translated
from app.desktop.widgets.column_room import content_width
from app.desktop.widgets.cut_cells import tell_cut_cells
from app.desktop.widgets.empty_words import EmptyWords

_WIDEST = 260  # pixels that it needs at most: the number and the time


class RevisionList(QTreeWidget):
    """The newest first. ``name`` is what a screen reader calls it, an English source text."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._revisions: Sequence[Mapping[str, Any]] = ()
        self.setRootIsDecorated(False)
        self.setColumnCount(3)
        tell_cut_cells(self)
        EmptyWords(self, "No revisions yet: each save makes one.")
        translated(self, self._word)

    def show_revisions(self, revisions: Sequence[Mapping[str, Any]]) -> None:
        """Show what the service's ``history`` gave; the chosen number stays chosen, else the newest is."""
        number = self.number(self.row)
        self._revisions = ()
        self.clear()
        self._revisions = revisions
        for each in revisions:
            time = str(each.get("created_at") or "")[:19].replace("T", " ")
            gone = "  " + tr("deleted") if each.get("deleted") else ""
            by = f"{each.get('actor') or ''}{gone}"
            self.addTopLevelItem(QTreeWidgetItem([str(each["revision"]), time, by]))
        for column in range(3):
            self.resizeColumnToContents(column)
        needed = content_width(self, 0) + content_width(self, 1) + self.frameWidth() * 2
        self.setMinimumWidth(min(_WIDEST, needed))
        rows = [row for row, each in enumerate(revisions) if each["revision"] == number]
        item = self.topLevelItem(rows[0] if rows else 0)
        if item is not None:
            self.setCurrentItem(item)

    @property
    def row(self) -> int:
        """The row of the chosen one; -1 when none is."""
        return self.currentIndex().row()

    def number(self, row: int) -> int:
        """The number of a revision; 0 where there is none."""
        return int(self._revisions[row]["revision"]) if 0 <= row < len(self._revisions) else 0

    def definition(self, row: int) -> Any:
        """The tree of a revision; None where there is none, and of one that deleted it."""
        return self._revisions[row].get("definition") if 0 <= row < len(self._revisions) else None

    def _word(self) -> None:
        self.setHeaderLabels([tr("Revision"), tr("Saved"), tr("By")])
        self.setAccessibleName(tr(self._name))
