"""What a log pane shows: which logs of which attempts, what is searched in them, and what was found."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.desktop.kernel.worker_thread import WorkerThread
from app.desktop.log.index import LineIndex
from app.desktop.log.lines import LogBytes, LogText
from app.desktop.log.merged import LengthSample, MergedText
from app.desktop.log.packed_text import log_text
from app.desktop.log.past_sizes import SizeKnown, Story, Then, story_of
from app.desktop.log.rows import AllRows, FoundRows
from app.desktop.log.search import FoundLines, Query, search
from engine.model.plain_words import wording

POLL = 250  # milliseconds between two looks at a log that may grow


class LogStream(StrEnum):
    OUTPUT = "output"
    ERRORS = "errors"
    BOTH = "both"


class LogModel(QObject):
    """One attempt's logs; ``grown`` when there is more, ``renewed`` when all is different."""

    grown = Signal()
    renewed = Signal()
    found = Signal()  # more matches, or the search has ended
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.text: LogBytes = LogText(Path("/dev/null"))
        self._stream = LogStream.OUTPUT
        self.index = LineIndex()
        self.starts: array[int] = array("Q")
        self.query = Query()
        self.searched = 0
        self._story = Story()
        self._indexing = WorkerThread(self)
        self._indexing.reported.connect(lambda _: self.grown.emit())
        self._searching = WorkerThread(self)
        self._searching.reported.connect(self._take)
        self._searching.ended.connect(self._search_ended)
        self._timer = QTimer(self)
        self._timer.setInterval(POLL)
        self._timer.timeout.connect(self.look)

    def open(self, log: Path, stream: LogStream, *, ended: bool) -> None:
        """Show a log ``job.log`` (its errors lie beside it); ``ended``: it grows no more."""
        self.close()
        self._story = story_of(log)
        self.text = _text(log, stream, self._story.seen)
        self._stream = stream
        self._begin()
        if not ended:
            self._timer.start()

    def close(self) -> None:
        """Stop everything and give the files back."""
        self._timer.stop()
        self._indexing.end()
        self._searching.end()
        self.text.close()
        self.text = LogText(Path("/dev/null"))

    def look(self) -> None:
        before = self.text.size
        if self.text.refresh():
            self._begin()
        elif self.text.size > before:
            self._go_on()
            self.grown.emit()

    def _begin(self) -> None:
        self._indexing.end()
        self._searching.end()
        self.index, self.starts, self.searched = LineIndex(), array("Q"), 0
        self._go_on()
        self.renewed.emit()

    def _go_on(self) -> None:
        if not self._indexing.busy:
            index, text, size = self.index, self.text, self.text.size
            self._indexing.walk(lambda: _sparsely(index.extend(text, size)))
        if self.query and not self._searching.busy:
            self._search()

    def all_rows(self) -> AllRows:
        return AllRows(self.text, self.index)

    def found_rows(self) -> FoundRows:
        """The rows that were found; grows while the search goes on."""
        return FoundRows(self.text, self.index, self.starts)

    def then(self, time: datetime) -> tuple[Then, int]:
        """What is known of a time, and how far the text was then, in bytes; 0 where it is not known."""
        then = self._story.then(time)
        if then.lengths is None:
            return then, self.text.size
        output, errors = then.lengths
        of = {LogStream.OUTPUT: output, LogStream.ERRORS: errors, LogStream.BOTH: output + errors}
        return then, min(self.text.size, of[self._stream])

    def offset_then(self, typed: str) -> int | None:
        """How far the text was at a time such as ``13:42`` or ``13:42:06``, where that was measured.

        Both streams together, too, go by it: their lines need no time of their own.
        """
        time = self._story.time_of(typed)
        then, offset = self.then(time) if time is not None else (None, 0)
        if then is None or then.known in (SizeKnown.UNKNOWN, SizeKnown.NOT_BEGUN):
            return None
        return self.text.start(min(offset, self.text.size - 1)) if self.text.size else None

    @property
    def searching(self) -> bool:
        return self._searching.busy

    def look_for(self, query: Query) -> None:
        """Begin another search from the top; an empty query ends searching."""
        self.stop_search()
        self.query = query
        self.starts, self.searched = array("Q"), 0
        if query:
            self._search()
        self.found.emit()

    def stop_search(self) -> None:
        """Stop where it is; what was found stays."""
        self._searching.end()
        self.found.emit()

    def _search(self) -> None:
        text, size, query, start = self.text, self.text.size, self.query, self._resume()
        self._searching.walk(lambda: search(text, size, query, start))

    def _resume(self) -> int:
        """Where to search on: a last line without an end may have grown since."""
        start = self.text.start(self.searched) if self.searched else 0
        while self.starts and self.starts[-1] >= start:
            self.starts.pop()
        return start

    def _take(self, found: FoundLines) -> None:
        self.starts.extend(found.starts)
        self.searched = found.upto
        self.found.emit()

    def _search_ended(self, problem: Exception | None) -> None:
        if problem is not None:
            self.failed.emit(wording(problem))
        self.found.emit()


def _text(log: Path, stream: LogStream, seen: Sequence[LengthSample]) -> LogBytes:
    errors = log.with_name("job-error.log")
    if stream is LogStream.BOTH:
        return MergedText(log_text(log), log_text(errors, 1), seen)
    return log_text(log) if stream is LogStream.OUTPUT else log_text(errors, 1)


def _sparsely(steps: Iterator[int]) -> Iterator[int]:
    """Every 64th of many steps, and the last one: each makes the view draw."""
    step = 0
    for i, step in enumerate(steps):
        if i % 64 == 0:
            yield step
    yield step
