"""The row of one attempt: its mark, its state, and how its program ended."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from engine.execution.outcomes import Exit
from engine.model.errors import Failure
from engine.model.states import AttemptState, JobState
from engine.runtime.elapsed import iso, ticks
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.jobs.job_failures import LatestAttempt
from engine.runtime.jobs.job_row import LiveJobRow
from engine.runtime.run_state.job_rows import RecoveredJob


class LiveAttemptRow:
    """Writes it, and what the row of the job repeats of it; loop thread only."""

    def __init__(
        self, entry: JobEntry, job_row: LiveJobRow, latest: LatestAttempt, left: RecoveredJob | None
    ) -> None:
        self._entry = entry
        self._services = services = entry.services
        self._job_row = job_row
        self._latest = latest
        self._left = left
        self.number = latest.number
        self._key = entry.identity.id, self.number
        self.mark = (left and left.mark) or services.marks.of(entry.identity.id, self.number)
        self.began = services.clock.monotonic() - (left.spent(services.clock) if left else 0.0)
        self.exit: Exit | None = None
        self._state = AttemptState(left.attempt_state) if left else AttemptState.STARTING

    @property
    def taken_up(self) -> bool:
        """Whether an earlier engine began it."""
        return self._left is not None

    def begin(self) -> None:
        """Write down that it starts: durable before anything of it happens."""
        self._latest.mark, self._latest.left_alive = self.mark, False
        if self.taken_up:
            return
        services = self._services
        now = services.now()
        host = self._entry.host.facts
        more = {} if self._job_row.begun else {"started_at": now}
        if self._job_row.worker != host.name:
            self._job_row.worker = more["worker"] = host.name
        self._job_row.begun = True
        self._job_row.to(JobState.RUNNING, None, attempt=self.number, **more)
        services.changes.insert(
            "job_run",
            {
                "job_instance": self._entry.identity.id, "attempt": self.number,
                "status": str(AttemptState.STARTING), "created_at": now, "started_at": now,
                "worker": host.name, "mark": self.mark,
                "boot_id": host.boot, "start_ticks": ticks(services.clock),
            },
        )  # fmt: skip

    def announce(self) -> None:
        """Write down that it will have a directory; to be durable before the directory is made.

        A further attempt, whose job has had one, says so by its state.
        """
        self._job_row.update(directory=self._entry.directory_text)
        if self.number > 1:
            self._move(AttemptState.RUNNING)

    def process_started(self, pid: int | None) -> None:
        """The process of one of its stages runs; its pid may become known later."""
        self._move(AttemptState.RUNNING, pid=pid)
        self._job_row.update(pid=pid)

    def pid_is_known(self, pid: int) -> None:
        """Of a process on another machine, which may say so when the attempt was given up meanwhile."""
        if self._state in (AttemptState.STARTING, AttemptState.RUNNING):
            self.process_started(pid)

    def reaped(self, end: Exit) -> None:
        """The process of an asynchronous job has ended, before its check."""
        self.exit = end
        self._services.changes.update("job_run", self._key, {"exit_code": end.code, "signal": end.signal})
        self._job_row.update(exit_code=end.code)

    def ended_meanwhile(self, moment: float) -> None:
        """Its last program ended while no engine was there: when (of the epoch), its record tells."""
        if self._left is None or self._left.since is None:
            return
        earliest, latest = datetime.fromisoformat(self._left.since), self._services.clock.now()
        found = datetime.fromtimestamp(moment, UTC)
        self._latest.ended_meanwhile = iso(max(min(found, latest), earliest))

    def end(self, state: AttemptState, failure: Failure | None, log_sizes: Mapping[str, int]) -> None:
        """How it ended, also for the statistics."""
        ended = {
            "ended_at": self._latest.ended_meanwhile or self._services.now(),
            "exit_code": self.exit.code if self.exit else None,
            "signal": self.exit.signal if self.exit else None,
            **self._services.error_columns(failure),
            **log_sizes,
        }
        self._move(state, **ended)
        self._latest.was_lost = state is AttemptState.LOST
        if self.exit is not None:
            self._job_row.update(exit_code=self.exit.code)
        plan, job = self._entry.run.facts.plan, self._entry.job
        # A reusable job counts by its id, an inline one with its task.
        name = job.id if job.id in plan.definitions.jobs else f"{plan.task.id}.{job.id}"
        code = failure.code if failure else None
        self._services.changes.stat("job", name, failure is None, self._seconds(), code)

    def _move(self, state: AttemptState, **columns: Any) -> None:
        before, self._state = self._state, state
        self._services.changes.move("job_run", self._key, before, state, columns)

    def _seconds(self) -> float:
        """How long it took; without the time in which no engine was there to see its end."""
        left, ended = self._left, self._latest.ended_meanwhile
        if ended is None or left is None or left.since is None:
            return self._services.clock.monotonic() - self.began
        return (datetime.fromisoformat(ended) - datetime.fromisoformat(left.since)).total_seconds()
