"""The socket in the workspace: open to its owner only, at a path of any length."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LONGEST = 107  # bytes of a path in sockaddr_un, without the closing zero (unix(7))
_BACKLOG = 64


def listen(path: Path) -> socket.socket:
    """A listening socket at ``path``, mode 0600, in place of one left behind there.

    Only the owner of the workspace's lock may call this: what stands there is taken for dead.
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
    except OSError:
        bound.close()
        raise
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
    """Take the socket away; anything else that stands there stays."""
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
