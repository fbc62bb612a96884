"""What workers promise whenever something begins: who begins where, and that nothing runs twice."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.execution.strangers import Stranger
from engine.model.names import RECORD
from engine.model.reason import Kind
from engine.model.states import ATTEMPT_OVER, AttemptState, WorkerState
from engine.runtime.queue.job_queue import Queue
from engine.runtime.upkeep.registry_file import VOUCHED
from engine.store.changes import Changes
from tests.simulation.machine.processes import Process
from tests.simulation.machine.remote import RemoteProcess

_LOCAL = "local"
MAX_SKEW = 5.0  # seconds; what a workspace has that says nothing of it


class Workers:
    """Hears of every commit of a life, and of every process that starts."""

    def __init__(self, wrong: Callable[[str], None]) -> None:
        self._wrong = wrong
        self._started: list[Process] = []
        self.states: dict[str, str] = {}  # as they are durable
        self.groups: dict[str, list[str]] = {}
        self._wanted: dict[str, str] = {}
        self._gone: set[str] = set()  # by the word of a person
        self._vouched: Mapping[str, int] = {}  # how often a person said so
        self._part_of: dict[int, int] = {}  # jobs within others
        self._under_way: dict[int, str] = {}  # jobs with the worker that their attempt is on
        self.skews: dict[str, float] = {}  # as an engine saw them last
        self.strangers: dict[str, tuple[Stranger, ...]] = {}
        self._recorded: set[int] = set()  # jobs on all workers with their records
        self._having: frozenset[tuple[int, str]] = (
            frozenset()
        )  # jobs with the worker that they have a slot of

    def committed(self, changes: Changes) -> None:
        """Look at what begins where."""
        before = dict(self.states)
        self._begun(changes)
        if VOUCHED in changes.settings:
            self._vouched = json.loads(changes.settings[VOUCHED])
        for rows in (changes.inserts, changes.updates):
            for name, row in rows.get("worker", {}).items():
                self.states[name] = str(row.get("state", self.states.get(name)))
                self._wanted[name] = str(row.get("wanted", self._wanted.get(name)))
                if "why" in row:
                    is_gone = json.loads(row["why"] or "{}").get("kind") == Kind.WORKER_GONE
                    (self._gone.add if is_gone else self._gone.discard)(name)
                if "content" in row:
                    self.groups[name] = json.loads(row["content"]).get("groups", [])
                self._tell(self.what_a_person_has_paused_stays_so(name))
        self._tell(self.the_records_of_a_job_are_fixed_when_it_begins(changes))
        for row in changes.inserts.get("alert", {}).values():
            self._tell(self.what_runs_is_as_the_engine_has_it(row))
        for key, row in changes.updates.get("job_run", {}).items():
            if row.get("status") == AttemptState.LOST and "fenced" in (row.get("error_message") or ""):
                self._tell(self.what_is_fenced_is_given_away_only_after_its_tree_is_gone(key))
        for key, row in changes.inserts.get("job_run", {}).items():
            worker = row.get("worker") or _LOCAL
            self._tell(self.nothing_begins_on_a_worker_that_takes_nothing(key, worker, before))
            self._tell(self.nothing_begins_on_a_worker_whose_clock_is_off(key, worker))
            self._tell(self.nothing_begins_beside_what_refuses_it(key, worker))

    def _begun(self, changes: Changes) -> None:
        """Who is a part of whom, and which attempts are under way where."""
        for id, row in changes.inserts.get("job_instance", {}).items():
            if row.get("parent") is not None:
                self._part_of[id] = row["parent"]
        for (job, _), row in changes.inserts.get("job_run", {}).items():
            self._under_way[job] = row.get("worker") or _LOCAL
        for (job, _), row in changes.updates.get("job_run", {}).items():
            if "status" in row and AttemptState(row["status"]) in ATTEMPT_OVER:
                self._under_way.pop(job, None)

    def under_way(self, job: int) -> str | None:
        """The worker that its attempt is on, unless that is gone."""
        worker = self._under_way.get(job)
        return None if worker in self._gone else worker

    def goes_on(self, job: int, worker: str) -> bool:
        """Whether a job is a part of an attempt under way there, which ends though nothing more begins."""
        outer = self._part_of.get(job)
        while outer is not None and self._under_way.get(outer) != worker:
            outer = self._part_of.get(outer)
        return outer is not None and worker not in self._gone

    def queue_is(self, queue: Queue, slots: Mapping[str, int]) -> None:
        """After each commit."""
        self._hold(queue)
        self._tell(self.no_worker_has_more_to_do_than_it_takes(queue, slots))

    def _hold(self, queue: Queue) -> None:
        self._having = frozenset((claim.job, claim.worker) for claim in queue.holders())

    def looked(
        self, worker: str, skew: float, strangers: tuple[Stranger, ...], queue: Queue | None = None
    ) -> None:
        """An engine is told how a worker is; who has a slot by then may wait for a commit that is held up."""
        if queue is not None:
            self._hold(queue)
        self.skews[worker], self.strangers[worker] = skew, strangers

    def lengthened(self, heard: float, fence: float, until: float) -> None:
        """A worker is asked to let what runs there go on; ``heard``: its clock in its latest answer."""
        self._tell(self.no_lease_is_longer_than_its_worker_was_heard(heard, fence, until))

    def starts(self, process: Process) -> None:
        """A process begins, here or elsewhere."""
        self._tell(self.nothing_starts_while_an_earlier_attempt_may_live(process))
        self._tell(self.nothing_starts_on_a_worker_that_is_gone(process))
        self._started.append(process)

    def _tell(self, promise: Iterator[str]) -> None:
        for each in promise:
            self._wrong(f"{promise.__name__}: {each}")

    def nothing_starts_on_a_worker_that_is_gone(self, process: Process) -> Iterator[str]:
        """Of whichever attempt, since a person said so: what was sent before may come late."""
        if not isinstance(process, RemoteProcess) or process.worker not in self._gone:
            return
        if process.sent_after == self._vouched.get(process.worker):
            yield f"{process.mark} {process.stage} on {process.worker}"

    def what_a_person_has_paused_stays_so(self, name: str) -> Iterator[str]:
        """Also when its link comes back."""
        if self._wanted[name] != "online" and self.states[name] == WorkerState.ONLINE:
            yield f"{name} is online, and shall be {self._wanted[name]}"

    def no_lease_is_longer_than_its_worker_was_heard(
        self, heard: float, fence: float, until: float
    ) -> Iterator[str]:
        """Whatever the request takes on its way: from the latest answer on nobody may count on it."""
        if until > heard + fence:
            yield f"until {until:.3f}, and it was heard at {heard:.3f}: {fence:g} s"

    def nothing_begins_on_a_worker_whose_clock_is_off(self, key: Any, worker: str) -> Iterator[str]:
        """By more than may be, once that was seen; what has a slot of it by then begins, and what goes on there."""
        skew, begins = abs(self.skews.get(worker, 0.0)), (key[0], worker) not in self._having
        if skew > MAX_SKEW and begins and not self.goes_on(key[0], worker):
            yield f"attempt {key[1]} of job {key[0]} begins on {worker}, whose clock is {skew:g} s off"

    def nothing_begins_beside_what_refuses_it(self, key: Any, worker: str) -> Iterator[str]:
        """What is exclusive there, or is the very same job, though nobody here knows it."""
        if (key[0], worker) in self._having:
            return
        for each in self.strangers.get(worker, ()):
            if each.alone or each.job_instance == key[0]:
                yield f"attempt {key[1]} of job {key[0]} begins on {worker} beside {each}"

    def the_records_of_a_job_are_fixed_when_it_begins(self, changes: Changes) -> Iterator[str]:
        """Whatever becomes of the workers that it meant, and under a later engine too."""
        begun = changes.inserts.get("job_instance", {}).values()
        records = [row for row in begun if _is_record(row["node"])]
        for each in records:
            if each["parent"] in self._recorded:
                yield f"{each['node']} of instance {each['instance']} is one more than there were"
        self._recorded |= {each["parent"] for each in records}

    def nothing_begins_on_a_worker_that_takes_nothing(
        self, key: Any, worker: str, before: Mapping[str, str]
    ) -> Iterator[str]:
        """One that is paused, drained, or not reached; what has a slot of it by then begins, and what goes on there."""
        states = before.get(worker), self.states.get(worker)
        people = {WorkerState.PAUSED, WorkerState.DRAINING} & set(states)
        takes = WorkerState.ONLINE in states or (people and self.goes_on(key[0], worker))
        if worker != _LOCAL and not takes and (key[0], worker) not in self._having:
            yield f"attempt {key[1]} of job {key[0]} begins on {worker}, which is {self.states.get(worker)}"

    def what_runs_is_as_the_engine_has_it(self, alert: Mapping[str, Any]) -> Iterator[str]:
        """A confirmation that finds a difference has missed something, or has looked too early."""
        if alert["kind"] == "confirmation":
            yield str(alert["message"])

    def what_is_fenced_is_given_away_only_after_its_tree_is_gone(self, key: tuple[int, int]) -> Iterator[str]:
        """Its machine has ended it by then, whether anybody has seen that or not."""
        job, attempt = key
        for each in self._started:
            if each.mark.startswith(f"{job}.{attempt}.") and each.program_lives and not each.behaviour.stuck:
                yield f"{each.mark} is fenced, and lives on {each.worker}"

    def no_worker_has_more_to_do_than_it_takes(self, queue: Queue, slots: Mapping[str, int]) -> Iterator[str]:
        """What was registered of it counts."""
        for name, count in Counter(claim.worker for claim in queue.holders()).items():
            if count > slots.get(name, count):
                yield f"{count} jobs have a slot of {name}, which has {slots[name]}"

    def nothing_starts_while_an_earlier_attempt_may_live(self, process: Process) -> Iterator[str]:
        """Wherever that ran, unless a person has vouched that nothing lives there."""
        job = process.mark.partition(".")[0]
        for each in self._started:
            of_job = each.mark.partition(".")[0] == job and each.mark != process.mark
            unvouched = isinstance(each, RemoteProcess) and not each.vouched
            if of_job and each.program_lives and unvouched and not each.behaviour.stuck:
                yield f"{process.mark} starts on {process.worker}, and {each.mark} lives on {each.worker}"


def _is_record(node: str) -> bool:
    """Not a member of it, or a job that gets one ready: such may come with each attempt."""
    return RECORD in node and "." not in node.partition(RECORD)[2]
