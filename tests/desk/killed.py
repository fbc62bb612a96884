"""A process that applies or takes back a fix or a delivery and kills itself at a given step.

A step is a call of a function that writes: the transaction, the files, and what leads to them.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from app import wiring
from engine.api.local import LocalService
from engine.runtime.clock import SystemClock
from export_import.delivery.decisions import Decisions
from export_import.delivery.importing import arrival, bring_in, known_here, open_delivery
from export_import.fix.applying import apply
from export_import.fix.checking import open_fix
from export_import.keys import Keys

if TYPE_CHECKING:
    from engine.runtime.engine import Engine

_WRITING = (
    "engine/runtime/interventions/amending.py",
    "engine/runtime/journal.py",
    "engine/store/writer.py",
    "engine/store/revisions.py",
    "engine/store/sqlite.py",
    "engine/store/audit.py",
    "engine/execution/files.py",
    "export_import/delivery/importing.py",
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


def main(root: Path, bundle: Path, what: str, last: int) -> None:
    """``apply`` or ``undo`` a fix, ``deliver`` or ``withdraw`` a delivery; tells the number of steps."""
    steps = Steps(last)
    threading.setprofile(steps)
    with wiring.open_engine(root, resume=False) as engine:
        work = _work(engine, root, bundle, what)
        steps.count = 0
        sys.setprofile(steps)
        work()
        sys.setprofile(None)
        sys.stdout.write(f"{steps.count}\n")


def _work(engine: Engine, root: Path, bundle: Path, what: str) -> Callable[[], object]:
    clock = SystemClock()
    service, keys = LocalService(engine, "operator"), Keys(root, clock)
    if what in ("apply", "undo"):
        fix = open_fix([bundle], keys, clock)
        if what == "apply":
            return lambda: apply(fix, service, engine.store, keys, clock, rerun=False)
        return lambda: service.take_back(fix.fix.id, "no")
    found = arrival(
        open_delivery([bundle], keys, clock), engine.store, now=clock.now(), paths=[bundle],
        known=known_here(engine.vault, engine.store), key=None,
    )  # fmt: skip
    if what == "deliver":
        return lambda: bring_in(found, service, root, Decisions())
    return lambda: service.take_back(found.delivery.id, "no")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
