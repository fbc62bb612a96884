"""Answering on the workspace's socket: bound at once, the web framework loaded when somebody comes."""

from __future__ import annotations

import logging
import os
import select
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from engine.api import sockets

if TYPE_CHECKING:
    import uvicorn

    from engine.api.server import Streams
    from engine.api.service import Service

_LOOK = 0.005  # seconds
_GRACE = 30  # seconds that answers under way get when the engine ends
_LOADING = 30.0  # seconds that the framework may take to load while somebody waits at the door


class Listener:
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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Take no more connections, end the streams, finish what is being answered."""
        sockets.remove(self._path)
        self._let_in()
        with self._lock:
            self._closed = True
            if self._server and self._streams:
                self._streams.close()
                self._server.should_exit = True
        os.write(self._stop_writing, b".")
        self._thread.join()
        self._socket.close()
        os.close(self._stop_reading)
        os.close(self._stop_writing)

    def _let_in(self) -> None:
        """Those who had connected before are still answered, not hung up on."""
        until = time.monotonic() + _LOADING
        while self._knocks() and time.monotonic() < until:
            time.sleep(_LOOK)

    def _knocks(self) -> bool:
        waiting = select.poll()
        waiting.register(self._socket, select.POLLIN)
        return bool(waiting.poll(0))

    def _serve(self) -> None:
        """Sleep until the first connection; the kernel keeps it waiting while the framework loads."""
        waiting = select.poll()
        waiting.register(self._socket, select.POLLIN)
        waiting.register(self._stop_reading, select.POLLIN)
        ready = [fd for fd, _ in waiting.poll()]
        if self._stop_reading not in ready and (server := self._make_server()):
            server.run(sockets=[self._socket])

    def _make_server(self) -> uvicorn.Server | None:
        import uvicorn
        from uvicorn.protocols.http.h11_impl import H11Protocol

        from engine.api.server import Streams, create_app

        class Patient(H11Protocol):
            """Who was let in before the end may still say what he came for."""

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
