"""Pens, fonts and small pictures of the canvas, made once per theme: painting must not make any."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPixmap

from app.desktop.kernel.contrast import on
from app.desktop.kernel.icons import ICONS, Icons
from app.desktop.kernel.statuses import Border, look_of
from app.desktop.kernel.theme import Theme

_STYLES = {Border.DASHED: Qt.PenStyle.DashLine}
_WIDTHS = {Border.THICK: 3.0, Border.THIN: 1.0}
_MARKS = {"error": "danger", "warning": "warning", "added": "good", "removed": "danger", "changed": "warning"}
_GLYPH = 20.0
_FAR = 23  # of titles that are seen from afar: a dozen pixels at half size
_SHARP = 2  # pictures are made twice as large, for zooming in


class Brushes:
    """What nodes and links are painted with under the theme that is on."""

    def __init__(self, theme: Theme, icons: Icons) -> None:
        self._theme, self._icons = theme, icons
        self.refresh()

    def refresh(self) -> None:
        """Make everything again after the theme or the text size changed."""
        colours = self._theme.colours
        self.canvas, self.raised = QColor(colours.canvas), QColor(colours.raised)
        self.text, self.muted = QColor(colours.text), QColor(colours.muted)
        self.accent, self.link = QColor(colours.accent), QColor(colours.link)
        self.danger, self.grid = QColor(colours.danger), QColor(colours.grid)
        self.good, self.selection = QColor(colours.good), QColor(colours.selection)
        self.warning, self.border = QColor(colours.warning), QColor(colours.border)
        self.title, self.small = QFont(), QFont()
        self.title.setPixelSize(round(14 * min(1.2, self._theme.scale)))
        self.title.setWeight(QFont.Weight.DemiBold)
        self.small.setPixelSize(round(12 * min(1.2, self._theme.scale)))
        self.title_metrics, self.small_metrics = QFontMetricsF(self.title), QFontMetricsF(self.small)
        self.far = QFont()
        self.far.setPixelSize(_FAR)
        self.far_metrics = QFontMetricsF(self.far)
        self.focus = QPen(self.accent, 2.5)
        self.found = QPen(self.warning, 3)
        self._status_pens: dict[str | None, QPen] = {}
        self._colours: dict[str | None, QColor] = {}
        self._pictures: dict[tuple[str, str], QPixmap] = {}

    def colour(self, status: str | None) -> QColor:
        """The colour of a status; of a node that has none the quiet one."""
        if status not in self._colours:
            self._colours[status] = self._theme.status(status) if status else self.muted
        return self._colours[status]

    def outline(self, status: str | None) -> QPen:
        if status not in self._status_pens:
            self._status_pens[status] = self._outline(status)
        return self._status_pens[status]

    def _outline(self, status: str | None) -> QPen:
        if not status:
            return QPen(self.border, 1.5)
        look = look_of(status)
        colour = self.text if look.pale and not self._theme.dark else self.colour(status)
        return QPen(colour, _WIDTHS.get(look.border, 1.6), _STYLES.get(look.border, Qt.PenStyle.SolidLine))

    def mark(self, mark: str) -> QColor:
        """The colour of a mark such as ``error`` or ``added``."""
        return QColor(getattr(self._theme.colours, _MARKS[mark]))

    def glyph(self, status: str | None, type: str) -> QPixmap:
        """The shape of a status, or without one the sign of a job type."""
        look = look_of(status) if status else None
        return self._picture(look.icon if look else type_icon(type), on(self.colour(status).name()))

    def _picture(self, name: str, colour: str) -> QPixmap:
        if (name, colour) not in self._pictures:
            self._pictures[name, colour] = self._drawn(name, colour)
        return self._pictures[name, colour]

    def _drawn(self, name: str, colour: str) -> QPixmap:
        pixmap = QPixmap(QSizeF(_GLYPH * _SHARP, _GLYPH * _SHARP).toSize())
        pixmap.setDevicePixelRatio(_SHARP)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        if (ICONS / f"{name}.svg").exists():
            self._icons.paint(painter, name, QRectF(0, 0, _GLYPH, _GLYPH), colour)
        painter.end()
        return pixmap


def type_icon(type: str) -> str:
    """The icon of a job type; of one that has none that of all jobs."""
    return f"type-{type}" if (ICONS / f"type-{type}.svg").exists() else "type-job"
