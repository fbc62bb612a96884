"""Home: what needs somebody now, what runs, what comes next."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.mode import Mode


class HomeMode(Mode):
    """The first mode that a person sees."""

    KEY = "home"
    TITLE = "Home"
    ICON = "mode-home"

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        label = QLabel(self)
        self.setCentralWidget(label)
        translated(label, lambda: label.setText(tr("Nothing needs you now")))
