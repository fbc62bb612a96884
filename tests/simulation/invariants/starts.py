"""What may begin, and what must be gone: looked at when a commit makes it durable.

Each promise is a method that yields a sentence for each breach. They see the rows as they were before the
commit, and what it changes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from engine.model.codes.runtime import CHECK_NEVER_HELD, NOT_BEGUN, RESULT_MISSING
from engine.model.names import is_handler
from engine.planning.uses import definition_of
from engine.store.changes import Changes
from tests.simulation.invariants.exclusive import nothing_runs_beside_an_exclusive_job
from tests.simulation.invariants.known import Known, is_set, name_of, plan_of
from tests.simulation.invariants.order import Order

if TYPE_CHECKING:
    from engine.runtime.engine import Engine
    from tests.simulation.machine.processes import Machine

_ENDED = frozenset(
    {"failed", "timed_out", "cancelled", "lost", "discarded", "succeeded", "skipped", "offline"}
)
_STEERING = frozenset({"condition", "wait", "group", "task", "approve"})  # they need no slot
_OUTPUT = re.compile(r"outputs/(\w+)")
_STOPPED = frozenset({"cancelled", "timed_out"})
_BY_ITSELF = "failed", "succeeded"


class Starts:
    """Hears of every commit of a life."""

    def __init__(self, machine: Machine, wrong: Callable[[str], None]) -> None:
        self._machine = machine
        self._wrong = wrong
        self.known = Known()
        self._order = Order(self.known, wrong)

    @property
    def attempts(self) -> Mapping[tuple[int, int], dict[str, Any]]:
        """Every attempt that was made, by its job and number."""
        return self.known.tables["job_run"]

    def committed(self, changes: Changes, engine: Engine | None) -> None:
        """Look at what this commit begins and ends."""
        stopping = self._being_stopped()
        paused = self._paused()
        was_queue_paused = self.known.queue_paused
        self._tell(self.what_is_paused_goes_on_when_a_person_says_so(changes))
        self._tell(self.a_run_ends_as_it_was_stopped(changes))
        self._order.before(changes)
        self.known.take(changes)
        stopping &= self._being_stopped()
        for key in changes.inserts.get("job_run", ()):
            job = self.known.job(key[0])
            for promise in (
                self.nothing_begins_in_what_is_stopped(job, key[1], stopping),
                self.nothing_begins_in_a_pause(job, paused & self._paused()),
                self.a_paused_queue_gives_no_slot(job, was_queue_paused and self.known.queue_paused),
            ):
                self._tell(promise)
        self._tell(self.what_was_stopped_is_gone(changes))
        self._tell(self.what_lives_is_not_lost(changes))
        self._tell(self.what_is_said_never_to_have_begun_has_not(changes))
        self._order.committed(changes, engine)
        self._tell(self.a_result_that_is_missing_was_not_written(changes, engine))
        if engine is not None:
            self._tell(self.what_runs_has_a_slot(engine))
            self._tell(nothing_runs_beside_an_exclusive_job(self._machine, self.known.tables, engine))

    def leave(self, instances: Collection[int]) -> None:
        """Retention takes them."""
        self._tell(self.what_leaves_is_needed_by_nobody(instances))

    def _tell(self, promise: Iterator[str]) -> None:
        for each in promise:
            self._wrong(f"{promise.__name__}: {each}")

    # -- pauses and stops ------------------------------------------------------------------------

    def _paused(self) -> frozenset[int]:
        return frozenset(self.known.paused)

    def nothing_begins_in_a_pause(self, job: Mapping[str, Any], paused: frozenset[int]) -> Iterator[str]:
        """No attempt begins in an instance that is paused, nor in one below it; handlers of an end are not held."""
        if is_handler(job["node"]):
            return
        for instance, _ in self.known.above(job["instance"]):
            if instance in paused:
                yield f"{name_of(job)} begins while instance {instance} is paused"

    def what_is_paused_goes_on_when_a_person_says_so(self, changes: Changes) -> Iterator[str]:
        """Not when an engine ends; the handlers of its end are not held."""
        rows = changes.inserts.get("job_instance", {}).values()
        handled = {row["instance"] for row in rows if is_handler(row["node"])}
        resumed = {act.subject for act in changes.acts if act.action == "resume"}
        for id, row in changes.updates.get("instance", {}).items():
            was_paused = self.known.instance(id)["status"] == "paused"
            chain = {f"instance {each}" for each, _ in self.known.above(id)}
            goes_on = row.get("status") in ("running", "waiting") and id not in handled
            if was_paused and goes_on and resumed.isdisjoint(chain):
                yield f"instance {id} is {row['status']}, and nobody has resumed it"

    def _being_stopped(self) -> frozenset[Any]:
        """Runs and jobs."""
        return frozenset(self.known.stopping)

    def nothing_begins_in_what_is_stopped(
        self, job: Mapping[str, Any], attempt: int, stopping: frozenset[Any]
    ) -> Iterator[str]:
        """No attempt begins in a run that is being stopped, nor in a sub-task that it waits for.

        Handlers do, and with them what repairs something for one.
        """
        if is_handler(job["node"]):
            return
        for instance, started in self.known.above(job["instance"]):
            if started is not None and (started["status"] in _ENDED or is_handler(started["node"])):
                return
            if started is not None and started["id"] in stopping:
                yield f"attempt {attempt} of {name_of(job)} begins while {name_of(started)} is being stopped"
            if (instance, self.known.instance(instance)["run"]) in stopping:
                yield f"attempt {attempt} of {name_of(job)} begins while instance {instance} is being stopped"

    def a_run_ends_as_it_was_stopped(self, changes: Changes) -> Iterator[str]:
        """Also under an engine that did not hear of it."""
        for key, row in changes.updates.get("run", {}).items():
            stop = self.known.tables["run"].get(key, {}).get("stop")
            if row.get("status") not in _ENDED or not is_set(stop):
                continue
            kind = (json.loads(stop) if isinstance(stop, str) else stop)["kind"]
            if row["status"] != ("cancelled" if kind == "cancelled" else "timed_out"):
                yield f"run {key} is {row['status']}, and was being stopped: {kind}"

    def what_was_stopped_is_gone(self, changes: Changes) -> Iterator[str]:
        """What was cancelled, took too long or was given up does not live on unless that is said."""
        for (id, attempt), row in changes.updates.get("job_run", {}).items():
            given_up = row.get("error_code") == CHECK_NEVER_HELD.number
            if row.get("status") in _STOPPED or given_up:
                yield from self._unsaid(id, attempt, row["status"])
        for id, row in changes.updates.get("job_instance", {}).items():
            if row.get("status") in _STOPPED:
                for attempt in range(1, self.known.job(id).get("attempt", 0) + 1):
                    if not self._ended_by_itself(id, attempt):
                        yield from self._unsaid(id, attempt, row["status"])

    def _ended_by_itself(self, id: int, attempt: int) -> bool:
        """Its program may have left a daemon."""
        row = self.known.tables["job_run"].get((id, attempt))
        return row is not None and str(row["status"]) in _BY_ITSELF

    def _unsaid(self, id: int, attempt: int, state: str) -> Iterator[str]:
        living = self._living(id, attempt)
        if living and "unverified" not in str(self.known.job(id).get("handling")):
            yield f"{living} live, though attempt {attempt} of {name_of(self.known.job(id))} is {state}"

    def _living(self, id: int, attempt: int, *but: str, stuck: bool = True) -> list[int]:
        """What lives of it, unless a person has vouched that nothing does.

        ``but`` for what these stages left that ended; ``stuck``: also what no signal can end.
        """
        row = self.known.tables["job_run"].get((id, attempt))
        living = [] if row is None else self._machine.living(row["mark"])
        counted = [each for each in living if not each.vouched and (stuck or not each.behaviour.stuck)]
        return [each.pid for each in counted if each.program_lives or each.stage not in but]

    def what_lives_is_not_lost(self, changes: Changes) -> Iterator[str]:
        """What still runs is taken up; a fence that nobody sees cannot say what outlives its KILL."""
        for (id, attempt), row in changes.updates.get("job_run", {}).items():
            is_fenced = "fenced" in (row.get("error_message") or "")
            living = (
                self._living(id, attempt, "ready", "end", stuck=not is_fenced)
                if row.get("status") == "lost"
                else ()
            )
            if living:
                yield f"{living} live, though attempt {attempt} of {name_of(self.known.job(id))} is lost"

    def what_is_said_never_to_have_begun_has_not(self, changes: Changes) -> Iterator[str]:
        """It is begun again without asking its policy, and so it must be certain."""
        for (id, attempt), row in changes.updates.get("job_run", {}).items():
            if row.get("error_code") == NOT_BEGUN.number:
                mark = self.known.tables["job_run"][id, attempt]["mark"]
                begun = (each for each in self._machine.started if each.has_begun or each.program_lives)
                if any(each.mark == mark for each in begun):
                    yield f"attempt {attempt} of {name_of(self.known.job(id))} had begun, or does so soon"

    def what_leaves_is_needed_by_nobody(self, instances: Collection[int]) -> Iterator[str]:
        """Nothing is removed that goes on, nor a sub-task of what goes on."""
        for id in instances:
            for each, _ in islice(self.known.above(id), 2):
                if self.known.instance(each)["status"] not in _ENDED:
                    yield f"instance {id} is removed while {each} is {self.known.instance(each)['status']}"

    # -- the queue -------------------------------------------------------------------------------

    def a_paused_queue_gives_no_slot(self, job: Mapping[str, Any], paused: bool) -> Iterator[str]:
        """While the queue is paused no job that needs a slot begins."""
        if paused and job["type"] not in _STEERING:
            yield f"{name_of(job)} begins while the queue is paused"

    def what_runs_has_a_slot(self, engine: Engine) -> Iterator[str]:
        """Whatever has a program that runs, unless it is asynchronous; also after a restart of the engine."""
        holding = {job for job, _ in engine.services.queue._holders}
        for process in filter(attrgetter("program_lives"), self._machine.started):
            id = int(process.mark.partition(".")[0])
            if id not in holding and self._should_hold(engine, id):
                yield f"{name_of(self.known.job(id))} runs without a slot"

    def _should_hold(self, engine: Engine, id: int) -> bool:
        job = self.known.tables["job_instance"].get(id)
        run = engine.services.runs.get(job["instance"]) if job is not None else None
        execution = run.nodes.executions.get(job["node"]) if run is not None and job is not None else None  # type: ignore[attr-defined]
        found = [each for each in execution.jobs if each.identity.id == id] if execution is not None else []
        return any(each.row.state == "running" and not each.identity.asynchronous for each in found)

    def a_result_that_is_missing_was_not_written(
        self, changes: Changes, engine: Engine | None
    ) -> Iterator[str]:
        """What a power cut took is no failure of the program: its outcome is not known.

        Of an asynchronous job they are read when its check holds, though its program may write them later.
        """
        for id, row in changes.updates.get("job_instance", {}).items():
            missing = _OUTPUT.search(str(row.get("error_message")))
            if row.get("error_code") != RESULT_MISSING.number or missing is None:
                continue
            plan, node = plan_of(engine, self.known.job(id)), self.known.job(id)["node"]
            definition = definition_of(plan, node) if plan is not None else None
            if definition is not None and definition.mode == "async":
                continue
            mark = self.known.tables["job_run"][id, self.known.job(id)["attempt"]]["mark"]
            of_job = (each for each in self._machine.started if each.mark == mark and each.status == 0)
            if any(each.behaviour.outputs.get(missing[1]) for each in of_job):
                yield f"{name_of(self.known.job(id))}: {missing[0]}"
