"""The masking process of a job that was given secrets: its output goes through two pipes into the logs."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import NamedTuple

from engine.execution.child import Masker
from engine.execution.files import close_all, write_all
from engine.execution.proc import start_ticks
from engine.execution.stage_file import note_masker


class Masked(NamedTuple):
    """The descriptors that the job gets instead of its logs, and who reads them."""

    out: int
    err: int
    masker: Masker


def command() -> tuple[str, ...]:
    """The program that reads five descriptors: secrets, output, its file, error output, its file."""
    script = Path(__file__).parents[1] / "secrets" / "mask_process.py"
    return (sys.executable, "-I", "-S", str(script))


def start(secrets: tuple[str, ...], out: int, err: int, lock: int) -> Masked:
    """Start it between a job and its logs ``out`` and ``err``; it shares the stage file's lock.

    It has a session and an empty environment of its own: it lives until the last writer is gone.
    OSError when it cannot be started.
    """
    out_in, out_pipe = os.pipe()
    err_in, err_pipe = os.pipe()
    secrets_fd = os.memfd_create("secrets", os.MFD_CLOEXEC)
    try:
        write_all(secrets_fd, json.dumps(secrets).encode())
        os.lseek(secrets_fd, 0, os.SEEK_SET)
        pid = _spawn(lock, (secrets_fd, out_in, out, err_in, err))
    except OSError:
        close_all([out_pipe, err_pipe])
        raise
    finally:
        close_all([out_in, err_in, secrets_fd])
    note_masker(lock, pid, start_ticks(pid) or 0)
    return Masked(out_pipe, err_pipe, Masker(pid, os.pidfd_open(pid), own=True))


def _spawn(lock: int, handed: tuple[int, ...]) -> int:
    argv = [*command(), *map(str, handed)]
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    same = [(os.POSIX_SPAWN_DUP2, fd, fd) for fd in handed]  # onto itself: it is inherited
    places = [(os.POSIX_SPAWN_DUP2, lock, 0), (os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
    try:
        return os.posix_spawn(argv[0], argv, {}, file_actions=same + places, setsid=True)
    finally:
        os.close(null)
