"""The execution of one JobInstance: its fiber from its start to its outcome, and what ends it early."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from engine.execution.outcomes import Left
from engine.execution.progress import ProgressLine
from engine.model.codes.runtime import CANCELLED, FORCED
from engine.model.codes.ssh import HOST_UNREACHABLE
from engine.model.errors import Failure, SkerryError
from engine.model.message import Message
from engine.model.names import is_handler
from engine.model.plain_words import unforeseen
from engine.model.reason import Kind, Reason
from engine.model.reason_words import said
from engine.model.states import JobState, Trigger
from engine.planning.worker_choice import HERE, Where
from engine.runtime.fibers import Coroutine, Fiber, Signal, Stopped
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.jobs.job_failures import JobFailures, LatestAttempt
from engine.runtime.jobs.job_row import LiveJobRow
from engine.runtime.jobs.process_wait import Process
from engine.runtime.jobs.stop_outcome import Settled, failure_of, from_json, state_for, state_of, written
from engine.runtime.param_binding import Binding
from engine.runtime.queue.job_queue import Claim, OnRefusal
from engine.runtime.run_state.job_identity import JobIdentity
from engine.runtime.run_state.job_rows import RecoveredJob
from engine.runtime.run_state.run_context import RunContext
from engine.runtime.timers import Timer

Body = Callable[["JobExecution"], Coroutine[Settled | None]]  # what a job does, from its start to its end
MOST_PROGRESS = 1000  # lines of progress that are kept of one job
_IN_LINE = (JobState.QUEUED, JobState.BUSY)  # a stop is over with the turn in which it comes
# Its latest attempt may have ended before.
_BETWEEN = (*_IN_LINE, JobState.NO_WORKER, JobState.WAITING, JobState.RETRYING)


class JobExecution:
    """Owns the parts of a job's state (identity, row, entry, failures); loop thread only."""

    def __init__(
        self,
        run: RunContext,
        body_of: Body,
        identity: JobIdentity,
        rows: tuple[Binding, ...],
        left: RecoveredJob | None = None,
        outer: JobExecution | None = None,
    ) -> None:
        self.run = run
        self.services = run.services
        self.body_of = body_of
        self.identity = identity
        self.outer = outer  # the job that it is a part of, whose attempt may be under way elsewhere
        self.left = left
        self.row = LiveJobRow(run, identity, left)
        self.entry = JobEntry(run, identity, rows, left)
        self.attempt = LatestAttempt.left(left) if left else LatestAttempt()
        self.failures = JobFailures(self.entry, self.row, self.attempt, left)
        self.failure: Failure | None = None
        self.progress_lines = 0
        self.place_in_line: int | None = None  # kept while no worker is there
        self.turn: Signal | None = None  # until it fires the job is not begun; False: it never is
        self._stop = left.stop if left else None  # what an earlier engine was at
        self._forced: Sequence[str] | None = self._stop.get("forced") if self._stop else None
        self._fiber: Fiber | None = None
        self._on_settled: list[Callable[[], None]] = []
        self.away_since: str | None = None  # when the worker of its latest attempt was reached no more
        self._unseen: Timer | None = None  # raises an alert while its worker is not reached

    # -- running ------------------------------------------------------------------------------

    def start(self, ended: Callable[[], None]) -> None:
        """Begin to live; ``ended`` is called once, when the outcome is settled."""
        self.on_settled(ended)
        self._fiber = Fiber(self.services.loop, self.body_of(self), self._done)
        self._fiber.start()
        if self._stop is not None:
            self.interrupt(from_json(self._stop))

    def force(self, state: JobState, note: str, actor: str) -> None:
        """End what it does; its outcome is settled by hand."""
        self._forced = (str(state), note, actor)
        why = Message.of("settled by hand: {note} ({who})", note=note, who=actor)
        self.interrupt(Stopped("cancelled", why=why))

    def _done(self, outcome: Failure | Settled | None, error: BaseException | None) -> None:
        if self._forced is not None:
            return self._settle_by_hand(*self._forced)
        if isinstance(error, Stopped):
            self.failures.leaves(error.left or Left())
            return self._stopped(error, failure_of(error))
        if isinstance(outcome, Settled):
            return self.settle(outcome.state, outcome.failure, outcome.reason)
        failure = self._failure_from(error) if error is not None else outcome
        self.settle(state_for(failure), failure)

    def _settle_by_hand(self, outcome: str, note: str, actor: str | None = None) -> None:
        state, by_hand = JobState(outcome), Reason.of(Kind.BY_HAND, note=note, by=actor)
        why = Message.of("{note} ({who})", note=note, who=actor) if actor else note
        forced = None if state is JobState.SUCCEEDED else Failure.new(FORCED, why)
        if forced is not None:
            self.failures.record(forced)
        self.failures.handled("operator", why)
        self.settle(state, forced, by_hand)

    def _stopped(self, stopped: Stopped, failure: Failure) -> None:
        if stopped.kind == "cancelled":  # an operator decided that: nothing is left to be done about it
            self.failures.record(failure)
            self.failures.handled(stopped.actor, failure.message)
        self.settle(state_of(stopped), failure)

    def _failure_from(self, error: BaseException) -> Failure:
        if isinstance(error, SkerryError):
            return Failure.of(error)
        self.services.loop.on_error(error)
        return Failure.of(unforeseen(error))

    def interrupt(self, stopped: Stopped) -> None:
        """Stop what it does; harmless when it has ended or not begun."""
        if self._fiber is None or self.row.state.ended:
            return
        if self._fiber.interrupt(stopped) and self.row.state not in _IN_LINE:
            self._write_stop(stopped)

    def _write_stop(self, stopped: Stopped) -> None:
        """So that an engine that takes the job up goes on with it, and reports it as what it was."""
        payload = written(stopped, self.services.mask)
        if self._forced is not None:
            payload = {**payload, "forced": self._forced}
        failure = stopped.failure or failure_of(stopped)
        self.row.is_stopped(failure.message, payload)

    def settle(self, state: JobState, failure: Failure | None, reason: Reason | None = None) -> None:
        """The outcome: into the context, the store and the statistics."""
        self.failure = failure
        self._is_in_reach()
        now = self.attempt.ended_meanwhile or self.services.now()
        self.failures.accepted()
        entry, node = self.entry, self.identity.node
        more: dict[str, Any] = {"branch": self.row.branch} if self.row.branch is not None else {}
        entry.based_on_edit |= bool(self.run.edits.paths) and self.run.edits.are_read(node, ())
        entry.write_end(state, failure, now)
        if self.row.state in _BETWEEN and not self.identity.is_control:
            self.services.loop.after_commit(partial(entry.file, partial(entry.file_outcome, entry.tree)))
        if entry.based_on_edit:
            self.run.edits.nodes.add(node)
            more["based_on_edit"] = True
        if self.failures.handling.unverified is not None:
            more["handling"] = self.failures.handling.to_json()
        self.row.to(state, reason, ended_at=now, due_at=None, **more, **self.services.error_columns(failure))
        if failure is not None:
            self.failures.record(failure)
            self._alert_of_handler(failure)
        for callback in self._on_settled:
            callback()

    def _alert_of_handler(self, failure: Failure) -> None:
        """A handler's failure is no outcome that would show by itself; one that was stopped has none."""
        own = is_handler(self.identity.node) and self.identity.outer is None
        if own and self.row.state is not JobState.CANCELLED:
            self.failures.alert("handler_failed", "error", failure, "{job}: {message}")

    def on_settled(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` once its outcome is settled."""
        self._on_settled.append(callback)

    def progressed(self, progress: ProgressLine) -> None:
        """How far the running program is: shown live, kept in the job's log."""
        self.progress_lines += 1
        if self.row.state.ended or self.progress_lines > MOST_PROGRESS:
            return
        percent, text = progress.percent, self.services.mask(progress.text)
        if (
            self.row.state is JobState.RUNNING and self.row.being_stopped is None
        ):  # else the reason is the engine's
            is_empty = not str(ProgressLine(percent, text))
            self.row.update(
                **said(None if is_empty else Reason.of(Kind.PROGRESS, percent=percent, text=text))
            )
        value = {"percent": percent, "text": text}
        self.entry.remark("progress", value=value)
        more = {"index": self.identity.index, **value}
        self.run.publish(self.identity.node, self.identity.id, self.row.state, kind="progress", **more)

    @property
    def process(self) -> Process | None:
        """The program whose end it waits for now."""
        waits = None if self._fiber is None else self._fiber.waits_for
        return waits if isinstance(waits, Process) and waits.is_watched else None

    def held_up(self, reason: Reason | None) -> None:
        """Its worker is not reached, its files wait for room, or it goes on (None): that changes no outcome.

        A worker that stays out of reach is an alert in time.
        """
        away = reason is not None and reason.kind is Kind.REACHED_NO_MORE
        self.away_since = since = reason.facts.get("at") if reason is not None and away else None
        if not away:
            self._is_in_reach()
        if (stopping := self.row.being_stopped) is not None:
            return self.row.still_stopped(stopping, since)
        if self.row.state is JobState.CHECKING and (check := self.next_check()) is not None:
            self.row.to(JobState.CHECKING, check)
        if self.row.state is JobState.RUNNING:
            self.row.to(JobState.RUNNING, reason)
            if away and self._unseen is None:
                after = self.identity.job.recovery.after
                self._unseen = self.services.loop.later(after, self._is_unseen)

    def next_check(self) -> Reason | None:
        """When its outcome is checked, and since when its worker is not reached meanwhile."""
        check = self.row.next_check
        return check and Reason.of(check.kind, **check.facts, since=self.away_since)

    def _is_in_reach(self) -> None:
        if self._unseen is not None:
            self._unseen.cancel()
            self._unseen = None

    def _is_unseen(self) -> None:
        message = "worker {worker!r} is not reached; it is not started elsewhere while it may run there"
        failure = Failure.new(HOST_UNREACHABLE, message, worker=self.entry.host.facts.name)
        self.failures.alert("out_of_reach", "warning", failure, "{job}: {message}")

    def fail_at_once(self, failure: Failure, ended: Callable[[], None]) -> None:
        """It could not even be begun."""
        self.on_settled(ended)
        self.services.loop.soon(lambda: self.settle(JobState.FAILED, failure))

    def settle_at_once(self, state: JobState, note: str, actor: str) -> None:
        """Its outcome is settled by hand before its turn came."""
        entry = {"RESULT": {}, "STATUS": "pending", "INSTANCE": self.identity.id}
        self.run.context.set(self.identity.path, entry, why=f"{note} ({actor})")
        self._settle_by_hand(state, note, actor)

    def reopen_as_failed(self, failure: Failure) -> None:
        """A job that had succeeded must count as failed after all (a loop without end)."""
        self.failure = failure
        self.entry.write_end(JobState.FAILED, failure, self.services.now())
        self.row.to(JobState.FAILED, None, **self.services.error_columns(failure))

    def failure_for_run(self) -> Failure:
        """The same failure as the run reports it, with the job's name."""
        failure = self.failure or Failure.new(CANCELLED, "stopped")
        return failure.passed_on("job {name!r}: {message}", name=self.identity.name)

    # -- its slot ------------------------------------------------------------------------------

    @property
    def counted(self) -> bool:
        """Whether it is a sub-task that counts among the jobs that its task may run at once."""
        return self.identity.job.type == "task" and self.run.facts.plan.task.limits.parallel is not None

    def claim(self, on_refusal: OnRefusal, where: Where = HERE) -> Claim:
        """Its wish for a slot; of an attempt under way: for the slot that it has."""
        return Claim(
            self.identity.id,
            key=self.run.facts.id,
            limit=self.run.facts.plan.task.limits.parallel,
            slots=0 if self.identity.is_control else 1,
            priority=self.row.priority,
            last=self.run.facts.origin is Trigger.BACKFILL,
            exclusive=self.identity.job.on.exclusive,
            where=where,
            worker=self.entry.host.facts.name,
            order=self.place_in_line,
            node=self.identity.node,
            owner=self,
            on_refusal=on_refusal,
            since=self.services.clock.monotonic(),
        )
