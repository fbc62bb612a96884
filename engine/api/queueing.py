"""The queue as a service: what people see of it and do to it; the same three ways as the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from engine.api.documents import Document
from engine.api.no_engine import refuse
from engine.api.once import Once
from engine.api.views import local_time
from engine.model.states import JOB_IN_LINE, InstanceState
from engine.planning.places import Size, first_places
from engine.runtime.queue.sizing import SETTING, cores

if TYPE_CHECKING:
    from engine.runtime.engine import Engine
    from engine.runtime.workspace import Workspace
    from engine.store.port import Store
    from engine.store.rows import JobRow


class QueueService(Protocol):
    """Every operation on the queue of jobs."""

    def queue(self) -> Document:
        """``{"size", "places", "taken", "paused", "held", "waiting": […], "running": […]}``, the next first.

        ``held`` are the instances that are paused: their jobs do not stand in line.
        """

    def queue_size(self, size: Size) -> Document:
        """A fixed number of places, ``auto``, or None: what workspace.yaml says. Kept for later engines."""

    def queue_pause(self, paused: bool) -> Document:
        """Start nothing more, or start again. Kept for later engines."""

    def queue_clear(self) -> Document:
        """Take out everything that waits: ``{"removed": [JobInstance, …]}``."""

    def queue_clean(self, minutes: float) -> Document:
        """End what has been running for longer: ``{"ended": [JobInstance, …]}`` once it is gone."""

    def queue_remove(self, job_instance: int) -> Document:
        """Take one waiting job out: ``{"removed": [JobInstance]}``."""

    def queue_add(self, job: str, params: Mapping[str, Any], texts: Mapping[str, str]) -> Document:
        """Queue a reusable Job by hand: ``{"instance", "job"}``; values as in ``RunRequest``."""

    def queue_priority(self, job_instance: int, priority: int) -> Document:
        """Another priority for a waiting job; the highest comes first."""


class LocalQueue(Once):
    """The queue of an engine in this process."""

    _engine: Engine
    _actor: str

    def queue(self) -> Document:
        """See ``QueueService``."""
        return self._engine.queue.document()

    def queue_size(self, size: Size) -> Document:
        """See ``QueueService``."""
        return self._once(["queue size", size], lambda: self._engine.queue.resize(size))

    def queue_pause(self, paused: bool) -> Document:
        """See ``QueueService``."""
        return self._once(["queue pause", paused], lambda: self._engine.queue.pause(paused))

    def queue_clear(self) -> Document:
        """See ``QueueService``."""
        return {"removed": self._once(["queue clear"], lambda: self._engine.queue.clear(self._actor))}

    def queue_clean(self, minutes: float) -> Document:
        """See ``QueueService``."""
        asked = ["queue clean", minutes]
        return {"ended": self._once(asked, lambda: self._engine.queue.clean(minutes, self._actor))}

    def queue_remove(self, job_instance: int) -> Document:
        """See ``QueueService``."""
        act = partial(self._engine.queue.remove, job_instance, self._actor)
        return {"removed": [self._once(["queue remove", job_instance], act)]}

    def queue_add(self, job: str, params: Mapping[str, Any], texts: Mapping[str, str]) -> Document:
        """See ``QueueService``."""
        from engine.runtime.interventions.single_job import submission

        engine = self._engine
        asked = ["queue", job, sorted(params), sorted(texts)]

        def add() -> int:
            return engine.submit(submission(engine.services, job, params, texts, self._actor))

        number = self._once(asked, add)
        return {"instance": number, "job": job}

    def queue_priority(self, job_instance: int, priority: int) -> Document:
        """See ``QueueService``."""
        act = partial(self._engine.queue.prioritise, job_instance, priority)
        return self._once(["priority", job_instance, priority], act)


class QueueClient:
    """The queue of an engine in another process."""

    _ask: Callable[..., Document]

    def queue(self) -> Document:
        """See ``QueueService``."""
        return self._ask("GET", "/v1/queue")

    def queue_size(self, size: Size) -> Document:
        """See ``QueueService``."""
        return self._ask("PUT", "/v1/queue/size", body={"size": size}, patience=None)

    def queue_pause(self, paused: bool) -> Document:
        """See ``QueueService``."""
        return self._ask("PUT", "/v1/queue/paused", body={"paused": paused}, patience=None)

    def queue_clear(self) -> Document:
        """See ``QueueService``."""
        return self._ask("POST", "/v1/queue/clear", body={}, patience=None)

    def queue_clean(self, minutes: float) -> Document:
        """See ``QueueService``."""
        return self._ask("POST", "/v1/queue/clean", body={"minutes": minutes}, patience=None)

    def queue_remove(self, job_instance: int) -> Document:
        """See ``QueueService``."""
        return self._ask("DELETE", f"/v1/queue/{job_instance}", body={}, patience=None)

    def queue_add(self, job: str, params: Mapping[str, Any], texts: Mapping[str, str]) -> Document:
        """See ``QueueService``."""
        body = {"job": job, "params": dict(params), "texts": dict(texts)}
        return self._ask("POST", "/v1/queue", body=body, patience=None)

    def queue_priority(self, job_instance: int, priority: int) -> Document:
        """See ``QueueService``."""
        return self._ask(
            "PUT", f"/v1/queue/{job_instance}/priority", body={"priority": priority}, patience=None
        )


class QueueReader:
    """What the store tells of the queue while no engine runs; everything else is refused."""

    _store: Store
    _workspace: Workspace

    def queue(self) -> Document:
        """See ``QueueService``; the order is the one in which an engine would queue the jobs again."""
        kept: Mapping[str, Any] = self._store.setting(SETTING, {})
        jobs = self._store.unfinished_jobs()
        held = {row.id for row in self._store.unfinished() if row.status == InstanceState.PAUSED}
        waiting = [job for job in jobs if job.status in JOB_IN_LINE and job.instance not in held]
        running = [self._queue_entry(job) for job in jobs if job.status == "running"]
        return {
            "size": kept.get("size"),
            "places": first_places(kept.get("size"), self._workspace.settings.places, cores()),
            "taken": len(running),
            "paused": bool(kept.get("paused")),
            "held": sorted(held),
            "waiting": [self._queue_entry(job) for job in sorted(waiting, key=lambda job: -job.priority)],
            "running": running,
        }

    def _queue_entry(self, job: JobRow) -> Document:
        row = self._store.instance(job.instance)
        return {
            "job_instance": job.id,
            "instance": job.instance,
            "task": row.task if row else None,
            "node": job.node,
            "index": job.index,
            "job": job.job,
            "status": job.status,
            "priority": job.priority,
            "exclusive": None,  # only an engine knows
            "since": local_time(job.started_at or job.created_at, self._workspace.zone),
        }

    def queue_size(self, size: Size) -> Document:
        """Refused."""
        refuse("size the queue")

    def queue_pause(self, paused: bool) -> Document:
        """Refused."""
        refuse("pause or resume the queue")

    def queue_clear(self) -> Document:
        """Refused."""
        refuse("clear the queue")

    def queue_clean(self, minutes: float) -> Document:
        """Refused."""
        refuse("end jobs")

    def queue_remove(self, job_instance: int) -> Document:
        """Refused."""
        refuse(f"remove job instance {job_instance} from the queue")

    def queue_add(self, job: str, params: Mapping[str, Any], texts: Mapping[str, str]) -> Document:
        """Refused."""
        refuse(f"queue job {job!r}")

    def queue_priority(self, job_instance: int, priority: int) -> Document:
        """Refused."""
        refuse(f"give job instance {job_instance} another priority")
