"""Columns as wide as was declared, and narrower where that leaves too little for the one that matters."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QHeaderView, QTableView, QTreeView

View = QTableView | QTreeView
_Mode = QHeaderView.ResizeMode
_READABLE = 160  # pixels
_AIR = 6  # pixels beside a text
_STEP = 8  # pixels: a number that grows by a digit moves nothing


def header_of(view: View) -> QHeaderView:
    """The header above the columns."""
    return view.horizontalHeader() if isinstance(view, QTableView) else view.header()


def content_width(view: View, column: int) -> int:
    """Pixels that the title and what is in sight of a column need."""
    needed = max(view.sizeHintForColumn(column), header_of(view).sectionSizeHint(column)) + _AIR
    return -(-needed // _STEP) * _STEP


class ColumnRoom(QObject):
    """``wanted``: the pixels of columns by their number; ``rest`` is what the others make room for.

    A person who draws a column to another width has it so from then on, and the others as they are.
    """

    def __init__(self, view: View, wanted: Mapping[int, int], rest: int) -> None:
        super().__init__(view)
        self._view, self._rest = view, rest
        self._wanted = {at: width for at, width in wanted.items() if at != rest}
        self._drawn = False
        header = header_of(view)
        self._stretched = header.sectionResizeMode(rest) is _Mode.Stretch
        header.setResizeContentsPrecision(0)  # what is in sight
        header.sectionResized.connect(self._resized)
        self._later = QTimer(self, interval=0, singleShot=True)
        self._later.timeout.connect(self.share)
        model = view.model()
        for signal in (model.modelReset, model.rowsInserted, model.dataChanged, model.headerDataChanged):
            signal.connect(lambda *_: self._later.start())
        view.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.FontChange):
            self._later.start()
        return False

    def share(self) -> None:
        """Give every column its width."""
        if self._drawn or not self._view.isVisible():
            return
        needed = sum(self._wanted.values()) + content_width(self._view, self._rest)
        lack = needed - self._view.viewport().width()
        spare = {at: max(0, width - content_width(self._view, at)) for at, width in self._wanted.items()}
        part = min(1.0, max(0, lack) / max(1, sum(spare.values())))
        header = header_of(self._view)
        for at, width in self._wanted.items():
            header.resizeSection(at, width - round(spare[at] * part))
        if self._stretched:
            self._keep_readable(max(0, lack - sum(spare.values())))

    def _keep_readable(self, lack: int) -> None:
        """The one that matters has room for some words, though others are scrolled to then."""
        header, needed = header_of(self._view), content_width(self._view, self._rest)
        fits = needed - lack >= min(needed, _READABLE)
        header.setSectionResizeMode(self._rest, _Mode.Stretch if fits else _Mode.Interactive)
        if not fits:
            header.resizeSection(self._rest, min(needed, _READABLE))

    def _resized(self, _section: int, _old: int, _new: int) -> None:
        if QApplication.mouseButtons() & Qt.MouseButton.LeftButton and header_of(self._view).underMouse():
            self._drawn = True
