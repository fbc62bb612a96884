"""Imports bundles and looks at the cases, each step in a process of its own that the kernel limits.

``python -m tests.soak.within_limits`` has everything loaded and nothing done. For each line of JSON ``[step, path, workspace,
bytes of data, seconds of CPU]`` it makes a copy of itself that gets so much from then on, and answers with a line of JSON
``[outcome, seconds of CPU, megabytes]``. So a bundle is measured from the same beginning, whatever making it has cost.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

from engine.api.read_only import ReadOnlyService
from engine.model.codes.runtime import INTERNAL
from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock
from export_import.case import Case
from export_import.desk.evidence import Evidence
from export_import.desk.findings import Study, findings
from export_import.desk.reevaluation import reevaluate
from export_import.desk.searching import search
from export_import.importing import import_bundle
from tests.bundles.case_service import service_of

CLOCK = SystemClock()
DATA = 256 << 20  # bytes
SECONDS = 5  # of CPU
_SEARCHED = 1 << 30  # bytes of a case
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
        """Import and look: "imported", "refused CODE", or what went wrong; the most CPU seconds and MB of a step."""
        used = [self._step("import", bundle, desk, data, cpu)]
        if used[0][0] == "imported" and look:
            (case,) = (desk / "cases").iterdir()
            used += [self._step(name, case, desk, data, cpu) for name in LOOKS]
        outcome = next((each[0] for each in used if each[0] != "imported"), "imported")
        return outcome, max(each[1] for each in used), max(each[2] for each in used)

    def _step(self, name: str, path: Path, desk: Path, data: int, cpu: int) -> tuple[str, float, int]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([name, str(path), str(desk), data, cpu]), file=self._process.stdin, flush=True)
        outcome, seconds, megabytes = json.loads(self._process.stdout.readline())
        return (
            outcome if name == "import" or outcome == "imported" else f"{name}: {outcome}",
            seconds,
            megabytes,
        )

    def __enter__(self) -> Nursery:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()


def _serve() -> None:
    for line in sys.stdin:
        name, path, desk, data, cpu = json.loads(line)
        print(json.dumps(_in_a_copy(name, Path(path), Path(desk), data, cpu)), flush=True)


def _in_a_copy(name: str, path: Path, desk: Path, data: int, cpu: int) -> tuple[str, float, int]:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        try:
            signal.alarm(_HANGS)
            _limit(data, cpu)
            os.write(writing, _outcome(name, path, desk).encode()[:60_000])
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as output:
        outcome = output.read().decode()
    _, status, used = os.wait4(pid, 0)
    if os.WIFSIGNALED(status):
        outcome = f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return outcome, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def _limit(data: int, cpu: int) -> None:
    """A copy has used no CPU yet; what was loaded counts as data."""
    resource.setrlimit(resource.RLIMIT_DATA, (data, data))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _outcome(name: str, path: Path, desk: Path) -> str:
    try:
        if name == "import":
            import_bundle(desk, [path], clock=CLOCK)
        else:
            _look(LOOKS[name], path)
    except SkerryError as error:
        return f"TRACEBACK {error}" if error.entry is INTERNAL else f"refused {error.code}"
    except BaseException:
        return f"TRACEBACK {traceback.format_exc(limit=-6)}"
    return "imported"


def _look(part: Callable[[ReadOnlyService, Evidence], object], folder: Path) -> None:
    """It may refuse with a code."""
    with service_of(Case(folder)) as service, Evidence.open(folder) as evidence:
        try:
            part(service, evidence)
        except SkerryError as error:
            if error.entry is INTERNAL:
                raise


def _search(evidence: Evidence) -> None:
    """It takes some seconds for each GiB of logs, and can be stopped."""
    if sum(each["size"] for each in Case(evidence.root).files.values()) <= _SEARCHED:
        list(search(evidence, "rows", limit=50))


# What a supporter looks at first.
LOOKS: Mapping[str, Callable[[ReadOnlyService, Evidence], object]] = {
    "instance": lambda service, evidence: service.instance(1),
    "context": lambda service, evidence: service.context(1),
    "list": lambda service, evidence: list(evidence.instances()),
    "findings": lambda service, evidence: findings(Study(evidence, 1, ())),
    "expressions": lambda service, evidence: reevaluate(evidence, 1),
    "search": lambda service, evidence: _search(evidence),
}


if __name__ == "__main__":
    _serve()
