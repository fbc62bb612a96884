"""A log that a case holds packed, as text: parts of it are unpacked as they are read."""

from __future__ import annotations

from pathlib import Path

from app.desktop.kernel.language import tr
from app.desktop.log.lines import LogBytes, LogText
from engine.model.errors import SkerryError
from export_import.packed_logs import PackedLog, packed_log


def log_text(path: Path, source: int = 0) -> LogBytes:
    """The log at a path, packed or not; without either it is empty."""
    try:
        log = packed_log(path, _in_its_place)
    except SkerryError as error:
        return _ErrorText(error)
    return LogText(path, source) if log is None else PackedText(log, source)


def _in_its_place(error: SkerryError, size: int) -> bytes:
    """A part that cannot be read says so in as many bytes: all others stay in place."""
    message = "\n" + tr("[{n} bytes are not what was imported: {error}]", n=size, error=error)
    whole = message.encode()[: size - 1].decode("utf-8", "ignore")  # no half of a letter
    return whole.encode().ljust(size - 1) + b"\n"


class PackedText(LogBytes):
    """It never grows."""

    def __init__(self, log: PackedLog, source: int = 0) -> None:
        self._log = log
        self._source = source
        self.size = log.size

    def close(self) -> None:
        self._log.close()

    def read(self, offset: int, length: int) -> bytes:
        return self._log.read(offset, length)


class _ErrorText(LogBytes):
    """Why there is no text."""

    def __init__(self, error: SkerryError) -> None:
        self._line = f"[{error}]\n".encode()
        self.size = len(self._line)

    def read(self, offset: int, length: int) -> bytes:
        return self._line[offset : offset + length]
