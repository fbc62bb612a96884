"""How runs end: recorded, announced to listeners, and retried where the task says so."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from engine.context.line import ENGINE
from engine.model import pausing
from engine.model.codes.runtime import JOBS_FAILED
from engine.model.errors import Failure
from engine.model.reason import Kind, Reason
from engine.model.reason_words import brief, said
from engine.model.states import InstanceState, JobState, RunState
from engine.planning.recovery import next_attempt, retry_delay
from engine.runtime.jobs.stop_outcome import cancelled
from engine.runtime.run_state import exceptions
from engine.runtime.run_state.restart import Past, Restart
from engine.runtime.runs.end_handlers import EndHandlers
from engine.runtime.runs.run import Run
from engine.runtime.services import EngineServices
from engine.runtime.upkeep import file_sync

EndListener = Callable[[Any], None]  # gets (state, failure, results)
Gone = Callable[[int, InstanceState], None]  # gets the instance and how it ended
SETTING = "ending"  # the instances whose end is written down, but perhaps not yet in their files


class Ending:
    """Ends runs; loop thread only."""

    def __init__(
        self, services: EngineServices, runs: dict[int, Run], start_again: Callable[..., Run], on_gone: Gone
    ) -> None:
        self._start_again = start_again
        self._on_gone = on_gone
        self.runs = runs  # the live run of each instance
        self._services = services
        self._listeners: dict[int, list[EndListener]] = {}
        self.unfiled: set[int] = set()  # ended under an earlier engine, their files are not current yet

    def when_ended(self, instance: int, listener: EndListener) -> None:
        """Call ``listener`` once when the instance has ended; at once when that was before."""
        row = None if instance in self.runs else self._services.store.instance(instance)
        if row is None or not InstanceState(row.status).ended:
            self._listeners.setdefault(instance, []).append(listener)
            return
        listener((InstanceState(row.status), row.failure, row.results))

    def run_ended(self, run: Run, failure: Failure | None) -> None:
        """Its jobs have ended and its outcome is known: its handlers run, unless it is to be tried again."""
        delay = self._delay(run, failure)
        if delay is not None or not run.has_handlers:
            run.context.set(("TASK", "END_TIME"), self._services.now())
            run.write_outcome(failure)
            return self._write_end(run, failure, delay)
        known = {**self._services.error_columns(failure), "results": self._services.mask(run.outcome.results)}
        self._services.changes.update("run", (run.facts.id, run.facts.number), known)
        self._leave_paused(run)
        return run.handle_end(failure, partial(self.handled, run, failure))

    def handled(self, run: Run, failure: Failure | None) -> None:
        """Its handlers have ended, and with them the run: they ran because it is not tried again."""
        run.context.set(("TASK", "END_TIME"), self._services.now())
        self._write_end(run, failure, None)

    def _write_end(self, run: Run, failure: Failure | None, delay: float | None) -> None:
        """Write down how it ended; once that is durable comes what follows, after ``delay`` seconds a run."""
        services, facts, outcome = self._services, run.facts, run.outcome
        ends = {
            "ended_at": services.now(),
            **services.error_columns(failure),
            "results": services.mask(outcome.results),
        }
        state = RunState(outcome.state)
        services.changes.move("run", (facts.id, facts.number), RunState.RUNNING, state, ends)
        run.row.move(outcome.state, {**said(facts.restart.why if facts.restart else None), **ends})
        self._remember_ending()
        self._record(run, failure)
        seconds = services.clock.monotonic() - run.began
        code = failure.code if failure else None
        services.changes.stat(
            "task", facts.plan.task.id, outcome.state is InstanceState.SUCCEEDED, seconds, code
        )
        if delay is None:
            self._leave_paused(run)
        status = outcome.state if delay is None else self._wait_to_try_again(run, delay)
        why = f": error {failure.code}: {failure.message}" if failure else ""
        services.say(
            services.mask(
                f"instance {facts.id} ({facts.plan.task.id}) run {facts.number} {outcome.state}{why}"
            )
        )
        run.row.publish(status)
        services.loop.after_commit(
            partial(services.writes.when_disk_has_room, partial(self._let_go, run, failure, delay))
        )

    def _record(self, run: Run, failure: Failure | None) -> None:
        """A run that failed by itself has an exception of its own; its jobs have theirs."""
        by_hand = run.outcome.state is InstanceState.CANCELLED
        if failure is None or by_hand or run.outcome.is_of_job(failure) or failure.code == JOBS_FAILED.number:
            return
        exceptions.of_run(self._services, run.facts, failure)

    def _delay(self, run: Run, failure: Failure | None) -> float | None:
        if failure is None or run.outcome.state is not InstanceState.FAILED:
            return None
        if any(
            job.row.state is JobState.LOST
            for execution in run.nodes.executions.values()
            for job in execution.jobs
        ):
            return None  # what it started may live: a person looks first
        return next_attempt(run.facts.plan.task.retry, run.facts.number, failure)

    def _wait_to_try_again(self, run: Run, delay: float) -> InstanceState:
        """Write down what it waits for: its next run, or the end of a pause."""
        run.pause.shown = held = run.pause.why
        state = InstanceState.WAITING if held is None else InstanceState.PAUSED
        at = self._services.local(self._services.clock.now() + timedelta(seconds=delay))
        facts = {
            "seconds": delay,
            "at": at,
            "run": run.facts.number + 1,
            "of": run.facts.plan.task.retry.times + 1,
        }
        why = said(held or Reason.of(Kind.TASK_RETRY, **facts))
        run.row.move(state, why)
        return state

    def _let_go(self, run: Run, failure: Failure | None, delay: float | None) -> None:
        _must_be_filed(run)
        if run.facts.id in self._services.turn.dirty:  # a value was changed at the last moment
            again = partial(
                self._services.writes.when_disk_has_room, partial(self._let_go, run, failure, delay)
            )
            return self._services.loop.after_commit(again)
        run.files.write()
        run.files.journal.close()
        if delay is None:
            return self._gone(run, failure)
        run.phase.retry = self._services.loop.later(delay, partial(self.try_again, run))
        run.pause.show()  # a pause above it may have come or gone meanwhile
        return None

    def try_again(self, run: Run) -> None:
        """What failed and what depends on it as a further run; all of it when no job failed but the task."""
        if run.pause.why is not None:
            run.pause.retry_due = True
            return
        if run.files.behind:  # those of the run before it, from an earlier engine: both would write them
            again = partial(self.try_again, run)
            run.phase.retry = self._services.loop.later(self._services.writes.retry_seconds, again)
            return
        past = Past.of_rows(run.facts.plan, self._services.store.jobs(run.facts.id))
        some = any((come := past.outcomes.get(id)) is None or come.failed for id in run.facts.plan.nodes)
        restart = replace(Restart.choose(run.facts.plan, past, "failed" if some else "all"), afresh=False)
        self._start_again(run, restart, trigger="retry", actor=ENGINE)

    def wait_again(self, run: Run, since_end: float) -> None:
        """Go on waiting to try a run again that had ended so under an earlier engine, so many seconds ago."""
        run.phase.finishing, run.outcome.state = True, InstanceState.FAILED
        delay = retry_delay(run.facts.plan.task.retry, run.facts.number)  # that it is tried again was decided
        left = min(max(delay - since_end, 0.0), delay)
        run.phase.retry = self._services.loop.later(left, partial(self.try_again, run))

    def give_up(self, run: Run, actor: str) -> None:
        """Cancel an instance that only waited to be tried again."""
        assert run.phase.retry is not None
        run.phase.retry.cancel()
        failure = cancelled(actor)
        run.outcome.state = InstanceState.CANCELLED
        if not run.has_handlers:
            return self._write_given_up(run, failure)
        run.phase.retry = None
        self._leave_paused(run)
        run.context.remove(("TASK", "END_TIME"), why="its handlers run")
        run.context.set(("TASK", "STATUS"), str(InstanceState.RUNNING))
        return run.handle_end(failure, partial(self.handled_given_up, run, failure))

    def handled_given_up(self, run: Run, failure: Failure) -> None:
        """The handlers of one that was not tried again have ended."""
        run.context.set(("TASK", "END_TIME"), self._services.now())
        self._write_given_up(run, failure)

    def _write_given_up(self, run: Run, failure: Failure) -> None:
        """The end of one that was not tried again; its latest run keeps its own."""
        self._leave_paused(run)
        run.row.move(run.outcome.state, {**said(None), **self._services.error_columns(failure)})
        run.row.publish(run.outcome.state)
        end = (
            partial(self._leave, run, failure)
            if run.handlers is None
            else partial(self._let_go, run, failure, None)
        )
        self._services.loop.after_commit(partial(self._services.writes.when_disk_has_room, end))

    def resume_handlers(self, run: Run, failure: Failure | None, *, given_up: bool) -> EndHandlers:
        """Those of a run whose outcome an earlier engine had written down."""
        end: Callable[[], None] = partial(self.handled, run, failure)
        if given_up and failure is not None:
            end = partial(self.handled_given_up, run, failure)
        run.handlers = EndHandlers(run, end)
        return run.handlers

    def _leave_paused(self, run: Run) -> None:
        """What a paused instance has woken up stays paused, now by itself: its handlers run, or it ends."""
        why = self._services.pauses.pop(run.facts.id, None)
        if why is None:
            return
        for each in below(self.runs, run.facts.id):
            if each.pause.why is None and not each.phase.stopped:
                self._services.pauses[each.facts.id] = why
                if not each.pause.is_late:
                    reason = pausing.with_instance(run.facts.id, why)
                    each.context.set(("TASK", "STATUS"), str(InstanceState.PAUSED), why=brief(reason))
            each.pause.show()

    def _remember_ending(self) -> None:
        """For the next engine, should this one be killed before the files are written."""
        runs = self.runs.values()
        self._services.changes.setting(
            SETTING, [*self.unfiled, *(run.facts.id for run in runs if run.phase.finishing)]
        )

    def _leave(self, run: Run, failure: Failure | None) -> None:
        _must_be_filed(run)
        self._gone(run, failure)

    def _gone(self, run: Run, failure: Failure | None) -> None:
        del self.runs[run.facts.id]
        self._services.pauses.pop(run.facts.id, None)
        file_sync.ended(self._services, run.facts.id)
        self._remember_ending()
        self._services.loop.soon_enough()
        self._services.loop.soon(partial(self._on_gone, run.facts.id, run.outcome.state))
        self.tell_listeners(run.facts.id, (run.outcome.state, failure, run.outcome.results))

    def ended_before(self, instance: int, state: InstanceState) -> None:
        """One that never began has come to its end."""
        self._on_gone(instance, state)
        self.tell_listeners(instance, (state, None, {}))

    def tell_listeners(self, instance: int, end: Any) -> None:
        """Tell whoever waits for its end: (state, failure, results)."""
        for listener in self._listeners.pop(instance, ()):
            listener(end)


def _must_be_filed(run: Run) -> None:
    """It is not let go while something waits for room in its directory."""
    if run.files.behind:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), run.files.folder.path)


def below(runs: Mapping[int, Run], instance: int) -> list[Run]:
    """The live sub-tasks of an instance, at any depth, what started before what was started."""
    found = (run for run in runs.values() if instance in run.facts.above)
    return sorted(found, key=lambda run: len(run.facts.above))
