"""A database file that takes the place of another: whenever it is killed, one of them is there, whole."""

from __future__ import annotations

import os
import shutil
from datetime import datetime
from pathlib import Path

from engine.store.sqlite import sync, sync_entry

_BESIDE = ("-journal", "-wal", "-shm")


def fresh_beside(path: Path, suffix: str = ".new") -> Path:
    """A name for the new file, with nothing there from an earlier trial."""
    new = Path(f"{path}{suffix}")
    for each in ("", *_BESIDE):
        Path(f"{new}{each}").unlink(missing_ok=True)
    return new


def keep_as(path: Path, kept: Path) -> None:
    """The file under a second name: it is never away from the first."""
    try:
        os.link(path, kept)
        sync_entry(kept)  # a damaged file may not even be readable
    except OSError:  # a file system without links
        shutil.copy2(path, kept)
        sync(kept)


def take_place(new: Path, path: Path, now: datetime) -> Path | None:
    """Put a closed ``new`` at ``path``; gives where the old file (with its WAL) went, None if none was."""
    sync(new)
    aside = None
    if path.exists():
        aside = Path(f"{path}.damaged-{now:%Y%m%dT%H%M%S%f}")
        (keep_as if path.is_file() else Path.rename)(path, aside)
    for each in _BESIDE:  # a WAL left behind would be played into the new file
        left = Path(f"{path}{each}")
        if left.is_dir() or (aside and left.exists() and each != "-shm"):  # SQLite makes that one again
            left.replace(f"{aside or path}{each}{'' if aside else '.damaged'}")
        left.unlink(missing_ok=True)
    new.replace(path)
    sync(path)
    return aside
