"""The execution log: one line per event in the workspace's ``logs/execution.log``."""

from __future__ import annotations

import logging
import os
import stat
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from engine.execution.files import open_log
from engine.model.clock import Clock
from engine.runtime.journal import set_aside

_BYTES, _KEPT = 16 * 1024 * 1024, 4  # of one file, and how many earlier ones


class _Private(RotatingFileHandler):
    """Files that only their user can read, whatever the umask."""

    def _open(self) -> TextIOWrapper:
        if os.path.lexists(self.baseFilename) and not stat.S_ISREG(os.lstat(self.baseFilename).st_mode):
            set_aside(self.baseFilename)  # a pipe would be waited for
        return open(open_log(self.baseFilename), "a", encoding="utf-8")


class ExecutionLog:
    """Written by the engine's thread; a disk that is full costs lines, never a run."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._clock = clock
        self._handler = _Private(
            folder / "execution.log", maxBytes=_BYTES, backupCount=_KEPT, encoding="utf-8", delay=True
        )
        self._handler.handleError = lambda record: None  # type: ignore[method-assign]

    def say(self, text: str, level: int = logging.INFO, error: BaseException | None = None) -> None:
        """One line; control characters are made visible, an unexpected error brings its traceback."""
        shown = "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)
        line = f"{self._clock.now().isoformat(timespec='microseconds')} {logging.getLevelName(level)} {shown}"
        info = (type(error), error, error.__traceback__) if error is not None else None
        self._handler.emit(logging.LogRecord("skerry", level, "", 0, line, None, info))

    def close(self) -> None:
        """Let go of the file."""
        with suppress(OSError):  # what is still buffered has no room on a full disk
            self._handler.close()
