"""The first page of a new workspace: load the examples, take the tour, draw a task."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.desktop.kernel.console import Console, Target
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import button, worded
from app.desktop.widgets.roomy_buttons import PushButton

_ICON, _BUTTON, _WIDTH = 48, 24, 360


class Welcome(QWidget):
    """Shown while there is no task and nothing ever ran."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent)
        self._console = console
        self._picture, self._title = QLabel(self), worded(QLabel(self), "Welcome to Skerry")
        text = (
            "Nothing has been set up in this workspace yet. Load the examples to look around, "
            "or draw a task of your own."
        )
        self._text = worded(QLabel(self), text)
        self.load = worded(PushButton(self), "Load the examples")
        self.tour = button("Take the tour", lambda: console.actions.get("help.tour").trigger())
        self.draw = button("Draw a task", self._draw)
        self._lay_out()
        console.theme.changed.connect(self._dress)
        self._dress()

    def _draw(self) -> None:
        """In Design, which asks for its name at once."""
        self._console.navigator.go(Target("mode", "design"))
        action = self._console.actions.find("design.new")
        if action is not None:
            action.trigger()

    def _lay_out(self) -> None:
        column = vbox(2, inside=self)
        for part in (self._picture, self._title, self._text):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(part, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(16)
        for each in (self.load, self.tour, self.draw):
            each.setFixedWidth(_WIDTH)
            each.setMinimumHeight(40)
            each.setIconSize(QSize(_BUTTON, _BUTTON))
            column.addWidget(each, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        font = self._title.font()
        font.setPointSizeF(font.pointSizeF() * 1.8)
        font.setBold(True)
        self._title.setFont(font)

    def _dress(self) -> None:
        icons, colours = self._console.icons, self._console.theme.colours
        size = QSize(_ICON, _ICON)
        self._picture.setPixmap(icons.get("skerry", colours.accent).pixmap(size, self.devicePixelRatioF()))
        for each, icon in ((self.load, "import"), (self.tour, "tour"), (self.draw, "mode-design")):
            each.setIcon(icons.get(icon))
