"""One request to an engine and its answer: HTTP over the workspace's socket, on a connection of its own.

Python's ``http.client`` loads TLS and mail as well: a sixth of the CPU of ``skerry list``.
"""

from __future__ import annotations

from pathlib import Path

from engine.api import sockets
from engine.api.silence import await_word, wants_body

_LONGEST = 1 << 16  # bytes of a line of an answer's head


class Exchange:
    """OSError or ValueError where the other end hangs up, or does not speak HTTP; ``patience`` in seconds."""

    def __init__(self, path: Path, patience: float | None) -> None:
        self.socket = sockets.connect(path, patience)
        self._answer = self.socket.makefile("rb")
        self._patience = patience
        self._length: int | None = None

    def close(self) -> None:
        self._answer.close()
        self.socket.close()

    def ask(self, target: str) -> None:
        """A question. What answers HTTP/1.0 comes as it is, without chunks, until the engine hangs up."""
        self._send([f"GET {target} HTTP/1.0"])

    def change(self, method: str, target: str, body: bytes, key: str) -> None:
        """What changes something is sent only to an engine that listens.

        One that was stopped meanwhile never receives a request whose sender has given up.
        """
        described = ["Content-Type: application/json", f"Content-Length: {len(body)}", "Expect: 100-continue"]
        head = [f"{method} {target} HTTP/1.1", "Host: skerry", "Connection: close"]
        self._send([*head, *described, f"Idempotency-Key: {key}"])
        if wants_body(self.socket):
            self._skip_interim()
            self.socket.sendall(body)
            await_word(self.socket, self._patience)

    def status(self) -> int:
        """Of the answer, whose head is taken in."""
        version, _, rest = self._head_line().partition(b" ")
        if not version.startswith(b"HTTP/"):
            raise ValueError("what answers is no engine")
        for line in iter(self._head_line, b"\r\n"):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                self._length = int(value)
        return int(rest[:3])

    def body(self) -> bytes:
        data = self._answer.read(self._length)
        if self._length is not None and len(data) < self._length:
            raise ConnectionError("it hung up in the middle of its answer")
        return data

    def line(self) -> bytes:
        """The next line of a body that does not end by itself; empty when the engine hung up."""
        return self._answer.readline()

    def _send(self, head: list[str]) -> None:
        self.socket.sendall("\r\n".join([*head, "", ""]).encode("ascii"))
        await_word(self.socket, self._patience)

    def _skip_interim(self) -> None:
        """Take "100 Continue" in, which ends in an empty line."""
        taken = b""
        while not taken.endswith(b"\r\n\r\n") and (piece := self.socket.recv(1)):
            taken += piece

    def _head_line(self) -> bytes:
        line = self._answer.readline(_LONGEST)
        if not line.endswith(b"\n"):
            raise ConnectionError("it hung up before it answered")
        return line
