"""A job on all of its workers: one record each, fixed when it begins, settled when all of them have ended."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.context.files import reference
from engine.model.codes.runtime import NO_WORKER
from engine.model.codes.workers import NOT_EVERYWHERE, NOT_MOVED
from engine.model.errors import Failure
from engine.model.expression import MAX_INLINE
from engine.model.job import On
from engine.model.names import RECORD, is_part
from engine.model.reason_words import message_of
from engine.model.states import JobState
from engine.planning.worker_choice import Where
from engine.runtime.fibers import Awaited, Coroutine, Fiber, Stopped
from engine.runtime.jobs import attempt_entry, failure_handling, worker_refusal
from engine.runtime.jobs.execution import JobExecution
from engine.runtime.jobs.place import where_of
from engine.runtime.jobs.stop_outcome import Settled
from engine.runtime.run_state.job_identity import JobIdentity

_LOGS = {"OUTPUT": "job.log", "ERROR_OUTPUT": "job-error.log"}


def is_everywhere(job: JobExecution) -> bool:
    """Whether it has a record for each of its workers, and is none of these records itself."""
    identity = job.identity
    return identity.job.on.strategy == "all" and not identity.is_control and identity.worker is None


def everywhere(job: JobExecution) -> Coroutine[Settled | None]:
    """From its beginning, or where an earlier engine was; gives how it is settled, None: it succeeded."""
    names = _begun_before(job)
    if names:
        attempt_entry.reopen(job.entry)
    else:
        found = yield from _workers(job)
        if isinstance(found, Settled):
            return found
        names = found
        yield from attempt_entry.open_entry(job.entry, 0)
        job.row.to(JobState.RUNNING, None, started_at=job.services.now(), directory=job.entry.directory_text)
    members = [_member(job, name) for name in names]
    yield _AllOf(members)
    return _joined(job, members)


def _begun_before(job: JobExecution) -> list[str]:
    """The workers that an earlier engine wrote down, in their order."""
    identity, prefix = job.identity, f"{job.identity.node}{RECORD}"
    found = {
        node: group[identity.index][0]
        for (node, round), group in job.run.job_rows.recovered.items()
        if node.startswith(prefix) and round == identity.round and identity.index in group
    }
    records = [node for node in found if not is_part(node, found)]
    return [node.removeprefix(prefix) for node in sorted(records, key=found.__getitem__)]


def _workers(job: JobExecution) -> Coroutine[list[str] | Settled]:
    """Those that are meant now, in the order of the list; also one that is not there: its record waits."""
    registry = job.services.workers
    while True:
        job.failures.where = where = yield from where_of(job)
        names = registry.meant(where)
        far = [name for name in names if (live := registry.find(name)) and live.worker.kind != "local"]
        if far and not where.movable:
            message = "a job of this type does not run on {workers}"
            return Settled(JobState.FAILED, Failure.new(NOT_MOVED, message, workers=", ".join(far)))
        if names:
            job.failures.accepted()
            return names
        worker_refusal.limit_wait(job)
        settled = yield from failure_handling.after(job.failures, _nobody(job, where))
        if settled is not None:
            return settled


def _nobody(job: JobExecution, where: Where) -> Failure:
    why = message_of(job.services.workers.obstacles(where))
    return Failure.new(NO_WORKER, "it waits: {message}", message=why)


def _member(job: JobExecution, worker: str) -> JobExecution:
    """The record of one worker: a job of its own, with its own attempts."""
    outer, rows = job.identity, job.run.job_rows
    node = f"{outer.node}{RECORD}{worker}"
    here = On(workers=(worker,), exclusive=outer.job.on.exclusive)
    definition = outer.job.model_copy(update={"on": here})
    id, left = rows.take(node, outer.index, outer.round)
    if id is None:
        id = rows.insert(node, definition, outer.index, outer.round, parent=outer.id)
    identity = JobIdentity(
        definition, outer.kind, node, id, outer.index, outer.round, outer.item, outer, worker
    )
    return JobExecution(job.run, job.body_of, identity, job.entry.rows, left, job)


class _AllOf(Awaited):
    """Until all of them have ended; a stop is passed on to each, and their ends awaited."""

    def __init__(self, members: Sequence[JobExecution]) -> None:
        self._open = [each for each in members if not each.row.state.ended]

    def begin(self, fiber: Fiber) -> None:
        self._count = len(self._open)
        if not self._open:
            return fiber.loop.soon(lambda: self._over(fiber))
        for each in self._open:
            each.start(lambda: self._one_ended(fiber))

    def _one_ended(self, fiber: Fiber) -> None:
        self._count -= 1
        if not self._count:
            fiber.loop.soon(lambda: self._over(fiber))

    def interrupt(self, fiber: Fiber, stopped: Stopped) -> None:
        self._stopped = stopped
        for each in self._open:
            each.interrupt(Stopped(stopped.kind, stopped.actor, stopped.why))


def _joined(job: JobExecution, members: Sequence[JobExecution]) -> Settled | None:
    """What the workers gave together: the results are those of the first that succeeded."""
    entry = job.entry
    entry.set(("WORKERS",), {str(each.identity.worker): _of_worker(each) for each in members})
    good = [each for each in members if each.row.state is JobState.SUCCEEDED]
    if good:
        entry.results = dict(good[0].entry.tree.get("RESULT", {}))
        entry.set(("RESULT",), entry.results)
        entry.set(("WORKER",), good[0].identity.worker)
        entry.update(results=entry.results, worker=good[0].identity.worker)
    needed = 1 if entry.job.on.success == "single" else len(members)
    if len(good) >= needed:
        return None
    bad = ", ".join(str(each.identity.worker) for each in members if each not in good)
    message = "it did not succeed on {n} of {all} workers: {workers}"
    failure = Failure.new(NOT_EVERYWHERE, message, n=len(members) - len(good), all=len(members), workers=bad)
    return Settled(JobState.FAILED, failure)


def _of_worker(member: JobExecution) -> dict[str, Any]:
    tree = member.entry.tree
    kept = {name: tree.get(name) for name in ("RESULT", "STATUS", "EXIT_CODE", "ATTEMPT")}
    return {**kept, **{field: _log(member, name) for field, name in _LOGS.items()}}


def _log(member: JobExecution, name: str) -> Any:
    """The text of a log, or a reference to its file where it is big; None: it never ran."""
    folder = Path(member.entry.directory_text or "")
    with suppress(OSError):
        data = (folder / name).read_bytes()
        if len(data) > MAX_INLINE:
            root = Path(member.run.files.folder.path)
            return reference((folder / name).relative_to(root).as_posix(), data)
        return data.decode("utf-8", "replace").removesuffix("\n")
    return None
