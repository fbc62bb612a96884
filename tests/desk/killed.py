"""A process that applies or takes back a fix and kills itself at a given step: ``python -m tests.desk.killed``.

A step is a call of a function that writes: the transaction, the files, and what leads to them.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

from app import wiring
from engine.api.local import LocalService
from engine.runtime.clock import SystemClock
from export_import.fix.applying import apply
from export_import.fix.checking import open_fix
from export_import.keys import Keys

_WRITING = (
    "engine/runtime/amending.py",
    "engine/runtime/journal.py",
    "engine/store/writer.py",
    "engine/store/revisions.py",
    "engine/store/sqlite.py",
    "engine/execution/files.py",
)


class Steps:
    """Counts calls in those files, in every thread; dies at the one that is asked for."""

    def __init__(self, last: int) -> None:
        self.count = 0
        self._last = last

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event in ("call", "return") and frame.f_code.co_filename.endswith(_WRITING):
            self.count += 1
            if self.count == self._last:
                os.kill(os.getpid(), signal.SIGKILL)


def main(root: Path, fix: Path, what: str, last: int) -> None:
    """Do it; the number of steps goes to standard output."""
    clock = SystemClock()
    steps = Steps(last)
    threading.setprofile(steps)
    with wiring.open_engine(root, resume=False) as engine:
        service, keys = LocalService(engine, "operator"), Keys(root, clock)
        opened = open_fix([fix], keys, clock)
        steps.count = 0
        sys.setprofile(steps)
        if what == "apply":
            apply(opened, service, engine.store, keys, clock, rerun=False)
        else:
            service.take_back(opened.fix.id, "no")
        sys.setprofile(None)
        sys.stdout.write(f"{steps.count}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
