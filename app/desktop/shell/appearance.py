"""Language, theme and text size: changed while the window runs, and remembered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtGui import QActionGroup, QGuiApplication
from PySide6.QtWidgets import QWidget

from app.desktop.kernel.actions import ActionSpec
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import LANGUAGES
from app.desktop.shell.startup import wants_dark

SMALLEST, LARGEST, STEP = 80, 150, 10  # per cent
THEMES = {"light": "Light", "dark": "Dark", "system": "Light or dark as the desktop"}
SIZES = (
    ("larger", "Larger text", "="),
    ("smaller", "Smaller text", "-"),
    ("normal", "Normal text", "Backspace"),
)


class Appearance:
    """The actions that change how the window looks."""

    def __init__(self, console: Console, window: QWidget) -> None:
        self._console, self._window = console, window
        self._add_choice("theme", THEMES, "theme", 50, self.theme)
        self._add_choice("language", LANGUAGES, "language", 51, self.language)
        steps = {"larger": STEP, "smaller": -STEP}
        for key, text, pressed in SIZES:
            spec = ActionSpec(f"view.{key}", text, (f"Ctrl+Alt+{pressed}",), "text-size", "View", 52)
            console.actions.add(spec, window, partial(self._resize, steps.get(key)))
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._desktop_changed)
        self._check()

    def _add_choice(
        self, name: str, choices: Mapping[str, str], icon: str, group: int, choose: Callable[[str], object]
    ) -> None:
        together = QActionGroup(self._window)
        for key, text in choices.items():
            id = f"view.{name}.{key}"
            spec = ActionSpec(id, text, icon=icon, menu="View", group=group, checkable=True)
            together.addAction(self._console.actions.add(spec, self._window, partial(choose, key)))

    @property
    def size(self) -> int:
        """The text size in per cent."""
        return round(self._console.theme.scale * 100)

    def theme(self, key: str) -> None:
        """``light``, ``dark`` or ``system``."""
        self._console.settings.set("theme", key)
        self._console.theme.switch(dark=wants_dark(self._console.settings))
        self._check()

    def language(self, key: str) -> None:
        """A key of ``LANGUAGES``."""
        self._console.settings.set("language", key)
        self._console.language.switch(key)
        self._check()

    def text_size(self, percent: int) -> None:
        """Between 80 and 150."""
        chosen = max(SMALLEST, min(LARGEST, percent))
        self._console.settings.set("text_size", chosen)
        self._console.theme.switch(scale=chosen / 100)

    def _resize(self, step: int | None) -> None:
        self.text_size(100 if step is None else self.size + step)

    def _desktop_changed(self) -> None:
        if self._console.settings.text("theme", "system") == "system":
            self._console.theme.switch(dark=wants_dark(self._console.settings))

    def _check(self) -> None:
        chosen = self._console.settings.text("theme", "system")
        for key in THEMES:
            self._console.actions.get(f"view.theme.{key}").setChecked(key == chosen)
        for key in LANGUAGES:
            self._console.actions.get(f"view.language.{key}").setChecked(
                key == self._console.language.current
            )
