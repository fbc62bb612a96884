"""Our own SVG icons, drawn in the colour of the theme."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.desktop.kernel.theme import Theme

ICONS = Path(__file__).parents[1] / "icons"
_SIZES = (16, 24, 32, 48)


class Icons:
    """Icons by the name of their file, made once per colour."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._made: dict[tuple[str, str, bool], QIcon] = {}
        self._renderers: dict[tuple[str, str], QSvgRenderer] = {}

    def get(self, name: str, colour: str | None = None) -> QIcon:
        """The icon in a colour ``#rrggbb``, else in the text's; remake it when the theme changes."""
        key = (name, colour or self._theme.colours.text, self._theme.dark)
        if key not in self._made:
            self._made[key] = self._icon(key[0], key[1])
        return self._made[key]

    def paint(self, painter: QPainter, name: str, where: QRectF, colour: str) -> None:
        """Draw it with a painter, sharp at any size."""
        self._renderer(name, colour).render(painter, where)

    def _icon(self, name: str, colour: str) -> QIcon:
        colours = self._theme.colours
        modes = {
            QIcon.Mode.Normal: colour,
            QIcon.Mode.Disabled: colours.border,
            QIcon.Mode.Selected: colours.accent_text,
        }
        icon = QIcon()
        for size in _SIZES:
            shape = self._shape(name, colour, size)
            for mode, each in modes.items():
                icon.addPixmap(shape if each == colour else _coloured(shape, each), mode)
        return icon

    def _shape(self, name: str, colour: str, size: int) -> QPixmap:
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, name, QRectF(0, 0, size, size), colour)
        painter.end()
        return pixmap

    def _renderer(self, name: str, colour: str) -> QSvgRenderer:
        key = (name, colour)
        if key not in self._renderers:
            text = (ICONS / f"{name}.svg").read_text("utf-8")
            drawn = text.replace("currentColor", QColor(colour).name())
            self._renderers[key] = QSvgRenderer(QByteArray(drawn.encode()))
        return self._renderers[key]


def _coloured(shape: QPixmap, colour: str) -> QPixmap:
    """The same in another colour, for a third of what drawing it takes."""
    pixmap = shape.copy()
    painter = QPainter(pixmap)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(pixmap.rect(), QColor(colour))
    painter.end()
    return pixmap
