"""The last lines that a job wrote: what it complained about, else what it said; no Qt."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.api.service import Service


_BYTES = 4096
_LINES = 12


def log_end(service: Service, instance: int, node: str) -> str:
    """At most a dozen lines of the latest attempt; empty when it wrote nothing. On a worker thread."""
    files = [Path(each["path"]) for each in service.logs(instance, node)]
    for file in [file.with_name("job-error.log") for file in files[-1:]] + files[-1:]:
        if text := tail(file):
            return text
    return ""


def tail(file: Path) -> str:
    """Its last lines, however big it is."""
    with suppress(OSError), file.open("rb") as log:
        size = os.fstat(log.fileno()).st_size
        log.seek(max(0, size - _BYTES))
        lines = log.read(_BYTES).decode("utf-8", "replace").rstrip().splitlines()
        return "\n".join(lines[-_LINES:])
    return ""
