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
        icon = QIcon()
        for size in _SIZES:
            icon.addPixmap(self._pixmap(name, colour, size))
            faint = self._pixmap(name, self._theme.colours.border, size)
            icon.addPixmap(faint, QIcon.Mode.Disabled)
            chosen = self._pixmap(name, self._theme.colours.accent_text, size)
            icon.addPixmap(chosen, QIcon.Mode.Selected)
        return icon

    def _pixmap(self, name: str, colour: str, size: int) -> QPixmap:
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self._renderer(name, colour).render(painter, QRectF(0, 0, size, size))
        painter.end()
        return pixmap

    def _renderer(self, name: str, colour: str) -> QSvgRenderer:
        key = (name, colour)
        if key not in self._renderers:
            text = (ICONS / f"{name}.svg").read_text("utf-8")
            drawn = text.replace("currentColor", QColor(colour).name())
            self._renderers[key] = QSvgRenderer(QByteArray(drawn.encode()))
        return self._renderers[key]
