"""One execution of a task instance: turns the pure rules of ``Progress`` into jobs that live.

The run owns the context; its jobs (:mod:`engine.runtime.job`) write into it. What a node's end
lets happen is decided by :class:`engine.planning.progress.Progress`; here it is written down and done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.context import Line, TaskContext, parse_path
from engine.model.codes.runtime import BATCH_NOT_A_LIST, INTERNAL, NOT_RUNNING, TASK_TIMED_OUT
from engine.model.errors import Failure, Refused, SkerryError
from engine.model.expression import compile_value, render
from engine.model.states import InstanceState, JobState, Trigger
from engine.planning.progress import Outcome, Progress, Skip, Start
from engine.planning.shape import Plan, PlanNode
from engine.runtime import task_end
from engine.runtime.again import Past, Restart, overlaps, simple_steps
from engine.runtime.binding import bindings
from engine.runtime.fibers import Fiber, Stopped
from engine.runtime.house import House, iso
from engine.runtime.job import JobLife, LeftOver
from engine.runtime.journal import Journal
from engine.runtime.loop import Timer
from engine.runtime.scopes import Scopes
from engine.store.rows import JobRow

LeftOvers = dict[tuple[str, int], dict[int | None, tuple[int, LeftOver]]]  # by node and round, then index


@dataclass(frozen=True)
class Edit:
    """An operator's change of one value of the context."""

    path: str
    steps: tuple[str | int, ...]
    value: Any
    reason: str
    actor: str


@dataclass(frozen=True)
class Facts:
    """What does not change about an instance."""

    id: int
    trigger: Trigger
    scheduled_time: datetime
    created_at: datetime
    directory: Path
    priority: int = 0
    params: Mapping[str, Any] = field(default_factory=dict)  # as they were given, by name
    depth: int = 0  # how many sub-tasks deep


class NodeLife:
    """One node in one round: its members, and how many have not ended."""

    def __init__(self, plan_node: PlanNode, round: int) -> None:
        self.plan_node = plan_node
        self.round = round
        self.jobs: list[JobLife] = []
        self.open = 0


class Run:
    """A live TaskRun; loop thread only."""

    def __init__(
        self,
        house: House,
        facts: Facts,
        number: int,
        plan: Plan,
        context: TaskContext,
        progress: Progress,
        ended: Callable[[Run, Failure | None], None],
        restart: Restart | None = None,
    ) -> None:
        self.house = house
        self.facts = facts
        self.number = number
        self.plan = plan
        self.context = context
        self.progress = progress
        self.scopes = Scopes(self)
        self.nodes: dict[str, NodeLife] = {}
        self.rows: dict[tuple[str, int | None], int] = {}  # pending JobInstances: (node, index) -> id
        self.failure: Failure | None = None  # the first one: why the run failed
        self.restart = restart
        self.past = restart.past if restart else Past()
        self.edited: set[str] = set()  # paths that an operator changed
        again = set(restart.selection.run) if restart else set()
        self.based_on_edit = set(self.past.based_on_edit - again)  # nodes that ran on an edited value
        self.results: dict[str, Any] = {}
        self.state = InstanceState.RUNNING
        self._ended = ended
        self._timer: Timer | None = None
        self._stop: Stopped | None = None
        self._finishing = False
        self._left: LeftOvers = {}
        self.began = house.clock.monotonic()
        self.folder = house.directories.instance(plan.task.id, facts.id)
        self.journal = Journal(self.folder)
        self.has_directory = number > 1
        self.unfiled: list[Line] = []  # lines that are in the store but not yet in ctx.log
        self.snapshot_due: Timer | None = None
        self.retry: Timer | None = None  # it failed, and is tried again then
        self.remaining: list[int] = []  # pids that would not go

    # -- the beginning ------------------------------------------------------------------------

    def begin(self, edits: Iterable[Edit] = ()) -> None:
        """Set up the context, make the JobInstances, start what has nothing to wait for."""
        self.set(("TASK",), self._task_entry())
        try:
            self._bind_params()
        except SkerryError as error:
            return self.finish(Failure.of(error))
        for edit in edits:
            self.edit(edit)
        shown = {"params": self.context.tree["TASK"]["PARAMS"], "edited": sorted(self.edited)}
        self.house.changes.update("instance", self.facts.id, shown)
        self._forget_what_runs_again()
        self._arm_timeout()
        self._insert_jobs(self._selected())
        self.apply(self.progress.begin())

    def take_up(self, steps: Iterable[Start | Skip], left: LeftOvers) -> None:
        """Go on where an earlier engine stood; ``steps`` are those that have not come to their end."""
        self._left = left
        for step in steps:
            group = left.get((step.node, step.round), {})
            began = any(each.state is not JobState.PENDING for _, each in group.values())
            if isinstance(step, Start) and began:
                self._take_up_node(step, group)
            else:
                self.apply([step])
        self.apply([])

    def _take_up_node(self, step: Start, group: Mapping[int | None, tuple[int, LeftOver]]) -> None:
        node = self.plan.nodes[step.node]
        life = self.nodes[step.node] = NodeLife(node, step.round)
        table = self.house.job_types[node.job.type].params
        given = {index: (params, item) for index, params, item in self._members(node, quiet=True)}
        for index, (id, left) in group.items():
            params, item = given.get(index, ({}, None))
            rows = bindings(node.job, table, self.plan.task, params)
            job = JobLife(
                self, node.job, node.id, id, rows, index=index, round=step.round, item=item, left=left
            )
            life.jobs.append(job)
        waiting = [job for job in life.jobs if not job.state.ended]
        life.open = len(waiting)
        for job in waiting:
            job.start(lambda job=job: self._job_ended(life, job))  # type: ignore[misc]

    def left_over(self, node: str, index: int | None, round: int) -> tuple[int | None, LeftOver | None]:
        """What an earlier engine left of a group's member, once."""
        return self._left.get((node, round), {}).pop(index, (None, None))

    def resume(self) -> None:
        """Go on after an engine restart: nothing is written anew, only the time limit is armed."""
        self._arm_timeout()

    def _task_entry(self) -> dict[str, Any]:
        task, facts = self.plan.task, self.facts
        zone = self.house.workspace.zone
        return {
            "ID": task.id,
            "NAME": task.name or task.id,
            "INSTANCE": facts.id,
            "RUN": self.number,
            "PARAMS": self._kept_params(),
            "STATUS": "running",
            "TRIGGER": str(facts.trigger),
            "SCHEDULED_TIME": iso(facts.scheduled_time.astimezone(zone)),
            "START_TIME": self.house.now(),
            "DIRECTORY": str(facts.directory),
            "WORKSPACE": str(self.house.workspace.root),
        }

    @property
    def _afresh(self) -> bool:
        """Whether everything runs: then the parameters are those of the beginning again."""
        return self.restart is None or set(self.restart.selection.run) == set(self.plan.nodes)

    def _kept_params(self) -> dict[str, Any]:
        """A further run of the instance goes on with the parameters it has."""
        kept = {} if self._afresh else self.context.tree.get("TASK", {}).get("PARAMS", {})
        return dict(kept)

    def _bind_params(self) -> None:
        if self._afresh:
            self.edited.clear()
            scope = self.scopes.of_task()
            for row in bindings_of_task(self.plan, self.facts.params):
                row.write(self, scope)

    def _forget_what_runs_again(self) -> None:
        """What an earlier run left must not be taken for what this one gives; the log keeps it."""
        for node in self.restart.selection.run if self.restart else ():
            for part in ("JOB", "ROUNDS"):
                if node in self.context.tree.get(part, {}):
                    self.remove((part, node), why=f"run {self.number} runs it again")

    def _arm_timeout(self) -> None:
        timeout = self.plan.task.timeout
        if timeout is not None:
            spent = (self.house.clock.now() - self.facts.created_at).total_seconds()
            self._timer = self.house.loop.later(max(timeout - spent, 0.0), self._timed_out)

    def _timed_out(self) -> None:
        limit = self.plan.task.timeout
        self.failure = Failure(TASK_TIMED_OUT.number, f"not finished within {limit:g} s")
        self.stop(Stopped("timed_out", why="the task's time is up"))

    def _selected(self) -> Iterable[PlanNode]:
        return (node for id, node in self.plan.nodes.items() if id not in self.progress.kept)

    def _insert_jobs(self, nodes: Iterable[PlanNode], round: int = 1) -> None:
        for node in nodes:
            for index in _static_indices(node):
                self.rows[node.id, index] = self.new_row(node.id, node.job.id, index, round)

    def new_row(self, node: str, job: str, index: int | None, round: int) -> int:
        """Write a pending JobInstance down and give its id."""
        house = self.house
        id = house.store.next_id("job_instance")
        house.changes.insert(
            "job_instance",
            {
                "id": id,
                "instance": self.facts.id,
                "run": self.number,
                "node": node,
                "job": job,
                "round": round,
                "index": index,
                "status": str(JobState.PENDING),
                "created_at": house.now(),
            },
        )
        return id

    # -- steps ---------------------------------------------------------------------------------

    def apply(self, steps: Iterable[Start | Skip]) -> None:
        """Do what the rules decided; ends the run when nothing is left."""
        for step in steps:
            if isinstance(step, Skip):
                self._skip(step)
            else:
                self._start(step)
        if self.progress.finished and not self._finishing:
            self.house.loop.soon(self._finish_once)

    def _finish_once(self) -> None:
        if self.progress.finished and not self._open_jobs():
            self.finish(self.failure)

    def _open_jobs(self) -> bool:
        return any(node.open for node in self.nodes.values())

    def _skip(self, step: Skip) -> None:
        node = self.plan.nodes[step.node]
        for index in _static_indices(node):
            id = self.rows.pop((step.node, index), None)
            if id is None:
                id = self.new_row(step.node, node.job.id, index, step.round)
            self._write_skip(id, node, index, step)

    def _write_skip(self, id: int, node: PlanNode, index: int | None, step: Skip) -> None:
        now = self.house.now()
        reason = f"{step.reason}: {step.detail}" if step.detail else step.reason
        row = {"status": str(JobState.SKIPPED), "ended_at": now, "reason": reason}
        self.house.changes.update("job_instance", id, row)
        entry = {"STATUS": "skipped", "END_TIME": now, "INSTANCE": id}
        self._enter_round(node.id, step.round)
        path = ("JOB", node.id) if index is None else ("JOB", node.id, index)
        self.set(path, entry, why=reason)
        self.tell(node.id, id, JobState.SKIPPED)

    def _start(self, step: Start) -> None:
        node = self.plan.nodes[step.node]
        life = self.nodes[step.node] = NodeLife(node, step.round)
        try:
            if not self._wanted(node):
                return self.apply(self.progress.ended(node.id, Outcome.SKIPPED, skip="when"))
            members = self._members(node)
        except SkerryError as error:
            return self._never_started(life, Failure.of(error))
        if step.round > 1:
            self._insert_jobs([node], step.round)
        self._enter_round(node.id, step.round)
        self._begin_members(life, members)

    def _wanted(self, node: PlanNode) -> bool:
        when = node.node.when
        return True if when is None else self.scopes.condition(when, node.id, why="when")

    def _members(
        self, node: PlanNode, *, quiet: bool = False
    ) -> list[tuple[int | None, Mapping[str, Any], Any]]:
        """(index, params given, item) of each JobInstance that this node becomes."""
        spec = node.node
        if spec.for_each is not None:
            items = self.scopes.value(spec.for_each, node.id, why=None if quiet else "for_each")
            if not isinstance(items, list):
                raise SkerryError(BATCH_NOT_A_LIST, f"for_each of {node.id!r} gave {type(items).__name__}")
            params = spec.params if isinstance(spec.params, Mapping) else {}
            return [(index, params, item) for index, item in enumerate(items)]
        if isinstance(spec.params, Mapping):
            return [(None, spec.params, None)]
        return [(index, params, None) for index, params in enumerate(spec.params)]

    def _begin_members(
        self, life: NodeLife, members: list[tuple[int | None, Mapping[str, Any], Any]]
    ) -> None:
        node = life.plan_node
        batch = node.node.for_each is not None or not isinstance(node.node.params, Mapping)
        if batch:
            self.set(("JOB", node.id), [])
        if not members:
            return self._empty_batch(life)
        table = self.house.job_types[node.job.type].params
        life.open = len(members)
        for index, given, item in members:
            rows = bindings(node.job, table, self.plan.task, given)
            job = JobLife(
                self,
                node.job,
                node.id,
                self._row_of(node, index, life.round),
                rows,
                index=index,
                round=life.round,
                item=item,
            )
            life.jobs.append(job)
        for job in life.jobs:
            job.start(lambda job=job: self._job_ended(life, job))  # type: ignore[misc]

    def _row_of(self, node: PlanNode, index: int | None, round: int) -> int:
        id = self.rows.pop((node.id, index), None)
        if id is None and index == 0:  # the placeholder of a for_each becomes its first member
            id = self.rows.pop((node.id, None), None)
            if id is not None:
                self.house.changes.update("job_instance", id, {"index": 0})
        return id if id is not None else self.new_row(node.id, node.job.id, index, round)

    def _empty_batch(self, life: NodeLife) -> None:
        node = life.plan_node
        id = self.rows.pop((node.id, None), None)
        if id is None:
            id = self.new_row(node.id, node.job.id, None, life.round)
        row = {"status": str(JobState.SUCCEEDED), "ended_at": self.house.now(), "reason": "an empty batch"}
        self.house.changes.update("job_instance", id, row)
        self.apply(self.progress.ended(node.id, Outcome.OK))

    def _never_started(self, life: NodeLife, failure: Failure) -> None:
        """``when`` or ``for_each`` could not be evaluated: the node fails with that error."""
        node = life.plan_node
        self._enter_round(node.id, life.round)
        row = (
            self._row_of(node, None, life.round)
            if (node.id, None) in self.rows
            else self._row_of(node, 0, life.round)
        )
        job = JobLife(self, node.job, node.id, row, (), index=None, round=life.round)
        life.jobs, life.open = [job], 1
        job.fail_at_once(failure, lambda: self._job_ended(life, job))

    def _enter_round(self, node: str, round: int) -> None:
        """Earlier rounds move to ROUNDS before the next one takes their place."""
        entry = self.context.tree.get("JOB", {}).get(node)
        if round > 1 and entry is not None:
            earlier = self.context.tree.get("ROUNDS", {}).get(node, [])
            if len(earlier) < round - 1:
                self.set(("ROUNDS", node, len(earlier)), entry)

    # -- ends ----------------------------------------------------------------------------------

    def _job_ended(self, life: NodeLife, job: JobLife) -> None:
        life.open -= 1
        if job.state.bad and not life.plan_node.node.continue_on_failure and self.failure is None:
            self.failure = job.failure_for_run()
        if life.open:
            return
        outcome = self._outcome(life)
        branch = life.jobs[0].branch if outcome is Outcome.OK else None
        try:
            steps = self.progress.ended(life.plan_node.id, outcome, branch)
        except SkerryError as error:  # a loop that goes round too often
            job.reopen_as_failed(Failure.of(error))
            self.failure = self.failure or job.failure_for_run()
            steps = self.progress.ended(life.plan_node.id, Outcome.BAD)
        self.apply(steps)

    def _outcome(self, life: NodeLife) -> Outcome:
        if any(job.state.bad for job in life.jobs):
            return Outcome.OK if life.plan_node.node.continue_on_failure else Outcome.BAD
        return Outcome.SKIPPED if all(job.state is JobState.SKIPPED for job in life.jobs) else Outcome.OK

    def stop(self, stopped: Stopped) -> None:
        """End everything that lives; nothing new starts."""
        if self._finishing or (self._stop is not None and stopped.kind != "cancelled"):
            return
        self._stop = stopped
        steps = self.progress.stop()
        for life in list(self.nodes.values()):
            for job in life.jobs:
                job.interrupt(Stopped(stopped.kind, stopped.actor, stopped.why))
        self.apply(steps)
        self.house.loop.soon(self._finish_once)

    def stop_node(self, node: str, stopped: Stopped, done: Callable[[], None]) -> bool:
        """End one node's jobs and call ``done`` when they have ended; False when none of them lives."""
        life = self.nodes.get(node)
        alive = [job for job in life.jobs if not job.state.ended] if life else []
        for job in alive:
            job.on_settled(lambda: done() if all(each.state.ended for each in alive) else None)
            job.interrupt(stopped)
        return bool(alive)

    def force(self, node: str, state: JobState, reason: str, actor: str) -> None:
        """Settle a node by hand while the run lives."""
        life = self.nodes.get(node)
        alive = [job for job in life.jobs if not job.state.ended] if life else []
        if alive:
            for job in alive:
                job.force(state, f"{reason} ({actor})")
            return
        if node not in self.progress.pending:
            raise Refused(NOT_RUNNING, f"node {node!r} has ended already: force it after the run", where=node)
        self._force_pending(node, state, f"{reason} ({actor})")

    def _force_pending(self, node: str, state: JobState, why: str) -> None:
        plan_node, now = self.plan.nodes[node], self.house.now()
        id = self._row_of(plan_node, None, 1)
        columns = {"status": str(state), "ended_at": now, "reason": f"by hand: {why}"}
        self.house.changes.update("job_instance", id, columns)
        self.set(
            ("JOB", node), {"RESULT": {}, "STATUS": str(state), "END_TIME": now, "INSTANCE": id}, why=why
        )
        self.tell(node, id, state)
        self.apply(self.progress.force(node, Outcome.OK if state is JobState.SUCCEEDED else Outcome.BAD))

    def force_ended(self, rows: Iterable[JobRow], state: JobState, reason: str, actor: str) -> None:
        """Settle a node by hand after the run; a rerun goes on from that."""
        for row in rows:
            columns = {"status": str(state), "reason": f"by hand: {reason} ({actor})"}
            self.house.changes.update("job_instance", row.id, columns)
        path = ("JOB", next(iter(rows)).node, "STATUS")
        self.set(path, str(state), actor=actor, why=reason)

    def finish(self, failure: Failure | None) -> None:
        """Compute the task's results, judge the run, then write its end down."""
        if self._finishing:
            return
        self._finishing = True
        if self._timer is not None:
            self._timer.cancel()
        Fiber(self.house.loop, task_end.life(self, failure, self._stop), self._finished).start()

    def _finished(self, outcome: Any, error: BaseException | None) -> None:
        if error is not None:
            self.house.loop.on_error(error)
            outcome = InstanceState.FAILED, Failure(INTERNAL.number, str(error), retryable=False)
        self.state, failure = outcome
        self.set(("TASK", "END_TIME"), self.house.now())
        self.set(("TASK", "STATUS"), str(self.state))
        self._ended(self, failure)

    # -- the context ---------------------------------------------------------------------------

    def set(self, path: tuple[str | int, ...], new: Any, **more: Any) -> Line:
        """Write one value into the context; its line is durable with this turn."""
        self.house.dirty[self.facts.id] = self
        return self.context.set(path, new, run=self.number, **more)

    def note(self, path: tuple[str | int, ...], **more: Any) -> Line:
        """Write down what was read without changing anything."""
        self.house.dirty[self.facts.id] = self
        return self.context.note(path, run=self.number, **more)

    def remove(self, path: tuple[str | int, ...], **more: Any) -> Line:
        """Take a value out of the context."""
        self.house.dirty[self.facts.id] = self
        return self.context.remove(path, run=self.number, **more)

    def edit(self, edit: Edit) -> Line:
        """An operator's change of a value; what is computed from it later says so."""
        self.edited.add(edit.path)
        self.house.changes.update("instance", self.facts.id, {"edited": sorted(self.edited)})
        return self.set(edit.steps, edit.value, actor=edit.actor, why=edit.reason)

    def reads_edited(self, node: str, inputs: Iterable[str]) -> bool:
        """Whether an expression with these paths, or anything before its node, stands on an edit."""
        parents = self.plan.nodes[node].parents if node in self.plan.nodes else ()
        if not self.based_on_edit.isdisjoint(parents):
            return True
        edited = [self._by_node(parse_path(path)) for path in self.edited]
        return any(overlaps(edited, self._by_node(simple_steps(each))) for each in inputs)

    def _by_node(self, steps: tuple[str | int, ...]) -> tuple[str | int, ...]:
        """A path that names a job by its Job's id, with the node's instead."""
        nodes = self.plan.job_nodes.get(str(steps[1]), ()) if len(steps) > 1 else ()
        known = len(steps) < 2 or steps[1] in self.plan.nodes or len(nodes) != 1
        return steps if known else (steps[0], nodes[0], *steps[2:])

    def tell(self, node: str, job_instance: int, state: JobState, *, kind: str = "job", **more: Any) -> None:
        """Tell the listeners of a job."""
        if self.house.events:
            self.house.events.tell(
                {"kind": kind, "instance": self.facts.id, "run": self.number, "node": node,
                 "job_instance": job_instance, "status": str(state), **more}
            )  # fmt: skip

    def tell_instance(self, state: InstanceState) -> None:
        """Tell the listeners of the whole."""
        self.house.events.tell(
            {"kind": "instance", "instance": self.facts.id, "run": self.number, "task": self.plan.task.id,
             "status": str(state)}
        )  # fmt: skip

    # -- the files -----------------------------------------------------------------------------

    def file_lines(self) -> None:
        """Bring ``ctx.log`` up to the store."""
        lines, self.unfiled = self.unfiled, []
        self.journal.append(lines)

    def write_files(self) -> None:
        """Bring ``ctx.json`` and ``currJobs`` up to date."""
        if self.snapshot_due is not None:
            self.snapshot_due.cancel()
            self.snapshot_due = None
        self.journal.snapshot(self.context.canonical(), self.running_nodes())

    def running_nodes(self) -> list[str]:
        """The ids for ``currJobs``."""
        return [
            life.plan_node.id
            for life in self.nodes.values()
            if any(job.state in (JobState.RUNNING, JobState.CHECKING) for job in life.jobs)
        ]


def _static_indices(node: PlanNode) -> Iterable[int | None]:
    params = node.node.params
    if node.node.for_each is None and not isinstance(params, Mapping):
        return range(len(params)) or (None,)
    return (None,)


@dataclass(frozen=True)
class TaskParam:
    """One task parameter on its way into the context."""

    name: str
    value: Any
    typed: bool  # given by somebody: never evaluated
    secret: bool

    def write(self, run: Run, scope: Any) -> None:
        """Evaluate it if it stands in the definition, and set it."""
        path = ("TASK", "PARAMS", self.name)
        if self.typed:
            run.set(path, "******" if self.secret else self.value)
            return
        value, uses = render(compile_value(self.value), scope)
        more = {"expression": uses[0].expression, "inputs": uses[0].inputs} if uses else {}
        run.set(path, value, **more)


def bindings_of_task(plan: Plan, given: Mapping[str, Any]) -> Iterable[TaskParam]:
    """The task's parameters in the order of definition."""
    for name, spec in plan.task.params.items():
        typed = name in given
        yield TaskParam(
            name, given[name] if typed else spec.value, typed or not spec.dynamic, bool(spec.secret)
        )


__all__ = ["Facts", "NodeLife", "Run"]
