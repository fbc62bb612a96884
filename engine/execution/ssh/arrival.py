"""What an attempt wrote on another machine, brought into the job's directory here."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import Any

from engine.execution.files import close_all, open_log, replace, write_all
from engine.execution.host import GivenSecrets
from engine.execution.ssh.files import Files
from engine.secrets.finding import SecretFinder
from engine.secrets.mask_stream import Stream
from engine.secrets.spellings import spellings

_LOGS = {"o": "job.log", "e": "job-error.log"}
_PROGRESS = ".skerry/progress"
_SMALL = 64 * 1024


@dataclass
class Mirror:
    """How much of each growing file of one attempt is here already; whoever uses it holds its lock.

    Without the ``secrets`` (None) what it prints stays where it is: nothing could be masked in it.
    """

    directory: str
    remote: str
    secrets: GivenSecrets
    lock: AbstractContextManager[Any]
    offsets: dict[str, int] = field(default_factory=dict)
    streams: dict[str, Stream] = field(default_factory=dict)
    finder: SecretFinder | None = None

    def is_given(self, secrets: GivenSecrets) -> None:
        """A later stage may have more of them; between two stages no stream is open."""
        if self.secrets is not None and secrets and secrets != self.secrets:
            self.secrets, self.finder = secrets, None

    def offset(self, name: str) -> int:
        """In the file there. What was masked on its way has another length here: it is brought again."""
        if name not in self.offsets:
            path = f"{self.directory}/{name}"
            if self.secrets:
                with suppress(FileNotFoundError):
                    os.truncate(path, 0)
            self.offsets[name] = _size(path)
        return self.offsets[name]


def make_logs(directory: str) -> None:
    """Both logs, as a program finds them here. OSError."""
    close_all([open_log(f"{directory}/{log}") for log in _LOGS.values()])


def grow(files: Files, mirror: Mirror, sizes: tuple[int, ...]) -> None:
    """Bring what was added to the logs and the progress. Raises SkerryError."""
    with mirror.lock:
        for name, size in zip((*_LOGS.values(), _PROGRESS), sizes, strict=True):
            if size > mirror.offset(name):
                _append(files, mirror, name)


def bring(files: Files, mirror: Mirror, flags: str) -> None:
    """Bring all that is there; ``flags`` says which files have something in them. SkerryError, OSError."""
    with mirror.lock:
        _bring(files, mirror, flags)


def _bring(files: Files, mirror: Mirror, flags: str) -> None:
    for flag, log in _LOGS.items():
        if flag in flags:
            _append(files, mirror, log)
    if "p" in flags:
        _append(files, mirror, _PROGRESS)
    if mirror.secrets:
        for name in list(mirror.streams):
            _rest(mirror, name)
    if "s" in flags:
        _whole(files, mirror, "status")
    if "r" in flags:
        for name, _ in files.names(f"{mirror.remote}/outputs"):
            files.fetch(f"{mirror.remote}/outputs/{name}", f"{mirror.directory}/outputs/{name}")


def _append(files: Files, mirror: Mirror, name: str) -> None:
    if mirror.secrets is None:
        return
    offset = mirror.offset(name)
    fd = open_log(f"{mirror.directory}/{name}")
    try:
        mirror.offsets[name] = files.append(f"{mirror.remote}/{name}", offset, _taking(mirror, name, fd))
    finally:
        os.close(fd)


def _taking(mirror: Mirror, name: str, fd: int) -> Callable[[bytes], None]:
    """What becomes of bytes that arrive; the offset follows, so that a cut link loses and repeats none."""
    stream = _stream(mirror, name)

    def take(data: bytes) -> None:
        write_all(fd, data if stream is None else stream.feed(data))
        mirror.offsets[name] += len(data)

    return take


def _stream(mirror: Mirror, name: str) -> Stream | None:
    if not mirror.secrets:
        return None
    if mirror.finder is None:
        mirror.finder = SecretFinder(spellings(mirror.secrets))
    return mirror.streams.setdefault(name, Stream(mirror.finder))


def _rest(mirror: Mirror, name: str) -> None:
    fd = open_log(f"{mirror.directory}/{name}")
    try:
        write_all(fd, mirror.streams.pop(name).close())
    finally:
        os.close(fd)


def _whole(files: Files, mirror: Mirror, name: str) -> None:
    pieces: list[bytes] = []
    files.append(f"{mirror.remote}/{name}", 0, pieces.append)
    if data := b"".join(pieces):  # else it is empty, or no plain file
        replace(f"{mirror.directory}/{name}", data[:_SMALL])


def _size(path: str) -> int:
    with suppress(OSError):
        return os.stat(path, follow_symlinks=False).st_size
    return 0
