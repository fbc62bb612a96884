"""The first page of a new workspace: load the examples, take the tour, draw a task."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated
from app.desktop.shell.modes import mode_for
from app.desktop.widgets.layouts import vbox

_ICON, _BUTTON, _WIDTH = 72, 24, 360


class Welcome(QWidget):
    """Shown while there is no task and nothing ever ran."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent)
        self._console = console
        self._picture, self._title, self._text = QLabel(self), QLabel(self), QLabel(self)
        self.load, self.tour, self.draw = (QPushButton(self) for _ in range(3))
        self.tour.clicked.connect(lambda: console.actions.get("help.tour").trigger())
        self.draw.clicked.connect(lambda: console.navigator.go(Target("mode", "design")))
        design = mode_for("mode", "design")
        self.draw.setVisible(design is not None and design.there)
        self._lay_out()
        console.theme.changed.connect(self._dress)
        self._dress()
        translated(self, self._word)

    def _lay_out(self) -> None:
        column = vbox(2, inside=self)
        for part in (self._picture, self._title, self._text):
            if isinstance(part, QLabel):
                part.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(part, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(16)
        for button in (self.load, self.tour, self.draw):
            button.setFixedWidth(_WIDTH)
            button.setMinimumHeight(40)
            button.setIconSize(QSize(_BUTTON, _BUTTON))
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        font = self._title.font()
        font.setPointSizeF(font.pointSizeF() * 1.8)
        font.setBold(True)
        self._title.setFont(font)

    def _dress(self) -> None:
        icons, colours = self._console.icons, self._console.theme.colours
        size = QSize(_ICON, _ICON)
        self._picture.setPixmap(icons.get("skerry", colours.accent).pixmap(size, self.devicePixelRatioF()))
        for button, icon in ((self.load, "import"), (self.tour, "tour"), (self.draw, "mode-design")):
            button.setIcon(icons.get(icon))

    def _word(self) -> None:
        self._title.setText(tr("Welcome to Skerry"))
        self._text.setText(
            tr(
                "Nothing has been set up in this workspace yet. Load the examples to look around, "
                "or draw a task of your own."
            )
        )
        self.load.setText(tr("Load the examples"))
        self.tour.setText(tr("Take the tour"))
        self.draw.setText(tr("Draw a task"))
