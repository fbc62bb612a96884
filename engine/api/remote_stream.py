"""Server-sent events of an engine in another process; a broken stream is taken up again."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from engine.api.exchange import Exchange
from engine.api.silence import told_if_stopped
from engine.model.errors import SkerryError

_PAUSES = (0.1, 0.3, 0.6, 1.0)  # seconds before each further try; then the engine is gone


class RemoteStream:
    """See ``engine.api.service.EventStream``."""

    def __init__(
        self, open_stream: Callable[[], Exchange], pause: Callable[[float], None] = time.sleep
    ) -> None:
        self._open_stream = open_stream
        self._pause = pause
        self._closed = False
        self._reading = threading.Lock()
        self._exchange = open_stream()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while not self._closed:
            yield from self._read()
            if not self._closed:
                self._reopen()
                yield {"kind": "resync"}
        self._exchange.close()

    @property
    def stopped(self) -> str:
        """That the engine's process is stopped right now; empty when it is not."""
        with suppress(OSError):  # it hung up, or the stream is being taken up again
            return told_if_stopped(self._exchange.socket)
        return ""

    def close(self) -> None:
        """Listen no more; who waits wakes up, and closes the connection it waits on."""
        self._closed = True
        with suppress(OSError):
            self._exchange.socket.shutdown(socket.SHUT_RDWR)
        if self._reading.acquire(blocking=False):
            self._exchange.close()
            self._reading.release()

    def _read(self) -> Iterator[dict[str, Any]]:
        """The events until the stream breaks; comments are its heartbeat."""
        with suppress(OSError, ValueError):
            while not self._closed and (line := self._line()):
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])
                elif line.startswith(b":"):
                    yield {"kind": "tick"}

    def _line(self) -> bytes:
        with self._reading:
            return self._exchange.line()

    def _reopen(self) -> None:
        self._exchange.close()
        for pause in _PAUSES:
            self._pause(pause)
            with suppress(SkerryError):
                self._exchange = self._open_stream()
                return
        self._exchange = self._open_stream()
