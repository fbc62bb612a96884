"""Keeps an engine at work for the window: joins the one that runs, starts one where none does.

It runs on a thread of its own and reports what it sees through two callbacks.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from subprocess import TimeoutExpired
from typing import TYPE_CHECKING, Any

from app.desktop.kernel.link import LinkState
from app.desktop.kernel.reasons import error_line
from engine.model.errors import SkerryError
from engine.model.plain_words import wording
from engine.runtime.workspace import Workspace, last_line

if TYPE_CHECKING:
    from subprocess import Popen

    from engine.api.client import Client
    from engine.api.remote_stream import RemoteStream

_LOOK = 0.02  # seconds between two looks for the socket of an engine that starts
_PATIENCE = 30.0  # seconds that it may take to start
_PAUSES = (0.2, 1.0, 3.0, 10.0)  # seconds before it is tried again, longer each time
_FAREWELL = 15.0  # seconds that an engine may take to end


class Broken(Exception):
    """The stream of events has ended: the engine is gone, or going."""


class EngineKeeper:
    """``on_state(state, words)`` gets changes, ``on_event(event)`` what happens; both on its own thread.

    An engine that is stopped sends nothing: ``look`` is called now and then, on any thread, and may see it.
    """

    def __init__(
        self,
        workspace: Workspace,
        spawn: Callable[[Workspace], Popen[bytes]],
        on_state: Callable[[LinkState, str], None],
        on_event: Callable[[Mapping[str, Any]], None],
    ) -> None:
        self._workspace = workspace
        self._spawn = spawn
        self._on_state, self._on_event = on_state, on_event
        self._closing = threading.Event()
        self._stream: RemoteStream | None = None
        self._reporting = threading.Lock()
        self._state = LinkState.READ_ONLY
        self._stopped = ""
        self._thread = threading.Thread(target=self._keep, name="engine-keeper", daemon=True)
        self.process: Popen[bytes] | None = None

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def look(self) -> None:
        """Whether the engine is stopped (at two looks in succession), or goes on."""
        stream = self._stream
        if stream is None:
            return
        before, self._stopped = self._stopped, stream.stopped
        if self._stopped and before:
            self._say(LinkState.SILENT, self._stopped, before=LinkState.CONNECTED)
        elif not self._stopped and self._say(LinkState.CONNECTED, "", before=LinkState.SILENT):
            self._on_event({"kind": "resync"})

    @property
    def started_it(self) -> bool:
        """Whether the engine that answers is a child of this process."""
        return self.process is not None and self.process.poll() is None

    def close(self, *, stop: bool) -> None:
        """Listen no more; with ``stop`` end the engine too, whoever started it. Running jobs go on."""
        self._closing.set()
        if stream := self._stream:
            stream.close()
        if self._thread.is_alive():
            self._thread.join()
        if stop:
            self._end()

    @cached_property
    def _client(self) -> Client:
        from engine.api.client import Client

        return Client(self._workspace.socket)

    def _keep(self) -> None:
        failures = 0
        while not self._closing.is_set():
            if self._reach():
                failures = 0 if self._listen() else failures + 1
            else:
                failures += 1
            self._closing.wait(_PAUSES[min(failures, len(_PAUSES)) - 1] if failures else _LOOK)

    def _reach(self) -> bool:
        """Whether an engine answers, after starting one if need be."""
        if self._client.alive():
            return True
        self._say(LinkState.STARTING, "")
        try:
            self.process = self._spawn(self._workspace)
        except OSError as problem:
            self._say(LinkState.READ_ONLY, wording(problem))
            return False
        return self._answers(self.process)

    def _answers(self, process: Popen[bytes]) -> bool:
        for _ in range(int(_PATIENCE / _LOOK)):
            if self._closing.wait(_LOOK) or self._client.alive():
                return not self._closing.is_set()
            if process.poll() is not None:
                break
        self._say(LinkState.READ_ONLY, last_line(self._workspace))
        return False

    def _listen(self) -> bool:
        """Pass the events on until the engine goes; False if it never spoke."""
        try:
            self._stream = self._client.events(pause=self._broken)
        except SkerryError as error:
            stopped = bool(error.details.get("stopped"))
            self._say(*(LinkState.SILENT, error_line(error)) if stopped else (LinkState.LOST, ""))
            return False
        if self._closing.is_set():  # ``close`` may have looked for the stream a moment before
            self._stream.close()
        self._say(LinkState.CONNECTED, "")
        self._on_event({"kind": "resync"})
        with suppress(SkerryError):  # one that would end when idle stays from now on
            self._client.fire_schedules()
        with suppress(Broken, SkerryError):
            for event in self._stream:
                if event["kind"] != "tick":
                    self._on_event(event)
        self._stream = None
        self._say(LinkState.LOST, "")
        return True

    def _broken(self, _seconds: float) -> None:
        raise Broken

    def _say(self, state: LinkState, words: str, before: LinkState | None = None) -> bool:
        """Report a state, with ``before`` only if that was the last one; gives whether it did."""
        with self._reporting:
            if self._closing.is_set() or before not in (None, self._state):
                return False
            self._state = state
            self._on_state(state, words)
            return True

    def _end(self) -> None:
        if self.started_it and self.process is not None:
            self.process.terminate()
            if self._state is LinkState.SILENT:
                return  # it ends as soon as it goes on
            with suppress(TimeoutExpired):
                self.process.wait(_FAREWELL)
            return
        with suppress(SkerryError, OSError, TypeError):
            os.kill(int(self._client.about()["pid"]), signal.SIGTERM)
