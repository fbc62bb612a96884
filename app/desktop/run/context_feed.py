"""A context log that is read as it grows, and the moments in it; safe to use from several threads.

The window's own thread never waits here: what it asks only looks at lists that grow.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from time import sleep
from typing import Final

from engine.context.timeline import LineCause, Moment, Tick, Timeline

_PIECE: Final = 500  # lines, or ticks
_LONG: Final = 10_000  # lines after which they are set aside
_TURN: Final = 100  # lines taken in without a break
_BREATH: Final = 0.0003  # seconds
_CHUNK: Final = 1 << 18  # bytes taken in at a time: others get their turn in between


class ContextFeed:
    """The log of one instance. ``read``, ``moment`` and ``causes`` are called on worker threads."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = Lock()
        self._reading = Lock()
        self._timeline = Timeline(verify=False)  # whoever doubts it verifies the instance
        self._offset = 0
        self._aside = 0

    @property
    def last(self) -> int:
        """The number of the last line that was read."""
        return self._timeline.last

    def read(self) -> int:
        """Take in what was added to the file; gives the number of the last line."""
        with self._reading:
            if self._size() < self._offset:  # it was written again from the store
                with self._lock:
                    self._timeline, self._offset, self._aside = Timeline(verify=False), 0, 0
            for piece in self._pieces():
                lines = piece.splitlines()
                for begin in range(0, len(lines), _TURN):
                    with self._lock:
                        self._timeline.extend(lines[begin : begin + _TURN])
                    sleep(_BREATH)  # a thread that only computes makes the window's own wait for its turn
                self._set_aside()
        return self._timeline.last

    def _set_aside(self) -> None:
        """Let the cyclic collector not walk through a long log again and again: that holds the window up.

        What of everything else is alive now is not looked for cycles later; so it is done rarely.
        """
        if self._timeline.last - self._aside >= _LONG:
            self._aside = self._timeline.last
            gc.freeze()

    def _size(self) -> int:
        try:
            return os.stat(self.file).st_size
        except OSError:
            return 0

    def _pieces(self) -> Iterator[bytes]:
        """Whole lines behind what was read; a line that is still being written waits."""
        try:
            stream = self.file.open("rb")
        except OSError:
            return
        with stream:
            stream.seek(self._offset)
            rest = b""
            while data := stream.read(_CHUNK):
                whole, newline, rest = (rest + data).rpartition(b"\n")
                self._offset += len(whole) + len(newline)
                if whole:
                    yield whole

    def moment(self, seq: int) -> Moment:
        """The state of everything after a line."""
        with self._lock:
            return self._timeline.at(seq)

    @property
    def ticked(self) -> int:
        """How many lines people look for."""
        return len(self._timeline.ticks)

    def ticks(self, after: int = 0) -> list[Tick]:
        """The lines that people look for, without the first so many."""
        return self._timeline.ticks[after:]  # it only grows: no need to wait for who extends it

    def slow_ticks(self) -> Iterator[Tick]:
        """All of them, for a worker that computes: the window's own thread gets its turn in between."""
        for at, tick in enumerate(self.ticks()):
            if at % _PIECE == 0:
                sleep(_BREATH)
            yield tick

    def causes(self, upto: int | None = None, about: str | None = None) -> list[LineCause]:
        """The lines, read again each time; with ``about`` those that may have to do with a path."""
        last = self._timeline.last if upto is None else min(upto, self._timeline.last)
        found: list[LineCause] = []
        for begin in range(0, last, _PIECE):
            with self._lock:  # in pieces: others get their turn in between
                found.extend(self._timeline.causes(begin, min(begin + _PIECE, last), about))
        return found

    def seq_at(self, time: str) -> int:
        """The last line not later than a time."""
        return self._timeline.seq_at(time)

    def time_of(self, seq: int) -> str:
        """When a line was written; IndexError when there is none."""
        return self._timeline.cause(seq).time
