"""What an exclusive job promises, by what really runs on its worker: not by what an engine believes of that."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.model.names import RECORD
from engine.planning.uses import definition_of

if TYPE_CHECKING:
    from engine.runtime.engine import Engine
    from tests.simulation.machine.processes import Machine, Process

Tables = Mapping[str, Mapping[Any, Mapping[str, Any]]]  # rows by their keys
_UNDER_WAY = frozenset({"starting", "running"})


class _Running(NamedTuple):
    """A program with the job and the attempt that it is of."""

    process: Process
    job: int
    attempt: int


def nothing_runs_beside_an_exclusive_job(machine: Machine, tables: Tables, engine: Engine) -> Iterator[str]:
    """Of what anybody waits for; what was vouched for, or cannot be killed, is another matter."""
    running = [_running(each) for each in machine.started if each.program_lives and not each.vouched]
    for alone in (each for each in running if each.process.alone):
        there = [each for each in running if each.process.worker == alone.process.worker]
        others = {each.job for each in there if each.job != alone.job and _counts(each, tables, engine)}
        if others and _counts(alone, tables, engine):
            yield f"{alone.job} is exclusive, and {sorted(others)} run beside it on {alone.process.worker}"


def _running(process: Process) -> _Running:
    job, attempt = process.mark.split(".")[:2]
    return _Running(process, int(job), int(attempt))


def _counts(running: _Running, tables: Tables, engine: Engine) -> bool:
    """Its attempt is under way; what an asynchronous job started counts while that is checked, or cleans up itself."""
    row, process = tables["job_run"][running.job, running.attempt], running.process
    if row["status"] not in _UNDER_WAY or process.behaviour.stuck:
        return False
    job = tables["job_instance"][running.job]
    run = engine.services.runs.get(job["instance"])
    definition = definition_of(run.facts.plan, as_planned(job["node"])) if run is not None else None  # type: ignore[attr-defined]
    if definition is None or definition.mode != "async" or process.stage != "process":
        return True
    cleans_up = definition.end is not None and definition.end.kind not in ("group", "task")
    return cleans_up or job["status"] == "checking"


def as_planned(node: str) -> str:
    """A node as its plan calls it, whichever worker a record of it is of."""
    return re.sub(f"{RECORD}[^.]+", "", node)
