"""What an instance waits for before it begins, the way there, and the way to let it go without."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from app.desktop.kernel.console import Console, Target
from app.desktop.run.awaited import COLUMNS, awaited_rows
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import button
from app.desktop.widgets.rows import row_height
from app.desktop.widgets.table import Row, TableView
from engine.api.documents import RunDocument

_ROWS = 6  # that are seen at once


class AwaitedList(QFrame):
    """``gone`` brings the Target of an instance; ``release_wanted``: let it go without the selected one."""

    gone = Signal(object)
    release_wanted = Signal()

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self.table = TableView(console, "What it waits for", COLUMNS, _key, self)
        self.show_it = button("Show it", self._show_it, "Open the selected instance")
        self.release = button(
            "Let it go without…", self.release_wanted.emit, "Begin without waiting for the selected task"
        )
        vbox((self.table, 1), hbox(self.show_it, self.release, 1, spacing=6), inside=self, spacing=4)
        self.table.looked_at.connect(lambda _: self.judge())
        self.table.chosen.connect(lambda _: self._show_it())
        self.hide()

    @property
    def held(self) -> Row | None:
        """The selected row, if the instance still waits for it."""
        row = self.table.current
        return row if row is not None and row["held"] and not self.isHidden() else None

    def show_run(self, run: RunDocument | None) -> None:
        """Show what an instance waits for; hidden where it does not, or for None."""
        rows = awaited_rows(run) if run is not None else []
        was_held = self.held is not None
        self.setVisible(bool(rows))
        self.table.show_rows(rows)
        if was_held and self.held is None:
            self.table.select(None)  # the first one, which holds it up now
        lines = min(len(rows), _ROWS) * row_height(self.table)
        self.table.setFixedHeight(lines + self.table.horizontalHeader().sizeHint().height() + 4)
        self.judge()

    def judge(self) -> None:
        """Which of the two can be done with the selected row."""
        row = self.table.current
        self.show_it.setEnabled(row is not None and row["instance"] is not None)
        self.release.setEnabled(self.held is not None and self._console.link.writable)

    def _show_it(self) -> None:
        row = self.table.current
        if row is not None and row["instance"] is not None:
            self.gone.emit(Target("instance", str(row["instance"])))


def _key(row: Row) -> object:
    return row["task"], row["time"], row["instance"]
