"""What must hold about the ends of runs: each has had the handlers of its outcome, once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from engine.model.catalogue import Catalogue, engine_codes
from engine.model.job import Retry
from engine.model.names import HANDLER, is_handler
from engine.model.reason import Kind
from engine.planning.recovery import next_attempt
from engine.store.rows import JobRow, RunRow
from tests.simulation.invariants.life import Life

_ALWAYS = HANDLER + "always"
_CODES = Catalogue(engine_codes())
_OF = {"succeeded": HANDLER + "succeeded", "cancelled": HANDLER + "cancelled"}


def handlers_run_once_after_every_end(life: Life) -> Iterator[str]:
    """Those of its outcome once for each run that nothing tries again by itself; they are passed over by a stop alone,
    or skipped by a rule once they have failed."""
    store = life.engine.store
    for instance in life.instances():
        runs = store.runs(instance)
        for run, later in zip_longest(runs, runs[1:]):
            rows = [
                row for row in store.jobs(instance, run.run) if is_handler(row.node) and row.parent is None
            ]
            wanted = (
                [] if later is not None and later.trigger == "retry" else _wanted(life, instance, run, later)
            )
            if sorted(row.node for row in rows) != sorted(wanted):
                yield f"run {run.run} of instance {instance}, {run.status}: {[row.node for row in rows]}, not {wanted}"
            yield from _passed_over(rows)


def what_may_be_tried_again_is(life: Life) -> Iterator[str]:
    """A run that failed by an error that another one may mend is followed by one, as long as the task allows it."""
    store = life.engine.store
    for row in filter(None, map(store.instance, life.instances())):
        if row.status != "failed":
            continue
        run = store.run(row.id, row.run)
        content = (store.snapshot(row.id, row.run) or {}).get("tasks", {}).get(row.task, {})
        if run is None or run.status != "failed" or "retry" not in content:
            continue
        lost = any(job.status == "lost" for job in store.jobs(row.id, row.run) if not is_handler(job.node))
        entry = _CODES.find(run.error_code or 0)
        if entry is None or not entry.retryable or run.failure is None or lost:
            continue
        if next_attempt(Retry.model_validate(content["retry"]), run.run, run.failure) is not None:
            yield f"run {run.run} of instance {row.id} failed with {run.error_code}, and no other one follows"


def _wanted(life: Life, instance: int, run: RunRow, later: RunRow | None) -> list[str]:
    row, content = life.engine.store.instance(instance), life.engine.store.snapshot(instance, run.run) or {}
    known = content["tasks"][row.task].get("on_end", {}) if row is not None else {}
    was_given_up = row is not None and later is None and row.status == "cancelled"
    outcome = "cancelled" if was_given_up else str(run.status)
    wanted = (_OF.get(outcome, HANDLER + "failed"), _ALWAYS)
    return [each for each in wanted if each.removeprefix(HANDLER) in known]


def _passed_over(rows: list[JobRow]) -> Iterator[str]:
    stopped = any(row.status == "cancelled" for row in rows)
    skipped = [row for row in rows if row.status == "skipped" and not stopped]
    yield from (f"{row.node} ({row.id}) is skipped" for row in skipped if not _is_by_rule(row))


def _is_by_rule(row: JobRow) -> bool:
    """It has run, and a rule settles its failure so."""
    return row.because is not None and row.because.kind is Kind.BY_RULE
