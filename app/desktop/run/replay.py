"""Replay: where in the context log the shown moment is, and how it moves; the moments come from a worker."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import UTC, datetime, timedelta
from typing import Final

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from app.desktop.kernel.link import Link
from app.desktop.run.context_feed import ContextFeed
from app.desktop.run.session import Session
from engine.context.timeline import Moment, Tick
from engine.model.errors import SkerryError
from engine.model.states import JOB_BAD

SPEEDS: Final = (1, 2, 5, 10, 20, 50, 100)
_FRAME: Final = 40  # milliseconds between two steps while it plays
_IDLE: Final = 1.0  # seconds of waiting at most before the next line, however long the run itself waited
_BAD = frozenset(map(str, JOB_BAD)) | {"retrying"}


class Replay(QObject):
    """Moves a Session through its log. ``changed`` tells that position, speed or playing are others."""

    changed = Signal()

    def __init__(self, link: Link, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._link, self._session = link, session
        self.position: int | None = None  # None: the present
        self.speed = 1
        self._asking = False
        self._timer = QTimer(self, interval=_FRAME)
        self._timer.timeout.connect(self._play_on)
        self._passed = QElapsedTimer()
        self._then: datetime | None = None
        self._known: ContextFeed | None = None
        self._ticks: list[Tick] = []
        self._failures: list[int] = []
        self._edits: list[int] = []
        session.selection.follow(
            lambda now, before: self.leave() if now.instance != before.instance else None
        )
        session.fed.connect(lambda _: self.changed.emit())

    @property
    def last(self) -> int:
        """The number of the last line that is known."""
        return self._session.feed.last if self._session.feed is not None else 0

    @property
    def playing(self) -> bool:
        """Whether it moves by itself."""
        return self._timer.isActive()

    def ticks(self) -> list[Tick]:
        """The lines that people look for, as far as the log is known."""
        self._know()
        return self._ticks

    def failures(self) -> list[int]:
        """The lines at which something went wrong."""
        self._know()
        return self._failures

    def edits(self) -> list[int]:
        """The lines with which a person changed something."""
        self._know()
        return self._edits

    def _know(self) -> None:
        feed = self._session.feed
        if feed is not self._known or (feed is not None and feed.ticked < len(self._ticks)):
            self._known, self._ticks, self._failures, self._edits = feed, [], [], []
        fresh = [] if feed is None else feed.ticks(len(self._ticks))
        self._ticks += fresh
        self._failures += [tick.seq for tick in fresh if tick.status in _BAD]
        self._edits += [tick.seq for tick in fresh if tick.kind == "edited"]

    # -- moving --------------------------------------------------------------------------------

    def seek(self, seq: int) -> None:
        """Show the moment after a line."""
        self.position = min(max(seq, 0), self.last)
        self._then = None
        self.changed.emit()
        self._ask()

    def step(self, by: int) -> None:
        """So many lines on or back; from the present, back from the last line."""
        here = self.last if self.position is None else self.position
        self.seek(here + by)

    def go_failure(self, by: int) -> None:
        """The next line at which something went wrong (1), or the one before (-1)."""
        here = self.last + 1 if self.position is None else self.position
        found = self.failures()
        ahead = found[bisect_right(found, here) :] if by > 0 else found[: bisect_left(found, here)]
        if ahead:
            self.seek(ahead[0] if by > 0 else ahead[-1])

    def seek_time(self, time: float) -> None:
        """Show the moment at a time (seconds since the epoch)."""
        feed = self._session.feed
        if feed is not None:
            text = datetime.fromtimestamp(time, UTC).isoformat(timespec="microseconds")
            self.seek(feed.seq_at(text))

    def leave(self) -> None:
        """Show the present again."""
        self._timer.stop()
        self.position = None
        self._session.show_moment(None)
        self.changed.emit()

    # -- playing -------------------------------------------------------------------------------

    def play(self) -> None:
        """Move by itself at ``speed`` times the run's own pace; from the end it begins again. Again: halt."""
        if self.playing:
            self._timer.stop()
        elif self.last:
            if self.position is None or self.position >= self.last:
                self.seek(0)
            self._then = None
            self._passed.start()
            self._timer.start()
        self.changed.emit()

    def set_speed(self, speed: int) -> None:
        """1 to 100 times the run's own pace."""
        self.speed = speed
        self.changed.emit()

    def _play_on(self) -> None:
        feed = self._session.feed
        if feed is None or self.position is None:
            self._timer.stop()
            return
        if self._asking:
            return
        if self.position >= self.last:
            self._timer.stop()
            self.changed.emit()
            return
        passed = self._passed.restart() / 1000 * self.speed
        following = datetime.fromisoformat(feed.time_of(self.position + 1))
        then = self._then or following
        until = max(then + timedelta(seconds=passed), following - timedelta(seconds=_IDLE * self.speed))
        seq = feed.seq_at(until.astimezone(UTC).isoformat(timespec="microseconds"))
        if seq > self.position:
            self.seek(seq)
        self._then = until

    # -- moments -------------------------------------------------------------------------------

    def _ask(self) -> None:
        """Read the wanted moment; while one is read the latest wish waits."""
        feed, seq = self._session.feed, self.position
        if feed is None or seq is None or self._asking:
            return
        self._asking = True

        def done(moment: Moment) -> None:
            self._asking = False
            if self.position is None or feed is not self._session.feed:
                return
            self._session.show_moment(moment)
            if self.position != seq:
                self._ask()

        def failed(error: SkerryError) -> None:
            self._asking = False
            self._session.failed.emit(error)

        self._link.ask(lambda _: feed.moment(seq), done, owner=self, failed=failed)
