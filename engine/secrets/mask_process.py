"""Copies a job's two output pipes into its log files with every known secret masked; a process of its own.

``python -I -S mask_process.py <secrets_fd> <out_in> <out_file> <err_in> <err_file>``: five inherited
descriptors. The first gives a JSON list of texts up to its end, so no secret is in a command line,
an environment or a file. The process ends when both pipes have ended, whoever still lives then.

It runs with the standard library and the few modules beside it that know how secrets are written.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from collections.abc import Iterable

if __name__ == "__main__":
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from engine.secrets.finding import SecretFinder
from engine.secrets.mask_stream import Stream
from engine.secrets.spellings import spellings

_BLOCK = 1 << 18


class Copier:
    """One pipe on its way into one file."""

    def __init__(self, source: int, target: int, stream: Stream) -> None:
        self.source = source
        self._target = target
        self._stream = stream
        self.complete = True

    def step(self) -> bool:
        """Copy what has arrived; False at the end of the pipe."""
        data = _read(self.source)
        self._write(self._stream.feed(data) if data else self._stream.close())
        return bool(data)

    def _write(self, data: bytes) -> None:
        """A full disk must not stop the job: what does not fit is lost, what follows is tried again."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._target, rest) :]
        except OSError:
            self.complete = False


def copy(copiers: Iterable[Copier]) -> bool:
    """Copy until every pipe has ended; whether every byte found its place."""
    all_of_them = list(copiers)
    poll, waiting = select.poll(), {each.source: each for each in all_of_them}
    for source in waiting:
        poll.register(source, select.POLLIN)
    while waiting:
        for source, _ in poll.poll():
            if not waiting[source].step():
                poll.unregister(source)
                del waiting[source]
    return all(each.complete for each in all_of_them)


def main(secrets: int, out_in: int, out_file: int, err_in: int, err_file: int) -> int:
    """Exit status 0: all was written; 3: the disk did not take all; 2: no secrets could be read."""
    try:
        with os.fdopen(secrets, "rb") as stream:
            finder = SecretFinder(spellings(json.loads(stream.read())))
    except (OSError, ValueError, TypeError, AttributeError):
        _drain(out_in, err_in)  # better no output than one with secrets; and no SIGPIPE for the job
        return 2
    return (
        0 if copy((Copier(out_in, out_file, Stream(finder)), Copier(err_in, err_file, Stream(finder)))) else 3
    )


def _read(source: int) -> bytes:
    try:
        return os.read(source, _BLOCK)
    except OSError:
        return b""


def _drain(*sources: int) -> None:
    for source in sources:
        while _read(source):
            pass


def _outlive() -> None:
    """What ends a session or a job must not cut its output: this process ends when the writers have."""
    for each in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT):
        signal.signal(each, signal.SIG_IGN)


if __name__ == "__main__":
    _outlive()
    sys.exit(main(*map(int, sys.argv[1:])))
