"""A cable between a client and a server of a test, which can be cut and mended."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Cable:
    """Whatever connects to ``port`` is connected to ``target``, unless it is cut."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.carried = 0  # bytes, both ways; exact while there is one connection
        self._lock = threading.Lock()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._whole = True
        self._seconds = 0.0
        self._stalled: list[socket.socket] | None = None
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Everything that goes through it breaks, and nothing can be connected any more."""
        with self._lock:
            self._whole = False
            pairs, self._pairs = self._pairs, []
        for each in pairs:
            for end in each:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def lead_to(self, target: int) -> None:
        """What connects from now on is connected to that port."""
        self._target = target

    def stall(self) -> None:
        """What connects from now on is connected to nobody, and hears nothing."""
        self._stalled = []

    def be_long(self, seconds: float) -> None:
        """What is sent from now on takes so long to arrive, each way."""
        self._seconds = seconds

    def mend(self) -> None:
        self._whole, self._stalled = True, None

    def close(self) -> None:
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if not self._whole:
                client.close()
                continue
            if self._stalled is not None:
                self._stalled.append(client)
                continue
            server = socket.create_connection(("127.0.0.1", self._target))
            for each in (client, server):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._pairs.append((client, server))
            threading.Thread(target=self._carry, args=(client, server), daemon=True).start()

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        other = {client: server, server: client}
        under_way: deque[tuple[float, socket.socket, bytes]] = deque()
        with selectors.DefaultSelector() as ready, client, server, suppress(OSError):
            for each in other:
                ready.register(each, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select(under_way[0][0] - time.monotonic() if under_way else None):
                    source = key.fileobj
                    assert isinstance(source, socket.socket)
                    data = source.recv(1 << 16)
                    if not data:
                        return
                    self.carried += len(data)
                    under_way.append((time.monotonic() + self._seconds, other[source], data))
                while under_way and under_way[0][0] <= time.monotonic():
                    _, target, data = under_way.popleft()
                    target.sendall(data)


@contextmanager
def cable(target: int) -> Iterator[Cable]:
    """One to a port of the loopback interface."""
    made = Cable(target)
    try:
        yield made
    finally:
        made.close()
