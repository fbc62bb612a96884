"""Every text that a widget paints: its picture is drawn into an SVG, which keeps the texts as texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

_TEXT = re.compile(r"<text[^>]*>(.*?)</text>", re.DOTALL)


def painted_texts(widget: QWidget) -> Iterator[str]:
    """What is on the screen now, in the order in which it is painted; what is elided as it is shown."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture = QSvgGenerator()
    picture.setOutputDevice(buffer)
    picture.setSize(widget.size())
    painter = QPainter(picture)
    widget.render(painter, QPoint())
    painter.end()
    buffer.close()
    for found in _TEXT.findall(data.data().decode("utf-8")):
        yield unescape(found).strip()
