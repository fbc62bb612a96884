"""All links of a scene: their ways, painted behind the nodes in one go, and which of them is at a point."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPainterPathStroker, QPen

from app.desktop.canvas.brushes import Brushes
from app.desktop.canvas.graph import HEIGHT, WIDTH, GraphLink, LinkKey, Point
from app.desktop.canvas.routing import Route, Router
from app.desktop.kernel.language import tr
from app.desktop.kernel.visible_text import visible

_FLAT, _FAR, _PLAIN = 0.3, 0.4, 0.62  # as of nodes
_ARROW = 8.0
_CORNER = 12.0
_MANY = 350  # links in sight: then they are drawn plainly
_MOST = 5_000  # links of a picture: from afar they are straight then
_EDGE = 24.0  # arrows and labels reach beyond the way itself

Box = tuple[float, float, float, float]


class LinkLayer:
    """The links and how they run; ``strong`` ones are drawn in the accent colour."""

    def __init__(self, brushes: Brushes) -> None:
        self._brushes = brushes
        self.links: dict[LinkKey, GraphLink] = {}
        self.strong: frozenset[LinkKey] = frozenset()
        self.chosen: LinkKey | None = None
        self._paths: dict[LinkKey, QPainterPath] = {}
        self._arrows: dict[LinkKey, QPainterPath] = {}
        self._boxes: dict[LinkKey, Box] = {}
        self._pens: dict[tuple[str, bool, bool], QPen] = {}
        self._routes: dict[LinkKey, Route] = {}
        self._of: dict[str, list[LinkKey]] = {}
        self._lines: list[QLineF] | None = None
        self._bends: dict[LinkKey, Sequence[Point]] = {}
        self._positions: dict[str, Point] = {}

    def show(
        self,
        links: Iterable[GraphLink],
        positions: Mapping[str, Point],
        bends: Mapping[LinkKey, Sequence[Point]],
    ) -> None:
        """Show other links; ``bends`` count until an end of the link moves.

        What ran between the same places before, and nothing came into its way, is not routed again.
        """
        before, was = self.links, self._positions
        shown = {link.key: link for link in links if link.source in positions and link.target in positions}
        if shown == before and positions == was and not bends:
            return
        self._positions = dict(positions)
        self.links = shown
        self._of = {}
        for key in self.links:
            for end in set(key):
                self._of.setdefault(end, []).append(key)
        kept = self._unmoved(before, was) if not bends else frozenset()
        self._bends = {key: way for key, way in self._bends.items() if key in kept} | dict(bends)
        for table in (self._paths, self._arrows, self._boxes, self._routes):
            for key in [key for key in table if key not in kept]:
                del table[key]
        self._lead([key for key in self.links if key not in kept], positions)

    def _unmoved(self, before: Mapping[LinkKey, GraphLink], was: Mapping[str, Point]) -> frozenset[LinkKey]:
        """The links whose way is still right."""
        now = self._positions
        moved = {id for id in {*was, *now} if was.get(id) != now.get(id)}
        come = sorted(now[id] for id in moved if id in now)
        same = [key for key in self.links if key in before and before[key].kind == self.links[key].kind]
        return frozenset(key for key in same if moved.isdisjoint(key) and not self._crosses(key, come))

    def _crosses(self, key: LinkKey, places: Sequence[Point]) -> bool:
        """Whether one of these places (sorted) lies where a link runs."""
        left, top, right, bottom = self._boxes[key]
        first = bisect_left(places, (left - WIDTH,))
        last = bisect_right(places, (right, float("inf")))
        return any(top - _EDGE <= y + HEIGHT and y <= bottom + _EDGE for _, y in places[first:last])

    def move(self, ids: Iterable[str], positions: Mapping[str, Point]) -> QRectF:
        """Route the links of these nodes again; the rectangle to paint again."""
        keys = {key for id in ids for key in self._of.get(id, ())}
        before = self._around(keys)
        self._positions = dict(positions)
        self._bends = {key: way for key, way in self._bends.items() if key not in keys}
        self._lead(keys, positions)
        return before.united(self._around(keys))

    def of(self, id: str) -> Sequence[LinkKey]:
        return self._of.get(id, ())

    def at(self, point: QPointF, reach: float) -> GraphLink | None:
        """The link under a point, ``reach`` units around it."""
        stroker = QPainterPathStroker()
        stroker.setWidth(2 * reach)
        x, y = point.x(), point.y()
        for key, (left, top, right, bottom) in self._boxes.items():
            near = left - reach <= x <= right + reach and top - reach <= y <= bottom + reach
            if near and stroker.createStroke(self._paths[key]).contains(point):
                return self.links[key]
        return None

    def bounds(self) -> QRectF:
        return self._around(self._boxes)

    def _around(self, keys: Iterable[LinkKey]) -> QRectF:
        boxes = [self._boxes[key] for key in keys if key in self._boxes]
        if not boxes:
            return QRectF()
        left, top, right, bottom = (min(b[0] for b in boxes), min(b[1] for b in boxes),
                                    max(b[2] for b in boxes), max(b[3] for b in boxes))  # fmt: skip
        return QRectF(left - _EDGE, top - _EDGE, right - left + 2 * _EDGE, bottom - top + 2 * _EDGE)

    def _lead(self, keys: Iterable[LinkKey], positions: Mapping[str, Point]) -> None:
        router = Router(positions)
        self._lines = None
        for key in keys:
            route = router.route(self.links[key], self._bends.get(key, ()))
            self._routes[key] = route
            path = _corners(route) if _runs_back(route) or _runs_around(route) else _curve(route)
            self._paths[key] = path
            self._arrows[key] = _arrow(route)
            box = path.controlPointRect()
            self._boxes[key] = (box.left(), box.top(), box.right(), box.bottom())

    def paint(self, painter: QPainter, exposed: QRectF, zoom: float) -> None:
        """Draw what can be seen of ``exposed``."""
        if zoom < _FLAT:
            self._paint_flat(painter)
            return
        seen = self._seen(exposed)
        if len(seen) > _MANY and zoom < _PLAIN:
            self._paint_lines(painter, [line for key in seen for line in _straight(self._routes[key])])
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for key in seen:
            self._paint(painter, key, zoom)

    def _paint_flat(self, painter: QPainter) -> None:
        if self._lines is None:
            short = len(self._routes) > _MOST
            ways = (((way[0], way[-1]) if short else way) for way in self._routes.values())
            self._lines = [line for way in ways for line in _straight(way)]
        self._paint_lines(painter, self._lines)

    def _paint_lines(self, painter: QPainter, lines: list[QLineF]) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(self._brushes.link, 0))
        painter.drawLines(lines)
        painter.setPen(QPen(self._brushes.accent, 0))
        painter.drawLines([line for key in self.strong for line in _straight(self._routes.get(key, ()))])

    def _seen(self, exposed: QRectF) -> list[LinkKey]:
        left, top = exposed.left() - _EDGE, exposed.top() - _EDGE
        right, bottom = exposed.right() + _EDGE, exposed.bottom() + _EDGE
        return [
            key
            for key, (x1, y1, x2, y2) in self._boxes.items()
            if x1 <= right and x2 >= left and y1 <= bottom and y2 >= top
        ]

    def _paint(self, painter: QPainter, key: LinkKey, zoom: float) -> None:
        link = self.links[key]
        pen = self._pen(link)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._paths[key])
        painter.setBrush(pen.color())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawPath(self._arrows[key])
        label = f"{link.label} · {tr('again')}".strip(" ·") if link.kind == "loop" else link.label
        if label and zoom >= _FAR:
            self._paint_label(painter, key, label, zoom < _PLAIN)

    def _pen(self, link: GraphLink) -> QPen:
        strong = link.key in self.strong or link.key == self.chosen
        look = (link.mark, strong, link.kind == "loop")
        if look not in self._pens:
            self._pens[look] = self._made_pen(link, strong)
        return self._pens[look]

    def redress(self) -> None:
        self._pens.clear()

    def _made_pen(self, link: GraphLink, strong: bool) -> QPen:
        brushes = self._brushes
        colour = brushes.mark(link.mark) if link.mark else brushes.accent if strong else brushes.link
        dashed = link.kind == "loop" or link.mark == "removed"
        style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
        return QPen(colour, 2.6 if strong or link.mark else 1.5, style)

    def _paint_label(self, painter: QPainter, key: LinkKey, label: str, far: bool) -> None:
        brushes = self._brushes
        metrics, half = (brushes.far_metrics, 15) if far else (brushes.small_metrics, 9)
        text = metrics.elidedText(visible(label), Qt.TextElideMode.ElideRight, 160 if far else 90)
        width = metrics.horizontalAdvance(text) + 12
        x, y = _label_place(self._routes[key], width)
        box = QRectF(x - width / 2, y - half, width, 2 * half)
        painter.setFont(brushes.far if far else brushes.small)
        painter.setPen(QPen(brushes.link, 1))
        painter.setBrush(brushes.canvas)
        painter.drawRoundedRect(box, half, half)
        painter.setPen(brushes.text)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _runs_back(route: Route) -> bool:
    return len(route) == 4 and route[0][0] == route[1][0] and route[2][0] == route[3][0]


def _runs_around(route: Route) -> bool:
    """Out of the right and into the left, below everything in between."""
    return len(route) == 6 and route[1][0] == route[2][0] and route[3][0] == route[4][0]


def _runs_down(route: Route) -> bool:
    return len(route) == 2 and route[0][0] == route[1][0]


def _curve(route: Route) -> QPainterPath:
    """Smooth, and level at every point."""
    path = QPainterPath(QPointF(*route[0]))
    for (x0, y0), (x1, y1) in pairwise(route):
        if abs(y1 - y0) < 0.5:
            path.lineTo(x1, y1)
        else:
            bow = max(16.0, (x1 - x0) / 2)
            path.cubicTo(x0 + bow, y0, x1 - bow, y1, x1, y1)
    return path


def _corners(route: Route) -> QPainterPath:
    """Straight, with rounded corners."""
    path = QPainterPath(QPointF(*route[0]))
    for before, corner, after in zip(route, route[1:], route[2:], strict=False):
        path.lineTo(*_near(corner, before))
        path.quadTo(QPointF(*corner), QPointF(*_near(corner, after)))
    path.lineTo(*route[-1])
    return path


def _near(corner: Point, other: Point) -> Point:
    """Where the rounding of a corner begins, on the way to another point."""
    (x, y), (there, level) = corner, other
    return x + max(-_CORNER, min(_CORNER, there - x)), y + max(-_CORNER, min(_CORNER, level - y))


def _straight(route: Route) -> Iterator[QLineF]:
    for (x0, y0), (x1, y1) in pairwise(route):
        yield QLineF(x0, y0, x1, y1)


def _arrow(route: Route) -> QPainterPath:
    x, y = route[-1]
    path = QPainterPath(QPointF(x, y))
    if _runs_back(route):
        path.lineTo(x - _ARROW / 2, y + _ARROW)
        path.lineTo(x + _ARROW / 2, y + _ARROW)
    elif _runs_down(route):
        path.lineTo(x - _ARROW / 2, y - _ARROW)
        path.lineTo(x + _ARROW / 2, y - _ARROW)
    else:
        path.lineTo(x - _ARROW, y - _ARROW / 2)
        path.lineTo(x - _ARROW, y + _ARROW / 2)
    path.closeSubpath()
    return path


def _label_place(route: Route, width: float) -> Point:
    """Of a loop in the middle of its lane, else right before the target, where no other link ends."""
    if _runs_back(route):
        return (route[1][0] + route[2][0]) / 2, route[1][1]
    if _runs_around(route):
        return (route[2][0] + route[3][0]) / 2, route[2][1]
    if _runs_down(route):
        return route[0][0], (route[0][1] + route[1][1]) / 2
    x, y = route[-1]
    return x - _ARROW - 4 - width / 2, y
