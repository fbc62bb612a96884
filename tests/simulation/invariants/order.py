"""What comes after what: members, parents, attempts, rounds of loops, reruns that follow others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from engine.model.codes.processes import ENDED_BY_SIGNAL, EXIT_STATUS, TIMED_OUT
from engine.model.codes.runtime import NOT_BEGUN
from engine.model.errors import Failure, covers
from engine.planning.recovery import next_attempt
from engine.planning.uses import definition_of
from engine.store.changes import Changes
from tests.simulation.invariants.known import Known, is_set, name_of, plan_of

if TYPE_CHECKING:
    from engine.runtime.engine import Engine

_BAD = frozenset({"failed", "timed_out", "cancelled", "lost", "discarded"})
_OF_PROGRAMS = (EXIT_STATUS.number, ENDED_BY_SIGNAL.number, TIMED_OUT.number)


class Order:
    """Hears of every commit of a life, before ``known`` takes it and after that."""

    def __init__(self, known: Known, wrong: Callable[[str], None]) -> None:
        self.known = known
        self._wrong = wrong
        self._asked = frozenset[int]()  # jobs whose question nobody had answered before this commit
        self._helped: dict[tuple[int, int], set[int]] = {}  # a run that waits to follow others: who succeeded
        self._jobs_before: dict[tuple[int, int], int] = {}  # an attempt: the newest job when it began

    def before(self, changes: Changes) -> None:
        """How it is."""
        newest = max(self.known.tables["job_instance"], default=0)
        self._jobs_before |= dict.fromkeys(changes.inserts.get("job_run", ()), newest)
        self._asked = self._asking()

    def committed(self, changes: Changes, engine: Engine | None) -> None:
        """Look at what this commit begins and ends."""
        self._succeeded(changes)
        asking = self._asked & self._asking()
        for key in changes.inserts.get("job_run", ()):
            job = self.known.job(key[0])
            for promise in (
                self.who_asks_a_person_waits_for_the_answer(job, asking),
                self.members_run_in_order_until_one_fails(job),
                self.a_loop_goes_round_as_often_as_it_may(job, engine),
                self.nothing_begins_behind_a_failure(job, engine),
            ):
                self._tell(promise)
        self._tell(self.a_failure_is_final_when_its_retries_are_used_up(changes, engine))
        self._tell(self.what_follows_others_begins_after_their_success(changes))
        self._tell(self.each_attempt_has_an_end_stage_of_its_own(changes))

    def _tell(self, promise: Iterator[str]) -> None:
        for each in promise:
            self._wrong(f"{promise.__name__}: {each}")

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
            yield f"{name_of(job)} begins, though nobody has answered it"

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
            yield f"{name_of(job)} begins, and {name} is {before and before[-1]['status']}"

    def nothing_begins_behind_a_failure(self, job: Mapping[str, Any], engine: Engine | None) -> Iterator[str]:
        """A node whose parents shall succeed does not begin when one of them has failed."""
        plan, run = plan_of(engine, job), engine and engine.services.runs.get(job["instance"])
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
                yield from (f"{name_of(job)} begins, and {parent} is {each['status']}" for each in bad)

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
            plan = plan_of(engine, job)
            definition = definition_of(plan, job["node"]) if plan is not None else None
            if row.get("status") != "failed" or not _is_of_program(code) or definition is None:
                continue
            tried = {number: each for (of, number), each in self.known.tables["job_run"].items() if of == id}
            prevented = sum(each.get("error_code") == NOT_BEGUN.number for each in tried.values())
            count = max(tried, default=0) - prevented
            if next_attempt(definition.retry, count, Failure(code, "")) is not None:
                yield f"{name_of(job)} has failed after {count} attempts, with {definition.retry.times} retries"

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
                yield f"attempt {key[1]} of {name_of(job)} succeeds with that of an earlier one"

    def a_loop_goes_round_as_often_as_it_may(
        self, job: Mapping[str, Any], engine: Engine | None
    ) -> Iterator[str]:
        """Its condition is decided once, and then once for each round; of loops within others nothing is said."""
        plan = plan_of(engine, job)
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
            yield f"{name_of(job)} is decided {len(rounds)} times, with max_loops = {most}"

    def _succeeded(self, changes: Changes) -> None:
        for key, row in changes.updates.get("run", {}).items():
            if is_set(row.get("follows")):
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


def _is_of_program(code: int | None) -> bool:
    return code is not None and any(covers(each, code) for each in _OF_PROGRAMS)
