"""The status bar: the engine, the queue, counts by status, messages that do not interrupt."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QLabel, QStatusBar, QToolButton, QWidget

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.link import LinkState
from app.desktop.kernel.overview import Overview, Snapshot
from app.desktop.kernel.reasons import failure_line
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.times import local
from app.desktop.kernel.visible_text import visible
from app.desktop.shell.engine_link import EngineLink
from app.desktop.widgets.layouts import hbox
from app.desktop.widgets.plain_label import beginning, tip_text
from engine.api.waiting_reason import on_other_workers
from engine.model.message import message_in

_SHOWN = 300  # characters; the tool tip has more
_ICON = 16
_MESSAGE = 15_000  # milliseconds that a message stays
_COUNTED = ("running", "waiting", "paused", "failed", "lost", "succeeded")
_ENGINE = {  # words and icon
    LinkState.STARTING: ("Engine: starting…", "status-waiting"),
    LinkState.CONNECTED: ("Engine: connected", "status-succeeded"),
    LinkState.SILENT: ("Engine: does not answer, only looking", "status-paused"),
    LinkState.LOST: ("Engine: lost, being started again…", "status-lost"),
    LinkState.READ_ONLY: ("Engine: none, only looking", "status-offline"),
    LinkState.CLOSED: ("Engine: closed", "status-offline"),
}


class StatusChip(QWidget):
    """A shape with a word beside it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon, self._text = QLabel(self), QLabel(self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        hbox(self._icon, self._text, inside=self, margins=(6, 0, 6, 0), spacing=4)

    def show_words(self, console: Console, icon: str, colour: str, words: str) -> None:
        """Show a shape in a colour ``#rrggbb`` and words."""
        size = QSize(_ICON, _ICON)
        self._icon.setPixmap(console.icons.get(icon, colour).pixmap(size, self.devicePixelRatioF()))
        self._text.setText(words)
        self.setAccessibleName(words)

    @property
    def words(self) -> str:
        return self._text.text()


class StatusBar(QStatusBar):
    """Left a message, right what is always worth knowing."""

    def __init__(self, console: Console, parent: QWidget, overview: Overview) -> None:
        super().__init__(parent)
        self._console, self._overview = console, overview
        self._target: Target | None = None
        self.message = QToolButton(self, autoRaise=True)
        self.message.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.message.setMinimumWidth(1)  # a long message is cut, the window keeps its size
        self.message.clicked.connect(self._follow)
        translated(self, self.message.hide)  # what was said stays in the language in which it was said
        self._fading = QTimer(self, interval=_MESSAGE, singleShot=True)
        self._fading.timeout.connect(self.message.hide)
        self.addWidget(self.message, 1)
        self.counts = {status: StatusChip(self) for status in _COUNTED}
        self.held, self.queue, self.engine = StatusChip(self), StatusChip(self), StatusChip(self)
        for chip in (self.held, *self.counts.values(), self.queue, self.engine):
            self.addPermanentWidget(chip)
        console.link.state_changed.connect(self._show)
        console.theme.changed.connect(self._show)
        overview.refreshed.connect(self._show)
        translated(self, self._show)

    def say(self, text: str, *, bad: bool = False, target: Target | None = None) -> None:
        """A message; a click on it leads to its target."""
        colours = self._console.theme.colours
        icon, colour = ("warning", colours.danger) if bad else ("info", colours.muted)
        self.message.setIcon(self._console.icons.get(icon, colour))
        self.message.setText(visible(beginning(text, _SHOWN)).replace("&", "&&"))
        self.message.setAccessibleName(text)
        self.message.setToolTip(tip_text(text))
        self._target = target
        self.message.show()
        self._fading.start()

    def _follow(self) -> None:
        if self._target is not None:
            self._console.navigator.go(self._target)

    def _show(self) -> None:
        self._show_engine(self._console.link.state)
        self._show_counts(self._overview.latest or Snapshot())

    def _show_engine(self, state: LinkState) -> None:
        colours = self._console.theme.colours
        good = state is LinkState.CONNECTED
        bad = state in (LinkState.LOST, LinkState.SILENT)
        colour = colours.good if good else colours.danger if bad else colours.muted
        words, icon = _ENGINE[state]
        self.engine.show_words(self._console, icon, colour, tr(words))
        link = self._console.link
        self.engine.setToolTip(tip_text(link.words) if isinstance(link, EngineLink) else "")

    def _show_counts(self, snapshot: Snapshot) -> None:
        for status, chip in self.counts.items():
            look, number = look_of(status), snapshot.counts.get(status, 0)
            colour = self._console.theme.status_ink(status)
            chip.show_words(self._console, look.icon, colour, f"{number} {tr(look.word)}")
            chip.setVisible(number > 0)
            chip.setToolTip(tr("Of all instances"))
        self._show_hold_up(snapshot)
        queue = snapshot.queue
        self.queue.setVisible(bool(queue))
        if queue:
            words = tr("Queue: {n} waiting, {taken} of {places} slots taken", n=len(queue["waiting"]),
                       taken=queue["taken"], places=queue["places"])  # fmt: skip
            if there := on_other_workers(queue):
                words = f"{words}{tr(', {n} on other workers', n=there)}"
            paused = bool(queue["paused"])
            icon = "status-paused" if paused else "mode-queue"
            text = f"{words} ({tr('paused')})" if paused else words
            self.queue.show_words(self._console, icon, self._console.theme.colours.muted, text)

    def _show_hold_up(self, snapshot: Snapshot) -> None:
        """Whatever mode is in front: while nothing is written down, what it shows is old."""
        found = snapshot.hold_up
        self.held.setVisible(found is not None)
        if found is not None:
            words = tr("Nothing is written down since {time}", time=local(found["since"]))
            self.held.show_words(self._console, "disk", self._console.theme.colours.danger, words)
            self.held.setToolTip(tip_text(failure_line(None, message_in(found, "reason"))))
