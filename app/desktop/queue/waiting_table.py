"""The table of what waits: a row is dragged to another place in line."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QPoint, Qt, Signal
from PySide6.QtGui import QDrag, QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from app.desktop.kernel.console import Console
from app.desktop.queue.columns import WAITING
from app.desktop.widgets.table import ROW, TableView


class WaitingTable(TableView):
    """``moved`` brings a JobInstance and the one that it is to come before (0: the last place)."""

    moved = Signal(int, int)

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(console, "Jobs that wait", WAITING, lambda row: row["job_instance"], parent)
        self.empty.say("Nothing waits.")
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setDropIndicatorShown(True)

    @property
    def in_line(self) -> bool:
        """Whether the rows are shown as they stand in line, so that a place among them means something."""
        return self.horizontalHeader().sortIndicatorSection() < 0

    def startDrag(self, supportedActions: Qt.DropAction) -> None:
        """Of a row that is in line; nothing of it leaves the table."""
        row = self.current
        if row is None or row.get("held") or not self.in_line:
            return
        drag, data = QDrag(self), QMimeData()
        data.setText(str(row["job_instance"]))
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.MoveAction)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Only its own rows, and only while they are shown in the order of the line."""
        if event.source() is self and self.in_line:
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if event.source() is self and self.in_line:
            event.acceptProposedAction()
        else:
            event.ignore()

    def dropEvent(self, event: QDropEvent) -> None:
        """Before the row under the mouse, in its lower half before the one after it."""
        event.acceptProposedAction()
        self.drop_at(int(event.mimeData().text()), event.position().toPoint().y())

    def drop_at(self, job: int, y: int) -> None:
        """Let the job that was dragged go at a height of the viewport; one that has begun meanwhile stays."""
        if job not in [row["job_instance"] for row in self.shown]:
            return
        index = self.indexAt(QPoint(1, y))
        if index.isValid() and y > self.visualRect(index).center().y():
            index = index.siblingAtRow(index.row() + 1)
        target = index.data(ROW) if index.isValid() else None
        before = 0 if target is None or target.get("held") else int(target["job_instance"])
        if before != job:
            self.moved.emit(job, before)
