"""How the window looks: the choices of the menus as a form."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLabel, QSlider, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import LANGUAGES, tr, translated
from app.desktop.shell.appearance import LARGEST, SMALLEST, STEP, THEMES
from app.desktop.widgets.pane_widgets import worded


class WindowPage(QWidget):
    """Every choice acts at once."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent)
        self._console = console
        form = QFormLayout(self)
        self.language, self.theme = QComboBox(self), QComboBox(self)
        self.text_size = QSlider(Qt.Orientation.Horizontal, self)
        self.text_size.setRange(SMALLEST // STEP, LARGEST // STEP)
        self.text_size.setTickPosition(QSlider.TickPosition.TicksBelow)
        self.text_size.setTickInterval(1)
        self.text_size.setPageStep(1)
        self.text_size.setMaximumWidth(400)
        self.notify = worded(QCheckBox(self), "Tell on the desktop when a run ends or fails")
        self.notify.setChecked(console.settings.flag("notify", True))
        self.notify.toggled.connect(lambda on: console.settings.set("notify", on))
        for box in (self.language, self.theme):
            box.setMaximumWidth(400)
        fields: tuple[QWidget, ...] = (self.language, self.theme, self.text_size, self.notify)
        self._rows = [(QLabel(self), field) for field in fields]
        for label, field in self._rows:
            form.addRow(label, field)
        self._fill()
        self.language.activated.connect(lambda _: self._act("language", self.language.currentData()))
        self.theme.activated.connect(lambda _: self._act("theme", self.theme.currentData()))
        self.text_size.valueChanged.connect(self._resize)
        console.theme.changed.connect(self._fill)
        translated(self, self._word)

    def _act(self, what: str, key: str) -> None:
        self._console.actions.get(f"view.{what}.{key}").trigger()

    def _resize(self, steps: int) -> None:
        self._console.settings.set("text_size", steps * STEP)
        self._console.theme.switch(scale=steps * STEP / 100)
        self._word()

    def _fill(self) -> None:
        chosen = self._console.settings.text("theme", "system")
        _choices(self.language, LANGUAGES, self._console.language.current)
        _choices(self.theme, {key: tr(text) for key, text in THEMES.items()}, chosen)
        self.text_size.blockSignals(True)
        self.text_size.setValue(round(self._console.theme.scale * 100 / STEP))
        self.text_size.blockSignals(False)

    def _word(self) -> None:
        self._fill()
        for (label, field), name in zip(
            self._rows,
            (
                tr("Language"),
                tr("Colours"),
                tr("Text size ({n} %)", n=self.text_size.value() * STEP),
                tr("Notifications"),
            ),
            strict=True,
        ):
            label.setText(name)
            field.setAccessibleName(name)


def _choices(box: QComboBox, choices: Mapping[str, str], chosen: str) -> None:
    box.clear()
    for key, text in choices.items():
        box.addItem(text, key)
    box.setCurrentIndex(max(0, box.findData(chosen)))
