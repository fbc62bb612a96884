"""Waiting for an engine to say something, and knowing when it cannot: a stopped process answers nobody."""

from __future__ import annotations

import select
import socket
import time
from pathlib import Path

from engine.api.sockets import peer_of
from engine.model.codes.commands import NO_ANSWER
from engine.model.errors import SkerryError
from engine.model.message import Message

_LOOK = 1.5  # seconds; an engine that is stopped at two looks in succession is not waited for


def await_word(connection: socket.socket, patience: float | None) -> None:
    """Until something can be read. TimeoutError after ``patience`` seconds; NO_ANSWER when it is stopped."""
    until = None if patience is None else time.monotonic() + patience
    stopped = ""
    while not readable(connection, _LOOK if until is None else min(_LOOK, until - time.monotonic())):
        if until is not None and time.monotonic() >= until:
            raise TimeoutError("timed out")
        before, stopped = stopped, told_if_stopped(connection)
        if stopped and before:
            raise SkerryError(NO_ANSWER, stopped, details={"unheard": False, "stopped": True})


def told_if_stopped(connection: socket.socket) -> str:
    """That the engine at the other end is stopped, and what helps; empty when it is not."""
    pid = peer_of(connection).pid
    if not _is_stopped(pid):
        return ""
    return Message.of(
        "the engine (pid {pid}) does not answer: it is stopped (SIGSTOP); kill -CONT {pid}", pid=pid
    )


def wants_body(connection: socket.socket) -> bool:
    """Whether its first words are that it takes what follows ("100 Continue")."""
    return connection.recv(12, socket.MSG_PEEK).endswith(b" 100")


def readable(connection: socket.socket, seconds: float) -> bool:
    """Whether something comes, or the other end hangs up, within that time."""
    looks = select.poll()
    looks.register(connection, select.POLLIN)
    return bool(looks.poll(max(seconds, 0.0) * 1000))


def _is_stopped(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0] in "Tt"
    except (OSError, IndexError):
        return False
