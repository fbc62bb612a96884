"""Resumes what an earlier engine left.

How far a run has come is found by feeding the outcomes in the store to the same pure rules that the
run follows, in the order in which they came; what those rules say was started and has not ended
is taken up where it was.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from engine.model import pausing
from engine.model.codes.store import ROW_DAMAGED
from engine.model.disk import may_pass
from engine.model.errors import Failure, SkerryError
from engine.model.message import Message
from engine.model.names import is_handler
from engine.model.plain_words import wording
from engine.model.reason import Kind, Reason
from engine.model.states import InstanceState, JobState
from engine.planning.shape import Plan
from engine.runtime.alerts import alert_row
from engine.runtime.elapsed import seconds_since
from engine.runtime.jobs.stop_outcome import from_json
from engine.runtime.recovery import aside, file_repair
from engine.runtime.recovery.log_entries import ends_of_jobs
from engine.runtime.recovery.outcome_replay import OutcomeReplay
from engine.runtime.recovery.power_loss import mend
from engine.runtime.recovery.rebuilt_run import captured, rebuilt_run
from engine.runtime.recovery.recovered_jobs import recovered_jobs
from engine.runtime.runs import ending
from engine.runtime.runs.control import RunControl
from engine.runtime.runs.run import Run
from engine.runtime.upkeep.file_sync import TOUCHED, Synced, ended_unsynced, touch, was_restarted
from engine.store.rows import InstanceRow, JobRow, RunRow, seconds_between
from engine.store.sql_store import Store

_AGAIN = 10.0  # seconds until an instance that a failing disk set aside is tried again
_BETWEEN_RUNS = (InstanceState.WAITING, InstanceState.PAUSED)


def take_up(control: RunControl, synced: Synced) -> None:
    """Go on with every unfinished instance; one that cannot be understood does not stop the others."""
    unfinished = control.store.unfinished()
    restarted = was_restarted(control.store, control.services.clock)
    control.services.unsynced.cut = restarted
    synced.recall()
    if restarted:
        _mend_ended(control, synced)
    control.services.pauses.update(_pauses(unfinished))  # of all, before any sub-task of them goes on
    for row in (*_just_ended(control.store), *unfinished):
        _take_up_or_say_why(control, row, restarted)
    control.pending.settle()


def _take_up_or_say_why(control: RunControl, row: InstanceRow, restarted: bool) -> None:
    try:
        if InstanceState(row.status).ended:
            _file(control, row)
        else:
            _take_up(control, row, restarted)
        aside.no_more(control, row.id)
    except Exception as error:
        run = control.runs.get(row.id)
        begun = run is not None and run.nodes.executions
        _set_aside(control, row, error)
        if may_pass(error) and not begun:
            aside.counts(control, row)
            control.services.loop.later(_AGAIN, partial(_again, control, row.id, restarted))


def _again(control: RunControl, instance: int, restarted: bool) -> None:
    """What kept it from being taken up may have passed."""
    try:
        row = control.store.instance(instance)
    except SkerryError:
        control.services.loop.later(_AGAIN, partial(_again, control, instance, restarted))
    else:
        if row is None:
            aside.no_more(control, instance)
        else:
            _take_up_or_say_why(control, row, restarted)
            control.pending.settle()


def _set_aside(control: RunControl, row: InstanceRow, error: Exception) -> None:
    """One that cannot be understood does not go on, and says why: in its row, and as an alert."""
    services = control.services
    coded = (
        error
        if isinstance(error, SkerryError)
        else SkerryError(ROW_DAMAGED, wording(error, "it is not as it was written"))
    )
    template = "set aside: instance {instance} could not be taken up: {message}"
    message = Message.of(template, instance=row.id, message=coded.message)
    services.say(message, logging.ERROR, None if coded is error else error)
    control.runs.pop(row.id, None)
    if row.error_message != message and not InstanceState(row.status).ended:
        columns = services.error_columns(Failure(coded.code, message))
        services.changes.update("instance", row.id, columns)
        alert_row(services, "database", "error", coded.code, message, instance=row.id)


def _pauses(rows: Iterable[InstanceRow]) -> dict[int, Reason]:
    """The instances that were paused by themselves, with why."""
    paused = {row.id: _why_paused(row) for row in rows if row.status == InstanceState.PAUSED}
    return {id: why for id, why in paused.items() if pausing.is_own(why)}


def _why_paused(row: InstanceRow) -> Reason:
    return row.because or Reason(Kind.PAUSED)


def _just_ended(store: Store) -> list[InstanceRow]:
    """The instances whose end, or a change after it, was the last thing that an engine wrote down."""
    ids = {*store.setting(ending.SETTING, []), *store.setting(TOUCHED, [])}
    rows = [store.instance(id) for id in sorted(ids)]
    return [row for row in rows if row is not None and InstanceState(row.status).ended]


def _file(control: RunControl, row: InstanceRow) -> None:
    """The files of an instance that has ended; a directory that was taken away stays away.

    Whoever runs it again waits for that: both would write the same files.
    """
    control.ending.unfiled.add(row.id)
    control.services.changing.add(row.id)
    control.services.writes.when_disk_has_room(partial(_file_ended, control, row))


def _file_ended(control: RunControl, row: InstanceRow) -> None:
    run = rebuilt_run(control, row)
    # Of what began and ended in its last turn the earlier engine may have made nothing yet.
    if os.path.isdir(run.files.folder.path) or row.id in control.store.setting(ending.SETTING, []):
        file_repair.files(run, control.store, control.store.jobs(row.id, row.run))
        run.files.journal.close()
    touch(control.services, row.id)
    control.ending.unfiled.discard(row.id)
    control.services.is_filed(row.id)


def _mend_ended(control: RunControl, synced: Synced) -> None:
    """What ended shortly before a restart of the machine: its files may not have reached the disk."""
    for id in sorted(ended_unsynced(control.store).union(control.store.setting(ending.SETTING, []))):
        _restore(control, synced, id)


def _restore(control: RunControl, synced: Synced, id: int) -> None:
    """The files of one that has ended, as soon as the disk takes them."""
    try:
        row = control.store.instance(id)
        if row is not None and InstanceState(row.status).ended:
            _mend(control, row, rebuilt_run(control, row))
        synced.unmended.discard(id)
    except (OSError, SkerryError) as error:
        if id not in synced.unmended:
            text = (
                f"instance {id}: what a power cut took of its files could not be restored: {wording(error)}"
            )
            control.services.say(text, logging.ERROR)
        if may_pass(error):
            synced.unmended.add(id)
            _restore_later(control, synced, id)


def _restore_later(control: RunControl, synced: Synced, id: int) -> None:
    """Not while something else writes into them."""
    services = control.services

    def again() -> None:
        is_busy = id in control.runs or id in services.changing or id in services.leaving
        (_restore_later if is_busy else _restore)(control, synced, id)

    services.loop.later(_AGAIN, again)


def _mend(control: RunControl, row: InstanceRow, run: Run) -> None:
    found = mend(
        run, control.store, lambda run: captured(control.store, control.services, replace(row, run=run))
    )
    control.services.unsynced.add()
    if found:
        names = ", ".join(sorted(found))
        text = f"instance {run.facts.id}: a power cut took what only these files had: {names}"
        control.services.say(text, logging.WARNING)


def _make_current(
    control: RunControl, row: InstanceRow, run: Run, jobs: list[JobRow], restarted: bool
) -> None:
    if control.runs.get(row.id) is not run:  # set aside meanwhile: who takes it up makes them current
        return
    if restarted:
        _mend(control, row, run)
    file_repair.files(run, control.store, jobs)


def _take_up(control: RunControl, row: InstanceRow, restarted: bool) -> None:
    if row.run == 0:  # it has not begun: whoever fires begins it
        return None
    if control.pending.restore(row):
        return None
    run = rebuilt_run(control, row)
    recorded = control.store.run(row.id, row.run)
    jobs = control.store.jobs(row.id, row.run)
    control.runs[row.id] = run
    _show_no_old_error(control, row, recorded)
    run.pause.shown = _why_paused(row) if row.status == InstanceState.PAUSED else None
    run.files.has_directory = False  # for as long as the disk has no room to make its files current
    control.services.writes.when_disk_has_room(
        partial(_make_current, control, row, run, jobs, restarted), run.files
    )
    if row.status in _BETWEEN_RUNS and recorded is not None and recorded.ended_at is not None:
        control.ending.wait_again(run, _since_end(control, recorded))
        run.pause.show()
        return None
    if recorded is not None and (state := _known_outcome(run)) is not None:
        return _handle_end(control, run, jobs, recorded, state)
    stop = recorded.stop if recorded is not None else None
    _go_on(control, run, jobs)
    if stop is not None:
        run.stop(from_json(stop))
    run.pause.show()
    return None


def _since_end(control: RunControl, recorded: RunRow) -> float:
    """Seconds since a run has ended, by the time since boot where the machine was not restarted meanwhile."""
    begun = seconds_since(control.services.clock, recorded.created_at, recorded.boot_id, recorded.start_ticks)
    return begun - max(seconds_between(recorded.created_at, recorded.ended_at) or 0.0, 0.0)


def _show_no_old_error(control: RunControl, row: InstanceRow, recorded: RunRow | None) -> None:
    """What an earlier engine wrote when it set the instance aside; the error of a run that ended stays."""
    ended = recorded if recorded is not None and recorded.ended_at is not None else None
    error = (ended.error_code, ended.error) if ended is not None else (None, None)
    if (row.error_code, row.error_message) != error:
        columns = dict(zip(("error_code", "error_message"), error, strict=True))
        control.services.changes.update("instance", row.id, columns)


def _go_on(control: RunControl, run: Run, jobs: list[JobRow]) -> None:
    lines = partial(control.store.lines, run.facts.id)
    first = _first_bad(run.facts.plan, jobs, lines)
    if first is not None and first.failure is not None:
        name = first.node if first.index is None else f"{first.node}[{first.index}]"
        failure = first.failure.passed_on("job {name!r}: {message}", name=name)
        run.outcome.fail_by_job(failure, first.node, lost=first.status == JobState.LOST)
    run.edits.nodes |= {job.node for job in jobs if job.based_on_edit}
    for job in jobs:
        if job.status == JobState.PENDING and job.round == 1:
            run.nodes.rows[job.node, job.index] = job.id
    run.resume()
    left = recovered_jobs(jobs, control.store.open_attempts(run.facts.id), lines, _began_in(control, run))
    run.nodes.take_up(OutcomeReplay(run.facts.plan, run.progress, jobs, lines).next_steps(), left)


def _began_in(control: RunControl, run: Run) -> str | None:
    """The start of this machine in which the run began."""
    recorded = control.store.run(run.facts.id, run.facts.number)
    return recorded.boot_id if recorded is not None else None


def _known_outcome(run: Run) -> InstanceState | None:
    """The outcome of a run that has not ended: its handlers were at work."""
    state = InstanceState(run.context.tree["TASK"]["STATUS"])
    return state if state.ended and run.facts.plan.handlers else None


def _handle_end(
    control: RunControl, run: Run, jobs: list[JobRow], recorded: RunRow, state: InstanceState
) -> None:
    """Go on with the handlers of an outcome that is known; nothing about it is decided again."""
    error = run.context.tree["TASK"]["ERROR"]
    run.outcome.state, run.outcome.results = state, dict(recorded.results)
    run.phase.finishing = True
    failure = recorded.failure if recorded.ended_at is None else None
    if failure is None and error["CODE"] is not None:
        failure = Failure(error["CODE"], error["MESSAGE"])
    if failure is not None and error["NODE"] is not None:
        run.outcome.fail_by_job(failure, error["NODE"], lost=state is InstanceState.LOST)
    handlers = control.ending.resume_handlers(run, failure, given_up=recorded.ended_at is not None)
    own = [job for job in jobs if is_handler(job.node)]
    waiting = (job for job in own if job.status == JobState.PENDING)
    handlers.nodes.rows.update({(job.node, job.index): job.id for job in waiting})
    lines = partial(control.store.lines, run.facts.id)
    left = recovered_jobs(own, control.store.open_attempts(run.facts.id), lines, _began_in(control, run))
    steps = OutcomeReplay(handlers.plan, handlers.progress, own, lines).next_steps()
    if any(job.status == JobState.SKIPPED and job.parent is None for job in own):  # by a second cancel
        handlers.progress.stop()  # its rows are there
    handlers.nodes.take_up(steps, left)


def _first_bad(plan: Plan, jobs: Iterable[JobRow], lines: Callable[[], Iterable[str]]) -> JobRow | None:
    """The job for which the run failed already, by the order of its log: the clock may have been set."""
    bad = [
        job
        for job in jobs
        if JobState(job.status).bad and job.node in plan.nodes and job.error_code is not None
        and not plan.nodes[job.node].node.continue_on_failure
    ]  # fmt: skip
    ends = ends_of_jobs(lines()) if len(bad) > 1 else {}
    return min(bad, key=lambda job: ends.get(job.id, math.inf), default=None)
