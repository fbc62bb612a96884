"""The confirmation, each minute, of attempts that have run for two: at their worker and in the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.execution.outcomes import Exit, Lost, Unreachable
from engine.model.codes.confirmation import END_UNNOTICED, GONE_UNNOTICED, NOT_FOLLOWED, STORED_OTHERWISE
from engine.model.errors import ErrorCode, Failure, SkerryError
from engine.model.message import Message
from engine.runtime import alerts
from engine.runtime.jobs.execution import JobExecution
from engine.runtime.jobs.process_wait import Process
from engine.runtime.recovery.pictures import (
    Discrepancy,
    Followed,
    Key,
    PictureDifference,
    Seen,
    differences,
    lasting,
)
from engine.runtime.services import EngineServices
from engine.store.rows import AttemptRow, InstanceRow

_EACH = 60.0  # seconds between two of them
_LONG = 120.0  # seconds after which an attempt is confirmed
_WORDS: Mapping[Discrepancy, tuple[ErrorCode, str]] = {
    Discrepancy.ENDED: (END_UNNOTICED, "it has ended on {worker}, and the engine had not noticed that"),
    Discrepancy.GONE: (GONE_UNNOTICED, "{worker} has neither it nor an end of it"),
    Discrepancy.STORED: (STORED_OTHERWISE, "it runs on {worker}, and the database says otherwise"),
    Discrepancy.UNFOLLOWED: (NOT_FOLLOWED, "it runs in the database, and the engine does not have it"),
}


@dataclass(frozen=True)
class _Watched:
    """An attempt, and the wait for its process."""

    attempt: Followed
    job: JobExecution
    process: Process


@dataclass(frozen=True)
class _WorkerWords:
    """What workers and the database have."""

    seen: dict[Key, Seen] = field(default_factory=dict)
    attempts: dict[Key, AttemptRow | None] = field(default_factory=dict)
    instances: list[InstanceRow] = field(default_factory=list)


class AttemptConfirmation:
    """What two confirmations find different is an alert, once; the end that a worker has is taken then.

    An attempt that its worker knows nothing of is lost, and goes by its recovery. Loop thread only.
    """

    def __init__(self, services: EngineServices) -> None:
        self._services = services
        self._before: frozenset[PictureDifference] = frozenset()
        self._alerted: frozenset[PictureDifference] = frozenset()
        self._asks = False

    def begin(self) -> None:
        """From now on."""
        self._services.loop.later(_EACH, self._each)

    def _each(self) -> None:
        self.begin()
        if self._asks:  # a worker takes its time
            return
        self._asks = True
        watched, running = self._watched(), frozenset(self._services.runs)

        def found(answers: _WorkerWords | None, error: BaseException | None) -> None:
            self._asks = False
            if answers is not None:
                self._compare(watched, running, answers)
            elif not isinstance(error, SkerryError):  # a database that is away now is asked the next time
                self._services.loop.on_error(error or RuntimeError("no answer"))

        self._services.loop.offload_long(lambda: self._answers(watched), found)

    def _watched(self) -> list[_Watched]:
        since = self._services.clock.monotonic() - _LONG
        claims = [claim for claim in self._services.queue.holders() if claim.since <= since]
        return [found for claim in claims if (found := _watched(claim.owner)) is not None]

    def _answers(self, watched: list[_Watched]) -> _WorkerWords:
        """On a thread of its own: hosts may take their time, and one that does not answer is asked once."""
        answers, silent = _WorkerWords(), set[str]()
        for each in watched:
            attempt = each.attempt
            rows = {row.attempt: row for row in self._services.store.attempts(attempt.job_instance)}
            answers.attempts[attempt.key] = rows.get(attempt.attempt)
            if attempt.worker not in silent:
                answers.seen[attempt.key] = seen = _seen(each)
                silent |= {attempt.worker} if isinstance(seen, Unreachable) else set()
        answers.instances.extend(self._services.store.unfinished())
        return answers

    def _compare(self, watched: list[_Watched], running: frozenset[int], answers: _WorkerWords) -> None:
        followed = [each.attempt for each in watched]
        now = differences(followed, answers.seen, answers.attempts, running, answers.instances)
        sure = lasting(self._before, now)
        by_key = {each.attempt.key: each for each in watched}
        for difference in sorted(sure - self._alerted):
            self._alert(difference, by_key.get((difference.id, difference.attempt)))
        self._before, self._alerted = now, sure
        for key in {(each.id, each.attempt) for each in sure} & by_key.keys():
            end = answers.seen.get(key)
            if isinstance(end, (Exit, Lost)):
                by_key[key].process.is_over(end)

    def _alert(self, difference: PictureDifference, watched: _Watched | None) -> None:
        entry, template = _WORDS[difference.what]
        if watched is not None:
            failure = Failure.new(entry, template, worker=watched.attempt.worker)
            return watched.job.failures.alert("confirmation", "error", failure, "{job}: {message}")
        what = Message.of("instance {id}: {message}", id=difference.id, message=Message.of(template))
        alerts.raised_alert(
            self._services, "confirmation", "error", entry.number, what, instance=difference.id
        )


def _watched(job: JobExecution) -> _Watched | None:
    """Where it waits for a process that nobody is stopping."""
    process, mark = job.process, job.attempt.mark
    if process is None or mark is None:
        return None
    worker = process.host.facts.name
    return _Watched(Followed(job.identity.id, job.attempt.number, worker, mark), job, process)


def _seen(watched: _Watched) -> Seen:
    """What its worker has; an end counts with all that the attempt left there."""
    stage, host = watched.process.stage, watched.process.host
    try:
        found = host.confirm(stage)
        if isinstance(found, Exit):
            host.bring(stage.directory, stage.mark)
    except SkerryError as error:
        return Unreachable(error.message)
    return found
