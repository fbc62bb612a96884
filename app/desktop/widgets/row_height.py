"""How high a row of a list or table is: big enough to be hit, growing with the text."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

_SMALLEST = 24  # pixels
_AIR = 8


def row_height(widget: QWidget) -> int:
    """Pixels for one line of the widget's font."""
    return max(_SMALLEST, widget.fontMetrics().height() + _AIR)
