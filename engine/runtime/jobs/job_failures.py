"""The failures of one JobInstance: what is recorded of them, and what is being done about the latest."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from engine.context.fields import UNVERIFIED
from engine.execution.outcomes import Left
from engine.model.codes.runtime import NO_WORKER
from engine.model.errors import Failure
from engine.model.handling import Handling
from engine.model.message import Message, facts_of
from engine.model.reason import Reason
from engine.model.states import AttemptState, JobState
from engine.planning.worker_choice import Where
from engine.runtime.elapsed import TICKS, ticks
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.jobs.job_row import LiveJobRow
from engine.runtime.run_state import exceptions
from engine.runtime.run_state.job_rows import RecoveredJob
from engine.runtime.timers import Timer


@dataclass
class LatestAttempt:
    """The attempt that is under way, or was last, and how many there were."""

    number: int = 0
    never_begun: int = 0  # of these came to nothing because an engine ended
    mark: str | None = None
    was_lost: bool = False  # it did not fail, it was lost: with its worker perhaps
    left_alive: bool = False  # whether processes of it would not go
    ended_meanwhile: str | None = None  # when it ended, if no engine was there to see it

    @classmethod
    def left(cls, left: RecoveredJob) -> LatestAttempt:
        """The one that an earlier engine began."""
        was_lost = left.attempt_state == AttemptState.LOST
        return cls(left.attempt, left.never_begun, left.mark, was_lost)


class JobFailures:
    """Loop thread only; what is written is durable with the turn."""

    def __init__(
        self, entry: JobEntry, row: LiveJobRow, attempt: LatestAttempt, left: RecoveredJob | None
    ) -> None:
        self.entry = entry
        self.row = row
        self.attempt = attempt
        self.run, self.services = entry.run, entry.services
        kept = left.handling if left else Handling()
        self.exception = kept.exception  # of the latest failure
        self.refused = kept.refused  # the exception that asks while the worker refuses the job
        self.handling = kept if kept.refused is None else replace(kept, refused=None)
        self.refusal: Reason | None = None  # by its worker
        self.watch: Timer | None = None  # looks later whether it still refuses it
        self.where: Where | None = None  # that no worker was there for
        self.patience: Timer | None = None  # ends the wait for a worker
        self._recorded: Failure | None = left.failure if left else None
        self.goes_on = False  # whether the latest is one that was reported before: no worker is there yet

    def record(self, failure: Failure) -> None:
        """Write a failure down as an exception, once; that no worker is there is one, however long."""
        before = self._recorded
        both = before is not None and before.code == failure.code == NO_WORKER.number
        self.goes_on = both and failure is not before
        if self.goes_on:
            self._recorded = failure
            exceptions.continues(self.services, self.exception, failure)
        elif failure is not before:
            identity, attempt = self.entry.identity, self.attempt.number
            self._recorded = failure
            self.exception = exceptions.of_job(
                self.run.services, self.run.facts, identity, attempt, self.entry.host.facts.name, failure
            )

    def change(self, **fields: Any) -> None:
        """Other facts of what is being done; written with the next state."""
        self.handling = replace(self.handling, **fields)

    def write(self) -> None:
        """Write those facts now; the state stays."""
        self.row.update(handling=self.written())

    def begins_to_wait(self, seconds: float) -> None:
        """A delay begins now; written with the next state."""
        clock = self.services.clock
        self.change(pause=seconds, boot=clock.boot(), ticks=ticks(clock))

    def still_waits(self, due: str | None) -> float:
        """Seconds that are left of a delay that began under an earlier engine: never more than all of it.

        The wall clock may have been set in between: it only counts where the machine was restarted.
        """
        clock, kept = self.services.clock, self.handling
        left = (datetime.fromisoformat(due) - clock.now()).total_seconds() if due is not None else 0.0
        if kept.pause is not None:
            if kept.boot == clock.boot() and kept.ticks is not None:
                left = kept.pause - (clock.monotonic() - kept.ticks / TICKS)
            left = min(left, kept.pause)
        return max(left, 0.0)

    def between(
        self,
        state: JobState,
        failure: Failure | None,
        reason: Reason | None = None,
        due_at: str | None = None,
    ) -> None:
        """Between two attempts: what is being done about ``failure``; None when that is over."""
        self.attempt.ended_meanwhile = None
        errors = self.services.error_columns(failure)
        self.row.to(state, reason, handling=self.written(), stop=None, due_at=due_at, **errors)

    def written(self) -> dict[str, Any]:
        """Those facts as the row has them."""
        return replace(self.handling, exception=self.exception, refused=self.refused).to_json()

    def over(self) -> None:
        """Nothing is being done about it any more: the next attempt follows."""
        self.between(self.row.state, None)

    def handled(self, by: str, note: str) -> None:
        """What was done about the latest, and by whom."""
        exceptions.handled(self.services, self.exception, by, note)

    def asks(self, failure: Failure) -> None:
        """A person shall decide about the latest."""
        exceptions.asks(self.services, self.exception, failure)

    def reopened(self, note: str) -> None:
        """What was done about the latest has not helped."""
        exceptions.reopened(self.services, self.exception, note)

    def say(self, what: str, level: int = logging.INFO) -> None:
        """A line of the execution log."""
        of = self.entry.identity
        self.services.say(f"instance {self.run.facts.id} job {of.node} ({of.id}): {what}", level)

    def alert(self, kind: str, level: str, failure: Failure, template: str, **facts: object) -> None:
        """Raise an alert about the job: ``{job}`` in it names the job, ``{message}`` says how it failed."""
        job, instance = self.entry.identity, self.run.facts.id
        title = Message.of("job {name!r} of instance {instance}", name=job.name, instance=instance)
        message = Message.of(template, job=title, message=failure.message, **facts)
        exceptions.alert(self.run, job, self.row.state, kind, level, failure, message)

    def accepted(self) -> None:
        """The worker refuses it no longer: what was recorded about that is handled, whoever was asked."""
        for timer in (self.watch, self.patience):
            if timer is not None:
                timer.cancel()
        self.watch = self.patience = None
        if self.refused is not None:
            exceptions.handled(self.services, self.refused, "engine", "the worker refuses it no longer")
            self.refused = None
            self.write()

    def leaves(self, left: Left) -> None:
        """Something of it was stopped: what is not certain about that stays with the job."""
        self.run.outcome.left += left
        if not left.verified:
            self.change(unverified=str(left.reason), unverified_facts=facts_of(left.reason))
            self.entry.remark(UNVERIFIED + left.reason)
