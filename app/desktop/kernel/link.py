"""The way from the window to an engine: calls on worker threads, events in batches on the window's own.

``Link`` is the port that panes use; the shell's link holds the engine's child process, a case's
link reads an imported bundle. A pane never blocks and never sees a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from shiboken6 import isValid

from engine.model.codes.runtime import INTERNAL
from engine.model.errors import SkerryError

if TYPE_CHECKING:
    from engine.api.service import Service

Answer = TypeVar("Answer")
Event = Mapping[str, Any]


class LinkState(StrEnum):
    """What the status bar says about the engine."""

    STARTING = "starting"
    CONNECTED = "connected"
    LOST = "lost"  # it ended unexpectedly; being started again
    READ_ONLY = "read_only"  # no engine: the store is read
    CLOSED = "closed"


class Request(QObject):
    """One call under way; ``cancel`` drops its answer."""

    _answered = Signal(object, object)

    def __init__(
        self,
        owner: QObject,
        done: Callable[[Any], None],
        failed: Callable[[SkerryError], None],
        forget: Callable[[Request], None],
    ) -> None:
        super().__init__()
        self._owner, self._done, self._failed, self._forget = owner, done, failed, forget
        self.cancelled = False
        self._answered.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def cancel(self) -> None:
        """Forget the answer; the call itself runs to its end."""
        self.cancelled = True

    def run(self, call: Callable[[], Any]) -> None:
        """Make the call, on a worker thread."""
        try:
            answer, error = call(), None
        except SkerryError as known:
            answer, error = None, known
        except Exception as unknown:  # shown to the operator like any other error
            answer, error = None, SkerryError(INTERNAL, f"{type(unknown).__name__}: {unknown}")
        if isValid(self):
            self._answered.emit(answer, error)

    def _deliver(self, answer: Any, error: SkerryError | None) -> None:
        self._forget(self)
        if self.cancelled or not isValid(self._owner):
            return
        if error is None:
            self._done(answer)
        else:
            self._failed(error)


class Link(QObject):
    """The window's way to one service.

    ``changed`` brings tuples of events (``{"kind", "instance", "node", "status", …}``, coalesced,
    about 30 times a second at most; ``{"kind": "resync"}`` = read everything anew). ``failed``
    brings errors of calls that gave no handler of their own.
    """

    changed = Signal(object)
    state_changed = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None, workers: int = 4) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="link")
        self._open: set[Request] = set()
        self.state = LinkState.STARTING

    def service(self) -> Service:
        """The service to call, from a worker thread; SkerryError when there is none right now."""
        raise NotImplementedError

    @property
    def writable(self) -> bool:
        """Whether commands can be given now."""
        return self.state is LinkState.CONNECTED

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
        request = Request(owner, done, failed or self.failed.emit, self._open.discard)
        if self.state is LinkState.CLOSED:
            request.cancel()
            return request
        self._open.add(request)  # until it is delivered: a request must die on this thread
        self._pool.submit(request.run, lambda: call(self.service()))
        return request

    def close(self, *, stop: bool = False) -> None:
        """Take no more calls and wait for those under way; with ``stop`` what is behind it ends too."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._set_state(LinkState.CLOSED)

    def _set_state(self, state: LinkState) -> None:
        if state is not self.state:
            self.state = state
            self.state_changed.emit(state)
