"""What must hold about the handlers of a run's end: when they begin, how often, and that they change no outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from engine.model.names import HANDLER, is_handler
from engine.model.states import InstanceState
from engine.store.changes import Changes
from engine.store.rows import JobRow, RunRow

if TYPE_CHECKING:
    from engine.runtime.engine import Engine
    from tests.simulation.invariants.life import Life
    from tests.simulation.invariants.starts import Known

_ALWAYS = HANDLER + "always"
_OF = {"succeeded": HANDLER + "succeeded", "cancelled": HANDLER + "cancelled"}
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


def handlers_run_once_after_every_end(life: Life) -> Iterator[str]:
    """Those of its outcome once for each run that nothing tries again by itself; they are passed over by a stop alone."""
    store = life.engine.store
    for instance in life.instances():
        runs = store.runs(instance)
        for run, later in zip_longest(runs, runs[1:]):
            rows = [
                row for row in store.jobs(instance, run.run) if is_handler(row.node) and row.parent is None
            ]
            wanted = (
                [] if later is not None and later.trigger == "retry" else _wanted(life, instance, run, later)
            )
            if sorted(row.node for row in rows) != sorted(wanted):
                yield f"run {run.run} of instance {instance}, {run.status}: {[row.node for row in rows]}, not {wanted}"
            yield from _passed_over(rows)


def _wanted(life: Life, instance: int, run: RunRow, later: RunRow | None) -> list[str]:
    row, content = life.engine.store.instance(instance), life.engine.store.snapshot(instance, run.run) or {}
    known = content["tasks"][row.task].get("on_end", {}) if row is not None else {}
    was_given_up = row is not None and later is None and row.status == "cancelled"
    outcome = "cancelled" if was_given_up else str(run.status)
    wanted = (_OF.get(outcome, HANDLER + "failed"), _ALWAYS)
    return [each for each in wanted if each.removeprefix(HANDLER) in known]


def _passed_over(rows: list[JobRow]) -> Iterator[str]:
    stopped = any(row.status == "cancelled" for row in rows)
    yield from (
        f"{row.node} ({row.id}) is skipped" for row in rows if row.status == "skipped" and not stopped
    )
