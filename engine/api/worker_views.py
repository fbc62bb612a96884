"""The documents of workers (contract 7), made from their rows and what their heartbeats found; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import tzinfo
from typing import TYPE_CHECKING

from engine.api.documents import Document
from engine.api.views import local_time
from engine.execution.vitals import Vitals
from engine.model.worker import Worker
from engine.store.rows import AttemptRow, InstanceRow, JobRow, WorkerRow


def worker_row(
    row: WorkerRow, vitals: Vitals, running: int, zone: tzinfo, slots: int | str | None = None
) -> Document:
    """One line of the list; ``slots``: as they are now, where that is known."""
    worker = row.worker
    return {
        "name": row.name,
        "kind": row.kind,
        "state": row.state,
        "reason": row.reason,
        "why": row.why,
        "since": local_time(row.since, zone),
        "slots": worker.slots if slots is None else slots,
        "running": running,
        "load": vitals.load,
        "memory": vitals.memory,
        "disk": vitals.disk,
        "skew": vitals.skew,
        "groups": list(worker.groups),
        "labels": dict(worker.labels),
    }


if TYPE_CHECKING:
    from engine.runtime.upkeep.shown_keys import ShownKey

Running = tuple[AttemptRow, JobRow, InstanceRow]  # an attempt, what it is of


def worker_details(row: WorkerRow, attempts: Iterable[Running], zone: tzinfo) -> Document:
    """What is registered, and what runs there; ``size``: the slots as they are registered."""
    worker = row.worker
    return {
        "size": worker.slots,
        "application": worker.application,
        "handlers": list(worker.handlers),
        **_way(worker),
        "created_at": local_time(row.created_at, zone),
        "host_keys": dict(row.host_keys),
        "attempts": [
            {
                "job_instance": each.job_instance,
                "instance": job.instance,
                "task": instance.task,
                "node": job.node,
                "index": job.index,
                "attempt": each.attempt,
                "status": each.status,
                "pid": each.pid,
                "started_at": local_time(each.started_at, zone),
            }
            for each, job, instance in attempts
        ],
    }


def shown_key(found: ShownKey, vouched: Mapping[str, str]) -> Document:
    """A host key as it is shown now, with the fingerprint of the one that is pinned."""
    return {
        "address": found.place,
        "kind": found.key.kind,
        "fingerprint": found.key.fingerprint,
        "pinned": found.pinned.fingerprint if found.pinned else None,
        "vouched": found.is_vouched(vouched),
    }


def _way(worker: Worker) -> Document:
    if worker.kind == "local":
        return {"ssh": None}
    return {
        "ssh": str(worker.address),
        "jumps": [str(each) for each in worker.jumps],
        "key": worker.key_file,
        "agent": worker.agent,
        "password_secret": worker.password_secret,
        "root": worker.root,
        "fence": worker.fence,
        "secrets": worker.secrets,
    }
