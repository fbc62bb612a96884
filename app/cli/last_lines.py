"""The last line that each job of an instance wrote, for who watches it."""

from __future__ import annotations

import time
from pathlib import Path

from app.cli.terminal_text import visible
from engine.api.service import Service

_LOOK = 1.0  # seconds between two looks at the logs
_END = 4096  # bytes of a log in which its last line is sought


class LastLines:
    """The last line that each job wrote, looked up at most once a second."""

    def __init__(self, service: Service, instance: int) -> None:
        self._service, self._instance = service, instance
        self._found: dict[int, str] = {}
        self._next = 0.0

    def of(self, job: int) -> str:
        """Of a JobInstance; empty where it wrote nothing."""
        return self._found.get(job, "")

    def look(self) -> None:
        """Read them again when it is time; called by who follows, on its own thread."""
        if (now := time.monotonic()) >= self._next:
            self._next = now + _LOOK
            files = self._service.logs(self._instance)
            self._found = {file["instance"]: _last_line(Path(file["path"])) for file in files}


def _last_line(path: Path) -> str:
    """The last line that is not blank; empty without one, or without a file."""
    try:
        with path.open("rb") as file:
            file.seek(max(path.stat().st_size - _END, 0))
            lines = file.read(_END).decode("utf-8", "replace").split("\n")
    except OSError:
        return ""
    return next((visible(line.strip()) for line in reversed(lines) if line.strip()), "")
