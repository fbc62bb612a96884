"""Where the jobs of a run ran, in few words: beside a node, a row, a bar; pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from app import worker_records
from app.desktop.run.node_states import NodeState
from engine.api.documents import JobDocument
from engine.model.names import RECORD, is_part
from engine.model.worker import LOCAL

_NOT_THERE = ("pending", "queued", "no_worker", "busy", "skipped")  # states of what no worker has


def worker_of(job: JobDocument) -> str:
    """The worker that ran it, empty for this machine and for what has not begun.

    Of a job with a record for each of its workers these say it.
    """
    found = job["worker"] if job["attempt"] else None
    return found if found is not None and found != LOCAL else ""


def places(jobs: Iterable[JobDocument], states: Mapping[str, NodeState]) -> dict[str, str]:
    """By node what its badge says: ``@build``, or of several records how many succeeded, ``@2/3``.

    ``states``: of nodes and records, now or at a moment of the past.
    """
    jobs = list(jobs)
    names = {job["node"] for job in jobs}
    records: dict[str, list[str]] = defaultdict(list)
    alone: dict[str, dict[str, None]] = defaultdict(dict)
    for job in jobs:
        node, mark, _ = job["node"].partition(RECORD)
        state = states.get(job["node"])
        if mark and not is_part(job["node"], names):
            records[node].append(state.status if state is not None else "pending")
        elif not mark and worker_of(job) and state is not None and state.status not in _NOT_THERE:
            alone[node][worker_of(job)] = None
    found = {node: _several(list(names)) for node, names in alone.items()}
    return found | {node: _joined(statuses) for node, statuses in records.items()}


def worker_meant(record: JobDocument) -> str:
    """The worker of a record, also before anything ran there."""
    return record["node"].partition(RECORD)[2]


def records_of(node: str, jobs: Sequence[JobDocument], round: int, index: int | None) -> list[JobDocument]:
    """The records of a job, also of one that is a record of it."""
    return worker_records.records_of(node.partition(RECORD)[0], jobs, round, index)


def _several(names: list[str]) -> str:
    more = f" +{len(names) - 1}" if len(names) > 1 else ""
    return f"@{names[0]}{more}"


def _joined(statuses: list[str]) -> str:
    return f"@{sum(each == 'succeeded' for each in statuses)}/{len(statuses)}"
