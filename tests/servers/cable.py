"""A cable between a client and a server of a test, which can be cut and mended."""

from __future__ import annotations

import selectors
import socket
import threading
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
        with selectors.DefaultSelector() as ready, client, server:
            for each in other:
                ready.register(each, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    source = key.fileobj
                    assert isinstance(source, socket.socket)
                    try:
                        data = source.recv(1 << 16)
                        if not data:
                            return
                        self.carried += len(data)
                        other[source].sendall(data)
                    except OSError:
                        return


@contextmanager
def cable(target: int) -> Iterator[Cable]:
    """One to a port of the loopback interface."""
    made = Cable(target)
    try:
        yield made
    finally:
        made.close()
