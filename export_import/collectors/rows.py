"""The rows of the store: instances, runs, jobs, attempts, exceptions, alerts, statistics."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

from engine.store.filters import ExceptionFilter
from engine.store.rows import InstanceRow, LinkRow, ScheduleRow, held_at, in_workspace
from engine.store.sql_store import Store
from export_import.collecting import BundleItem
from export_import.export_source import Chosen, Site

DEADLINE = 60.0
_MANY = 10_000  # exceptions or alerts of one instance


def items(site: Site) -> Iterator[BundleItem]:
    """``rows/<instance>.json`` of each chosen instance."""
    for each in site.chosen:
        name = f"rows/{each.row.id}.json"
        yield BundleItem(name, "rows", 0, 2000 * (1 + len(each.jobs)), partial(_written, site, each), "json")


def _written(site: Site, chosen: Chosen) -> Iterator[bytes]:
    yield json.dumps(_tree(site, chosen), ensure_ascii=False, separators=(",", ":")).encode()


def _tree(site: Site, chosen: Chosen) -> dict[str, Any]:
    store, row = site.store, chosen.row
    runs = store.runs(row.id)
    jobs = {job.job for job in chosen.jobs}
    of_jobs = [each for each in store.stats("job") if each.id in jobs or each.id.startswith(f"{row.task}.")]
    stats = [*store.stats("task", row.task), *of_jobs]
    return {
        "instance": _here(asdict(row)),
        "runs": [asdict(run) for run in runs],
        "jobs": [_here(asdict(job)) for job in chosen.jobs],
        "attempts": [_here(asdict(each)) for job in chosen.jobs for each in store.attempts(job.id)],
        "exceptions": [asdict(e) for e in store.exceptions(ExceptionFilter(row.id), limit=_MANY)],
        "links": [_link(store, link) for link in store.links(row.id)],
        "schedules": [asdict(each) for each in schedules_of(store, row)],
        "alerts": [asdict(each) for each in store.alerts(instance=row.id, limit=_MANY)],
        "snapshots": {str(run.run): store.snapshot(row.id, run.run) for run in runs},
        "stats": [asdict(each) for each in stats],
        "last_seq": store.last_seq(row.id),
    }


def schedules_of(store: Store, row: InstanceRow) -> list[ScheduleRow]:
    """What held at its scheduled time: the schedule of its task, and of each task that it waits for."""
    tasks = dict.fromkeys((row.task, *(link.upstream for link in store.links(row.id))))
    held = (held_at(store.schedules_of(task), row.scheduled_time) for task in tasks)
    return [each for each in held if each is not None]


def _link(store: Store, link: LinkRow) -> dict[str, Any]:
    """What it waits for, or has waited for, with the states of the instances of the other task."""
    return {**asdict(link), "states": [list(each) for each in store.partner_states(link)[:_MANY]]}


def _here(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its directory relative to the workspace: where that is does not leave the site."""
    here = in_workspace(row["directory"] or "")
    return {**row, "directory": here if here.startswith("instances/") else None}
