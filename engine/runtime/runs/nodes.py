"""The nodes of a live run: what ``Progress`` decides becomes JobInstances, whose ends go back to it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.model.codes.runtime import BATCH_NOT_A_LIST, NOT_RUNNING
from engine.model.errors import Failure, Refused, SkerryError
from engine.model.quantities import kind_of
from engine.model.reason import Kind, Reason
from engine.model.reason_words import brief, said
from engine.model.states import JobState
from engine.planning.progress import Progress
from engine.planning.rules import Outcome, Skip, Start
from engine.planning.shape import Plan, PlanNode
from engine.runtime.fibers import Signal, Stopped
from engine.runtime.jobs import attempt_loop
from engine.runtime.jobs.execution import JobExecution
from engine.runtime.param_binding import Binding, bindings
from engine.runtime.run_state.job_identity import JobIdentity
from engine.runtime.run_state.job_rows import RecoveredJob, RecoveredJobs
from engine.runtime.run_state.run_context import RunContext


@dataclass(frozen=True, slots=True)
class NodeMember:
    """What one JobInstance of a node is made of."""

    index: int | None
    rows: tuple[Binding, ...] = ()  # its parameters
    item: Any = None  # of ``for_each``


class NodeExecution:
    """One node in one round: its members, and how many have not ended."""

    def __init__(self, plan_node: PlanNode, round: int) -> None:
        self.plan_node = plan_node
        self.round = round
        self.jobs: list[JobExecution] = []
        self.open = 0
        self.line: deque[JobExecution] = deque()  # those whose turn has not come, by index


class Nodes:
    """The nodes of one run, or the handlers of its end, which have a plan of their own; loop thread only."""

    def __init__(
        self, run: RunContext, progress: Progress, all_ended: Callable[[], None], at_end: Plan | None = None
    ) -> None:
        self.run = run
        self._plan = at_end or run.facts.plan
        self._at_end = at_end is not None
        self._progress = progress
        self._all_ended = all_ended
        self.executions: dict[str, NodeExecution] = {}
        self.rows: dict[tuple[str, int | None], int] = {}  # pending JobInstances: (node, index) -> id
        self._steps: deque[Start | Skip] = deque()
        self._applying = False

    def take_up(self, steps: Iterable[Start | Skip], left: RecoveredJobs) -> None:
        """Go on where an earlier engine was; ``steps`` are those that have not come to their end."""
        self.run.job_rows.recovered = left
        for step in steps:
            group = left.get((step.node, step.round), {})
            began = any(each.state is not JobState.PENDING for _, each in group.values())
            if isinstance(step, Start) and began:
                self._take_up_node(step, group)
            else:
                self.apply([step])
        self.apply([])

    def _take_up_node(self, step: Start, group: Mapping[int | None, tuple[int, RecoveredJob]]) -> None:
        node = self._plan.nodes[step.node]
        execution = self.executions[step.node] = NodeExecution(node, step.round)
        given = {member.index: member for member in self._members(node, quiet=True)}
        for index, (id, left) in group.items():
            member = given.get(index) or self._member(node, index, {})
            execution.jobs.append(self._job(execution, id, member, left))
        self._begin(execution)

    def _begin(self, execution: NodeExecution) -> None:
        waiting = [job for job in execution.jobs if not job.row.state.ended]
        execution.open = len(waiting)
        self._line_up(execution, waiting)
        for job in waiting:
            job.start(lambda job=job: self._job_ended(execution, job))  # type: ignore[misc]

    def _line_up(self, execution: NodeExecution, waiting: list[JobExecution]) -> None:
        """With ``parallel`` only so many members are begun, in the order of their index."""
        node, most = execution.plan_node, execution.plan_node.node.parallel
        later = [job for job in waiting if job.row.state is JobState.PENDING]
        for job in later[max(most - len(waiting) + len(later), 0) :] if most is not None else ():
            job.turn = Signal()
            job.row.update(**said(Reason.of(Kind.MEMBERS, node=node.id, most=most)))
            execution.line.append(job)

    def _next_in_line(self, execution: NodeExecution, ended: JobExecution) -> None:
        """The turn of the next member, or of none when its failure stops the task."""
        if ended in execution.line:  # it was stopped before its turn
            return execution.line.remove(ended)
        node = execution.plan_node.node
        stops = ended.row.state.bad and not node.continue_on_failure
        go = not (stops and self._plan.task.on_failure == "stop")
        for job in [
            execution.line.popleft() for _ in range(1 if go else len(execution.line)) if execution.line
        ]:
            if job.turn is not None:
                job.turn.fire(go)

    def insert(self, nodes: Iterable[PlanNode], round: int = 1) -> None:
        """Write the pending JobInstances of these nodes down, with ids that follow each other."""
        members = [(node, index) for node in nodes for index in _static_indices(node)]
        first = self.run.services.next_id("job_instance", len(members)) if members else 0
        for id, (node, index) in enumerate(members, first):
            self.rows[node.id, index] = self.run.job_rows.insert(node.id, node.job, index, round, id=id)

    def apply(self, steps: Iterable[Start | Skip]) -> None:
        """Do what the rules decided, in order; ends the run when nothing is left."""
        self._steps.extend(steps)
        if self._applying:
            return  # a node that settles at once: its followers' turn comes below
        self._applying = True
        try:
            while self._steps:
                self._apply_one(self._steps.popleft())
        finally:
            self._applying = False
        if self._progress.finished and (self._at_end or not self.run.phase.finishing):
            self.run.services.loop.soon(self._all_ended)

    def _apply_one(self, step: Start | Skip) -> None:
        if isinstance(step, Skip):
            self._skip(step)
        elif self._at_end:  # after a stop too, and in spite of a pause
            self._start(step)
        elif self.run.phase.stopped:
            self._skip(Skip(step.node, step.round, Reason(Kind.STOPPED), Outcome.BLOCKED))
            self.apply(self._progress.ended(step.node, Outcome.BLOCKED))
        elif not self.run.pause.keeps(step):
            self._start(step)

    def _skip(self, step: Skip) -> None:
        node = self._plan.nodes[step.node]
        self._make_room(node)
        for index in _static_indices(node):
            if self._was_skipped(step, index):
                continue
            self._write_skip(self._row_of(node, index, step.round), node, index, step)

    def _make_room(self, node: PlanNode) -> None:
        """A value that a person gave a batch as a whole leaves no place for its members."""
        entry = self.run.context.tree.get("JOB", {}).get(node.id)
        if isinstance(entry, dict) and None not in _static_indices(node):
            self.run.context.set(("JOB", node.id), [])

    def _was_skipped(self, step: Skip, index: int | None) -> bool:
        """Whether an earlier engine has written that down already."""
        _, left = self.run.job_rows.recovered.get((step.node, step.round), {}).get(index, (None, None))
        return left is not None and left.state is JobState.SKIPPED

    def _write_skip(self, id: int, node: PlanNode, index: int | None, step: Skip) -> None:
        now = self.run.services.now()
        row = {"ended_at": now, **said(step.reason)}
        self.run.services.changes.move("job_instance", id, JobState.PENDING, JobState.SKIPPED, row)
        entry = {"STATUS": "skipped", "END_TIME": now, "INSTANCE": id}
        self._enter_round(node.id, step.round)
        path = ("JOB", node.id) if index is None else ("JOB", node.id, index)
        self.run.context.set(path, entry, why=brief(step.reason))
        self.run.publish(node.id, id, JobState.SKIPPED)

    def _start(self, step: Start) -> None:
        node = self._plan.nodes[step.node]
        execution = self.executions[step.node] = NodeExecution(node, step.round)
        try:
            if not self._wanted(node):
                return self.apply(self._progress.ended(node.id, Outcome.SKIPPED, skip=Reason(Kind.WHEN)))
            members = self._members(node)
        except SkerryError as error:
            return self._never_started(execution, Failure.of(error))
        if step.round > 1:
            self.insert([node], step.round)
        self._enter_round(node.id, step.round)
        self._begin_members(execution, members)

    def _wanted(self, node: PlanNode) -> bool:
        when = node.node.when
        return True if when is None else self.run.scopes.condition(when, node.id, why="when")

    def _members(self, node: PlanNode, *, quiet: bool = False) -> list[NodeMember]:
        """Each JobInstance that this node becomes; SkerryError when that cannot be said."""
        spec = node.node
        if spec.for_each is not None:
            items = self.run.scopes.value(spec.for_each, node.id, why=None if quiet else "for_each")
            if not isinstance(items, list):
                given = kind_of(items) or "null"
                message = "for_each of {node!r} gave no list: {given}"
                raise SkerryError(BATCH_NOT_A_LIST, message, node=node.id, given=given)
            params = spec.params if isinstance(spec.params, Mapping) else {}
            return [self._member(node, index, params, item) for index, item in enumerate(items)]
        if isinstance(spec.params, Mapping):
            return [self._member(node, None, spec.params)]
        return [self._member(node, index, params) for index, params in enumerate(spec.params)]

    def _member(
        self, node: PlanNode, index: int | None, params: Mapping[str, Any], item: Any = None
    ) -> NodeMember:
        kind, reusable = self.run.services.job_types[node.job.type], isinstance(node.node.job, str)
        rows = bindings(node.job, kind.params, self.run.facts.plan.task, params, reusable=reusable)
        return NodeMember(index, rows, item)

    def _begin_members(self, execution: NodeExecution, members: list[NodeMember]) -> None:
        node = execution.plan_node
        batch = node.node.for_each is not None or not isinstance(node.node.params, Mapping)
        if batch:
            self.run.context.set(("JOB", node.id), [])
        if not members:
            return self._empty_batch(execution)
        for member in members:
            id = self._row_of(node, member.index, execution.round)
            execution.jobs.append(self._job(execution, id, member))
        self._begin(execution)

    def _job(
        self, execution: NodeExecution, id: int, member: NodeMember, left: RecoveredJob | None = None
    ) -> JobExecution:
        node = execution.plan_node
        kind = self.run.services.job_types[node.job.type]
        identity = JobIdentity(node.job, kind, node.id, id, member.index, execution.round, member.item)
        return JobExecution(self.run, attempt_loop.body_of, identity, member.rows, left)

    def _row_of(self, node: PlanNode, index: int | None, round: int) -> int:
        id = self.rows.pop((node.id, index), None)
        if id is None and index == 0:  # the placeholder of a for_each becomes its first member
            id = self.rows.pop((node.id, None), None)
            if id is not None:
                self.run.services.changes.update("job_instance", id, {"index": 0})
        return id if id is not None else self.run.job_rows.insert(node.id, node.job, index, round)

    def _empty_batch(self, execution: NodeExecution) -> None:
        node = execution.plan_node
        id = self._row_of(node, None, execution.round)
        row = {"ended_at": self.run.services.now(), **said(Reason(Kind.EMPTY_BATCH))}
        self.run.services.changes.move("job_instance", id, JobState.PENDING, JobState.SUCCEEDED, row)
        self.apply(self._progress.ended(node.id, Outcome.OK))

    def _never_started(self, execution: NodeExecution, failure: Failure) -> None:
        """It is not clear what it becomes (``when``, ``for_each``, a parameter): it fails with that error."""
        self._enter_round(execution.plan_node.id, execution.round)
        execution.jobs = self._jobs_without_params(execution)
        execution.open = len(execution.jobs)
        for job in execution.jobs:
            job.fail_at_once(failure, partial(self._job_ended, execution, job))

    def _jobs_without_params(self, execution: NodeExecution) -> list[JobExecution]:
        """All that the node has rows for, which come to an outcome without being begun."""
        node, round = execution.plan_node, execution.round
        self._make_room(node)
        rows = {index: self._row_of(node, index, round) for index in _static_indices(node)}
        return [self._job(execution, id, NodeMember(index)) for index, id in rows.items()]

    def _enter_round(self, node: str, round: int) -> None:
        """Earlier rounds move to ROUNDS before the next one takes their place."""
        entry = self.run.context.tree.get("JOB", {}).get(node)
        if round > 1 and entry is not None:
            earlier = self.run.context.tree.get("ROUNDS", {}).get(node, [])
            if len(earlier) < round - 1:
                self.run.context.set(("ROUNDS", node, len(earlier)), entry)

    def _job_ended(self, execution: NodeExecution, job: JobExecution) -> None:
        execution.open -= 1
        self._tell_failure(execution, job)
        self._next_in_line(execution, job)
        if execution.open:
            return
        outcome = self._outcome(execution)
        branch = execution.jobs[0].row.branch if outcome is Outcome.OK else None
        try:
            steps = self._progress.ended(execution.plan_node.id, outcome, branch)
        except SkerryError as error:  # a loop that goes round too often
            job.reopen_as_failed(Failure.of(error))
            self._fail_by(job)
            steps = self._progress.ended(execution.plan_node.id, Outcome.BAD)
        self.apply(steps)

    def _tell_failure(self, execution: NodeExecution, job: JobExecution) -> None:
        if job.row.state.bad and not execution.plan_node.node.continue_on_failure:
            self._fail_by(job)

    def _fail_by(self, job: JobExecution) -> None:
        """The first failure that counts is why the run fails; handlers change nothing of that."""
        if self.run.outcome.failure is None and not self._at_end:
            lost = job.row.state is JobState.LOST
            self.run.outcome.fail_by_job(job.failure_for_run(), job.identity.node, lost=lost)

    def _outcome(self, execution: NodeExecution) -> Outcome:
        if any(job.row.state.bad for job in execution.jobs):
            return Outcome.OK if execution.plan_node.node.continue_on_failure else Outcome.BAD
        return (
            Outcome.SKIPPED
            if all(job.row.state is JobState.SKIPPED for job in execution.jobs)
            else Outcome.OK
        )

    def stop_node(self, node: str, stopped: Stopped, done: Callable[[], None]) -> bool:
        """End one node's jobs and call ``done`` when they have ended; False when none of them lives."""
        execution = self.executions.get(node)
        alive = [job for job in execution.jobs if not job.row.state.ended] if execution else []
        for job in alive:
            job.on_settled(lambda: done() if all(each.row.state.ended for each in alive) else None)
            job.interrupt(stopped)
        return bool(alive)

    def force(self, node: str, state: JobState, note: str, actor: str) -> None:
        """Settle a node by hand while the run lives."""
        execution = self.executions.get(node)
        alive = [job for job in execution.jobs if not job.row.state.ended] if execution else []
        if alive:
            for job in alive:
                job.force(state, note, actor)
            return
        known = self.run.phase.finishing  # an engine that takes its handlers up does not look at its nodes
        if known or (node not in self._progress.pending and not self.run.pause.drop(node)):
            raise Refused.at(NOT_RUNNING, "node {where!r} has ended already: force it after the run", node)
        self._force_pending(node, state, note, actor)

    def _force_pending(self, node: str, state: JobState, note: str, actor: str) -> None:
        plan_node, round = self._plan.nodes[node], self._progress.round(node) + 1
        execution = NodeExecution(plan_node, round)
        self._enter_round(node, round)
        execution.jobs = self._jobs_without_params(execution)
        for job in execution.jobs:
            job.settle_at_once(state, note, actor)
        self._tell_failure(execution, execution.jobs[0])
        self.apply(self._progress.force(node, self._outcome(execution)))

    def running(self) -> list[str]:
        return [
            execution.plan_node.id
            for execution in self.executions.values()
            if any(job.row.state in (JobState.RUNNING, JobState.CHECKING) for job in execution.jobs)
        ]

    def any_open(self) -> bool:
        return any(node.open for node in self.executions.values())


def _static_indices(node: PlanNode) -> Iterable[int | None]:
    params = node.node.params
    if node.node.for_each is None and not isinstance(params, Mapping):
        return range(len(params)) or (None,)
    return (None,)
