"""The slider of a run: by line of the context log, failures marked above it, played like a film."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from PySide6.QtCore import QPointF, QSignalBlocker, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QComboBox, QSlider, QStyle, QStyleOptionSlider, QToolButton, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.times import exact_text
from app.desktop.run.replay import SPEEDS, Replay
from app.desktop.run.session import Session
from app.desktop.widgets.layouts import hbox
from app.desktop.widgets.pane_widgets import named, plain, tipped
from app.desktop.widgets.roomy_buttons import ToolButton


class TickSlider(QSlider):
    """A slider with a mark at every failure; those that share a pixel are painted once."""

    def __init__(self, console: Console, replay: Replay) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._console, self._replay = console, replay
        self._known: tuple[int, ...] = ()
        self._marks: tuple[set[int], set[int]] = set(), set()
        self.setMinimumHeight(30)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        colours = self._console.theme.colours
        failures, edits = self._pixels()
        for pixels, colour, top in (
            (edits, colours.replay, self.height() - 7),
            (failures, colours.danger, 0),
        ):
            painter.setPen(QPen(QColor(colour), 2))
            for x in pixels:
                painter.drawLine(QPointF(x, top), QPointF(x, top + 7))

    def _pixels(self) -> tuple[set[int], set[int]]:
        """Where the failures and the edits lie; computed when the log, the width or the range changed."""
        known = (self._replay.last, self.width(), self.maximum(), len(self._replay.failures()))
        if known != self._known:
            self._known = known
            self._marks = self._of(self._replay.failures()), self._of(self._replay.edits())
        return self._marks

    def _of(self, seqs: list[int]) -> set[int]:
        """The pixels in which at least one of these lines lies; looked for pixel by pixel."""
        left, room = self._groove()
        most = max(1, self.maximum())
        found: set[int] = set()
        at = 0
        while at < len(seqs):
            pixel = seqs[at] * room // most
            found.add(left + pixel)
            at = bisect_left(seqs, -(-(pixel + 1) * most // max(1, room)), at + 1)
        return found

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click anywhere goes there, and may go on as a drag."""
        if event.button() is Qt.MouseButton.LeftButton:
            left, room = self._groove()
            at = round(event.position().x()) - left
            self.setValue(QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), at, max(1, room)))
        super().mousePressEvent(event)

    def _groove(self) -> tuple[int, int]:
        """The pixel of line 0, and how many there are to the last line."""
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        control, part = QStyle.ComplexControl.CC_Slider, QStyle.SubControl.SC_SliderHandle
        handle = self.style().subControlRect(control, option, part, self).width()
        return handle // 2, self.width() - handle


class ReplayBar(QWidget):
    """Buttons, slider, the line and time that are shown, speed."""

    def __init__(
        self, console: Console, session: Session, replay: Replay, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._console, self._session, self.replay = console, session, replay
        self.slider = named(TickSlider(console, replay), "Moment of the run")
        self.speed = tipped(QComboBox(), "Speed of the replay")
        for each in SPEEDS:
            self.speed.addItem(f"{each}×", each)
        self.place = plain(wrap=False)
        self.buttons = {
            "jump-start": self._button(lambda: replay.seek(0), "To the beginning (Home)"),
            "step-back": self._button(lambda: replay.step(-1), "One line back (,)"),
            "run": self._button(replay.play, "Play or halt"),
            "step": self._button(lambda: replay.step(1), "One line on (.)"),
            "jump-end": self._button(lambda: replay.seek(replay.last), "To the end (End)"),
            "problem": self._button(lambda: replay.go_failure(1), "To the next failure (Shift+.)"),
            "live": self._button(replay.leave, "Back to the present (L)"),
        }
        self._lay_out()
        self.slider.valueChanged.connect(replay.seek)
        self.speed.activated.connect(lambda _: replay.set_speed(self.speed.currentData()))
        replay.changed.connect(self._show)
        session.moment.connect(lambda _: self._show())
        session.looked.connect(lambda _: self._show())
        console.theme.changed.connect(self._dress)
        translated(self, self._dress)

    def _button(self, do: Callable[[], object], tip: str) -> QToolButton:
        made = ToolButton(least=28)
        made.setAutoRaise(True)
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        made.clicked.connect(lambda _checked=False: do())
        return tipped(made, tip)

    def _lay_out(self) -> None:
        *moving, live = self.buttons.values()
        rest = self.place, self.speed, live
        hbox(*moving, (self.slider, 1), *rest, inside=self, margins=(6, 2, 6, 2), spacing=2)
        self.place.setMinimumWidth(self.fontMetrics().horizontalAdvance("00000 / 00000  00:00:00.000"))

    def _dress(self) -> None:
        for name, each in self.buttons.items():
            each.setIcon(self._console.icons.get(name))
        self._show()

    def _show(self) -> None:
        replay, at = self.replay, self._session.at
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, replay.last)
            self.slider.setPageStep(max(1, replay.last // 20))
            self.slider.setValue(replay.last if replay.position is None else replay.position)
        self.slider.update()
        self.setEnabled(replay.last > 0)
        self.buttons["live"].setEnabled(replay.position is not None)
        self.buttons["run"].setIcon(self._console.icons.get("pause" if replay.playing else "run"))
        if replay.position is None:
            look = self._session.look
            ended = look is not None and not look.unfinished
            message = tr("The end · {n} events") if ended else tr("Live · {n} events")
            self.place.setText(message.format(n=replay.last))
        else:
            time = exact_text(at.time)[11:23] if at is not None else ""
            self.place.setText(f"{replay.position} / {replay.last}  {time}")
