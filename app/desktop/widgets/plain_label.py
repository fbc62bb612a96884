"""Text from elsewhere, shown letter by letter: no markup is read, and control characters are made visible."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from app.desktop.kernel.visible_text import visible

_NARROW = 160  # pixels
_SLACK = 2  # pixels: rounding
_LONGEST = 2000  # characters of a tool tip: never longer than a screen


def tip_text(text: str) -> str:
    """A text for a tool tip; empty for none.

    >>> tip_text("<b>")
    "<qt><pre style='white-space: pre-wrap'>&lt;b&gt;</pre></qt>"
    """
    cut = visible(beginning(text, _LONGEST))
    if not cut:
        return ""
    return f"<qt><pre style='white-space: pre-wrap'>{escape(cut, quote=False)}</pre></qt>"


def beginning(text: str, most: int) -> str:
    """The text, or what comes first of a longer one.

    >>> beginning("abcdef", 4)
    'abcd…'
    """
    return text if len(text) <= most else f"{text[:most]}…"


class PlainLabel(QLabel):
    """A label for text from anywhere; what it shows can be selected and copied, also with the keys.

    A word or a line longer than there is room is cut off at the edge: it never widens what is around it.
    """

    def __init__(
        self, text: str = "", parent: QWidget | None = None, *, bold: bool = False, wrap: bool = True
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        if bold:
            font = QFont(self.font())
            font.setBold(True)
            self.setFont(font)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(visible(text))

    def minimumSizeHint(self) -> QSize:
        """Not wider than a short word needs, whatever it shows."""
        return super().minimumSizeHint().boundedTo(QSize(_NARROW, 1 << 20))


class CutLine(PlainLabel):
    """One line that ends in … where there is no room for the rest, which its tip says."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._whole = ""
        super().__init__(parent=parent, wrap=False)

    def setText(self, text: str) -> None:
        self._whole = visible(text)
        self.setAccessibleName(self._whole)
        self._fit()
        self.updateGeometry()

    def text(self) -> str:
        """All of it."""
        return self._whole

    def sizeHint(self) -> QSize:
        wide = self.fontMetrics().horizontalAdvance(self._whole)
        return QSize(wide + _SLACK, super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        shown = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, self.width())
        super().setText(shown)
        self.setToolTip(tip_text(self._whole) if shown != self._whole else "")
