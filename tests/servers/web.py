"""A web server that does what no well-behaved one does: drips, hangs, hangs up, keeps what arrived."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.servers.certificates import certificate
from tests.servers.private import free_port


@dataclass
class Web:
    """``seen`` holds each request as it came over the wire; ``gone`` is set when a client hung up on us."""

    port: int
    scheme: str = "http"
    seen: list[bytes] = field(default_factory=list)
    asked: threading.Event = field(default_factory=threading.Event)
    gone: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"{self.scheme}://localhost:{self.port}"

    def serve(self, listener: socket.socket) -> None:
        """Until the listener is closed."""
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        with client:
            try:
                request = _request(client)
                self.seen.append(request)
                self.asked.set()
                self._speak(client, request.split(b" ", 2)[1].split(b"?")[0])
            except OSError:
                self.gone.set()

    def _speak(self, client: socket.socket, path: bytes) -> None:
        plain = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
        if path == b"/hang":
            self._until_gone(client)
        elif path == b"/drip":
            client.sendall(plain + b"\r\n")
            while True:
                client.sendall(b".")
                self.gone.wait(0.01)
        elif path == b"/rude":
            client.sendall(plain + b"Content-Length: 100\r\n\r\nonly this")
        elif path == b"/nonsense":
            client.sendall(b"what?\r\n\r\n")
        elif path == b"/endless":
            client.sendall(plain + b"\r\n")
            while True:
                client.sendall(b"x" * 1_000_000)
        elif path.startswith(b"/body/"):
            _, kind, body = path.split(b"/", 3)[1:] if path.count(b"/") > 2 else (b"", b"", b"")
            raw = bytes.fromhex(body.decode())
            head = plain + b"Content-Type: " + bytes.fromhex(kind.decode()) + b"\r\n"
            client.sendall(head + b"Content-Length: %d\r\n\r\n" % len(raw) + raw)
        else:
            payload = json.dumps({"path": path.decode()}).encode()
            if path == b"/created":
                plain = plain.replace(b"200 OK", b"201 Created")
            client.sendall(plain + b"Content-Length: %d\r\n\r\n" % len(payload) + payload)

    def _until_gone(self, client: socket.socket) -> None:
        while client.recv(65536):
            pass
        self.gone.set()

    def body(self) -> bytes:
        """The body of the last request."""
        return self.seen[-1].split(b"\r\n\r\n", 1)[1]

    def line(self) -> str:
        """The first line of the last request."""
        return self.seen[-1].split(b"\r\n", 1)[0].decode()

    def headers(self) -> dict[str, bytes]:
        """The headers of the last request; the same name twice is a failure."""
        lines = self.seen[-1].split(b"\r\n\r\n", 1)[0].split(b"\r\n")[1:]
        pairs = [line.split(b": ", 1) for line in lines]
        assert len({name.lower() for name, _ in pairs}) == len(pairs)
        return {name.decode().lower(): value for name, value in pairs}


def _more(client: socket.socket) -> bytes:
    """What comes next; OSError when the other side is gone, else a thread would go round for ever."""
    data = client.recv(65536)
    if not data:
        raise ConnectionResetError
    return data


def _request(client: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += _more(client)
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [
        line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
    ]
    while len(body) < int(lengths[0] if lengths else 0):
        body += _more(client)
    return head + b"\r\n\r\n" + body


@pytest.fixture
def web() -> Iterator[Web]:
    """A fresh one for each test."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        started = Web(listener.getsockname()[1])
        threading.Thread(target=started.serve, args=(listener,), daemon=True).start()
        yield started


@pytest.fixture
def secure_web(tmp_path: Path) -> Iterator[Web]:
    """The same over TLS, with a certificate for ``localhost`` in ``tmp_path/cert.pem`` that nobody trusts."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate(tmp_path))
    with socket.create_server(("127.0.0.1", free_port())) as listener:
        started = Web(listener.getsockname()[1], "https")
        wrapped = context.wrap_socket(listener, server_side=True)
        threading.Thread(target=_serve_tls, args=(started, wrapped), daemon=True).start()
        yield started
        wrapped.close()


def _serve_tls(web: Web, listener: ssl.SSLSocket) -> None:
    while listener.fileno() >= 0:
        try:
            web.serve(listener)
        except ssl.SSLError:
            continue
