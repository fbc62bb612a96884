"""Imports bundles and looks at the cases, each in a process of its own that the kernel limits.

``python -m tests.soak.within_limits`` has everything loaded and nothing done: for each line of JSON
``[bundle, workspace, bytes of data, seconds of CPU, whether to look]`` it makes a copy of itself, and answers with a line of JSON ``[outcome, seconds of
CPU, megabytes]``. So a bundle is measured from the same beginning, whatever making it has cost.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from engine.model.codes.runtime import INTERNAL
from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock
from export_import.case import Case
from export_import.desk.evidence import Evidence
from export_import.desk.findings import Study, findings
from export_import.desk.reevaluation import reevaluate
from export_import.desk.searching import search
from export_import.importing import import_bundle

CLOCK = SystemClock()
DATA = 256 << 20  # bytes
SECONDS = 5  # of CPU
_HANGS = 300  # seconds after which nothing will come any more


class Nursery:
    """The process that is copied for each bundle."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def attempt(
        self, bundle: Path, desk: Path, data: int = DATA, cpu: int = SECONDS, look: bool = True
    ) -> tuple[str, float, int]:
        """Import and look: "imported", "refused CODE", or what went wrong; seconds of CPU and MB it took."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([str(bundle), str(desk), data, cpu, look]), file=self._process.stdin, flush=True)
        outcome, seconds, megabytes = json.loads(self._process.stdout.readline())
        return outcome, seconds, megabytes

    def __enter__(self) -> Nursery:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()


def _serve() -> None:
    for line in sys.stdin:
        bundle, desk, data, cpu, look = json.loads(line)
        print(json.dumps(_in_a_copy(Path(bundle), Path(desk), data, cpu, look)), flush=True)


def _in_a_copy(bundle: Path, desk: Path, data: int, cpu: int, look: bool) -> tuple[str, float, int]:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        try:
            signal.alarm(_HANGS)
            os.write(writing, _outcome(bundle, desk, data, cpu, look).encode()[:60_000])
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        outcome = told.read().decode()
    _, status, used = os.wait4(pid, 0)
    if os.WIFSIGNALED(status):
        outcome = f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return outcome, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def _outcome(bundle: Path, desk: Path, data: int, cpu: int, look: bool) -> str:
    resource.setrlimit(resource.RLIMIT_DATA, (data, data))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        case = import_bundle(desk, [bundle], clock=CLOCK)
        if look:
            _look(case.folder)
    except SkerryError as error:
        return f"TRACEBACK {error}" if error.entry is INTERNAL else f"refused {error.code}"
    except BaseException:
        return f"TRACEBACK {traceback.format_exc(limit=-6)}"
    return "imported"


def _look(folder: Path) -> None:
    """What a supporter looks at first; each part may refuse with a code."""
    with Case(folder).service(CLOCK) as service, Evidence.open(folder) as evidence:
        parts: tuple[Callable[[], object], ...] = (
            lambda: service.instance(1),
            lambda: service.context(1),
            lambda: list(evidence.instances()),
            lambda: findings(Study(evidence, 1, ())),
            lambda: reevaluate(evidence, 1),
            lambda: list(search(evidence, "rows", limit=50)),
        )
        for part in parts:
            try:
                part()
            except SkerryError as error:
                if error.entry is INTERNAL:
                    raise


if __name__ == "__main__":
    _serve()
