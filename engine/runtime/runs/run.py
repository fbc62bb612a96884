"""One run of a task instance: turns the decisions of ``Progress`` into job executions.

The run owns the context; its jobs (:mod:`engine.runtime.jobs.execution`) write into it. What a node's end
lets happen is decided by :class:`engine.planning.progress.Progress`; here it is written down and done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from engine.context import TaskContext
from engine.model.codes.runtime import TASK_TIMED_OUT
from engine.model.errors import Failure, SkerryError
from engine.model.expression import ERROR_FIELDS, Scope, compile_value, render
from engine.model.job import ParamSpec
from engine.model.plain_words import unforeseen
from engine.model.states import InstanceState
from engine.planning.handlers import at_end
from engine.planning.progress import Progress
from engine.planning.shape import PlanNode
from engine.runtime.elapsed import iso
from engine.runtime.fibers import Fiber, Stopped
from engine.runtime.jobs.stop_outcome import written
from engine.runtime.run_state.restart import Edit
from engine.runtime.run_state.run_context import RunContext, Subtasks
from engine.runtime.run_state.run_facts import RunFacts
from engine.runtime.run_state.upstream_values import kept_below
from engine.runtime.runs import task_outcome
from engine.runtime.runs.end_handlers import EndHandlers
from engine.runtime.runs.nodes import Nodes
from engine.runtime.services import EngineServices
from engine.runtime.timers import Timer
from engine.secrets.masking import MASKED


class Run(RunContext):
    """A live TaskRun; loop thread only."""

    def __init__(
        self,
        services: EngineServices,
        facts: RunFacts,
        values: TaskContext,
        progress: Progress,
        subtasks: Subtasks,
        ended: Callable[[Run, Failure | None], None],
        *,
        row_state: str = InstanceState.RUNNING,
        edited: Iterable[str] = (),
        has_directory: bool = False,
        spent: float = 0.0,
    ) -> None:
        super().__init__(
            services, facts, values, subtasks, row_state=row_state, edited=edited, has_directory=has_directory
        )
        self.progress = progress
        self.nodes = Nodes(self, progress, self.finish_when_done)
        self._ended = ended
        self._timer: Timer | None = None
        self.began = services.clock.monotonic()
        self.handlers: EndHandlers | None = None  # once the outcome is known
        self.when_known: list[Callable[[], None]] = []  # called then
        self.spent = spent  # seconds of the task's timeout that were over when this object began

    # -- the beginning ------------------------------------------------------------------------

    def begin(self, edits: Iterable[Edit] = ()) -> None:
        """Set up the context, make the JobInstances, start what has nothing to wait for.

        The reason of a run is in the log once: with what is edited, else with the run.
        """
        edits = list(edits)
        self.context.set(("TASK",), self._task_entry(), why=None if edits else self.facts.why)
        self._set_upstream()
        try:
            self._bind_params()
        except SkerryError as error:
            return self.finish(Failure.of(error))
        self.edits.forget_what_runs_again()
        for edit in edits:
            self.edits.make(edit)
        shown = {"params": self.context.tree["TASK"]["PARAMS"], "edited": sorted(self.edits.paths)}
        self.services.changes.update("instance", self.facts.id, shown)
        self._forget_what_runs_again()
        self._arm_timeout()
        self.nodes.insert(self._selected())
        self.nodes.apply(self.progress.begin())

    def _set_upstream(self) -> None:
        """What the run reads of other instances, so that a replay needs none of them."""
        known = self.context.tree.get("UPSTREAM", {})
        for task, given in self.facts.upstream.items():
            value = kept_below(self.context.kept, given)
            if known.get(task) != value:
                self.context.set(("UPSTREAM", task), value)

    def resume(self) -> None:
        """Go on after an engine restart: nothing is written again, only the time limit is armed."""
        self._arm_timeout()

    def _task_entry(self) -> dict[str, Any]:
        task, facts = self.facts.plan.task, self.facts
        zone = self.services.workspace.zone
        return {
            "ID": task.id,
            "NAME": task.name or task.id,
            "INSTANCE": facts.id,
            "RUN": self.facts.number,
            "PARAMS": self._kept_params(),
            "STATUS": "running",
            "ERROR": dict.fromkeys(ERROR_FIELDS),
            "TRIGGER": str(facts.trigger),
            "SCHEDULED_TIME": iso(facts.scheduled_time.astimezone(zone)),
            "START_TIME": self.start,
            "DIRECTORY": str(facts.directory),
            "WORKSPACE": str(self.services.workspace.root),
        }

    @property
    def _afresh(self) -> bool:
        """Whether the parameters are those of the beginning again."""
        return self.facts.restart is None or self.facts.restart.afresh

    def _kept_params(self) -> dict[str, Any]:
        """A further run of the instance goes on with the parameters it has."""
        kept = {} if self._afresh else self.context.tree.get("TASK", {}).get("PARAMS", {})
        return dict(kept)

    def _bind_params(self) -> None:
        if self._afresh:
            self.edits.paths.clear()
            scope = self.scopes.of_task()
            for name, spec in self.facts.plan.task.params.items():
                self._bind_param(name, spec, scope)

    def _bind_param(self, name: str, spec: ParamSpec, scope: Scope) -> None:
        """A value that was given is never evaluated."""
        path, given = ("TASK", "PARAMS", name), self.facts.params
        if name in given or not spec.dynamic:
            self.context.set(path, MASKED if spec.secret else given.get(name, spec.value))
            return
        value, uses = render(compile_value(spec.value), scope)
        more = {"expression": uses[0].expression, "inputs": uses[0].inputs} if uses else {}
        self.context.set(path, value, **more)

    def _forget_what_runs_again(self) -> None:
        """What an earlier run left must not be taken for what this one gives; the log keeps it."""
        for node in (*self.facts.rerun_nodes, *self.facts.plan.handlers):
            for part in ("JOB", "ROUNDS"):
                if node in self.context.tree.get(part, {}):
                    self.context.remove((part, node), why=f"run {self.facts.number} runs it again")

    def _arm_timeout(self) -> None:
        timeout = self.facts.plan.task.timeout
        if timeout is not None:
            self._timer = self.services.loop.later(max(timeout - self.spent, 0.0), self._timed_out)

    def _timed_out(self) -> None:
        limit = self.facts.plan.task.timeout
        self.outcome.failure = Failure.new(TASK_TIMED_OUT, "not finished within {seconds:g} s", seconds=limit)
        self.stop(Stopped("timed_out", why="the task's time is up"))

    def _selected(self) -> Iterable[PlanNode]:
        return (node for id, node in self.facts.plan.nodes.items() if id not in self.progress.kept)

    # -- steps ---------------------------------------------------------------------------------

    def finish_when_done(self) -> None:
        if self.progress.finished and not self.nodes.any_open():
            self.finish(self.outcome.failure)

    # -- ends ----------------------------------------------------------------------------------

    def stop(self, stopped: Stopped) -> None:
        """End everything that lives; nothing new starts."""
        if self.handlers is not None and stopped.kind == "cancelled":
            return self.handlers.stop(stopped)
        if self.phase.finishing or (self.phase.stopping is not None and stopped.kind != "cancelled"):
            return
        self.phase.stopping = stopped
        self._write_stop(stopped)
        steps = self.progress.stop()
        for execution in list(self.nodes.executions.values()):
            for job in execution.jobs:
                job.interrupt(Stopped(stopped.kind, stopped.actor, stopped.why))
        self.nodes.apply([*steps, *self.pause.end()])
        self.services.loop.soon(self.finish_when_done)

    def _write_stop(self, stopped: Stopped) -> None:
        """So that an engine that takes the run up goes on stopping it."""
        payload = written(stopped, self.services.mask)
        self.services.changes.update("run", (self.facts.id, self.facts.number), {"stop": payload})

    def finish(self, failure: Failure | None) -> None:
        """Compute the task's results, judge the run, then write its end down."""
        if self.phase.finishing:
            return
        self.phase.finishing = True
        if self._timer is not None:
            self._timer.cancel()
        Fiber(
            self.services.loop,
            task_outcome.judged(self, failure, self.phase.stopping, self.progress.failed),
            self._finished,
        ).start()

    def _finished(self, outcome: Any, error: BaseException | None) -> None:
        if error is not None:
            self.services.loop.on_error(error)
            outcome = InstanceState.FAILED, Failure.of(unforeseen(error))
        self.outcome.state, failure = outcome
        self._ended(self, failure)

    # -- its handlers ---------------------------------------------------------------------------

    @property
    def has_handlers(self) -> bool:
        """Whether the task has any for its outcome."""
        return bool(at_end(self.facts.plan, self.outcome.state).nodes)

    def handle_end(self, failure: Failure | None, all_ended: Callable[[], None]) -> None:
        """Run the handlers of its outcome, which every expression sees from here on."""
        self.write_outcome(failure)
        self.handlers = EndHandlers(self, all_ended)
        self.handlers.begin()
        for listener in self.when_known:
            self.services.loop.after_commit(listener)

    def write_outcome(self, failure: Failure | None) -> None:
        """The outcome into the context, once."""
        if failure is not None:
            entry = (failure.code, str(failure.message), self.outcome.node_of(failure))
            self.context.set(("TASK", "ERROR"), dict(zip(ERROR_FIELDS, entry, strict=True)))
            self.context.set(("TASK", "ERROR_CODE"), failure.code)
            self.context.set(("TASK", "ERROR_MESSAGE"), str(failure.message))
        self.context.set(("TASK", "STATUS"), str(self.outcome.state))

    @property
    def start(self) -> str:
        """When it begins: the first run with its instance, a further or later one in this turn."""
        at_once = self.facts.number == 1 and not self.facts.made_before
        return iso(self.facts.created_at) if at_once else self.services.now()

    def currently_running(self) -> list[str]:
        return [*self.nodes.running(), *(self.handlers.nodes.running() if self.handlers else ())]
