"""The row of one JobInstance: its state, and the columns that are written while it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.model.message import Message
from engine.model.reason import Kind, Reason
from engine.model.reason_words import said
from engine.model.states import JobState
from engine.runtime.run_state.job_identity import JobIdentity
from engine.runtime.run_state.job_rows import RecoveredJob
from engine.runtime.run_state.run_context import RunContext


class LiveJobRow:
    """Loop thread only; what is written is durable with the turn."""

    def __init__(self, run: RunContext, identity: JobIdentity, left: RecoveredJob | None) -> None:
        self._run = run
        self._identity = identity
        self._services = run.services
        self.state = left.state if left else JobState.PENDING
        self.branch = left.branch if left else None  # the key that a condition took
        self.begun = left is not None and left.begun  # an attempt of it
        self.worker = left.worker if left else None  # of its latest attempt
        self.next_check: Reason | None = None  # when the outcome of an asynchronous one is looked at
        self.being_stopped: Reason | None = None  # why, until that is over
        self.given_priority = left.priority if left else None

    @property
    def priority(self) -> int:
        """What an operator gave it, else the node's over the task's."""
        if self.given_priority is not None:
            return self.given_priority
        return self._run.facts.priority_of(self._identity.node)

    def update(self, **columns: Any) -> None:
        """Further facts; the state stays."""
        self._services.changes.update("job_instance", self._identity.id, columns)

    def to(self, state: JobState, reason: Reason | None, **columns: Any) -> None:
        """Move to another state and write it down, with why it is in that state."""
        before, self.state, self.being_stopped = self.state, state, None
        why = said(self._masked(reason))
        self._services.changes.move("job_instance", self._identity.id, before, state, {**why, **columns})
        if self._services.events:
            error: dict[str, Any] = {name: columns.get(name) for name in ("error_code", "error_message")}
            of = self._identity
            self._run.publish(of.node, of.id, state, index=of.index, round=of.round, **error, **why)

    def is_stopped(self, why: Message, payload: Mapping[str, Any]) -> None:
        """What it does is being ended; ``payload`` is for the engine that goes on with that."""
        reason = Reason.of(Kind.BEING_STOPPED, message=why)
        self.to(self.state, reason, stop=payload)
        self.being_stopped = reason

    def still_stopped(self, stopping: Reason, since: str | None) -> None:
        """Its worker is out of reach since then, or (None) in reach again."""
        self.to(self.state, Reason.of(stopping.kind, **{**stopping.facts, "since": since}))
        self.being_stopped = stopping

    def _masked(self, reason: Reason | None) -> Reason | None:
        if reason is None or not reason.facts:
            return reason
        mask = self._services.mask  # of the facts, not their names: a secret may be a word like one
        return Reason(reason.kind, {name: mask(fact) for name, fact in reason.facts.items()})
