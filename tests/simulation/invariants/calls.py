"""What must hold about calls: none is made twice, none is lost that had not begun, or whose outcome was checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from engine.model.codes.runtime import LOST, NOT_BEGUN
from engine.model.job import STAGES, Job
from engine.model.worker import LOCAL
from engine.plugins.job_type import Call
from engine.store.changes import Changes
from tests.simulation.workload.calls import CALL

if TYPE_CHECKING:
    from engine.runtime.engine import Engine
    from tests.simulation.invariants.known import Known
    from tests.simulation.machine.clock import SimulatedClock
    from tests.simulation.machine.processes import Machine


_KNOWN = "shell", CALL  # types of which each beginning is heard of


class Calls:
    """Hears of every call of a life, and of every commit before ``known`` takes it."""

    def __init__(
        self, known: Known, machine: Machine, clock: SimulatedClock, wrong: Callable[[str], None]
    ) -> None:
        self._known = known
        self._machine = machine
        self._clock = clock
        self._wrong = wrong
        self._begun: Counter[tuple[int, int]] = Counter()  # by job and attempt
        self._noted = set[tuple[int, int]]()

    def begins(self, call: Call) -> None:
        """A call of the latest attempt of the job that has this directory."""
        for id, job in self._known.tables["job_instance"].items():
            if job.get("directory") == str(call.directory):
                self._begun[id, job["attempt"]] += 1
                self._tell(self.no_call_is_made_twice(job, call.job))

    def is_noted(self, id: int, attempt: int) -> None:
        """That a call of it begins is written down at this moment: an engine may end between the two."""
        self._noted.add((id, attempt))

    def committed(self, changes: Changes, engine: Engine | None) -> None:
        """Look at what is lost, or said never to have begun."""
        for (id, attempt), row in changes.updates.get("job_run", {}).items():
            if row.get("error_code") == NOT_BEGUN.number:
                self._tell(self.what_is_said_never_to_have_begun_has_made_no_call(id, attempt))
            if row.get("status") == "lost" and row.get("error_code") == LOST.number:
                self._tell(self.what_is_checked_is_over(id, engine))
                self._tell(self.what_had_not_begun_is_not_lost(id, attempt))
        if engine is not None:
            self._tell(self.what_is_checked_has_no_slot(engine))

    def _tell(self, promise: Iterator[str]) -> None:
        for each in promise:
            self._wrong(f"{promise.__name__}: {each}")

    def no_call_is_made_twice(self, row: Mapping[str, Any], job: Job) -> Iterator[str]:
        """In one attempt there are as many as its stages say."""
        id, attempt, most = row["id"], row["attempt"], sum(_calls(job))
        if self._begun[id, attempt] > most:
            yield f"attempt {attempt} of {row['node']} ({id}) has made {self._begun[id, attempt]} of {most} calls"

    def what_is_said_never_to_have_begun_has_made_no_call(self, id: int, attempt: int) -> Iterator[str]:
        """It is begun again without asking its policy, and so it must be certain."""
        if self._begun[id, attempt]:
            yield f"attempt {attempt} of {self._known.job(id)['node']} ({id}) has made a call"

    def what_had_not_begun_is_not_lost(self, id: int, attempt: int) -> Iterator[str]:
        """Where neither call nor program of an attempt has begun that could be lost."""
        row, job = self._known.tables["job_run"].get((id, attempt)), self._known.job(id)
        if row is None or row.get("worker") != LOCAL or job["type"] not in _KNOWN:
            return
        begun = any(each.mark == row["mark"] for each in self._machine.started)
        if not begun and (id, attempt) not in self._noted and self._is_this_boot(row):
            yield f"attempt {attempt} of {job['node']} ({id}) is lost, and nothing of it had begun"

    def what_is_checked_is_over(self, id: int, engine: Engine | None) -> Iterator[str]:
        """The call whose outcome is checked: an engine that ends then leaves nothing unknown."""
        job = self._known.job(id)
        row = self._known.tables["job_run"].get((id, job["attempt"]))
        of = _job(engine, job)
        was_checked = str(job["status"]) == "checking" and of is not None and _by_class(of, "process")
        if was_checked and row is not None and self._is_this_boot(row):
            yield f"{job['node']} ({id}) is lost, and its call was over"

    def what_is_checked_has_no_slot(self, engine: Engine) -> Iterator[str]:
        """Asynchronous jobs, from when they are checked; the slot may be that of an attempt which is not durable yet."""
        for (id, _), claim in engine.services.queue._holders.items():
            job = self._known.tables["job_instance"].get(id)
            if job is None or str(job["status"]) != "checking":
                continue
            if job["attempt"] == claim.owner.attempt:
                yield f"{job['node']} ({id}) is checked, and has a slot"

    def _is_this_boot(self, row: Mapping[str, Any]) -> bool:
        return bool(row.get("boot_id") == self._clock.boot())


def _job(engine: Engine | None, row: Mapping[str, Any]) -> Job | None:
    run = engine.services.runs.get(row["instance"]) if engine is not None else None
    execution = run.nodes.executions.get(row["node"]) if run is not None else None  # type: ignore[attr-defined]
    found = (
        [each for each in execution.jobs if each.identity.id == row["id"]] if execution is not None else []
    )
    return found[0].identity.job if found else None


def _calls(job: Job) -> Iterator[bool]:
    yield job.type == CALL
    for stage in STAGES:
        yield _by_class(job, stage)


def _by_class(job: Job, stage: str) -> bool:
    found = getattr(job, stage)
    return found is not None and found.kind == "class"
