"""Keeps the passphrase, and what a process knows, from other processes of the same user."""

from __future__ import annotations

import ctypes
import os

from engine.secrets.credentials import PASSPHRASE

_PR_SET_DUMPABLE = 4


def hide() -> None:
    """Overwrite the passphrase where /proc shows it; no core files, no memory for others (PR_SET_DUMPABLE).

    To be called when the process starts. ``os.environ`` keeps it, for an engine that this process
    starts; jobs never get it, and have their own limits of core files.
    """
    library = ctypes.CDLL(None)
    library.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    if value := os.environ.get(PASSPHRASE):
        library.getenv.restype = ctypes.c_void_p
        ctypes.memset(library.getenv(PASSPHRASE.encode()), ord("x"), len(os.fsencode(value)))
        os.environ[PASSPHRASE] = value  # a copy of its own, elsewhere in memory
