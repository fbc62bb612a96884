"""The Gantt dock: the chart of the instance that is shown, following selection and replay."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.link import Request
from app.desktop.kernel.times import seconds
from app.desktop.kernel.visibility import UpdatedPane, in_sight
from app.desktop.run.gantt_rows import GanttRow, rows_of
from app.desktop.run.gantt_view import NONE, GanttView
from app.desktop.run.reading import RunLook
from app.desktop.run.selection import Selected
from app.desktop.run.session import Session
from app.desktop.run.throttle import Throttle
from app.desktop.run.waiting_words import waits_because
from app.desktop.run.where_ran import worker_of
from app.desktop.widgets.layouts import vbox
from engine.context.timeline import Moment

_OFTEN = 500  # milliseconds between two pictures; of a long run more
_SHARE = 6  # of the time at most one part in so many is spent on them


class GanttPane(UpdatedPane):
    """``time_wanted`` brings the moment (seconds since the epoch) that a person pointed at."""

    time_wanted = Signal(float)

    def __init__(self, console: Console, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console, self._session = console, session
        self.view = GanttView(console)
        vbox(self.view, inside=self, margins=0)
        self._again = Throttle(self._read, _OFTEN, self, _SHARE)
        session.looked.connect(lambda _: self.refresh())
        session.moment.connect(lambda _: self._note())
        session.fed.connect(lambda _: self.refresh())
        session.moment.connect(self._replayed)
        session.selection.follow(self._selected)
        self.view.chosen.connect(lambda node, index: session.selection.choose(node=node, index=index))
        self.view.time_chosen.connect(self.time_wanted)

    def refresh(self) -> None:
        """Compute the rows again soon, on a worker thread; not while nobody sees them."""
        self._note()
        self._again.ask()

    def _note(self) -> None:
        """Why what has begun does not go on, in the words that every pane has for it."""
        if in_sight(self):
            jobs = sorted(self._session.jobs(), key=lambda job: job["round"])
            notes = {(job["node"], job["index"]): waits_because(job) for job in jobs}
            states = {(job["node"], job["index"]): job["status"] for job in jobs}
            self.view.show_notes({key: words for key, words in notes.items() if words}, states)

    def _read(self) -> Request | None:
        feed, look = self._session.feed, self._session.look
        if feed is None or look is None or not in_sight(self):
            if look is not None and feed is None:
                self._say(NONE)  # it has no log: nothing is read
            return None
        parents = look.outline.parents
        workers = {(job["node"], job["index"]): worker_of(job) for job in look.run["jobs"]}

        def done(rows: Sequence[GanttRow]) -> None:
            if feed is self._session.feed:
                self._say(NONE)
                self.view.show_rows(rows, _until(look))

        return self._console.link.ask(
            lambda _: rows_of(feed.slow_ticks(), parents, workers), done, owner=self, failed=lambda _: None
        )

    def _say(self, words: str) -> None:
        """What it says without rows."""
        self.view.empty = words
        self.view.viewport().update()

    def _selected(self, now: Selected, before: Selected) -> None:
        if now.instance != before.instance:
            self._say(NONE if now.instance is None else "Reading…")
            self.view.show_rows((), 0.0)
            self.view.fit()
        self.view.select(now.node, now.index)

    def _replayed(self, moment: Moment | None) -> None:
        time = None if moment is None else moment.time
        self.view.show_cursor(None if time is None else seconds(time))


def _until(look: RunLook) -> float:
    ended = look.run["ended_at"]
    unfinished = ended is None or look.unfinished
    return datetime.now(UTC).timestamp() if unfinished else seconds(ended or "")
