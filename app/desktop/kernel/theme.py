"""Light and dark: one palette for Qt's own widgets and named colours for what is painted."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication

from app.desktop.kernel.contrast import readable
from app.desktop.kernel.statuses import look_of


@dataclass(frozen=True, slots=True)
class Colours:
    """``#rrggbb`` by role."""

    dark: bool
    window: str
    base: str
    raised: str  # cards, nodes
    text: str
    muted: str
    border: str
    accent: str
    accent_text: str
    selection: str
    canvas: str
    grid: str
    link: str
    danger: str
    warning: str
    good: str
    replay: str

    @property
    def grounds(self) -> tuple[str, ...]:
        """What texts and signs are shown on."""
        return self.window, self.base, self.raised, self.canvas, self.selection


LIGHT = Colours(
    False, "#F4F5F7", "#FFFFFF", "#FFFFFF", "#1D2126", "#5B636E", "#C9CED6", "#0B5FB0", "#FFFFFF",
    "#CFE3F7", "#FAFBFC", "#E6E9ED", "#7A828E", "#B3261E", "#8A5A00", "#176B54", "#7A3FA0",
)  # fmt: skip
DARK = Colours(
    True, "#2B2F35", "#17191C", "#30353C", "#E7EAEE", "#A3ABB6", "#4A515B", "#69AEEE", "#0D1117",
    "#1E4063", "#191C1F", "#262A2F", "#8C95A1", "#FF8A75", "#F0B94A", "#4CC49C", "#CB97EA",
)  # fmt: skip


class Theme(QObject):
    """The looks that are on; ``changed`` tells what paints by itself to paint again."""

    changed = Signal()

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._points = max(9.0, application.font().pointSizeF())
        self.colours = LIGHT
        self.scale = 1.0

    @property
    def dark(self) -> bool:
        return self.colours.dark

    def switch(self, *, dark: bool | None = None, scale: float | None = None) -> None:
        """Other colours, another text size (0.8 to 1.5), or both."""
        self.colours = self.colours if dark is None else (DARK if dark else LIGHT)
        self.scale = self.scale if scale is None else min(1.5, max(0.8, scale))
        font = QFont(self._application.font())
        font.setPointSizeF(self._points * self.scale)
        self._application.setFont(font)
        self._application.setPalette(palette(self.colours))
        self.changed.emit()

    def mono(self) -> QFont:
        """A font of one width for code, logs and ids, in the chosen text size."""
        font = QFont(self._application.font())
        font.setFamilies(["Skerry Mono", "Skerry Hei", "monospace"])
        font.setStyleHint(QFont.StyleHint.Monospace)
        return font

    def status(self, status: str | None) -> QColor:
        """What an area of that status is filled with."""
        return QColor(look_of(status).colour(self.dark))

    def status_ink(self, status: str | None) -> str:
        """What a sign of that status is drawn with: readable on every ground.

        Of one that is too pale for a shape the colour of the text.
        """
        look = look_of(status)
        return self.colours.text if look.pale else readable(look.colour(self.dark), self.colours.grounds)


def palette(colours: Colours) -> QPalette:
    """Qt's palette of these colours."""
    found = QPalette()
    role = QPalette.ColorRole
    plain = {
        role.Window: colours.window,
        role.WindowText: colours.text,
        role.Base: colours.base,
        role.AlternateBase: colours.window,
        role.Text: colours.text,
        role.Button: colours.window,
        role.ButtonText: colours.text,
        role.BrightText: colours.danger,
        role.ToolTipBase: colours.raised,
        role.ToolTipText: colours.text,
        role.PlaceholderText: colours.muted,
        role.Highlight: colours.accent,
        role.HighlightedText: colours.accent_text,
        role.Link: colours.accent,
        role.Light: colours.raised,
        role.Mid: colours.border,
        role.Midlight: colours.border,
    }
    for which, colour in plain.items():
        found.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        found.setColor(QPalette.ColorGroup.Disabled, which, QColor(colours.muted))
    return found
