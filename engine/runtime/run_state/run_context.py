"""A run as its jobs see it: facts, plan, context, and who owns the rest of its state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from engine.context import TaskContext, format_path
from engine.model.states import InstanceState, JobState
from engine.runtime.fibers import Stopped
from engine.runtime.instance_files import InstanceFiles
from engine.runtime.run_state.edits import Edits
from engine.runtime.run_state.expression_scopes import Scopes
from engine.runtime.run_state.instance_row import LiveInstanceRow
from engine.runtime.run_state.job_rows import JobRows
from engine.runtime.run_state.live_context import LiveContext
from engine.runtime.run_state.pause import InstancePause
from engine.runtime.run_state.run_facts import RunFacts
from engine.runtime.run_state.run_outcome import RunOutcome, RunPhase
from engine.runtime.run_state.typed_secrets import TypedSecrets
from engine.runtime.services import EngineServices


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
        self, run: RunFacts, job: int, task: str, params: Mapping[str, Any], begun: int | None
    ) -> Subtask:
        """The instance that a task job starts; with ``begun`` the one that it had started before."""

    def remedy(self, run: RunFacts, job: int, task: str, params: Mapping[str, Any]) -> Subtask:
        """The instance that a handling rule starts."""


class RunContext:
    """What a run and its jobs share; loop thread only."""

    def __init__(
        self,
        services: EngineServices,
        facts: RunFacts,
        values: TaskContext,
        subtasks: Subtasks,
        *,
        row_state: str = InstanceState.RUNNING,
        edited: Iterable[str] = (),
        has_directory: bool = False,
    ) -> None:
        self.services = services
        self.facts = facts
        self.subtasks = subtasks
        task, running = facts.plan.task, self.currently_running
        folder = services.directories.instance(task.id, facts.id)
        self.files = InstanceFiles(
            facts.id, folder, values, running, services.say, has_directory=has_directory
        )
        self.context = LiveContext(services, facts.number, self.files)
        self.edits = Edits(services, facts, self.context, edited)
        self.typed_secrets = TypedSecrets.of_task(task, facts.params)
        zone, note = services.workspace.zone.key, self.context.note
        self.scopes = Scopes(facts.plan, values, self.typed_secrets, zone, note)
        self.job_rows = JobRows(services, facts)
        self.row = LiveInstanceRow(services, facts, row_state)
        self.phase = RunPhase()
        self.outcome = RunOutcome()
        self.pause = InstancePause(services.pauses, facts, self.phase, self.row)

    def place(self, node: str, index: int | None) -> str:
        return format_path(("JOB", node) if index is None else ("JOB", node, index))

    def publish(
        self, node: str, job_instance: int, state: JobState, *, kind: str = "job", **more: Any
    ) -> None:
        if self.services.events:
            self.services.events.publish(
                {"kind": kind, "instance": self.facts.id, "run": self.facts.number, "node": node,
                 "job_instance": job_instance, "status": str(state), **more}
            )  # fmt: skip

    def currently_running(self) -> list[str]:
        """The ids for ``currJobs``."""
        return []
