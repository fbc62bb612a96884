"""Our own SVG icons, drawn in the colour of the theme."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.desktop.kernel.theme import Theme

ICONS = Path(__file__).parents[1] / "icons"


class Icons:
    """Icons by the name of their file, made once per colour."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._made: dict[tuple[str, str | None], QIcon] = {}
        self._renderers: dict[tuple[str, str], QSvgRenderer] = {}

    def get(self, name: str, colour: str | None = None) -> QIcon:
        """The icon in a colour ``#rrggbb``, else in that which the theme's text has when it is shown."""
        key = (name, colour)
        if key not in self._made:
            self._made[key] = self._icon(name, colour)
        return self._made[key]

    def paint(self, painter: QPainter, name: str, where: QRectF, colour: str) -> None:
        """Draw it with a painter, sharp at any size."""
        self._renderer(name, colour).render(painter, where)

    def _icon(self, name: str, colour: str | None) -> QIcon:
        def look(mode: QIcon.Mode) -> tuple[QSvgRenderer, str]:
            colours = self._theme.colours
            others = {QIcon.Mode.Disabled: colours.border, QIcon.Mode.Selected: colours.accent_text}
            return self._renderer(name, colour or colours.text), others.get(mode, "")

        first = QIcon(_Drawn(look))
        # PySide destroys an engine that is collected with its first icon, though Qt still draws copies of it.
        return QIcon(first)

    def _renderer(self, name: str, colour: str) -> QSvgRenderer:
        key = (name, colour)
        if key not in self._renderers:
            drawn = _text(name).replace("currentColor", QColor(colour).name())
            renderer = QSvgRenderer(QByteArray(drawn.encode()))
            renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
            self._renderers[key] = renderer
        return self._renderers[key]


@cache
def _text(name: str) -> str:
    return (ICONS / f"{name}.svg").read_text("utf-8")


class _Drawn(QIconEngine):
    """Draws an icon when it is shown: once for each size in pixels and each look."""

    def __init__(self, look: Callable[[QIcon.Mode], tuple[QSvgRenderer, str]]) -> None:
        """``look``: what draws it now, and the colour that it has in that mode instead ("": its own)."""
        super().__init__()
        self._look = look
        self._pixmaps: dict[tuple[int, int, QSvgRenderer, str], QPixmap] = {}

    def clone(self) -> QIconEngine:
        """For a copy that is changed: Qt's from now on, so Python must never destroy it."""
        clone = _Drawn(self._look)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(clone))
        return clone

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        painter.drawPixmap(rect, self.pixmap(rect.size() * painter.device().devicePixelRatio(), mode, state))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        renderer, colour = self._look(mode)
        key = (size.width(), size.height(), renderer, colour)
        if key not in self._pixmaps:
            self._pixmaps[key] = _pixmap(size, renderer, colour)
        return self._pixmaps[key]


def _pixmap(size: QSize, renderer: QSvgRenderer, colour: str) -> QPixmap:
    if size.isEmpty():  # of a button that has no room at the moment
        return QPixmap()
    pixmap = QPixmap(size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter)
    if colour:
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        painter.fillRect(pixmap.rect(), QColor(colour))
    painter.end()
    return pixmap
