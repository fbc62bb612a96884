"""A session with an SFTP server: pipelined, with the hashes that it offers, broken off from outside."""

from __future__ import annotations

import re
import socket
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from paramiko import SFTPClient, SFTPError, SSHException, Transport

from engine.model.errors import SkerryError
from resources.clients.breaking import Breaker, breakable
from resources.clients.checking import OnCancel
from resources.clients.sftp_errors import failed, translated
from resources.clients.sftp_login import connect, log_in
from resources.clients.sftp_place import SftpPlace

_CONNECT = 10.0  # seconds
_SILENCE = 60.0  # seconds without a byte
_ASKED = 255 * 1024  # bytes at once, the most that OpenSSH gives; a server may give less
_WINDOW = 4 * 1024 * 1024  # bytes sent before the answers to all are awaited
_HASHED = 10_000_000  # bytes a second that a server is given for a hash
_HASH_COMMAND = "xargs -0 sha256sum --"  # the path is data on its input: no shell reads it


class SftpSession:
    """A login. Made by ``session``."""

    def __init__(self, transport: Transport, place: SftpPlace, breaker: Breaker, silence: float) -> None:
        self._transport = transport
        self._place = place
        self._breaker = breaker
        self._silence = silence
        with translated(place):
            self._channel = transport.open_session(timeout=silence)
            self._channel.settimeout(silence)
            self._channel.invoke_subsystem("sftp")
            self._sftp = SFTPClient(self._channel)

    def size(self, path: str) -> int:
        """The size of a file in bytes. SkerryError when it is missing, or a folder."""
        with translated(self._place):
            about = self._sftp.stat(path)
        if about.st_mode is not None and stat.S_ISDIR(about.st_mode):
            raise failed(self._place, self._place.codes.missing, "it is a folder")
        return about.st_size or 0

    def exists(self, path: str) -> bool:
        """Whether a file or folder is there. SkerryError when the server does not say."""
        try:
            with translated(self._place):
                self._sftp.stat(path)
        except SkerryError as error:
            if error.entry is not self._place.codes.missing:
                raise
            return False
        return True

    def pieces(self, path: str, start: int) -> Iterator[bytes]:
        """The bytes of a file from ``start`` on."""
        with translated(self._place), self._sftp.open(path, "rb") as file:
            file.MAX_REQUEST_SIZE = _ASKED
            file.seek(start)
            while piece := file.read(_ASKED):
                yield piece
                self._breaker.check()

    def send(self, path: str, pieces: Iterable[bytes], start: int) -> None:
        """Write what follows the first ``start`` bytes. SkerryError has the server's words if it refuses."""
        with translated(self._place), self._sftp.open(path, "r+b" if start else "wb") as file:
            file.seek(start)
            for piece, is_awaited in _awaiting(pieces):
                file.set_pipelined(not is_awaited)
                file.write(piece)
                self._breaker.check()

    def renamed(self, path: str, name: str) -> bool:
        """Whether ``path`` now has the other name, even a taken one; False where nothing is renamed."""
        with translated(self._place):
            return self._replaced(path, name) or self._renamed(path, name)

    def delete(self, path: str) -> None:
        with translated(self._place):
            self._sftp.remove(path)

    def sha256(self, path: str) -> str | None:
        """The hash that the server computes, by SFTP itself or by a program there; None when it cannot."""
        size = self.size(path)
        waiting = self._silence + size / _HASHED
        found = self._hash_by_protocol(path, waiting) or self._hash_by_program(path, waiting)
        self._breaker.check()
        return found

    def _replaced(self, path: str, name: str) -> bool:
        """In one step, which only some servers can; False when another way may do."""
        try:
            self._sftp.posix_rename(path, name)
        except OSError as error:
            if error.errno is not None:
                raise
            return False
        return True

    def _renamed(self, path: str, name: str) -> bool:
        try:
            self._sftp.rename(path, name)
        except OSError as error:
            if "unsupported" in str(error).lower():
                return False
            self._sftp.remove(name)
            self._sftp.rename(path, name)
        return True

    def _hash_by_protocol(self, path: str, waiting: float) -> str | None:
        with suppress(OSError, SFTPError), self._sftp.open(path, "rb") as file:
            try:
                self._channel.settimeout(waiting)
                digest = file.check("sha256")
                return digest.hex() if len(digest) == 32 else None
            finally:
                self._channel.settimeout(self._silence)
        return None

    def _hash_by_program(self, path: str, waiting: float) -> str | None:
        with (
            suppress(OSError, EOFError, SSHException),
            self._transport.open_session(timeout=_CONNECT) as channel,
        ):
            channel.settimeout(waiting)
            channel.exec_command(_HASH_COMMAND)
            channel.sendall(f"{self._sftp.normalize(path)}\0".encode())
            channel.shutdown_write()
            with channel.makefile("rb") as output:
                found = re.match(rb"\\?([0-9a-f]{64}) ", output.read(64 * 1024))
            return found[1].decode() if found and channel.recv_exit_status() == 0 else None
        return None


@contextmanager
def session(
    place: SftpPlace,
    *,
    on_cancel: OnCancel | None = None,
    seconds: float | None = None,
    silence: float | None = None,
) -> Iterator[SftpSession]:
    """A login at a server. ``seconds`` limits the whole session, ``silence`` each wait for the server."""
    wires: list[socket.socket] = []
    limit = silence or _SILENCE
    with breakable(lambda: _cut(wires), on_cancel, seconds, place.codes.timed_out) as breaker:
        breaker.check()
        with translated(place):
            wires.append(connect(place, min(limit, _CONNECT)))
            breaker.check()
            transport = Transport(wires[0])
        try:
            with translated(place):
                log_in(transport, place, min(limit, _CONNECT))
            yield SftpSession(transport, place, breaker, limit)
        finally:
            transport.close()


def _cut(wires: list[socket.socket]) -> None:
    """Make every wait for the server fail at once."""
    for each in wires:
        each.shutdown(socket.SHUT_RDWR)


def _awaiting(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each piece, and whether the server's answers are awaited after it: once a window, and after the last.

    The client reads no answers when it closes a file, so that a refused last piece would pass for written.
    """
    held, flying = b"", 0
    for piece in pieces:
        if held:
            flying += len(held)
            yield held, flying >= _WINDOW
            flying %= _WINDOW
        held = piece
    if held:
        yield held, True
