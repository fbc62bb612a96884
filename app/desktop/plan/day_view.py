"""The timeline of a day as it is painted: a row for each task, its instances at their scheduled times."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from app.desktop.kernel.console import Console
from app.desktop.plan.day_axis import Day, marks_of
from app.desktop.plan.day_links import DayLinks, linked, waits_for
from app.desktop.plan.day_rows import POINT, DayInstance, DayRow, day_strokes, is_sign, span_of, wait_lines
from app.desktop.plan.day_words import tip_of
from app.desktop.plan.link_curve import paint_link
from app.desktop.widgets.plain_label import tip_text
from app.desktop.widgets.time_rows import HEAD, ROW, Boxes, TimeRows, boxes_of
from app.desktop.widgets.time_scale import Scale, Stroke

EMPTY = "No task is online, so nothing is scheduled. Put a task with a schedule online in Design."
_NEAR = 8.0  # pixels beside an instance that still mean it
_SIGN = QSize(int(POINT) + 2, int(POINT) + 2)
_WHEEL = 0.1  # of the time in sight for a notch


class DayView(TimeRows):
    """``looked_at`` brings the selected instance or None, ``hovered`` the one under the mouse or None.

    ``clicked`` and ``activated`` bring one that is to be opened; a click leaves alone what has not begun.
    """

    looked_at = Signal(object)
    activated = Signal(object)
    clicked = Signal(object)
    hovered = Signal(object)

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        self.rows: Sequence[DayRow] = ()
        self.day: Day | None = None
        self.now = 0.0
        self.current: DayInstance | None = None
        self.links: DayLinks | None = None
        self._under: DayInstance | None = None
        self._pressed: DayInstance | None = None
        self._places: dict[str, int] = {}
        self._pictures: dict[int, _RowPicture] = {}
        self._pictured: tuple[Scale, float] | None = None  # what they are for
        self._grip: QPointF | None = None  # where the day is held while it is dragged
        super().__init__(console, "Timeline of the day", EMPTY, parent)

    # -- what is shown -------------------------------------------------------------------------

    def show_rows(self, day: Day, rows: Sequence[DayRow], now: float) -> None:
        """Rows of a day; the instance that was selected stays so where it is still there."""
        if self.day is None or self.day.date != day.date:
            self._range = None
        self.day, self.rows, self.now = day, rows, now
        self._places = {row.task: at for at, row in enumerate(rows)}
        self.current = self._again(self.current)
        self._under = self._again(self._under)
        self._pictured = None
        self.rows_changed()

    def _again(self, known: DayInstance | None) -> DayInstance | None:
        """The same instance in the rows as they are now."""
        at = None if known is None else self._places.get(known.task)
        if known is None or at is None:
            return None
        same = self.rows[at].between(known.scheduled, known.scheduled)
        return next((each for each in same if each.instance == known.instance), None)

    def show_links(self, links: DayLinks | None) -> None:
        """Draw what an instance waits for, and what waits for it."""
        self.links = links
        self.viewport().update()

    def between(self, task: str, first: float, last: float) -> Sequence[DayInstance]:
        """The instances of a task that are shown, of scheduled times from one to another."""
        at = self._places.get(task)
        return () if at is None else self.rows[at].between(first, last)

    @property
    def pointed_at(self) -> DayInstance | None:
        """The one under the mouse, else the selected one."""
        return self._under or self.current

    def show_now(self, now: float) -> None:
        """Time passes."""
        self.now = now
        self.viewport().update()

    def select(self, instance: DayInstance | None, *, show: bool = False) -> None:
        """Mark an instance; with ``show`` bring it into sight."""
        changed, self.current = instance != self.current, instance
        if instance is not None and show and instance.task in self._places:
            self.show_row(self._places[instance.task])
            self._show_time(instance.scheduled)
        self._describe()
        self.viewport().update()
        if changed:
            self.looked_at.emit(instance)

    def _show_time(self, time: float) -> None:
        scale = self.scale()
        if self._range is not None and not scale.begin <= time <= scale.end:
            self._pan(time - (scale.begin + scale.end) / 2)

    def count(self) -> int:
        return len(self.rows)

    def title(self, at: int) -> str:
        return self.rows[at].task

    def whole(self) -> tuple[float, float]:
        return (self.day.begin, self.day.end) if self.day else (0.0, 1.0)

    def is_current(self, at: int) -> bool:
        return self.current is not None and self.rows[at].task == self.current.task

    def axis(self, scale: Scale) -> Iterator[tuple[float, str]]:
        return marks_of(self.day, scale) if self.day else iter(())

    # -- painting ------------------------------------------------------------------------------

    def paint_under(self, painter: QPainter, names: float, scale: Scale) -> None:
        colours = self._console.theme.colours
        for change in self.day.changes if self.day else ():
            x = names + scale.x(change.at)
            painter.setPen(QPen(QColor(colours.warning), 3, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, 0), QPointF(x, self.viewport().height()))
        if self._is_present(scale):  # below what runs now: that is what one looks for
            x = names + scale.x(self.now)
            painter.setPen(QPen(QColor(colours.accent), 2))
            painter.drawLine(QPointF(x, HEAD), QPointF(x, self.viewport().height()))

    def _is_present(self, scale: Scale) -> bool:
        return self.day is not None and scale.begin <= self.now <= scale.end

    def paint_row(self, painter: QPainter, at: int, y: float, names: float, scale: Scale) -> None:
        row = self._picture_of(at, scale)
        painter.save()
        painter.setClipRect(
            QRectF(names - POINT / 2, y, scale.width + POINT, ROW), Qt.ClipOperation.IntersectClip
        )
        painter.setPen(QPen(self._console.theme.status("waiting"), 2))
        for left, right in row.waits:
            painter.drawLine(QPointF(names + left, y + ROW / 2), QPointF(names + right, y + ROW / 2))
        self.paint_boxes(painter, row.boxes, names, y)
        for status, places in row.signs.items():
            pixmap = self._console.status_icon(status).pixmap(_SIGN, self.devicePixelRatioF())
            for left in places:
                painter.drawPixmap(QPointF(names + left, y + (ROW - POINT) / 2 - 1), pixmap)
        painter.restore()

    def _picture_of(self, at: int, scale: Scale) -> _RowPicture:
        """What is in a row is found once for a scale and a present."""
        if self._pictured != (scale, self.now):
            self._pictures.clear()
            self._pictured = scale, self.now
        if at not in self._pictures:
            self._pictures[at] = _picture(self.rows[at], scale, self.now)
        return self._pictures[at]

    def paint_over(self, painter: QPainter, names: float, scale: Scale) -> None:
        self._paint_ring(painter, names, scale)
        self._paint_links(painter, names)
        if self._is_present(scale):
            self._paint_present(painter, self.covered(names, scale))

    def covered(self, names: float, scale: Scale) -> QRectF:
        """Where what time it is lies over the axis."""
        if not self._is_present(scale):
            return QRectF()
        wide = self.fontMetrics().horizontalAdvance(self._present()) + 10
        left = min(max(names + scale.x(self.now) - wide / 2, 0), self.viewport().width() - wide)
        return QRectF(left, 2, wide, HEAD - 4)

    def _present(self) -> str:
        return f"{self.day.local(self.now):%H:%M}" if self.day is not None else ""

    def _paint_present(self, painter: QPainter, box: QRectF) -> None:
        """What time it is, over the axis."""
        colours = self._console.theme.colours
        painter.setClipping(False)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.accent))
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(QColor(colours.accent_text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._present())

    def _paint_ring(self, painter: QPainter, names: float, scale: Scale) -> None:
        """Around the selected instance."""
        if self.current is None or self.current.task not in self._places:
            return
        box = self.box_of(self.current).adjusted(-3, -2, 3, 2)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self._console.theme.colours.accent), 2))
        if box.right() >= names:
            painter.drawRoundedRect(box, 3, 3)

    def _paint_links(self, painter: QPainter, names: float) -> None:
        """From what the instance that is pointed at waits for, and to what waits for it."""
        here, links = self.pointed_at, self.links
        if here is None or links is None or links.instance != here.instance or here.task not in self._places:
            return
        painter.save()
        painter.setClipRect(self.viewport().rect().adjusted(int(names), HEAD, 0, 0))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours, box = self._console.theme.colours, self.box_of(here)
        for spans, colour in ((links.upstream, colours.accent), (links.downstream, colours.warning)):
            for other in linked(spans, self.between):
                ends = (self.box_of(other), box) if spans is links.upstream else (box, self.box_of(other))
                paint_link(painter, *ends, QColor(colour))
        painter.restore()

    def box_of(self, instance: DayInstance) -> QRectF:
        """Where an instance of a row is painted, out of sight perhaps."""
        begin, end, unfinished = span_of(instance)
        scale, y = self.scale(), self.top_of(self._places[instance.task])
        left = self.names() + scale.x(begin)
        right = self.names() + scale.x(max(begin, self.now) if unfinished else end)
        if right - left < POINT:
            return QRectF(left - POINT / 2, y + 4, POINT, ROW - 9)
        return QRectF(left, y + 4, right - left, ROW - 9)

    # -- mouse and keys ------------------------------------------------------------------------

    def instance_at(self, where: QPointF) -> DayInstance | None:
        """The instance under the mouse, or the nearest one a few pixels beside it."""
        at = self.row_at(where.y())
        if at is None or where.x() < self.names():
            return None
        found = min(self._around(at, where), key=lambda each: self._beside(each, where.x()), default=None)
        return found if found is not None and self._beside(found, where.x()) <= _NEAR else None

    def _around(self, at: int, where: QPointF) -> Iterator[DayInstance]:
        """What may be under the mouse: of what has begun by then the latest ones, and the next."""
        row, time = self.rows[at], self.scale().time(where.x() - self.names())
        middle = bisect_left(row.times, time)
        yield from reversed(row.instances[max(0, middle - 50) : middle + 2])

    def _beside(self, instance: DayInstance, x: float) -> float:
        """How many pixels a place is away from an instance."""
        box = self.box_of(instance)
        return max(box.left() - x, x - box.right(), 0.0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        where = event.position()
        found = self.instance_at(where)
        at = self.row_at(where.y())
        if found is None and at is not None and where.x() < self.names():
            found = self.rows[at].nearest(self.now)
        self._grip = where if found is None else None
        self._pressed = found if where.x() >= self.names() else None
        self.select(found)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        found = self.instance_at(event.position())
        if found is not None:
            self.select(found)
            self.activated.emit(found)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        where = event.position()
        if self._grip is not None and event.buttons() & Qt.MouseButton.LeftButton:
            scale = self.scale()
            self._pan(scale.time(self._grip.x()) - scale.time(where.x()))
            self._grip = where
            return
        found = self.instance_at(where)
        if found != self._under:
            self._under = found
            self.viewport().setCursor(
                Qt.CursorShape.PointingHandCursor if found else Qt.CursorShape.ArrowCursor
            )
            self.hovered.emit(found)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grip = None
        pressed, self._pressed = self._pressed, None
        plain = not event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if pressed is not None and plain and self.instance_at(event.position()) == pressed:
            self.clicked.emit(pressed)
        super().mouseReleaseEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        if self._under is not None:
            self._under = None
            self.hovered.emit(None)
        super().leaveEvent(event)

    def zoom(self, factor: float, x: float | None = None) -> None:
        """Around a pixel; by the keys around what is selected, else the present, where that is in sight."""
        super().zoom(factor, self._middle() if x is None else x)

    def _middle(self) -> float | None:
        scale, time = self.scale(), self.now if self.current is None else self.current.scheduled
        return scale.x(time) if scale.begin <= time <= scale.end else None

    def wheelEvent(self, event: QWheelEvent) -> None:
        """With Shift, or sideways, along the day."""
        turned = event.angleDelta()
        sideways = turned.x() or (turned.y() if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 0)
        if not sideways:
            super().wheelEvent(event)
            return
        scale = self.scale()
        self._pan(-sideways / 120 * _WHEEL * (scale.end - scale.begin))
        event.accept()

    def _pan(self, by: float) -> None:
        """Later or earlier by so many seconds, within the day."""
        if self._range is None:
            return
        (first, last), (begin, end) = self._range, self.whole()
        by = min(max(by, begin - first), end - last)
        self._range = first + by, last + by
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current is not None:
            self.activated.emit(self.current)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and self.count():
            self._along(-1 if key == Qt.Key.Key_Left else 1)
        elif key == Qt.Key.Key_Escape and self.current is not None:
            self.select(None)
        else:
            super().keyPressEvent(event)

    def step(self, by: int) -> None:
        """The instance of the row above or below that is next to this one."""
        here = self._places.get(self.current.task) if self.current else None
        at = 0 if here is None else min(max(here + by, 0), self.count() - 1)
        time = self.now if self.current is None else self.current.scheduled
        self.select(self.rows[at].nearest(time), show=True)

    def _along(self, by: int) -> None:
        """The instance before or after this one."""
        if self.current is None:
            return self.step(0)
        own = self.rows[self._places[self.current.task]].instances
        here = own.index(self.current)
        self.select(own[min(max(here + by, 0), len(own) - 1)], show=True)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            found = self.instance_at(QPointF(event.pos()))
            text = tip_text(self.words_of(found)) if found is not None else ""
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().viewportEvent(event)

    def words_of(self, instance: DayInstance) -> str:
        """Which one it is, how it is, its times and, where that is known, what it waits for."""
        if self.day is None:
            return instance.task
        links = self.links
        known = links is not None and links.instance == instance.instance
        waits = waits_for(links, self.day, self.between) if links is not None and known else ""
        return tip_of(self.day, instance, waits)

    def _describe(self) -> None:
        """What a screen reader says of the selected one."""
        self.setAccessibleDescription(self.words_of(self.current) if self.current else "")


class _RowPicture(NamedTuple):
    """What is painted in a row, in pixels from the end of the names."""

    waits: Sequence[tuple[float, float]]
    boxes: Boxes
    signs: Mapping[str, Sequence[float]]  # their left edges by status


def _picture(row: DayRow, scale: Scale, now: float) -> _RowPicture:
    signs: dict[str, list[float]] = {}
    bars = list[Stroke]()
    for each in day_strokes(row, scale, now):
        if is_sign(each):
            signs.setdefault(each.status, []).append(round(each.left - POINT / 2))
        else:
            bars.append(each)
    return _RowPicture(list(wait_lines(row, scale)), boxes_of(bars), signs)
