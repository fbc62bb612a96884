"""Where a dragged node snaps to: the edges of others near by, else the grid."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.desktop.canvas.graph import GRID, Point


@dataclass(frozen=True, slots=True)
class Snap:
    """How far to move, and the lines to show: x of vertical and y of horizontal ones."""

    delta: Point
    columns: tuple[float, ...] = ()
    rows: tuple[float, ...] = ()


def snap(start: Point, delta: Point, others: Iterable[Point], reach: float) -> Snap:
    """``start`` is the corner of what is dragged; ``reach`` how near a guide must be to catch it."""
    x, y = start[0] + delta[0], start[1] + delta[1]
    places = list(others)
    column = min((each[0] for each in places), key=lambda at: abs(at - x), default=None)
    row = min((each[1] for each in places), key=lambda at: abs(at - y), default=None)
    columns = (column,) if column is not None and abs(column - x) <= reach else ()
    rows = (row,) if row is not None and abs(row - y) <= reach else ()
    to_x = columns[0] if columns else round(x / GRID) * GRID
    to_y = rows[0] if rows else round(y / GRID) * GRID
    return Snap((to_x - start[0], to_y - start[1]), columns, rows)
