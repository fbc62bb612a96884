"""The last lines that a job wrote: what it complained about, else what it said; no Qt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.api.service import Service


_BYTES = 4096
_LINES = 12


def log_end(service: Service, instance: int, node: str) -> str:
    """At most a dozen lines of the latest attempt; empty when it wrote nothing. On a worker thread."""
    from export_import.packed_logs import tail  # not before a window shows a log

    files = [Path(each["path"]) for each in service.logs(instance, node)]
    for file in [file.with_name("job-error.log") for file in files[-1:]] + files[-1:]:
        if lines := tail(file, _BYTES).rstrip().splitlines():
            return "\n".join(lines[-_LINES:])
    return ""
