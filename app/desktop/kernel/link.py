"""The way from the window to an engine: calls on worker threads, events in batches on the window's own.

``Link`` is the port that panes use; the shell's link holds the engine's child process, a case's
link reads an imported bundle. A pane never blocks and never sees a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from PySide6.QtCore import QElapsedTimer, QObject, Qt, Signal
from shiboken6 import isValid

from engine.model.errors import SkerryError
from engine.model.plain_words import unforeseen

if TYPE_CHECKING:
    from engine.api.service import Service

Answer = TypeVar("Answer")
Event = Mapping[str, Any]


class LinkState(StrEnum):
    """What the status bar says about the engine."""

    STARTING = "starting"
    CONNECTED = "connected"
    SILENT = "silent"  # its process is stopped: the store is read until it goes on
    LOST = "lost"  # it ended unexpectedly; being started again
    READ_ONLY = "read_only"  # no engine: the store is read
    CLOSED = "closed"


_LOCKED = {
    LinkState.STARTING: "The engine is being started: nothing can be changed yet.",
    LinkState.LOST: "The engine is being started: nothing can be changed yet.",
    LinkState.SILENT: "The engine does not answer: nothing can be changed now.",
    LinkState.READ_ONLY: "No engine runs: nothing can be changed.",
}


class Request:
    """One call; ``cancel`` drops its answer. ``took``: milliseconds until its answer, None before that.

    No worker holds one, nor its answer, beyond the call: what the functions refer to are widgets, and the
    last reference to a widget has to go on the window's thread.
    """

    def __init__(
        self,
        call: Callable[[Service], Any],
        owner: QObject,
        done: Callable[[Any], None],
        failed: Callable[[SkerryError], None],
    ) -> None:
        self._call, self._owner, self._done, self._failed = call, owner, done, failed
        self._answer: Any = None
        self._error: Exception | None = None
        self._since = QElapsedTimer()
        self._since.start()
        self.took: int | None = None
        self.cancelled = False

    @property
    def open(self) -> bool:
        """Whether its answer is still to come."""
        return self.took is None and not self.cancelled

    def cancel(self) -> None:
        """Forget the answer; the call itself runs to its end."""
        self.cancelled = True

    def run(self, service: Callable[[], Service]) -> None:
        """Make the call, on a worker thread."""
        try:
            self._answer = self._call(service())
        except Exception as error:  # shown to the operator, whatever it is
            self._error = error

    def deliver(self) -> None:
        """Hand the answer on, on the window's thread."""
        self.took = self._since.elapsed()
        answer, error, done, failed = self._answer, self._error, self._done, self._failed
        # An error holds the frames that it came through, a function what it was made with.
        del self._answer, self._error, self._call, self._done, self._failed
        if self.cancelled or not isValid(self._owner):
            return
        if error is None:
            done(answer)
        else:
            failed(unforeseen(error))


class Link(QObject):
    """The window's way to one service.

    ``changed`` brings tuples of events (``{"kind", "instance", "node", "status", …}``, coalesced,
    about 30 times a second at most; ``{"kind": "resync"}`` = read everything again). ``failed``
    brings errors of calls that gave no handler of their own.
    """

    ACTS: ClassVar[bool] = True  # whether anything can ever be done over it
    changed = Signal(object)
    state_changed = Signal(object)
    failed = Signal(object)
    _answered = Signal(int)

    def __init__(self, parent: QObject | None = None, workers: int = 4) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="link")
        self._numbers = count(1)
        self._under_way: dict[int, Request] = {}  # the workers know them by number only
        self._answered.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self.state = LinkState.STARTING

    def service(self) -> Service:
        """The service to call, from a worker thread; SkerryError when there is none right now."""
        raise NotImplementedError

    @property
    def writable(self) -> bool:
        """Whether commands can be given now."""
        return self.state is LinkState.CONNECTED

    @property
    def locked(self) -> str:
        """Why no command can be given now, an English source text; empty when one can."""
        return "" if self.writable else _LOCKED.get(self.state, _LOCKED[LinkState.READ_ONLY])

    def ask(
        self,
        call: Callable[[Service], Answer],
        done: Callable[[Answer], None],
        *,
        owner: QObject,
        failed: Callable[[SkerryError], None] | None = None,
    ) -> Request:
        """Call the service on a worker thread; the answer comes back on this one while ``owner`` lives.

        Once the link is closed nothing is asked any more and no answer comes.
        """
        request = Request(call, owner, done, failed or self.failed.emit)
        if self.state is LinkState.CLOSED:
            request.cancel()
            return request
        number = next(self._numbers)
        self._under_way[number] = request
        self._pool.submit(self._run, number)
        return request

    def close(self, *, stop: bool = False) -> None:
        """Take no more calls and wait for those under way; with ``stop`` what is behind it ends too."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._under_way.clear()
        self._set_state(LinkState.CLOSED)

    def _run(self, number: int) -> None:
        """On a worker thread."""
        self._under_way[number].run(self.service)
        self._answered.emit(number)

    def _deliver(self, number: int) -> None:
        if request := self._under_way.pop(number, None):
            request.deliver()

    def _set_state(self, state: LinkState) -> None:
        """Turn to another state; a closed link stays closed, whatever was on its way."""
        if state is not self.state and self.state is not LinkState.CLOSED:
            self.state = state
            self.state_changed.emit(state)
