"""Jobs whose work is a call on a thread of the engine (http, sql, file utilities)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial

from engine.model.job import JobKeys
from engine.plugins.job_type import Call, CallType, Cancel
from engine.plugins.resource_type import ResolvedResource
from engine.runtime.fibers import Coroutine, LongCall
from engine.runtime.jobs.attempt_files import AttemptFiles
from engine.runtime.jobs.results import Done
from engine.runtime.threads import Threads

_MARGIN = 30.0  # seconds: the job's timeout decides, this limit ends a call that ignores its cancel


def process(
    files: AttemptFiles, kind: CallType, settings: JobKeys, resources: Mapping[str, ResolvedResource]
) -> Coroutine[Done]:
    files.directory.make_logs()
    resource = resources.get(getattr(settings, "resource", None) or "")
    return (yield from made(files, kind, settings, resource))


def made(
    files: AttemptFiles, kind: CallType, settings: JobKeys, resource: ResolvedResource | None = None
) -> Coroutine[Done]:
    """Make a call on a thread, with the job's parameters; gives the type's own results.

    One that goes on although it was asked to stop (a server that hangs while connecting) is left behind after
    the grace that programs get too; what it still does is not the job's any more.
    """
    entry = files.entry
    timeout = entry.job.timeout
    call = Call(
        job=entry.job,
        settings=settings,
        params=entry.params,
        resource=resource,
        directory=entry.directory,
        outputs=entry.directory / "outputs",
        cancel=Cancel(),
        timeout=None if timeout is None else timeout + _MARGIN,
        progress=files.progress,
        secret=entry.services.secret,
    )
    where = f"job {entry.identity.node!r} of instance {entry.run.facts.id}"
    message = f"{where}: its call went on although it was stopped; it is left behind"
    left = partial(entry.services.say, message, logging.WARNING)
    services, grace = entry.services, entry.services.workspace.settings.grace
    own = yield LongCall(lambda: dict(kind.call(call)), _asking(services.threads, call.cancel), grace, left)
    return Done(services.mask(own))


def _asking(threads: Threads, cancel: Cancel) -> Callable[[], None]:
    """Asks from a thread of its own: what breaks a connection may take its time."""

    def ask() -> None:
        threads.start(cancel.request, "skerry-stop-call")

    return ask
