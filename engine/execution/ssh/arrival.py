"""What an attempt wrote on another machine, brought into the job's directory here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from engine.execution.files import close_all, open_log, replace, write_all
from engine.execution.host import GivenSecrets
from engine.execution.ssh.files import Files, GrowingFile, WantedFile
from engine.secrets.finding import SecretFinder
from engine.secrets.mask_stream import Stream
from engine.secrets.spellings import spellings

_LOGS = {"o": "job.log", "e": "job-error.log"}
_GROWING = {**_LOGS, "p": ".skerry/progress"}  # by the letters of shell.sh, in the order of its sizes
_STATUS = "status"
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
        longer = [
            name for name, size in zip(_GROWING.values(), sizes, strict=True) if size > mirror.offset(name)
        ]
        with _tails(mirror, longer) as tails:
            files.read(tails)


def bring(files: Files, mirror: Mirror, flags: str) -> None:
    """Bring all that is there; ``flags`` says which files have something in them. SkerryError, OSError."""
    with mirror.lock:
        _bring(files, mirror, flags)


def _bring(files: Files, mirror: Mirror, flags: str) -> None:
    status: list[bytes] = []
    remote, outputs = mirror.remote, f"{mirror.remote}/outputs" if "r" in flags else None
    with _tails(mirror, [name for flag, name in _GROWING.items() if flag in flags]) as tails:
        if "s" in flags:
            tails.append(GrowingFile(f"{remote}/{_STATUS}", 0, status.append))
        results = files.read(tails, outputs)
    if mirror.secrets:
        for name in list(mirror.streams):
            _rest(mirror, name)
    if data := b"".join(status):  # else it is empty, or no plain file
        replace(f"{mirror.directory}/{_STATUS}", data[:_SMALL])
    local = f"{mirror.directory}/outputs"
    files.fetch_all([WantedFile(f"{outputs}/{name}", f"{local}/{name}", size) for name, size in results])


@contextmanager
def _tails(mirror: Mirror, names: Sequence[str]) -> Iterator[list[GrowingFile]]:
    """What those files have that is not here yet, with whoever writes it down here."""
    with ExitStack() as stack:
        tails = []
        for name in names if mirror.secrets is not None else ():
            offset = mirror.offset(name)
            fd = open_log(f"{mirror.directory}/{name}")
            stack.callback(os.close, fd)
            tails.append(GrowingFile(f"{mirror.remote}/{name}", offset, _taking(mirror, name, fd)))
        yield tails


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


def _size(path: str) -> int:
    with suppress(OSError):
        return os.stat(path, follow_symlinks=False).st_size
    return 0
