"""What must hold about the handlers of a run's end: when they begin, how often, and that they change no outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from engine.model.names import HANDLER, is_handler
from engine.model.states import InstanceState
from engine.store.changes import Changes

if TYPE_CHECKING:
    from engine.runtime.engine import Engine
    from tests.simulation.invariants.known import Known

_ALWAYS = HANDLER + "always"
_ENDED = frozenset(str(each) for each in InstanceState if each.ended) | {"discarded"}


class Handlers:
    """Hears of every commit of a life, after ``known`` has taken it."""

    def __init__(self, known: Known, wrong: Callable[[str], None]) -> None:
        self._known = known
        self._wrong = wrong
        self._outcomes: dict[int, str] = {}  # of instances whose handlers are at work: how their run came out

    def committed(self, changes: Changes, engine: Engine | None) -> None:
        """Look at what begins and ends."""
        for id, _ in changes.inserts.get("job_run", ()):
            job = self._known.job(id)
            if is_handler(job["node"]) and job.get("parent") is None:
                self._tell(self.a_handler_begins_when_the_jobs_have_ended(job))
        for id, row in changes.updates.get("instance", {}).items():
            if str(row.get("status")) in _ENDED:
                self._tell(self.a_handler_changes_no_outcome(id, str(row["status"])))
        for row in changes.inserts.get("job_instance", {}).values():
            run = engine.services.runs.get(row["instance"]) if engine is not None else None
            if is_handler(row["node"]) and run is not None:
                self._outcomes[row["instance"]] = str(run.outcome.state)  # type: ignore[attr-defined]

    def _tell(self, promise: Iterator[str]) -> None:
        for each in promise:
            self._wrong(f"{promise.__name__}: {each}")

    def a_handler_begins_when_the_jobs_have_ended(self, job: Mapping[str, Any]) -> Iterator[str]:
        """No job of its run goes on; that for every outcome comes after the other one."""
        of_run = job["instance"], job["run"]
        for each in self._known.tables["job_instance"].values():
            before = not is_handler(each["node"]) or job["node"] == _ALWAYS != each["node"]
            own = each["id"] == job["id"] or each.get("parent") == job["id"]
            goes_on = before and not own and str(each["status"]) not in _ENDED
            if goes_on and (each["instance"], each["run"]) == of_run:
                yield f"{job['node']} of instance {of_run[0]} begins, and {each['node']} is {each['status']}"

    def a_handler_changes_no_outcome(self, instance: int, status: str) -> Iterator[str]:
        """What had been decided when the first of them began is how the instance ends."""
        was = self._outcomes.pop(instance, status)
        if was != status:
            yield f"instance {instance} is {status}, and was {was} before its handlers"
