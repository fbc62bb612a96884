"""A month of a calendar: working days and days off; days are marked by mouse or keyboard to change them."""

from __future__ import annotations

from calendar import Calendar as Weeks
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop.design.forms.schedule_fields import WEEKDAYS
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.plan.calendars.calendar_days import CalendarDays, DayKind
from app.desktop.plan.calendars.calendar_words import day_line

_WEEKS, _DAYS = 6, 7
_HEAD = 22.0  # pixels of the names of the weekdays
_LEAST = QSize(7 * 30, 22 + 6 * 24)
_FIRST_DAY, _LAST_DAY = date(1970, 1, 1), date(2299, 12, 31)
_KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: -7, Qt.Key.Key_Down: 7}


class MonthView(QWidget):
    """``turned`` says that another day is in front, ``chosen`` brings the first and last of days to change.

    Days that one of its lists decides about have a dot.
    """

    turned = Signal()
    chosen = Signal(object, object)

    def __init__(self, console: Console, today: date, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self.day = self._mark = self._today = today
        self._tree: Mapping[str, Any] = {}
        self._days = CalendarDays({})
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        console.theme.changed.connect(self.update)
        translated(self, self._describe)

    def minimumSizeHint(self) -> QSize:
        return _LEAST

    def sizeHint(self) -> QSize:
        return _LEAST * 1.3

    def show_calendar(self, tree: Mapping[str, Any]) -> None:
        """The same month of another calendar, or of another state of it."""
        self._tree, self._days = tree, CalendarDays(tree)
        self._describe()

    def go(self, day: date, *, extend: bool = False) -> None:
        """Bring a day in front; with ``extend`` what was marked stays marked up to it."""
        self.day = min(max(day, _FIRST_DAY), _LAST_DAY)
        self._mark = self._mark if extend else self.day
        self._describe()
        self.turned.emit()

    def turn(self, months: int) -> None:
        """The same day of another month, or the last one there is."""
        month = self.day.year * 12 + self.day.month - 1 + months
        first = date(month // 12, month % 12 + 1, 1)
        self.go(min(first + timedelta(days=self.day.day - 1), _last_of(first)))

    @property
    def marked(self) -> tuple[date, date]:
        """The first and the last of the days that are marked."""
        return min(self._mark, self.day), max(self._mark, self.day)

    def month(self) -> list[date]:
        """The days of the month that is shown."""
        first = self.day.replace(day=1)
        return [first + timedelta(days=n) for n in range(_last_of(first).day)]

    def _shown(self) -> list[date]:
        """Six weeks, from the Monday before the month."""
        first = next(iter(Weeks().itermonthdates(self.day.year, self.day.month)))
        return [first + timedelta(days=n) for n in range(_WEEKS * _DAYS)]

    def _describe(self) -> None:
        self.setAccessibleName(tr("The days of this month"))
        self.setAccessibleDescription(day_line(self._tree, self.day))
        self.update()

    # -- mouse and keyboard ------------------------------------------------------------------------

    def day_at(self, place: QPointF) -> date | None:
        """The day at a place in the widget; None between the names of the weekdays."""
        width, height = self._cell()
        column, row = int(place.x() // width), int((place.y() - _HEAD) // height)
        inside = place.y() >= _HEAD and 0 <= column < _DAYS and 0 <= row < _WEEKS
        return self._shown()[row * _DAYS + column] if inside else None

    def rect_of(self, day: date) -> QRectF:
        """Where a day of the month is."""
        width, height = self._cell()
        at = self._shown().index(day)
        return QRectF(at % _DAYS * width, _HEAD + at // _DAYS * height, width, height)

    def _cell(self) -> tuple[float, float]:
        return max(1.0, self.width() / _DAYS), max(1.0, (self.height() - _HEAD) / _WEEKS)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        day = self.day_at(event.position())
        if day is not None and event.button() is Qt.MouseButton.LeftButton:
            self.go(day, extend=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        day = self.day_at(event.position())
        if day is not None and event.buttons() & Qt.MouseButton.LeftButton and day.month == self.day.month:
            self.go(day, extend=True)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.day_at(event.position()) is not None:
            self.chosen.emit(*self.marked)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _KEYS:
            extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.go(self.day + timedelta(days=_KEYS[key]), extend=extend)
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown) and not event.modifiers():
            self.turn(-1 if key == Qt.Key.Key_PageUp else 1)
        elif key in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(*self.marked)
        else:
            super().keyPressEvent(event)

    # -- how it looks ------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_names(painter)
        for day in self._shown():
            self._paint_day(painter, day)
        painter.end()

    def _paint_names(self, painter: QPainter) -> None:
        painter.setPen(QColor(self._console.theme.colours.muted))
        width, _ = self._cell()
        for at, name in enumerate(WEEKDAYS.values()):
            place = QRectF(at * width, 0, width, _HEAD)
            text = painter.fontMetrics().elidedText(_short(name), Qt.TextElideMode.ElideRight, int(width))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_day(self, painter: QPainter, day: date) -> None:
        colours, kind = self._console.theme.colours, self._days.kind(day)
        inside = day.month == self.day.month
        place = self.rect_of(day).adjusted(1.5, 1.5, -1.5, -1.5)
        first, last = self.marked
        ground = colours.selection if first <= day <= last else colours.window if kind.off else colours.base
        painter.setPen(QPen(QColor(colours.border if inside else colours.grid), 1))
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(place, 3, 3)
        self._paint_number(painter, day, place, off=kind.off, inside=inside)
        if kind in (DayKind.OFF, DayKind.WORK):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.danger if kind.off else colours.good))
            painter.drawEllipse(QPointF(place.right() - 6, place.top() + 6), 2.5, 2.5)
        if day == self.day and self.hasFocus():
            painter.setPen(QPen(QColor(colours.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(place, 3, 3)

    def _paint_number(self, painter: QPainter, day: date, place: QRectF, *, off: bool, inside: bool) -> None:
        colours = self._console.theme.colours
        font = QFont(self.font())
        font.setBold(inside and not off)
        font.setUnderline(day == self._today)
        painter.setFont(font)
        painter.setPen(QColor(colours.muted if not inside else colours.danger if off else colours.text))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, str(day.day))
        painter.setFont(self.font())


def _short(name: str) -> str:
    """``Mon``; in Chinese the last sign alone tells the days apart."""
    word = tr(name)
    return word[:3] if word.isascii() else word[-1]


def _last_of(first: date) -> date:
    """The last day of the month that begins with ``first``."""
    return (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
