"""Answering on the workspace's socket: bound at once, the web framework loaded at the first connection."""

from __future__ import annotations

import json
import logging
import os
import re
import select
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from engine.api import sockets
from engine.api.faults import error_document
from engine.api.silence import readable
from engine.model.closing import Closing
from engine.model.codes.commands import NO_ANSWER
from engine.model.errors import SkerryError

if TYPE_CHECKING:
    import asyncio

    import uvicorn

    from engine.api.server import Streams
    from engine.api.service import Service

_LOOK = 0.005  # seconds
_GRACE = 30  # seconds that answers under way get when the engine ends
_LOADING = 30.0  # seconds until everybody who waits at the door is let in
_PATIENCE = 5.0  # seconds for a question that nobody will answer any more


class Listener(Closing):
    """Serves a service on a socket from ``open`` to ``close``. Its owner holds the workspace's lock."""

    def __init__(self, service: Service, path: Path) -> None:
        self._service = service
        self._path = path
        self._stop_reading, self._stop_writing = os.pipe2(os.O_CLOEXEC)
        self._lock = threading.Lock()
        self._server: uvicorn.Server | None = None
        self._streams: Streams | None = None
        self._closed = False
        self._socket = sockets.listen(path)
        self._thread = threading.Thread(target=self._serve, name="skerry-api", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take no more connections, end the streams, finish what is being answered."""
        sockets.remove(self._path)
        with self._lock:
            self._closed = True
        if self._server and self._streams:
            self._let_in()
            self._streams.close()
            self._server.should_exit = True
        os.write(self._stop_writing, b".")
        self._thread.join()
        if self._server is None:
            self._turn_away()
        self._socket.close()
        os.close(self._stop_reading)
        os.close(self._stop_writing)

    def _let_in(self) -> None:
        """Those who had connected before are still answered, not hung up on."""
        until = time.monotonic() + _LOADING
        while self._knocks() and time.monotonic() < until:
            time.sleep(_LOOK)

    def _turn_away(self) -> None:
        """Nobody has come so far: the framework is not loaded for those who come just now.

        They learn that nothing was done about their request, and ask the next engine.
        """
        document = error_document(SkerryError(NO_ANSWER, "the engine ends", details={"unheard": True}))
        body = json.dumps(document).encode()
        head = f"HTTP/1.1 503 Ending\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        while self._knocks():
            connection, _ = self._socket.accept()
            with connection, suppress(OSError):
                connection.settimeout(_PATIENCE)
                if _heard(connection):
                    connection.sendall(head.encode() + body)

    def _knocks(self) -> bool:
        return readable(self._socket, 0)

    def _serve(self) -> None:
        """Sleep until the first connection; the kernel keeps it waiting while the framework loads."""
        waiting = select.poll()
        waiting.register(self._socket, select.POLLIN)
        waiting.register(self._stop_reading, select.POLLIN)
        ready = [fd for fd, _ in waiting.poll()]
        if self._stop_reading not in ready and not self._closed and (server := self._make_server()):
            server.run(sockets=[self._socket])

    def _make_server(self) -> uvicorn.Server | None:
        import uvicorn
        from uvicorn.protocols.http.h11_impl import H11Protocol

        from engine.api.server import Streams, create_app

        class Patient(H11Protocol):
            """Who was let in before the end may still ask; the client is the peer's user id and process."""

            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
                super().connection_made(transport)
                peer = sockets.peer_of(transport.get_extra_info("socket"))
                self.client = str(peer.uid), peer.pid

            def shutdown(self) -> None:
                if self.cycle is not None:
                    super().shutdown()

        log = logging.getLogger("uvicorn")  # its words are not for the terminal of a run
        log.propagate = False
        log.addHandler(logging.NullHandler())
        streams = Streams()
        app = create_app(self._service, streams)
        config = uvicorn.Config(
            app,
            http=Patient,
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE,
        )
        with self._lock:
            if not self._closed:
                self._server, self._streams = uvicorn.Server(config), streams
            return self._server


def _heard(connection: socket.socket) -> bool:
    """Take a whole question in, so that the answer is not lost with its rest; False when there was none."""
    data = b""
    while b"\r\n\r\n" not in data and (piece := connection.recv(1 << 16)):
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    held_back = re.search(rb"(?i)\r\nexpect: *100-continue", head)
    left = int(length[1]) - len(body) if length and not held_back else 0
    while left > 0 and (piece := connection.recv(1 << 16)):
        left -= len(piece)
    return bool(data)
