"""One run of a task instance: turns the decisions of ``Progress`` into job executions.

The run owns the context; its jobs (:mod:`engine.runtime.jobs.execution`) write into it. What a node's end
lets happen is decided by :class:`engine.planning.progress.Progress`; here it is written down and done.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.context import Line, TaskContext, format_path, parse_path, target
from engine.execution.kill import Left
from engine.model.codes.runtime import TASK_TIMED_OUT
from engine.model.disk import no_room
from engine.model.errors import Failure, SkerryError
from engine.model.plain_words import unforeseen, wording
from engine.model.states import InstanceState, JobState, Trigger
from engine.planning.names import is_within
from engine.planning.progress import Progress
from engine.planning.shape import Plan, PlanNode
from engine.runtime.big_values import BigValues, is_big
from engine.runtime.fibers import Fiber, Stopped
from engine.runtime.jobs.stop_outcome import written
from engine.runtime.journal import Journal
from engine.runtime.loop import Timer
from engine.runtime.run_state.context_paths import by_node, is_original, meant, show_edited
from engine.runtime.run_state.expression_scopes import Scopes
from engine.runtime.run_state.pause import InstancePause
from engine.runtime.run_state.restart import Edit, Past, Restart, overlaps, simple_steps
from engine.runtime.run_state.typed_secrets import TypedSecrets
from engine.runtime.runs import task_outcome
from engine.runtime.runs.nodes import Nodes
from engine.runtime.runs.task_params import bindings_of_task
from engine.runtime.services import EngineServices, iso

HOLDERS = ("PARAMS", "RESULT")  # what stands below them may be a reference to a file


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
    above: tuple[int, ...] = ()  # the instances that it is a sub-task of, the outermost first
    revision: int | None = None  # of the task's definition; None: it ran from a file


class Run:
    """A live TaskRun; loop thread only."""

    def __init__(
        self,
        services: EngineServices,
        facts: Facts,
        number: int,
        plan: Plan,
        context: TaskContext,
        progress: Progress,
        ended: Callable[[Run, Failure | None], None],
        restart: Restart | None = None,
    ) -> None:
        self.services = services
        self.facts = facts
        self.number = number
        self.plan = plan
        self.context = context
        self.progress = progress
        self.scopes = Scopes(self)
        self.nodes = Nodes(self)
        self.failure: Failure | None = None  # the first one: why the run failed
        self.restart = restart
        self.past = restart.past if restart else Past()
        self.edited: set[str] = set()  # paths that an operator changed
        again = set(restart.selection.run) if restart else set()
        self.based_on_edit = set(self.past.based_on_edit - again)  # nodes that ran on an edited value
        self.typed_secrets = TypedSecrets.of_task(plan.task, facts.params)
        self.results: dict[str, Any] = {}
        self.state = InstanceState.RUNNING
        self.origin = facts.trigger  # what made it in the end: of a sub-task its parent's
        self.failure_of_job: Failure | None = None  # the failure, if it is in truth a job's
        self.lost = False  # whether that job is lost
        self._ended = ended
        self._timer: Timer | None = None
        self._stop: Stopped | None = None
        self.finishing = False
        self.began = services.clock.monotonic()
        self.selection: dict[str, Any] = {}  # as its row has it: what it runs again, and when it began
        self.spent = 0.0  # seconds of the task's timeout that were over when this object began
        self.folder = services.directories.instance(plan.task.id, facts.id)
        self.journal = Journal(self.folder)
        self.big = BigValues(self.journal)
        self.has_directory = number > 1
        self.behind = 0  # writings of its jobs' files that the disk has no room for yet
        self.unfiled: list[Line] = []  # lines that are in the store but not yet in ctx.log
        self.filed = 0  # lines up to this one are there already: an engine before this one wrote them
        self.snapshot_due: Timer | None = None
        self.retry: Timer | None = None  # it failed, and is tried again then
        self.pause = InstancePause(self)
        self.left = Left()  # what lives of jobs that were stopped

    # -- the beginning ------------------------------------------------------------------------

    def begin(self, edits: Iterable[Edit] = ()) -> None:
        """Set up the context, make the JobInstances, start what has nothing to wait for."""
        self.set(("TASK",), self._task_entry())
        try:
            self._bind_params()
        except SkerryError as error:
            return self.finish(Failure.of(error))
        self._forget_edits_of_what_runs_again()
        for edit in edits:
            self.edit(edit)
        shown = {"params": self.context.tree["TASK"]["PARAMS"], "edited": sorted(self.edited)}
        self.services.changes.update("instance", self.facts.id, shown)
        self._forget_what_runs_again()
        self._arm_timeout()
        self.nodes.insert(self._selected())
        self.nodes.apply(self.progress.begin())

    def resume(self) -> None:
        """Go on after an engine restart: nothing is written anew, only the time limit is armed."""
        self._arm_timeout()

    def _task_entry(self) -> dict[str, Any]:
        task, facts = self.plan.task, self.facts
        zone = self.services.workspace.zone
        return {
            "ID": task.id,
            "NAME": task.name or task.id,
            "INSTANCE": facts.id,
            "RUN": self.number,
            "PARAMS": self._kept_params(),
            "STATUS": "running",
            "TRIGGER": str(facts.trigger),
            "SCHEDULED_TIME": iso(facts.scheduled_time.astimezone(zone)),
            "START_TIME": self.start,
            "DIRECTORY": str(facts.directory),
            "WORKSPACE": str(self.services.workspace.root),
        }

    @property
    def _afresh(self) -> bool:
        """Whether the parameters are those of the beginning again."""
        return self.restart is None or self.restart.afresh

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

    def _forget_edits_of_what_runs_again(self) -> None:
        """What such a node gives next is its own, and so is all that is computed from it."""
        again = frozenset(self.restart.selection.run if self.restart else ())
        steps = {path: parse_path(path) for path in self.edited}
        self.edited = {
            path
            for path, (part, *rest) in steps.items()
            if part != "JOB" or not is_within(str(rest[0]), again)
        }

    def _arm_timeout(self) -> None:
        timeout = self.plan.task.timeout
        if timeout is not None:
            self._timer = self.services.loop.later(max(timeout - self.spent, 0.0), self._timed_out)

    def _timed_out(self) -> None:
        limit = self.plan.task.timeout
        self.failure = Failure(TASK_TIMED_OUT.number, f"not finished within {limit:g} s")
        self.stop(Stopped("timed_out", why="the task's time is up"))

    def _selected(self) -> Iterable[PlanNode]:
        return (node for id, node in self.plan.nodes.items() if id not in self.progress.kept)

    # -- steps ---------------------------------------------------------------------------------

    def finish_when_done(self) -> None:
        if self.progress.finished and not self.nodes.any_open():
            self.finish(self.failure)

    # -- ends ----------------------------------------------------------------------------------

    def stop(self, stopped: Stopped) -> None:
        """End everything that lives; nothing new starts."""
        if self.finishing or (self._stop is not None and stopped.kind != "cancelled"):
            return
        self._stop = stopped
        self._write_stop(stopped)
        steps = self.progress.stop()
        for execution in list(self.nodes.executions.values()):
            for job in execution.jobs:
                job.interrupt(Stopped(stopped.kind, stopped.actor, stopped.why))
        self.nodes.apply([*steps, *self.pause.end()])
        self.services.loop.soon(self.finish_when_done)

    def _write_stop(self, stopped: Stopped) -> None:
        """So that an engine that takes the run up goes on stopping it."""
        columns = {"selection": {**self.selection, "stop": written(stopped)}}
        self.services.changes.update("run", (self.facts.id, self.number), columns)

    def finish(self, failure: Failure | None) -> None:
        """Compute the task's results, judge the run, then write its end down."""
        if self.finishing:
            return
        self.finishing = True
        if self._timer is not None:
            self._timer.cancel()
        Fiber(self.services.loop, task_outcome.judged(self, failure, self._stop), self._finished).start()

    def _finished(self, outcome: Any, error: BaseException | None) -> None:
        if error is not None:
            self.services.loop.on_error(error)
            outcome = InstanceState.FAILED, Failure.of(unforeseen(error))
        self.state, failure = outcome
        if failure is not None:
            self.set(("TASK", "ERROR_CODE"), failure.code)
            self.set(("TASK", "ERROR_MESSAGE"), failure.message)
        self.set(("TASK", "END_TIME"), self.services.now())
        self.set(("TASK", "STATUS"), str(self.state))
        self._ended(self, failure)

    @property
    def start(self) -> str:
        """When it begins: the first run with its instance, a further one in this turn."""
        return iso(self.facts.created_at) if self.number == 1 else self.services.now()

    @property
    def stopped(self) -> bool:
        """Whether somebody or the time limit ended it: nothing new starts."""
        return self._stop is not None

    # -- the context ---------------------------------------------------------------------------

    def set(self, path: tuple[str | int, ...], new: Any, **more: Any) -> Line:
        """Write one value into the context; its line is durable with this turn."""
        self.services.dirty[self.facts.id] = self
        if len(path) > 2 and path[-2] in HOLDERS:
            new = self.kept(new)
        return self.context.set(path, new, run=self.number, **more)

    def kept(self, value: Any) -> Any:
        """A value as it may stand in the context: a reference when it is big."""
        return self.big.kept(self.services.mask(value)) if is_big(value) else value

    def note(self, path: tuple[str | int, ...], **more: Any) -> Line:
        """Write down what was read without changing anything."""
        self.services.dirty[self.facts.id] = self
        if "value" in more:
            more["value"] = self.kept(more["value"])
        return self.context.note(path, run=self.number, **more)

    def remove(self, path: tuple[str | int, ...], **more: Any) -> Line:
        """Take a value out of the context."""
        self.services.dirty[self.facts.id] = self
        return self.context.remove(path, run=self.number, **more)

    def edit(self, edit: Edit) -> Line:
        """An operator's change of a value; what is computed from it later says so."""
        steps = meant(self.plan, self.context.tree, edit.steps)
        path = format_path(steps)
        if path in self.edited and is_original(self.services.store.lines(self.facts.id), path, edit.value):
            self.edited.discard(path)  # taken back
        else:
            self.edited.add(path)
        self.services.changes.update("instance", self.facts.id, {"edited": sorted(self.edited)})
        line = self.set(steps, edit.value, actor=edit.actor, why=edit.reason)
        show_edited(self.services.changes, self.facts.id, self.context.tree, steps)
        return line

    def place(self, node: str, index: int | None) -> str:
        """The path of a job in the context."""
        return format_path(("JOB", node) if index is None else ("JOB", node, index))

    def reads_edited(self, node: str, inputs: Iterable[str]) -> bool:
        """Whether an expression with these paths, or anything before its node, stands on an edit."""
        parents = self.plan.nodes[node].parents if node in self.plan.nodes else ()
        if not self.based_on_edit.isdisjoint(parents):
            return True
        edited = [parse_path(path) for path in self.edited]
        return any(overlaps(edited, self._place(each)) for each in inputs)

    def _place(self, read: str) -> tuple[str | int, ...]:
        return target(self.context.tree, by_node(self.plan, simple_steps(read)))

    def priority_of(self, node: str) -> int:
        """The node's over the task's."""
        found = self.plan.nodes.get(node)
        return self.facts.priority + (found.node.priority if found else 0)

    def tell(self, node: str, job_instance: int, state: JobState, *, kind: str = "job", **more: Any) -> None:
        """Tell the listeners of a job."""
        if self.services.events:
            self.services.events.tell(
                {"kind": kind, "instance": self.facts.id, "run": self.number, "node": node,
                 "job_instance": job_instance, "status": str(state), **more}
            )  # fmt: skip

    def tell_instance(self, state: InstanceState) -> None:
        """Tell the listeners of the whole."""
        self.services.events.tell(
            {"kind": "instance", "instance": self.facts.id, "run": self.number, "task": self.plan.task.id,
             "status": str(state)}
        )  # fmt: skip

    # -- the files -----------------------------------------------------------------------------

    def file_lines(self) -> None:
        """Bring ``ctx.log`` up to the store; OSError when the disk is full, and then nothing is forgotten."""
        if self.unfiled and self.has_directory:
            lines = [line for line in self.unfiled if line.seq > self.filed]
            self._unless_gone(lambda: self.journal.append(lines))
            self.unfiled = []

    def write_files(self) -> None:
        """Bring ``ctx.log``, ``ctx.json`` and ``currJobs`` up to date."""
        self.file_lines()
        if self.snapshot_due is not None:
            self.snapshot_due.cancel()
            self.snapshot_due = None
        self._unless_gone(lambda: self.journal.snapshot(self.context.canonical(), self.nodes.running()))

    def _unless_gone(self, write: Callable[[], None]) -> None:
        """A directory that somebody took away does not hold the run up: the store has it all."""
        try:
            write()
        except (OSError, SkerryError) as error:
            if no_room(error):
                raise
            self.services.say(
                f"instance {self.facts.id}: its files are not current: {wording(error)}", logging.WARNING
            )
