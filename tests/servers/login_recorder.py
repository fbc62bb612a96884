"""A server of SSH that lets nobody in and keeps what it was asked."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import paramiko

from engine.execution.ssh.settings import HostKey
from tests.servers.private import folder
from tests.servers.ssh_workers import make_key


class _Recording(paramiko.ServerInterface):
    """Lets nobody in, and keeps what it was asked."""

    def __init__(self, seen: list[str]) -> None:
        self._seen = seen

    def get_allowed_auths(self, username: str) -> str:
        self._seen.append(f"user {username}")
        return "password,publickey"

    def check_auth_none(self, username: str) -> int:
        self._seen.append(f"none {username}")
        return paramiko.AUTH_FAILED

    def check_auth_password(self, username: str, password: str) -> int:
        self._seen.append(f"password {password}")
        return paramiko.AUTH_FAILED

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        self._seen.append(f"key {key.get_base64()}")
        return paramiko.AUTH_FAILED


@contextmanager
def recorder() -> Iterator[tuple[int, HostKey, list[str]]]:
    """The port of a server, its key, and what it is asked."""
    seen: list[str] = []
    with folder() as place, socket.create_server(("127.0.0.1", 0)) as listener:
        pinned = make_key(place / "key")
        key = paramiko.Ed25519Key.from_private_key_file(str(place / "key"))

        def serve() -> None:
            with suppress(OSError):
                while True:
                    _ask(listener.accept()[0], key, seen)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield int(listener.getsockname()[1]), pinned, seen
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(20)


def _ask(client: socket.socket, key: paramiko.PKey, seen: list[str]) -> None:
    with suppress(OSError, EOFError, paramiko.SSHException):
        transport = paramiko.Transport(client)
        transport.add_server_key(key)
        transport.start_server(server=_Recording(seen))
        transport.join(20)
