"""What is wrong with the task, as a list; a click or F8 goes to the place."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTreeWidgetItem, QWidget

from app.desktop.design.document import Document, follow
from app.desktop.design.forms.plain_text import plain_label
from app.desktop.design.tree import node_at
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated, trn
from app.desktop.kernel.reasons import failure_line
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import tree
from app.desktop.widgets.plain_label import tip_text
from app.desktop.widgets.tree_items import tops
from engine.model.findings import Finding

_FINDING = Qt.ItemDataRole.UserRole


class Problems(QWidget):
    """``chosen`` brings the Finding to go to; ``counted`` the number of findings."""

    chosen = Signal(object)
    counted = Signal(int)

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self._document: Document | None = None
        self._first_wanted = False  # the first finding, once it is there
        self.list = tree("Problems of the task", ("Kind", "Where", "Finding", "Code"), stretch=2)
        for column in (0, 1, 3):
            self.list.header().setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.list.itemClicked.connect(lambda item: self._go(item))
        self.list.itemActivated.connect(lambda item: self._go(item))
        self.fine = plain_label("", self)
        self.fine.setMargin(10)
        self.fine.setAlignment(Qt.AlignmentFlag.AlignTop)
        vbox(self.list, self.fine, inside=self, margins=0)
        translated(self, self._word)

    def sizeHint(self) -> QSize:
        return QSize(600, 170)

    def show_document(self, document: Document | None) -> None:
        self._document = follow(self._document, document, findings_changed=self._fill)
        self._fill()

    def findings(self) -> tuple[Finding, ...]:
        """What is listed, errors first."""
        found = self._document.findings if self._document else ()
        return tuple(sorted(found, key=lambda each: each.severity != "error"))

    def step(self, way: int) -> None:
        """Go to the next (1) or the previous (-1) finding, round and round."""
        items, now = tops(self.list), self.list.currentItem()
        if items:
            place = items.index(now) + way if now in items else min(way, 0)
            item = items[place % len(items)]
            self.list.setCurrentItem(item)
            self._go(item)

    def first(self) -> None:
        """Go to the first finding, now or as soon as it is found."""
        self._first_wanted = not self.findings()
        self.list.clearSelection()
        self.list.setCurrentIndex(QModelIndex())
        self.step(1)

    def _go(self, item: QTreeWidgetItem) -> None:
        finding = item.data(0, _FINDING)
        if isinstance(finding, Finding):
            self.chosen.emit(finding)

    def _fill(self) -> None:
        self.list.clear()
        for finding in self.findings():
            self.list.addTopLevelItem(self._item(finding))
        self.list.setVisible(bool(self.findings()))
        self.fine.setVisible(not self.findings())
        self.counted.emit(len(self.findings()))
        if self._first_wanted and self.findings():
            self.first()

    def _item(self, finding: Finding) -> QTreeWidgetItem:
        error = finding.severity == "error"
        colours = self._console.theme.colours
        word = tr("Error") if error else tr("Warning")
        message = failure_line(finding.code, finding.message)
        item = QTreeWidgetItem([word, where(finding), message, f"-{abs(finding.code)}"])
        icon = "problem" if error else "warning"
        item.setIcon(0, self._console.icons.get(icon, colours.danger if error else colours.warning))
        item.setToolTip(2, tip_text(message))
        item.setData(0, _FINDING, finding)
        return item

    def _word(self) -> None:
        self.fine.setText(tr("No problems found."))
        self._fill()


def where(finding: Finding) -> str:
    """The node and the key that a finding is about, for a person."""
    path = [str(step) for step in finding.path]
    if path[:1] == ["tasks"] and path[2:3] == ["nodes"]:
        return " › ".join(path[3:]) or path[1]
    if (handler := node_at(tuple(path))) is not None:
        return " › ".join((handler, *path[4:]))
    return " › ".join(path[1:]) if len(path) > 1 else ""


def counted(n: int) -> str:
    return trn(n, "Problems ({n})", "Problems ({n})") if n else tr("Problems")
