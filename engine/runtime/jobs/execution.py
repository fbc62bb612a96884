"""The execution of one JobInstance: its state, its entry in the context, and its fiber."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from engine.context import ContextScope, Line
from engine.context.fields import ON_EDIT, UNVERIFIED, WAITED
from engine.execution.kill import Left
from engine.execution.progress import Progress
from engine.model.codes.runtime import CANCELLED, FORCED
from engine.model.errors import Failure, SkerryError
from engine.model.expression import Use, format_path
from engine.model.handling import Handling
from engine.model.job import Job
from engine.model.plain_words import unforeseen
from engine.model.reason import Kind, Reason
from engine.model.reason_words import said
from engine.model.states import JOB_MOVES, JobState
from engine.plugins.job_type import ControlType, ProgramType
from engine.runtime.fibers import Coroutine, Fiber, Stopped
from engine.runtime.jobs.stop_outcome import Settled, failure_of, from_json, state_for, state_of, written
from engine.runtime.param_binding import Binding
from engine.runtime.queue.job_queue import Claim, OnRefusal
from engine.runtime.run_state import exceptions
from engine.runtime.run_state.job_rows import RecoveredJob
from engine.runtime.run_state.run_context import RunContext

Body = Callable[["JobExecution"], Coroutine[Settled | None]]  # what a job does, from its start to its end
ContextPath = tuple[str | int, ...]
MOST_PROGRESS = 1000  # lines of progress that are kept of one job
_IN_LINE = (JobState.QUEUED, JobState.BUSY)  # a stop is over with the turn in which it comes


class JobExecution:
    """A JobInstance from pending to its end; loop thread only."""

    def __init__(
        self,
        run: RunContext,
        body_of: Body,
        job: Job,
        node: str,
        id: int,
        rows: tuple[Binding, ...],
        *,
        index: int | None = None,
        round: int = 1,
        item: Any = None,
        left: RecoveredJob | None = None,
        outer: JobExecution | None = None,
    ) -> None:
        self.run = run
        self.body_of = body_of
        self.outer = outer  # the group or job that it is a part of
        self.services = run.services
        self.job = job
        self.node = node
        self.id = id
        self.rows = rows
        self.index = index
        self.round = round
        self.item = item
        self.left = left
        self.attempt = left.attempt if left else 0
        self.made = self.services.now() if left is None and self._grown() else None
        self.given_priority = left.priority if left else None
        self.never_begun = left.never_begun if left else 0
        self.state = left.state if left else JobState.PENDING
        kind = self.services.job_types[job.type]
        self.is_control = isinstance(kind, ControlType)  # a condition, wait, group or task
        self.directory_text = None if self.is_control else f"{run.folder.path}/jobs/job-{job.id}-{id}"
        # Its process is only started here, and its outcome looked for later.
        self.asynchronous = job.mode == "async" and isinstance(kind, ProgramType)
        self.path: ContextPath = ("JOB", node) if index is None else ("JOB", node, index)
        self.branch: str | None = left.branch if left else None  # the key that a condition took
        self.failure: Failure | None = None
        kept = left.handling if left else Handling()
        self.exception = kept.exception  # of its latest failure
        self.refused = kept.refused  # the exception that asks while busy
        self.handling = replace(kept, refused=None)
        self._recorded: Failure | None = left.failure if left else None
        self.mark: str | None = left.mark if left else None  # of its latest attempt
        self.ended_meanwhile: str | None = None  # when its attempt ended, if no engine was there to see it
        self.left_alive = False  # whether processes of that attempt would not go
        self.busy_watched = False
        self.based_on_edit = False
        self.progress_lines = 0
        self._stop = left.stop if left else None  # what an earlier engine was at
        self._forced: Sequence[str] | None = self._stop.get("forced") if self._stop else None
        self.results: dict[str, Any] = {}
        self.params: dict[str, Any] = {}
        self.secrets: tuple[str, ...] = ()
        self.lines: list[Line] = []  # of this job, not yet in its own ctx.log
        self._fiber: Fiber | None = None
        self._ended: Callable[[], None] = lambda: None
        self._settled: list[Callable[[], None]] = []

    def _grown(self) -> bool:
        """Whether it is made when its turn comes, not with its run (as the first member is)."""
        planned = self.run.plan.nodes.get(self.node)
        return self.round > 1 or planned is None or (planned.node.for_each is not None and self.index != 0)

    # -- running ------------------------------------------------------------------------------

    def start(self, ended: Callable[[], None]) -> None:
        """Begin to live; ``ended`` is called once, when the outcome is settled."""
        self._ended = ended
        self._fiber = Fiber(self.services.loop, self.body_of(self), self._done)
        self._fiber.start()
        if self._stop is not None:
            self.interrupt(from_json(self._stop))

    def leaves(self, left: Left) -> None:
        """Something of it was stopped: what is not certain about that stays with the job."""
        self.run.left += left
        if not left.verified:
            self.handling = replace(self.handling, unverified=left.reason)
            self.lines.append(self.run.note(self.path, why=UNVERIFIED + left.reason))

    def force(self, state: JobState, note: str, actor: str) -> None:
        """End what it does; its outcome is settled by hand."""
        self._forced = (str(state), note, actor)
        self.interrupt(Stopped("cancelled", why=f"settled by hand: {note} ({actor})"))

    def _done(self, outcome: Failure | Settled | None, error: BaseException | None) -> None:
        if self._forced is not None:
            return self._settle_by_hand(*self._forced)
        if isinstance(error, Stopped):
            self.leaves(error.left)
            return self._stopped(error, failure_of(error))
        if isinstance(outcome, Settled):
            return self.settle(outcome.state, outcome.failure, outcome.reason)
        failure = self._failure_from(error) if error is not None else outcome
        self.settle(state_for(failure), failure)

    def _settle_by_hand(self, outcome: str, note: str, actor: str | None = None) -> None:
        state, by_hand = JobState(outcome), Reason.of(Kind.BY_HAND, note=note, by=actor)
        why = f"{note} ({actor})" if actor else note
        forced = None if state is JobState.SUCCEEDED else Failure(FORCED.number, why, retryable=False)
        done = self.exception if forced is None else self.record(forced)
        exceptions.handled(self.services, done, "operator", why)
        self.settle(state, forced, by_hand)

    def _stopped(self, stopped: Stopped, failure: Failure) -> None:
        if stopped.kind == "cancelled":  # somebody wanted that: nothing is left to be done about it
            exceptions.handled(self.services, self.record(failure), stopped.actor, failure.message)
        self.settle(state_of(stopped), failure)

    def _failure_from(self, error: BaseException) -> Failure:
        if isinstance(error, SkerryError):
            return Failure.of(error)
        self.services.loop.on_error(error)
        return Failure.of(unforeseen(error))

    def interrupt(self, stopped: Stopped) -> None:
        """Stop what it does; harmless when it has ended or not begun."""
        if self._fiber is None or self.state.ended:
            return
        if self._fiber.interrupt(stopped) and self.state not in _IN_LINE:
            self._write_stop(stopped)

    def _write_stop(self, stopped: Stopped) -> None:
        """So that an engine that takes the job up goes on with it, and tells it as what it was."""
        payload = self.services.mask(written(stopped))
        if self._forced is not None:
            payload = {**payload, "forced": self._forced}
        self.services.changes.update("job_instance", self.id, {"stop": payload})

    @property
    def to_be_stopped(self) -> bool:
        """Whether an earlier engine was stopping it: that follows as soon as it waits for something."""
        return self._stop is not None

    def settle(self, state: JobState, failure: Failure | None, reason: Reason | None = None) -> None:
        """The outcome: into the context, the store and the statistics."""
        self.failure = failure
        now = self.ended_meanwhile or self.services.now()
        self.accepted()
        more: dict[str, Any] = {"branch": self.branch} if self.branch is not None else {}
        self.based_on_edit |= bool(self.run.edited) and self.run.reads_edited(self.node, ())
        self.write_end(state, failure, now)
        if self.based_on_edit:
            self.run.based_on_edit.add(self.node)
            more["based_on_edit"] = True
        if self.handling.unverified is not None:
            more["handling"] = self.handling.to_json()
        self.to(state, reason, ended_at=now, due_at=None, **more, **self._error_columns(failure))
        if failure is not None:
            self.record(failure)
        self._ended()
        for callback in self._settled:
            callback()

    def on_settled(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` once its outcome is settled."""
        self._settled.append(callback)

    def progressed(self, progress: Progress) -> None:
        """The running program told how far it is: shown live, kept in the job's log."""
        self.progress_lines += 1
        if self.state.ended or self.progress_lines > MOST_PROGRESS:
            return
        percent, text = progress.percent, self.services.mask(progress.text)
        if self.state is JobState.RUNNING:  # of other states the reason is the engine's own
            told = (
                Reason.of(Kind.PROGRESS, percent=percent, text=text) if str(Progress(percent, text)) else None
            )
            self.services.changes.update("job_instance", self.id, said(told))
        value = {"percent": percent, "text": text}
        self.lines.append(self.run.note(self.path, why="progress", value=value))
        more = {"index": self.index, "percent": percent, "text": text}
        self.run.tell(self.node, self.id, self.state, kind="progress", **more)

    def accepted(self) -> None:
        """The worker refuses it no longer: what was recorded about that is handled, whoever was asked."""
        if self.refused is not None:
            exceptions.handled(self.services, self.refused, "engine", "the worker refuses it no longer")
            self.refused = None

    def record(self, failure: Failure) -> int | None:
        """Write a failure down as an exception, once; gives its number."""
        if failure is not self._recorded:
            self._recorded, self.exception = failure, exceptions.of_job(self, failure)
        return self.exception

    def between(
        self,
        state: JobState,
        failure: Failure | None,
        reason: Reason | None = None,
        due_at: str | None = None,
    ) -> None:
        """Between two attempts: what is being done about ``failure``; None when that is over."""
        self.ended_meanwhile = None
        handling = replace(self.handling, exception=self.exception).to_json()
        errors = self._error_columns(failure)
        self.to(state, reason, handling=handling, stop=None, due_at=due_at, **errors)

    def fail_at_once(self, failure: Failure, ended: Callable[[], None]) -> None:
        """It could not even be begun."""
        self._ended = ended
        now = self.services.now()
        self.run.set(self.path, {"STATUS": "pending", "INSTANCE": self.id, "START_TIME": now})
        self.services.loop.soon(lambda: self.settle(JobState.FAILED, failure))

    def settle_at_once(self, state: JobState, note: str, actor: str) -> None:
        """Its outcome is settled by hand before its turn came."""
        entry = {"RESULT": {}, "STATUS": "pending", "INSTANCE": self.id}
        self.run.set(self.path, entry, why=f"{note} ({actor})")
        self._settle_by_hand(state, note, actor)

    def reopen_as_failed(self, failure: Failure) -> None:
        """A job that had succeeded must count as failed after all (a loop without end)."""
        self.failure = failure
        self.write_end(JobState.FAILED, failure, self.services.now())
        self.to(JobState.FAILED, None, **self._error_columns(failure))

    def failure_for_run(self) -> Failure:
        """How the run tells of this failure."""
        failure = self.failure or Failure(CANCELLED.number, "stopped")
        name = self.node if self.index is None else f"{self.node}[{self.index}]"
        shown = Failure(failure.code, f"job {name!r}: {failure.message}", failure.retryable)
        self.run.failure_of_job, self.run.lost = shown, self.state is JobState.LOST
        return shown

    # -- its state -----------------------------------------------------------------------------

    def to(self, state: JobState, reason: Reason | None, **columns: Any) -> None:
        """Move to another state and write it down, with why it is in that state."""
        before, self.state = self.state, state
        if state is not before and state not in JOB_MOVES[before]:
            raise AssertionError(f"{self.node}: {before} -> {state} is not a move")
        why = said(self._masked(reason))
        self.services.changes.move("job_instance", self.id, before, state, {**why, **columns})
        if self.services.events:
            error: dict[str, Any] = {name: columns.get(name) for name in ("error_code", "error_message")}
            self.run.tell(self.node, self.id, state, index=self.index, round=self.round, **error, **why)

    def _masked(self, reason: Reason | None) -> Reason | None:
        if reason is None or not reason.facts:
            return reason
        return Reason(reason.kind, self.services.mask(dict(reason.facts)))

    def _error_columns(self, failure: Failure | None) -> dict[str, Any]:
        if failure is None:
            return {"error_code": None, "error_message": None}
        message = self.services.mask(failure.message)
        return {"error_code": failure.code, "error_message": message}

    def write_end(self, state: JobState, failure: Failure | None, now: str) -> None:
        """The last lines of an attempt in the context."""
        if failure is not None:
            self.set(("ERROR_CODE",), failure.code)
            self.set(("ERROR_MESSAGE",), failure.message)
        self.set(("END_TIME",), now)
        self.set(("STATUS",), str(state), why=ON_EDIT if self.based_on_edit else None)

    # -- its context ---------------------------------------------------------------------------

    def set(self, below: ContextPath, new: Any, **more: Any) -> None:
        """Set a value under this job's entry."""
        if self.run.edited and more.get("inputs"):
            self._mark_edited(more["inputs"])
        self.lines.append(self.run.set(self.path + below, new, **more))

    def read_task_param(self, name: str) -> None:
        """A parameter came from the task's of the same name."""
        self._mark_edited([format_path(("TASK", "PARAMS", name))])

    def _mark_edited(self, inputs: Iterable[str]) -> None:
        """Remember that this job read a value that an operator changed."""
        if not self.based_on_edit and self.run.reads_edited(self.node, inputs):
            self.based_on_edit = True  # written at once: an engine that takes the job up must know
            self.services.changes.update("job_instance", self.id, {"based_on_edit": True})

    def open_entry(self, entry: dict[str, Any]) -> None:
        """A new entry for this job in the context, in place of an earlier one.

        Nothing else in the log tells when it was made, if that was not with its run.
        """
        made = self.made if self.attempt == 1 and self.made != entry["START_TIME"] else None
        self.lines.append(self.run.set(self.path, entry, why=WAITED + made if made else None))

    def note(self, use: Use, why: str, value: Any) -> None:
        """Write down what an expression of this job read and gave."""
        if self.run.edited:
            self._mark_edited(use.inputs)
        line = self.run.note(self.path, expression=use.expression, inputs=use.inputs, why=why, value=value)
        self.lines.append(line)

    @property
    def params_without_secrets(self) -> dict[str, Any]:
        """The parameters for inputs/params.json: a secret reaches the program by its environment only."""
        shown = self.entry["PARAMS"]
        secret = {row.name for row in self.rows if row.spec.secret}
        given = self.services.mask(self.params)
        return {name: shown[name] if name in secret else value for name, value in given.items()}

    @property
    def entry(self) -> dict[str, Any]:
        """This job's entry in the context."""
        found: Any = self.run.context.tree
        for step in self.path:
            found = found[step]
        return found  # type: ignore[no-any-return]

    @cached_property
    def scope(self) -> ContextScope:
        """What this job's expressions see."""
        return self.run.scopes.of_job(self)

    @cached_property
    def directory(self) -> Path:
        """``jobs/job-{jobId}-{jobInstance}`` of the instance; the instance's own of a job that is_control."""
        return Path(self.directory_text or self.run.facts.directory)

    @property
    def priority(self) -> int:
        """What an operator gave it, else the node's over the task's."""
        if self.given_priority is not None:
            return self.given_priority
        return self.run.priority_of(self.node)

    @property
    def counted(self) -> bool:
        """Whether it is a sub-task that counts among the jobs that its task may run at once."""
        return self.job.type == "task" and self.run.plan.task.limits.parallel is not None

    def claim(self, on_refusal: OnRefusal) -> Claim:
        """Its wish for a slot; of an attempt under way: for the slot that it has."""
        return Claim(
            self.id,
            key=self.run.facts.id,
            limit=self.run.plan.task.limits.parallel,
            slots=0 if self.is_control else 1,
            priority=self.priority,
            exclusive=self.job.on.exclusive,
            owner=self,
            on_refusal=on_refusal,
            since=self.services.clock.monotonic(),
        )

    @property
    def stat_id(self) -> str:
        """How the statistics name it: a reusable Job by its id, an inline one with its task."""
        reusable = self.job.id in self.run.plan.definitions.jobs
        return self.job.id if reusable else f"{self.run.plan.task.id}.{self.job.id}"
