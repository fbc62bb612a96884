"""A run as its jobs see it: facts, plan, context, and who owns the rest of its state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from engine.context import Line, TaskContext, format_path, parse_path, target
from engine.model.states import InstanceState, JobState
from engine.planning.shape import Plan
from engine.runtime.big_values import BigValues, is_big
from engine.runtime.fibers import Stopped
from engine.runtime.instance_facts import InstanceFacts
from engine.runtime.instance_files import InstanceFiles
from engine.runtime.run_state.context_paths import by_node, is_original, meant, show_edited
from engine.runtime.run_state.expression_scopes import Scopes
from engine.runtime.run_state.instance_row import LiveInstanceRow
from engine.runtime.run_state.job_rows import JobRows
from engine.runtime.run_state.pause import InstancePause
from engine.runtime.run_state.restart import Edit, Past, Restart, overlaps, simple_steps
from engine.runtime.run_state.run_outcome import RunOutcome, RunPhase
from engine.runtime.run_state.typed_secrets import TypedSecrets
from engine.runtime.services import EngineServices

_HOLDERS = ("PARAMS", "RESULT")  # what is below them may be a reference to a file


class Subtask(Protocol):
    """The instance that a job started."""

    @property
    def id(self) -> int:
        """Its number."""

    def on_end(self, listener: Callable[[Any], None]) -> None:
        """Call ``listener((state, failure, results))`` when it has ended."""

    def stop(self, stopped: Stopped) -> None:
        """End it as its parent is ended."""


class Subtasks(Protocol):
    """Starts instances for the jobs of a run."""

    def subtask(
        self, run: RunContext, job: int, task: str, params: Mapping[str, Any], begun: int | None
    ) -> Subtask:
        """The instance that a task job starts; with ``begun`` the one that it had started before."""

    def remedy(self, run: RunContext, job: int, task: str, params: Mapping[str, Any]) -> Subtask:
        """The instance that a handling rule starts."""


class RunContext:
    """What a run and its jobs share; loop thread only."""

    def __init__(
        self,
        services: EngineServices,
        facts: InstanceFacts,
        number: int,
        plan: Plan,
        context: TaskContext,
        subtasks: Subtasks,
        restart: Restart | None = None,
        row_state: str = InstanceState.RUNNING,
    ) -> None:
        self.services = services
        self.facts = facts
        self.number = number
        self.plan = plan
        self.context = context
        self.subtasks = subtasks
        self.restart = restart
        self.past = restart.past if restart else Past()
        self.edited: set[str] = set()  # paths that an operator changed
        again = set(restart.selection.run) if restart else set()
        self.based_on_edit = set(self.past.based_on_edit - again)  # nodes that ran on an edited value
        self.typed_secrets = TypedSecrets.of_task(plan.task, facts.params)
        self.scopes = Scopes(plan, context, self.typed_secrets, services.workspace.zone.key, self.note)
        self.job_rows = JobRows(services, facts.id, number, self.priority_of)
        self.origin = facts.trigger  # what made it in the end: of a sub-task its parent's
        folder, running = services.directories.instance(plan.task.id, facts.id), self.currently_running
        self.files = InstanceFiles(facts.id, folder, context, running, services.say, has_directory=number > 1)
        self.big = BigValues(self.files.journal)
        self.row = LiveInstanceRow(services, facts.id, number, plan.task.id, row_state)
        self.phase = RunPhase()
        self.outcome = RunOutcome()
        self.pause = InstancePause(services.pauses, facts, self.phase, self.row)

    # -- the context ---------------------------------------------------------------------------

    def set(self, path: tuple[str | int, ...], new: Any, **more: Any) -> Line:
        """Write one value into the context; its line is durable with this turn."""
        self.services.turn.dirty[self.facts.id] = self.files
        if len(path) > 2 and path[-2] in _HOLDERS:
            new = self.kept(new)
        return self.context.set(path, new, run=self.number, **more)

    def kept(self, value: Any) -> Any:
        """A value as the context may have it: a reference when it is big."""
        return self.big.kept(self.services.mask(value)) if is_big(value) else value

    def note(self, path: tuple[str | int, ...], **more: Any) -> Line:
        """Write down what was read without changing anything."""
        self.services.turn.dirty[self.facts.id] = self.files
        if "value" in more:
            more["value"] = self.kept(more["value"])
        return self.context.note(path, run=self.number, **more)

    def remove(self, path: tuple[str | int, ...], **more: Any) -> Line:
        """Take a value out of the context."""
        self.services.turn.dirty[self.facts.id] = self.files
        return self.context.remove(path, run=self.number, **more)

    def edit(self, edit: Edit) -> Line:
        """An operator's change of a value; what is computed from it later says so."""
        steps = meant(self.plan, self.context.tree, edit.steps)
        line = self.set(steps, edit.value, actor=edit.actor, why=edit.reason)
        path = format_path(steps)
        if path in self.edited and is_original(self.services.store.lines(self.facts.id), path, edit.value):
            self.edited.discard(path)  # taken back
        else:
            self.edited.add(path)
        self.services.changes.update("instance", self.facts.id, {"edited": sorted(self.edited)})
        show_edited(self.services.changes, self.facts.id, self.context.tree, steps)
        return line

    def place(self, node: str, index: int | None) -> str:
        return format_path(("JOB", node) if index is None else ("JOB", node, index))

    def reads_edited(self, node: str, inputs: Iterable[str]) -> bool:
        """Whether an expression with these paths, or anything before its node, is based on an edit."""
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
        if self.services.events:
            self.services.events.tell(
                {"kind": kind, "instance": self.facts.id, "run": self.number, "node": node,
                 "job_instance": job_instance, "status": str(state), **more}
            )  # fmt: skip

    def currently_running(self) -> list[str]:
        """The ids for ``currJobs``."""
        return []
