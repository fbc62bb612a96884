"""The jobs of the instance as a tree: everything that the graph shows, for keyboards and screen readers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QElapsedTimer, Qt
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.reasons import what_is_wrong
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.times import took_text
from app.desktop.kernel.visibility import UpdatedPane, in_sight
from app.desktop.run.job_rows import JobLine, lines_of
from app.desktop.run.selection import Selected
from app.desktop.run.session import Session
from app.desktop.run.throttle import Throttle
from app.desktop.run.waiting_words import tip_of
from app.desktop.run.where_ran import worker_of
from app.desktop.widgets.column_room import content_width
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import one_line, tree
from app.desktop.widgets.plain_label import tip_text
from app.desktop.widgets.tree_items import children, tops
from engine.api.documents import JobDocument

_OFTEN = 400  # milliseconds between two pictures; of many jobs more
_SHARE = 20  # of the time at most one part in so many is spent on them
_TOOK, _WHY, _WORKER = 2, 3, 4  # the columns
_STATE = 96  # pixels of the column of states, at least
_ROOMY = 520  # pixels: a narrower pane has no room for why
_NARROW = 250  # pixels: a narrower one none for how long, where names are to be read
_LEAST = 220  # pixels: a narrower one none for the worker either
_KEY = Qt.ItemDataRole.UserRole


class JobsPane(UpdatedPane):
    """One row for each node; below it its rounds and members."""

    def __init__(self, console: Console, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console, self._session = console, session
        self._quiet = False
        self._away = False  # whether another machine ran any of it
        self._took = QElapsedTimer()
        self.table: QTreeWidget = tree(
            "Jobs", ("Job", "Status", "Took", "Why", "Worker"), stretch=0, empty="No jobs."
        )
        self.table.setRootIsDecorated(True)
        # what is left is the name's, also in a narrow window
        self.table.setColumnHidden(_WORKER, True)
        self.table.header().moveSection(_WORKER, _WHY)
        for column, width in ((1, _STATE), (2, 62), (_WHY, 320), (_WORKER, 76)):
            self.table.setColumnWidth(column, width)
        vbox(self.table, inside=self, margins=0)
        self._again = Throttle(self.refresh, _OFTEN, self)
        for signal in (session.looked, session.states, session.moment):
            signal.connect(lambda _: self._again.ask())
        session.selection.follow(self._selected)
        self.table.currentItemChanged.connect(lambda now, _: self._choose(now))
        console.theme.changed.connect(self._look_changed)
        translated(self, self.refresh)

    def refresh(self) -> None:
        """Show the jobs as they are in what is shown; not while nobody sees them."""
        look = self._session.look
        if look is None or not in_sight(self):
            return
        self._took.start()
        lines = lines_of(list(self._session.jobs()), [node.id for node in look.graph.nodes])
        self._quiet = True
        if [_keys(line) for line in lines] != [_item_keys(item) for item in tops(self.table)]:
            self.table.clear()
            self.table.addTopLevelItems([_item(line) for line in lines])
        for item, line in zip(tops(self.table), lines, strict=True):
            self._write(item, line)
        self._away = any(worker_of(job) for job in look.run["jobs"])
        self._fit_columns()
        self._quiet = False
        self._again.interval = max(_OFTEN, self._took.elapsed() * _SHARE)
        now = self._session.selection.now
        self._selected(now, now)

    def _write(self, item: QTreeWidgetItem, line: JobLine) -> None:
        status = line.state.status
        word = tr(look_of(status).word)
        if line.state.batch:
            word += f" {line.state.ended}/{line.state.members}"
        self._write_why(item, line.job)
        took = took_text(line.job["started_at"], line.job["ended_at"])
        if item.text(2) != took:
            item.setText(2, took)
        worker = line.job["worker"] if line.job["attempt"] else None
        if item.text(_WORKER) != (worker or ""):
            item.setText(_WORKER, worker or "")
        if item.text(1) != word or item.icon(1).isNull():
            item.setIcon(1, self._console.status_icon(status))
            item.setText(1, word)
        for child, part in zip(children(item), line.below, strict=True):
            self._write(child, part)

    def _write_why(self, item: QTreeWidgetItem, job: JobDocument) -> None:
        """Why it waits, or what went wrong: in a column where there is room, and in the tip."""
        why = one_line(what_is_wrong(job))
        if item.text(_WHY) != why:
            item.setText(_WHY, why)
            for column in range(_WHY + 1):
                item.setToolTip(column, tip_text(tip_of([job])) if why else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Names come first: what has no room is left out; a state that counts members is whole."""
        self.table.setColumnWidth(1, max(_STATE, content_width(self.table, 1)))
        self.table.setColumnHidden(_WHY, self.width() < _ROOMY)
        self.table.setColumnHidden(_TOOK, self.width() < _NARROW)
        self.table.setColumnHidden(_WORKER, not self._away or self.width() < _LEAST)

    def _look_changed(self) -> None:
        """Icons have the colours of a look."""
        _without_icons(tops(self.table))
        self.refresh()

    def _choose(self, item: QTreeWidgetItem | None) -> None:
        if self._quiet or item is None:
            return
        node, round, index = item.data(0, _KEY)
        whole = item.parent() is None
        self._session.selection.choose(
            node=node, round=None if whole else round, index=None if whole else index
        )

    def _selected(self, now: Selected, before: Selected) -> None:
        """Mark the row of what is selected, unless a row of the same node is marked already."""
        current = self.table.currentItem()
        if current is not None and current.data(0, _KEY)[0] == now.node:
            return
        item = next((each for each in tops(self.table) if each.data(0, _KEY)[0] == now.node), None)
        self._quiet = True
        if item is not None:
            self.table.setCurrentItem(item)
        self._quiet = False


def _item(line: JobLine) -> QTreeWidgetItem:
    item = QTreeWidgetItem([one_line(line.name)])
    item.setData(0, _KEY, line.key)
    item.addChildren([_item(part) for part in line.below])
    return item


def _keys(line: JobLine) -> tuple[object, Sequence[object]]:
    return list(line.key), [list(part.key) for part in line.below]


def _item_keys(item: QTreeWidgetItem) -> tuple[object, Sequence[object]]:
    return list(item.data(0, _KEY)), [list(child.data(0, _KEY)) for child in children(item)]


def _without_icons(items: Iterable[QTreeWidgetItem]) -> None:
    for item in items:
        item.setIcon(1, QIcon())
        _without_icons(children(item))
