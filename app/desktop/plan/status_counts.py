"""How many instances have which status, each as shape, colour and word: also the key to a picture."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.statuses import look_of
from app.desktop.widgets.layouts import hbox
from app.desktop.widgets.pane_widgets import plain
from app.desktop.widgets.plain_label import PlainLabel

_ORDER = ("failed", "timed_out", "lost", "waiting", "running", "paused", "planned", "succeeded", "skipped",
          "offline", "cancelled")  # fmt: skip
_SIDE = 14  # pixels of a shape


class StatusCounts(QWidget):
    """Those that there are, what went wrong first."""

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self._counts: Mapping[str, int] = {}
        self._icons = {status: PlainLabel() for status in _ORDER}
        self._words = {status: plain(wrap=False) for status in _ORDER}
        pairs = (hbox(self._icons[each], self._words[each], spacing=4) for each in _ORDER)
        hbox(*pairs, 1, inside=self, margins=0, spacing=14)
        console.theme.changed.connect(self._draw)
        translated(self, self._draw)

    def show_counts(self, counts: Mapping[str, int]) -> None:
        self._counts = counts
        self._draw()

    def _draw(self) -> None:
        for status in _ORDER:
            count = self._counts.get(status, 0)
            self._icons[status].setVisible(count > 0)
            self._words[status].setVisible(count > 0)
            if count:
                self._icons[status].setPixmap(self._console.status_icon(status).pixmap(_SIDE, _SIDE))
                self._words[status].setText(f"{count:,} {tr(look_of(status).word)}")
