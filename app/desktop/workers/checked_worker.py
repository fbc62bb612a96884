"""What a check of a worker found: a line for each step, what stands in the way first to be seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QDialogButtonBox, QTreeWidgetItem, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import failure_line
from app.desktop.widgets.layouts import resize_within_screen, vbox
from app.desktop.widgets.pane_widgets import plain, row, tree
from app.desktop.widgets.reading_order import ReadingDialog
from engine.model.message import message_in

_SIZE = (680, 360)  # pixels
_LOOKS = {"ok": ("check", "ok"), "warning": ("problem", "warning"), "error": ("problem", "not ok")}


class CheckedWorker(ReadingDialog):
    """The answer of ``check_worker``."""

    def __init__(self, console: Console, parent: QWidget, found: Mapping[str, Any]) -> None:
        super().__init__(parent)
        self._console = console
        self.setWindowTitle(tr("Check of {name}", name=found["name"]))
        says = tr("Jobs can run there.") if found["ok"] else tr("Jobs cannot run there:")
        self.said = plain(says, bold=True)
        self.remarks = tree("What the check found", ("Check", "Found", "Message"), widths=(90, 90))
        self.remarks.addTopLevelItems([self._line(each) for each in found["remarks"]])
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        vbox(self.said, (self.remarks, 1), buttons, inside=self)
        resize_within_screen(self, *_SIZE)

    def _line(self, found: Mapping[str, Any]) -> QTreeWidgetItem:
        icon, word = _LOOKS[found["level"]]
        words = failure_line(found["code"] or None, message_in(found, "message"))
        item = row((tr(found["step"]), tr(word), words))
        colours = self._console.theme.colours
        inks = {"ok": colours.good, "warning": colours.warning, "error": colours.danger}
        item.setIcon(1, self._console.icons.get(icon, inks[found["level"]]))
        return item
