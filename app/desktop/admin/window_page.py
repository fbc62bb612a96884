"""How the window looks: the choices of the menus as a form."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QCheckBox, QSlider, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import LANGUAGES, tr, translated
from app.desktop.shell.appearance import LARGEST, SMALLEST, STEP, THEMES
from app.desktop.widgets.pane_widgets import choices, form, plain, worded

_WIDEST = 400  # pixels


class WindowPage(QWidget):
    """Every choice acts at once."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent)
        self._console = console
        self.language, self.theme = choices(LANGUAGES), choices(THEMES)
        self.text_size = QSlider(Qt.Orientation.Horizontal)
        self.text_size.setRange(SMALLEST // STEP, LARGEST // STEP)
        self.text_size.setTickPosition(QSlider.TickPosition.TicksBelow)
        self.text_size.setTickInterval(1)
        self.text_size.setPageStep(1)
        self.notify = worded(QCheckBox(), "Tell on the desktop when a run ends or fails")
        self.notify.setChecked(console.settings.flag("notify", True))
        self.notify.toggled.connect(lambda on: console.settings.set("notify", on))
        self._size_label = plain()
        layout = form(("Language", self.language), ("Colours", self.theme), ("Notifications", self.notify))
        layout.insertRow(2, self._size_label, self.text_size)
        self.setLayout(layout)
        for field in (self.language, self.theme, self.text_size):
            field.setMaximumWidth(_WIDEST)
        self._show()
        self.language.activated.connect(lambda _: self._act("language", self.language.currentData()))
        self.theme.activated.connect(lambda _: self._act("theme", self.theme.currentData()))
        self.text_size.valueChanged.connect(self._resize)
        console.theme.changed.connect(self._show)
        translated(self, self._show)

    def _act(self, what: str, key: str) -> None:
        self._console.actions.get(f"view.{what}.{key}").trigger()

    def _resize(self, steps: int) -> None:
        self._console.settings.set("text_size", steps * STEP)
        self._console.theme.switch(scale=steps * STEP / 100)
        self._show()

    def _show(self) -> None:
        """What is chosen, here or in the menus."""
        self.language.setCurrentIndex(self.language.findData(self._console.language.current))
        self.theme.setCurrentIndex(self.theme.findData(self._console.settings.text("theme", "system")))
        with QSignalBlocker(self.text_size):
            self.text_size.setValue(round(self._console.theme.scale * 100 / STEP))
        size = tr("Text size ({n} %)", n=self.text_size.value() * STEP)
        self._size_label.setText(size)
        self.text_size.setAccessibleName(size)
