"""The socket in the workspace: open to its owner only, at a path of any length; who is at its other end."""

from __future__ import annotations

import errno
import os
import pwd
import socket
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from engine.model.codes.commands import WORKSPACE_UNUSABLE
from engine.model.errors import Refused

_LONGEST = 107  # bytes of a path in sockaddr_un, without the closing zero (unix(7))
_BACKLOG = 64


class Peer(NamedTuple):
    """The process at the other end of a connection, as it was when it connected or began to listen."""

    pid: int
    uid: int
    gid: int


def peer_of(connection: socket.socket) -> Peer:
    """What the kernel says of it (SO_PEERCRED, unix(7)): nobody can pretend to be another."""
    return Peer(*struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)))


def account(uid: int) -> str:
    """The name of a user; the number of one without a name."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def listen(path: Path) -> socket.socket:
    """A listening socket at ``path``, mode 0600, in place of one left behind; Refused if a file is there.

    Only the owner of the workspace's lock may call this: what is there is taken for dead.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # Linux gives the new file the mode of the socket: it is never open to others, not for a moment.
    os.fchmod(bound.fileno(), 0o600)
    try:
        remove(path)
        with _reachable(path) as address:
            bound.bind(address)
        bound.listen(_BACKLOG)
    except OSError as problem:
        bound.close()
        if problem.errno != errno.EADDRINUSE:
            raise
        message = "{path}: it is in the way, and is no socket"
        raise Refused(WORKSPACE_UNUSABLE, message, path=path) from problem
    return bound


def connect(path: Path, timeout: float | None = None) -> socket.socket:
    """A connection to the engine behind ``path``; OSError when nobody listens. ``timeout`` in seconds."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(timeout)
    try:
        with _reachable(path) as address:
            connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


def remove(path: Path) -> None:
    """Take the socket away; anything else there stays."""
    with suppress(FileNotFoundError):
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            os.unlink(path)


@contextmanager
def _reachable(path: Path) -> Iterator[str]:
    """An address of at most 107 bytes for ``path``: a long one goes through its opened folder."""
    if len(os.fsencode(path)) <= _LONGEST:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
