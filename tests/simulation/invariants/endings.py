"""What must hold when a life has come to its end: one small function for each promise of docs/nothing-is-lost.md."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest.mock import patch

from engine.context import TaskContext
from engine.model.names import is_handler
from engine.model.states import InstanceState, JobState
from engine.store.rows import InstanceRow, JobRow, RunRow
from engine.store.sql_store import Store
from tests.runtime.site import Seen
from tests.simulation.invariants.answers import a_choice_that_fails_fails, an_answer_decides
from tests.simulation.invariants.directories import (
    directories_equal_the_database,
    each_attempt_has_files_of_its_own,
    what_a_power_cut_took_is_recorded,
)
from tests.simulation.invariants.ends_of_runs import (
    handlers_run_once_after_every_end,
    what_may_be_tried_again_is,
)
from tests.simulation.invariants.exception_records import (
    no_exception_record_leaks,
    recovery_counts_its_attempts,
)
from tests.simulation.invariants.life import Life
from tests.simulation.invariants.rebuilding import rebuild_gives_the_same_answers
from tests.simulation.invariants.runs import (
    a_run_follows_the_definitions_that_it_began_with,
    edits_of_a_rerun_precede_it,
    no_sub_task_is_started_twice,
    what_was_settled_by_hand_stays_so,
)
from tests.simulation.invariants.workers_at_rest import a_job_on_all_workers_has_one_record_of_each

_CHORES = 1  # timers that an idle engine has
_READ = ("attempts", "children", "snapshot", "instances")
Promise = Callable[[Life], Iterator[str]]


def broken(life: Life) -> list[str]:
    """Every promise that was not kept."""
    with _read_once(life.engine.store):
        return [f"{promise.__name__}: {each}" for promise in PROMISES for each in promise(life)]


@contextmanager
def _read_once(store: Store) -> Iterator[None]:
    """Nothing changes any more: tables are read whole, and what else several promises ask for once."""
    lines = cache(lambda *given: tuple(Store.lines(store, *given)))
    read = {name: cache(getattr(store, name)) for name in _READ} | {"lines": lines}
    with patch.multiple(store, **read, **_whole_tables(store)):
        yield


def _whole_tables(store: Store) -> dict[str, Callable[..., Any]]:
    """``instance``, ``runs`` and ``jobs`` of the store, from one look at each table."""
    instances = {row.id: row for row in store._found(InstanceRow, "instance", "id")}
    runs, jobs = defaultdict[int, list[RunRow]](list), defaultdict[int, list[JobRow]](list)
    for run in store._found(RunRow, "run", "run"):
        runs[run.instance].append(run)
    for job in store._found(JobRow, "job_instance", "id"):
        jobs[job.instance].append(job)

    def jobs_of(instance: int, run: int | None = None) -> list[JobRow]:
        return [row for row in jobs.get(instance, ()) if run is None or row.run == run]

    return {"instance": instances.get, "runs": lambda instance: runs.get(instance, []), "jobs": jobs_of}


def nothing_starts_twice(life: Life) -> Iterator[str]:
    """Each stage of an attempt is started once."""
    started = Counter((each.mark, each.record) for each in life.machine.started)
    yield from (f"{mark} {record}" for (mark, record), count in started.items() if count > 1)


def what_was_acknowledged_is_there(life: Life) -> Iterator[str]:
    """Runs and edits that people had an answer to are in the store, reruns too."""
    rows, answers = {id: life.engine.store.instance(id) for id in life.instances()}, life.history.answers
    for action, instance in answers("run"):
        row = rows.get(instance)
        if row is None or row.task != action.facts["task"]:
            yield f"{action.facts['key']} was answered with {instance}, which is {row and row.task}"
    for _, begun in answers("rerun"):
        for each in begun:
            row = rows.get(each["instance"])
            if row is None or ("after" not in each and row.run < each["run"]):
                yield f"run {each['run']} of instance {each['instance']} is not there"
    for _, edit in answers("set"):
        if not _edited(life, edit):
            yield f"the edit {edit} is not in the log"


def _edited(life: Life, edit: Mapping[str, Any]) -> bool:
    lines = (json.loads(line) for line in life.engine.store.lines(edit["instance"]))
    return any((each["seq"], each.get("new")) == (edit["seq"], edit["value"]) for each in lines)


def outcomes_outlive_their_directories(life: Life) -> Iterator[str]:
    """What other tasks can still ask for has the outcome that it had when retention took the rest."""
    for id in sorted(life.history.outcomes):
        row, was = life.engine.store.instance(id), life.history.states["instance", id]
        if row is None or not row.is_outcome_alone or row.status != was:
            yield f"instance {id}, which was {was}, is {row and row.status}"


def a_rerun_runs_what_its_preview_said(life: Life) -> Iterator[str]:
    """No node that was to be kept has a job in the new run, and of those that were to run none is missing."""
    kept = life.history.planned.items()
    for (instance, run), planned in (
        (key, nodes) for key, nodes in kept if key[0] not in life.history.removed
    ):
        of_run = life.engine.store.jobs(instance, run)
        rows = [row for row in of_run if row.parent is None and not is_handler(row.node)]
        planned = [node for node in planned if not is_handler(node)]  # its outcome decides which of them run
        ran = {row.node for row in rows}
        begun = {row.node for row in rows if row.created_at == rows[0].created_at}
        entered = {  # a loop may go round these, and what was kept; or it ends before
            node
            for each in life.engine.store.runs(instance)
            if each.run == run and each.selection
            for node in each.selection["selection"]["entered"]
        }
        again = entered if any(row.ended_at == rows[0].created_at for row in rows) else set()  # at once
        if not begun <= {*planned, *again} or not {*planned} <= ran | entered:
            yield f"run {run} of instance {instance}: {sorted(ran)}, and not {sorted(planned)}"


def no_request_is_carried_out_twice(life: Life) -> Iterator[str]:
    """However often it was asked for: one key, one instance."""
    asked = {
        action.facts["key"]: answer.value for action, answer in life.history.answered if action.what == "run"
    }
    keys = {action.facts["key"] for action in life.story.actions if action.what in ("run", "queue add")}
    by_hand = [id for id in life.instances() if _by_hand(life, id)]
    if len(by_hand) > len(keys):
        yield f"{len(by_hand)} instances of {len(keys)} requests: {by_hand}, {asked}"


def _by_hand(life: Life, instance: int) -> bool:
    row = life.engine.store.instance(instance)
    return row is not None and row.parent is None and row.trigger in ("manual", "queue")


def no_timer_outlives_what_it_was_for(life: Life) -> Iterator[str]:
    """When nothing runs, nothing is due; a program that not even KILL ends is looked at until it does."""
    live = list(life.engine.services.loop.timers.live())
    stuck = sum(each.program_lives for each in life.machine.started)
    if len(live) > _CHORES + stuck:
        yield f"{len(live)} timers are left"


def no_question_is_left_open(life: Life) -> Iterator[str]:
    """What has ended asks nobody any more."""
    if life.engine.services.asking:
        yield f"{list(life.engine.services.asking)} still ask"


def every_instance_ends_with_its_jobs(life: Life) -> Iterator[str]:
    """No job or attempt is open in what has ended."""
    store = life.engine.store
    for instance in life.instances():
        row = store.instance(instance)
        if row is None or not InstanceState(row.status).ended:
            yield f"instance {instance} is {row and row.status}"
        for job in store.jobs(instance):
            if not JobState(job.status).ended:
                yield f"{instance} {job.node}: {job.status} in an ended instance"
            for each in store.attempts(job.id) if job.attempt else ():
                if each.status in ("starting", "running"):
                    yield f"{instance} {job.node}: attempt {each.attempt} is {each.status}"


def every_log_replays_to_its_context(life: Life) -> Iterator[str]:
    """``ctx.log`` is what the store has, and gives ``ctx.json``."""
    for instance in life.instances():
        if not life.engine.store.runs(instance):  # it has not begun
            continue
        seen = Seen(life.engine, instance)
        filed = (seen.folder / "ctx.log").read_bytes()
        stored = "".join(f"{line}\n" for line in life.engine.store.lines(instance)).encode()
        if filed != stored:
            yield f"instance {instance}: ctx.log is not what the store has"
        elif (
            TaskContext.replay(filed.splitlines(), life.clock).canonical()
            != (seen.folder / "ctx.json").read_bytes()
        ):
            yield f"instance {instance}: ctx.json is not what ctx.log gives"


def no_slot_is_leaked(life: Life) -> Iterator[str]:
    """When nothing runs, no slot is taken and nobody waits for one."""
    queue = life.engine.queue.document()
    if queue["taken"] or queue["waiting"] or queue["running"]:
        yield str(queue)


def every_backfill_ends_with_its_times(life: Life) -> Iterator[str]:
    """None is left undecided, and each says why it was left."""
    yield from life.backfills.every_backfill_ends_with_its_times()
    yield from life.backfills.what_was_missing_is_there()


PROMISES: tuple[Promise, ...] = (
    what_was_settled_by_hand_stays_so,
    edits_of_a_rerun_precede_it,
    no_sub_task_is_started_twice,
    a_run_follows_the_definitions_that_it_began_with,
    what_was_acknowledged_is_there,
    no_request_is_carried_out_twice,
    outcomes_outlive_their_directories,
    a_rerun_runs_what_its_preview_said,
    handlers_run_once_after_every_end,
    what_may_be_tried_again_is,
    an_answer_decides,
    a_choice_that_fails_fails,
    nothing_starts_twice,
    no_timer_outlives_what_it_was_for,
    no_question_is_left_open,
    every_instance_ends_with_its_jobs,
    every_log_replays_to_its_context,
    no_slot_is_leaked,
    every_backfill_ends_with_its_times,
    a_job_on_all_workers_has_one_record_of_each,
    no_exception_record_leaks,
    recovery_counts_its_attempts,
    directories_equal_the_database,
    what_a_power_cut_took_is_recorded,
    each_attempt_has_files_of_its_own,
    rebuild_gives_the_same_answers,
)
