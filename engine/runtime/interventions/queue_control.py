"""Operator commands on the queue: list, resize, pause, clear, remove, insert, reorder, hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any, TypeVar

from engine.model.codes.queue import NOT_HELD, NOT_WAITING, OVERDUE
from engine.model.codes.runtime import REMOVED
from engine.model.errors import Failure, Refused
from engine.model.reason import Kind, Reason
from engine.model.reason_words import said
from engine.model.states import JobState
from engine.planning.places import AUTO, Size, first_places
from engine.runtime.elapsed import iso
from engine.runtime.fibers import Stopped
from engine.runtime.interventions.ended_instances import in_turn
from engine.runtime.queue.job_queue import Claim
from engine.runtime.queue.sizing import HELD_JOBS, SETTING, LoadProbe, Sizing
from engine.runtime.run_state.pause import PAUSED
from engine.runtime.runs.run import Run
from engine.runtime.services import EngineServices
from engine.runtime.threads import Event

T = TypeVar("T")
_NOT_IN_LINE = "job instance {where} does not wait in the queue"
_LISTS = ("held", "held_jobs", "waiting", "running")
_IN_LINE = (JobState.QUEUED, JobState.BUSY)


class QueueDesk:
    """Every method may be called from any thread."""

    def __init__(self, services: EngineServices, runs: Mapping[int, Run]) -> None:
        self._runs = runs
        self._services = services
        self._queue = services.queue
        self._size: Size = None
        probe = LoadProbe()
        self._cores = probe.cores
        self._sizing = Sizing(services.loop, services.queue, probe)

    def restore(self) -> None:
        """Go on with the size and the pause that were set under an earlier engine (loop thread)."""
        kept: Mapping[str, Any] = self._services.store.setting(SETTING, {})
        self._queue.paused = bool(kept.get("paused"))
        self._apply(kept.get("size"))
        store = self._services.store
        held: Mapping[str, Any] = store.setting(HELD_JOBS, {})
        self._queue.holds.restore({job: why for job, why in held.items() if self._goes_on(int(job))})

    def _goes_on(self, job: int) -> bool:
        row = self._services.store.job(job)
        return row is not None and not JobState(row.status).ended

    def joined(self) -> None:
        """A job waits: the slots may have to follow the load (loop thread)."""
        self._sizing.arm()

    # -- the whole ------------------------------------------------------------------------------

    def document(self) -> dict[str, Any]:
        """``{"size", "places", "taken", "paused", "held", "held_jobs", "waiting": […], "running": […]}``.

        ``held`` are the instances that are paused: their jobs are not in the queue. ``held_jobs`` are held
        one by one; these, and those that wait, each with why.

        Read on the caller's thread: the engine's own may wait for room on a full disk.
        """
        queue = self._queue
        return {
            "size": self._size,
            "places": queue.slots,
            "taken": queue.taken,
            "paused": queue.paused,
            "held": sorted(run.facts.id for run in list(self._runs.values()) if run.pause.why is not None),
            "held_jobs": [self._held_entry(owner, why) for owner, why in queue.holds.owners()],
            "waiting": [self._waiting_entry(claim) for claim in queue.waiting()],
            "running": [self._entry(claim) for claim in queue.holders()],
        }

    def resize(self, size: Size, actor: str) -> dict[str, Any]:
        """A fixed number of slots, ``auto`` (by load), or None: what workspace.yaml says."""
        return self._changed(lambda: self._apply(size), actor, "resize", size=size)

    def pause(self, paused: bool, actor: str) -> dict[str, Any]:
        """Start nothing more (what runs goes on), or start again."""

        def change() -> None:
            self._queue.paused = paused
            self._queue.wake()

        return self._changed(change, actor, "pause" if paused else "resume")

    def clear(self, actor: str) -> dict[str, Any]:
        """Take everything out that waits: ``{"removed": [JobInstance, …]}``."""
        return self._turn(lambda: self._remove(list(self._queue.waiting()), actor))

    def clean(self, minutes: float, actor: str) -> dict[str, Any]:
        """End what has been running for longer: ``{"ended": [JobInstance, …]}`` once they are gone."""
        gone = self._services.threads.event()
        found = self._turn(lambda: self._clean(minutes, actor, gone))
        gone.wait()
        return found

    # -- one job --------------------------------------------------------------------------------

    def remove(self, job_instance: int, actor: str) -> dict[str, Any]:
        """Take one out, as ``clear``; Refused when it does not wait."""
        return self._turn(lambda: self._remove([self._waiting(job_instance)], actor))

    def prioritise(self, job_instance: int, priority: int, actor: str) -> dict[str, Any]:
        """Another priority for one that waits; the highest comes first. Refused when it does not wait."""

        def change() -> dict[str, Any]:
            claim = self._waiting(job_instance)
            claim.owner.row.given_priority = priority
            self._services.changes.update("job_instance", job_instance, {"priority": priority})
            self._queue.reorder(claim, priority)
            self._services.changes.act(actor, "prioritise", f"job {job_instance}", priority=priority)
            return {"job_instance": job_instance, "priority": priority}

        return self._turn(change)

    def _turn(self, change: Callable[[], T]) -> T:
        return in_turn(self._services, (), change)

    def hold(self, job_instance: int, reason: str, actor: str) -> dict[str, Any]:
        """Let one that waits begin only when it is released; Refused when it does not wait."""

        def change() -> dict[str, Any]:
            claim, services = self._waiting(job_instance), self._services
            if claim.owner.row.state not in _IN_LINE:
                raise Refused.at(NOT_WAITING, _NOT_IN_LINE, job_instance)
            at = iso(services.clock.now().astimezone(services.workspace.zone))
            note = services.mask(reason.strip()) or None
            why = Reason.of(Kind.HELD, by=services.mask(actor), at=at, note=note)
            self._queue.holds.hold(job_instance, why)
            claim.owner.interrupt(Stopped(PAUSED, actor))
            return self._hold_changed(job_instance, "hold", actor, held=True)

        return self._turn(change)

    def release(self, job_instance: int, actor: str) -> dict[str, Any]:
        """Let one that is held wait in line again, where it was; Refused when it is not held."""

        def change() -> dict[str, Any]:
            if not self._queue.holds.release(job_instance):
                raise Refused.at(NOT_HELD, "job instance {where} is not held", job_instance)
            return self._hold_changed(job_instance, "release", actor, held=False)

        return self._turn(change)

    def _hold_changed(self, job_instance: int, act: str, actor: str, *, held: bool) -> dict[str, Any]:
        self._services.changes.setting(HELD_JOBS, self._queue.holds.to_json())
        self._services.changes.act(actor, act, f"job {job_instance}")
        return {"job_instance": job_instance, "held": held}

    # -- on the loop's thread -------------------------------------------------------------------

    def _changed(self, change: Callable[[], None], actor: str, action: str, **details: Any) -> dict[str, Any]:
        def made() -> dict[str, Any]:
            change()
            kept = {"size": self._size, "paused": self._queue.paused}
            self._services.changes.setting(SETTING, kept)
            self._services.changes.act(actor, action, "queue", **details)
            return {name: value for name, value in self.document().items() if name not in _LISTS}

        return self._turn(made)

    def _apply(self, size: Size) -> None:
        configured = self._services.workspace.settings.places
        self._size = size
        self._queue.slots = first_places(size, configured, self._cores)
        self._sizing.follow((configured if size is None else size) == AUTO)
        self._queue.wake()

    def _remove(self, claims: Iterable[Claim], actor: str) -> dict[str, Any]:
        removed = []
        for claim in claims:
            failure = Failure.new(REMOVED, "removed from the queue by {who}", who=actor)
            claim.owner.interrupt(Stopped("removed", actor, failure=failure))
            self._services.changes.act(actor, "remove", f"job {claim.job}")
            removed.append(claim.job)
        return {"removed": removed}

    def _clean(self, minutes: float, actor: str, gone: Event) -> dict[str, Any]:
        limit = self._services.clock.monotonic() - minutes * 60
        claims = [claim for claim in self._queue.holders() if claim.since < limit]
        left = {claim.job for claim in claims}

        def released(job: int) -> None:
            left.discard(job)
            if not left:
                self._services.loop.after_commit(gone.set)

        for claim in claims:
            claim.released = lambda job=claim.job: released(job)
            template = "it ran for longer than {minutes:g} minutes: cleaned away by {who}"
            failure = Failure.new(OVERDUE, template, minutes=minutes, who=actor)
            claim.owner.interrupt(Stopped("limit", actor, failure=failure))
            self._services.changes.act(actor, "clean", f"job {claim.job}", minutes=minutes)
        if not claims:
            gone.set()
        return {"ended": [claim.job for claim in claims]}

    def _waiting(self, job_instance: int) -> Claim:
        found = (claim for claim in self._queue.waiting() if claim.job == job_instance)
        claim = next(found, None)
        if claim is None:
            raise Refused.at(NOT_WAITING, _NOT_IN_LINE, job_instance)
        return claim

    def _entry(self, claim: Claim) -> dict[str, Any]:
        now = self._services.clock
        ago = timedelta(seconds=max(now.monotonic() - claim.since, 0.0))
        since = iso((now.now() - ago).astimezone(self._services.workspace.zone))
        line = self._line(claim.owner, claim.priority, claim.exclusive, since)
        return {**line, "worker": None if claim.at is None else claim.worker}

    def _waiting_entry(self, claim: Claim) -> dict[str, Any]:
        workers, why = self._queue.waits_for(claim), claim.refusal
        if why is None and (coming := self._services.workers.coming(claim.where)):
            why = Reason.of(Kind.CONNECTS, names=coming)
        return {**self._entry(claim), "workers": workers, **said(why)}

    def _held_entry(self, job: Any, why: Reason) -> dict[str, Any]:
        exclusive, since = job.identity.job.on.exclusive, why.facts.get("at")
        return {**self._line(job, job.row.priority, exclusive, since), **said(why)}

    def _line(self, job: Any, priority: int, exclusive: bool, since: str | None) -> dict[str, Any]:
        return {
            "job_instance": job.identity.id,
            "instance": job.run.facts.id,
            "task": job.run.facts.plan.task.id,
            "node": job.identity.node,
            "index": job.identity.index,
            "job": job.identity.job.id,
            "status": str(job.row.state),
            "priority": priority,
            "exclusive": exclusive,
            "since": since,
            "worker": None,
        }
