"""The lines of a file that a redaction changes, before and after, each at its place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QDialogButtonBox, QWidget

from app.desktop.bundles.bundle_dialog import add_row
from app.desktop.kernel.language import tr
from app.desktop.kernel.visible_text import visible
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import plain, tree
from app.desktop.widgets.reading_order import ReadingDialog
from export_import.replacements import MOST, Replacement


class ReplacedLines(ReadingDialog):
    """Of one file; a double click on a line is not needed: the tool tip has all of it."""

    def __init__(self, name: str, lines: Sequence[Replacement], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("What is replaced in {name}", name=visible(name)))
        self.resize(900, 480)
        self.lines = tree("Lines that are changed", ("Line", "Here", "In the bundle"), widths=(70, 400, 400))
        for each in lines:
            add_row(self.lines, each.line, each.before, each.after)
        text = tr("The first {n} lines are shown.", n=MOST) if len(lines) == MOST else ""
        hidden = plain(" ".join(part for part in (text, tr("Stored secrets are shown to nobody.")) if part))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        vbox((self.lines, 1), hidden, buttons, inside=self)
