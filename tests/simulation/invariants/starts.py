"""What may begin, and what must be gone: looked at when a commit makes it durable.

Each promise is a method that yields a sentence for each breach. They see the rows as they were before the
commit, and what it changes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from engine.model.codes.processes import ENDED_BY_SIGNAL, EXIT_STATUS, TIMED_OUT
from engine.model.codes.runtime import CHECK_NEVER_HELD, NOT_BEGUN, RESULT_MISSING
from engine.model.errors import Failure, covers
from engine.model.names import is_handler
from engine.planning.recovery import next_attempt
from engine.planning.uses import definition_of
from engine.store.changes import Changes
from tests.simulation.invariants.exclusive import nothing_runs_beside_an_exclusive_job

if TYPE_CHECKING:
    from engine.planning.shape import Plan
    from engine.runtime.engine import Engine
    from tests.simulation.machine.processes import Machine

Rows = Mapping[str, dict[Any, dict[str, Any]]]
_BAD = frozenset({"failed", "timed_out", "cancelled", "lost", "discarded"})
_ENDED = _BAD | {"succeeded", "skipped", "offline"}
_STEERING = frozenset({"condition", "wait", "group", "task", "approve"})  # they need no slot
_OF_PROGRAMS = (EXIT_STATUS.number, ENDED_BY_SIGNAL.number, TIMED_OUT.number)
_OUTPUT = re.compile(r"outputs/(\w+)")
_STOPPED = frozenset({"cancelled", "timed_out"})
_BY_ITSELF = "failed", "succeeded"


@dataclass
class Known:
    """The rows by their keys, as far as they are looked at."""

    tables: Rows = field(
        default_factory=lambda: {
            "instance": {},
            "run": {},
            "job_instance": {},
            "job_run": {},
            "exception": {},
        }
    )
    queue_paused: bool = False
    paused: set[int] = field(default_factory=set)  # instances
    stopping: set[Any] = field(default_factory=set)  # runs and jobs
    asked: set[int] = field(default_factory=set)  # exceptions that are open and ask a person

    def take(self, changes: Changes) -> None:
        """What has become durable."""
        for rows in (changes.inserts, changes.updates):
            for table, found in rows.items():
                for key, row in found.items() if table in self.tables else ():
                    known = self.tables[table].setdefault(key, {})
                    known.update(row)
                    self._sort(table, key, known)
        if "queue" in changes.settings:
            self.queue_paused = bool(json.loads(changes.settings["queue"])["paused"])

    def _sort(self, table: str, key: Any, row: Mapping[str, Any]) -> None:
        match table:
            case "instance":
                _keep(self.paused, key, row["status"] == "paused")
            case "run" | "job_instance":
                _keep(self.stopping, key, _is_set(row.get("stop")))
            case "exception":
                _keep(self.asked, key, _asks(row))

    def job(self, id: int) -> dict[str, Any]:
        return self.tables["job_instance"][id]

    def instance(self, id: int) -> dict[str, Any]:
        return self.tables["instance"][id]

    def above(self, instance: int) -> Iterator[tuple[int, dict[str, Any] | None]]:
        """This instance and those that started it, each with the job through which it started the one below."""
        job = None
        while True:
            yield instance, job
            parent = self.instance(instance).get("parent")
            if parent is None:
                return
            job = self.job(parent)
            instance = job["instance"]


class Starts:
    """Hears of every commit of a life."""

    def __init__(self, machine: Machine, wrong: Callable[[str], None]) -> None:
        self._machine = machine
        self._wrong = wrong
        self.known = Known()
        self._helped: dict[tuple[int, int], set[int]] = {}  # a run that waits to follow others: who succeeded
        self._jobs_before: dict[tuple[int, int], int] = {}  # an attempt: the newest job when it began

    @property
    def attempts(self) -> Mapping[tuple[int, int], dict[str, Any]]:
        """Every attempt that was made, by its job and number."""
        return self.known.tables["job_run"]

    def committed(self, changes: Changes, engine: Engine | None) -> None:
        """Look at what this commit begins and ends."""
        stopping = self._being_stopped()
        paused = self._paused()
        was_queue_paused, asking = self.known.queue_paused, self._asking()
        self._tell(self.what_is_paused_goes_on_when_a_person_says_so(changes))
        self._tell(self.a_run_ends_as_it_was_stopped(changes))
        newest = max(self.known.tables["job_instance"], default=0)
        self._jobs_before |= dict.fromkeys(changes.inserts.get("job_run", ()), newest)
        self.known.take(changes)
        self._succeeded(changes)
        stopping &= self._being_stopped()
        for key in changes.inserts.get("job_run", ()):
            job = self.known.job(key[0])
            for promise in (
                self.nothing_begins_in_what_is_stopped(job, key[1], stopping),
                self.nothing_begins_in_a_pause(job, paused & self._paused()),
                self.a_paused_queue_gives_no_slot(job, was_queue_paused and self.known.queue_paused),
                self.who_asks_a_person_waits_for_the_answer(job, asking & self._asking()),
                self.members_run_in_order_until_one_fails(job),
                self.a_loop_goes_round_as_often_as_it_may(job, engine),
                self.nothing_begins_behind_a_failure(job, engine),
            ):
                self._tell(promise)
        self._tell(self.what_was_stopped_is_gone(changes))
        self._tell(self.what_lives_is_not_lost(changes))
        self._tell(self.what_is_said_never_to_have_begun_has_not(changes))
        self._tell(self.a_failure_is_final_when_its_retries_are_used_up(changes, engine))
        self._tell(self.what_follows_others_begins_after_their_success(changes))
        self._tell(self.each_attempt_has_an_end_stage_of_its_own(changes))
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
                yield f"{_name(job)} begins while instance {instance} is paused"

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
                yield f"attempt {attempt} of {_name(job)} begins while {_name(started)} is being stopped"
            if (instance, self.known.instance(instance)["run"]) in stopping:
                yield f"attempt {attempt} of {_name(job)} begins while instance {instance} is being stopped"

    def a_run_ends_as_it_was_stopped(self, changes: Changes) -> Iterator[str]:
        """Also under an engine that did not hear of it."""
        for key, row in changes.updates.get("run", {}).items():
            stop = self.known.tables["run"].get(key, {}).get("stop")
            if row.get("status") not in _ENDED or not _is_set(stop):
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
            yield f"{living} live, though attempt {attempt} of {_name(self.known.job(id))} is {state}"

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
                yield f"{living} live, though attempt {attempt} of {_name(self.known.job(id))} is lost"

    def what_is_said_never_to_have_begun_has_not(self, changes: Changes) -> Iterator[str]:
        """It is begun again without asking its policy, and so it must be certain."""
        for (id, attempt), row in changes.updates.get("job_run", {}).items():
            if row.get("error_code") == NOT_BEGUN.number:
                mark = self.known.tables["job_run"][id, attempt]["mark"]
                begun = (each for each in self._machine.started if each.has_begun or each.program_lives)
                if any(each.mark == mark for each in begun):
                    yield f"attempt {attempt} of {_name(self.known.job(id))} had begun, or does so soon"

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
            yield f"{_name(job)} begins while the queue is paused"

    def what_runs_has_a_slot(self, engine: Engine) -> Iterator[str]:
        """Whatever has a program that runs, unless it is asynchronous; also after a restart of the engine."""
        holding = {job for job, _ in engine.services.queue._holders}
        for process in filter(attrgetter("program_lives"), self._machine.started):
            id = int(process.mark.partition(".")[0])
            if id not in holding and self._should_hold(engine, id):
                yield f"{_name(self.known.job(id))} runs without a slot"

    def _should_hold(self, engine: Engine, id: int) -> bool:
        job = self.known.tables["job_instance"].get(id)
        run = engine.services.runs.get(job["instance"]) if job is not None else None
        execution = run.nodes.executions.get(job["node"]) if run is not None and job is not None else None  # type: ignore[attr-defined]
        found = [each for each in execution.jobs if each.identity.id == id] if execution is not None else []
        return any(each.row.state == "running" and not each.identity.asynchronous for each in found)

    # -- what comes before -----------------------------------------------------------------------

    def _asking(self) -> frozenset[int]:
        """The jobs whose question nobody has answered."""
        exceptions = self.known.tables["exception"]
        open_ = {exceptions[each]["job_instance"] for each in self.known.asked}
        jobs = self.known.tables["job_instance"]
        return frozenset(id for id in open_ if id in jobs and '"asks":true' in str(jobs[id].get("handling")))

    def who_asks_a_person_waits_for_the_answer(
        self, job: Mapping[str, Any], asking: frozenset[int]
    ) -> Iterator[str]:
        """No attempt begins before the question is answered."""
        if job["id"] in asking:
            yield f"{_name(job)} begins, though nobody has answered it"

    def members_run_in_order_until_one_fails(self, job: Mapping[str, Any]) -> Iterator[str]:
        """A member begins after the one before it has succeeded."""
        outer, _, number = job["node"].rpartition(".")
        if job.get("parent") is None or not number.isdigit() or number == "0":
            return
        name = f"{outer}.{int(number) - 1}"
        before = [
            each
            for each in self.known.tables["job_instance"].values()
            if (each.get("parent"), each["node"]) == (job["parent"], name) and each["id"] < job["id"]
        ]
        if not before or before[-1]["status"] != "succeeded":
            yield f"{_name(job)} begins, and {name} is {before and before[-1]['status']}"

    def nothing_begins_behind_a_failure(self, job: Mapping[str, Any], engine: Engine | None) -> Iterator[str]:
        """A node whose parents shall succeed does not begin when one of them has failed."""
        plan, run = _plan(engine, job), engine and engine.services.runs.get(job["instance"])
        node = plan.nodes.get(job["node"]) if plan is not None else None
        if plan is None or run is None or node is None or node.node.run_if != "all_succeeded":
            return
        if run.facts.restart is not None and node.id in run.facts.restart.selection.chosen:  # type: ignore[attr-defined]
            return
        for parent in node.parents:
            if not plan.nodes[parent].node.continue_on_failure:
                known = self._latest(job, parent)  # a later round of it may end with the same commit
                before = [each for each in known if each["round"] == 1 or each["id"] < job["id"]]
                bad = [each for each in before if each["status"] in _BAD]
                yield from (f"{_name(job)} begins, and {parent} is {each['status']}" for each in bad)

    def _latest(self, job: Mapping[str, Any], node: str) -> list[dict[str, Any]]:
        """The jobs of another node in its latest round within the same run."""
        of_run = job["instance"], job["run"], node
        rows = self.known.tables["job_instance"].values()
        found = [each for each in rows if (each["instance"], each["run"], each["node"]) == of_run]
        last = max((each["round"] for each in found), default=0)
        return [each for each in found if each["round"] == last]

    def a_failure_is_final_when_its_retries_are_used_up(
        self, changes: Changes, engine: Engine | None
    ) -> Iterator[str]:
        """A program that fails is tried as often as its job says; what an engine's end prevented is no try.

        To be taken out of the queue is one, though no attempt began: it is counted, and has no row.
        """
        for id, row in changes.updates.get("job_instance", {}).items():
            job, code = self.known.job(id), row.get("error_code")
            plan = _plan(engine, job)
            definition = definition_of(plan, job["node"]) if plan is not None else None
            if row.get("status") != "failed" or not _is_of_program(code) or definition is None:
                continue
            tried = {number: each for (of, number), each in self.known.tables["job_run"].items() if of == id}
            prevented = sum(each.get("error_code") == NOT_BEGUN.number for each in tried.values())
            count = max(tried, default=0) - prevented
            if next_attempt(definition.retry, count, Failure(code, "")) is not None:
                yield f"{_name(job)} has failed after {count} attempts, with {definition.retry.times} retries"

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
            plan, node = _plan(engine, self.known.job(id)), self.known.job(id)["node"]
            definition = definition_of(plan, node) if plan is not None else None
            if definition is not None and definition.mode == "async":
                continue
            mark = self.known.tables["job_run"][id, self.known.job(id)["attempt"]]["mark"]
            of_job = (each for each in self._machine.started if each.mark == mark and each.status == 0)
            if any(each.behaviour.outputs.get(missing[1]) for each in of_job):
                yield f"{_name(self.known.job(id))}: {missing[0]}"

    def each_attempt_has_an_end_stage_of_its_own(self, changes: Changes) -> Iterator[str]:
        """One that is made of jobs: those of an earlier attempt are not taken for it."""
        jobs = self.known.tables["job_instance"]
        for key, row in changes.updates.get("job_run", {}).items():
            if row.get("status") != "succeeded" or key[1] == 1:
                continue
            job = jobs[key[0]]
            ends = [id for id, each in jobs.items() if each.get("parent") == key[0]]
            ends = [id for id in ends if jobs[id]["node"].startswith(f"{job['node']}.end.")]
            if ends and max(ends) <= self._jobs_before[key]:
                yield f"attempt {key[1]} of {_name(job)} succeeds with that of an earlier one"

    def a_loop_goes_round_as_often_as_it_may(
        self, job: Mapping[str, Any], engine: Engine | None
    ) -> Iterator[str]:
        """Its condition is decided once, and then once for each round; of loops within others nothing is said."""
        plan = _plan(engine, job)
        loops = [each for each in plan.loops.values() if each.condition == job["node"]] if plan else []
        if (
            plan is None
            or not loops
            or any(job["node"] in each.body for each in plan.loops.values() if each not in loops)
        ):
            return
        rounds = {
            each["round"]
            for each in self.known.tables["job_instance"].values()
            if (each["instance"], each["run"], each["node"]) == (job["instance"], job["run"], job["node"])
        }
        most: int = plan.nodes[job["node"]].job.settings.max_loops  # type: ignore[union-attr]
        if len(rounds) > most + 1:
            yield f"{_name(job)} is decided {len(rounds)} times, with max_loops = {most}"

    # -- reruns that follow others -------------------------------------------------------------------

    def _succeeded(self, changes: Changes) -> None:
        for key, row in changes.updates.get("run", {}).items():
            if _is_set(row.get("follows")):
                self._helped.setdefault(key, set())
        for id, row in changes.updates.get("instance", {}).items():
            if row.get("status") == "succeeded":
                for helped in self._helped.values():
                    helped.add(id)

    def what_follows_others_begins_after_their_success(self, changes: Changes) -> Iterator[str]:
        """A rerun that was brought about by those of others begins when all of them have succeeded."""
        for (instance, number), row in changes.inserts.get("run", {}).items():
            helped = self._helped.pop((instance, number - 1), set())
            for each in json.loads(row.get("selection") or "{}").get("after", ()):
                if each not in helped:
                    yield f"run {number} of instance {instance} begins, and {each} has not succeeded"


def _plan(engine: Engine | None, job: Mapping[str, Any]) -> Plan | None:
    run = engine.services.runs.get(job["instance"]) if engine is not None else None
    return run.facts.plan if run is not None else None  # type: ignore[attr-defined, no-any-return]


def _is_of_program(code: int | None) -> bool:
    return code is not None and any(covers(each, code) for each in _OF_PROGRAMS)


def _asks(exception: Mapping[str, Any]) -> bool:
    return exception.get("status", "open") == "open" and '"asks":true' in str(exception.get("details"))


def _keep(among: set[Any], key: Any, belongs: bool) -> None:
    among.add(key) if belongs else among.discard(key)


def _is_set(tree: Any) -> bool:
    return tree not in (None, "null", "{}")


def _name(job: Mapping[str, Any]) -> str:
    return f"{job['node']} ({job['id']}) of instance {job['instance']}"
