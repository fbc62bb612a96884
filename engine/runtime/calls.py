"""A job whose work is a call on a thread of the engine (http, sql, file utilities)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.model.job import JobKeys
from engine.plugins.job_type import Call, CallType, Cancel
from engine.plugins.resource_type import ResolvedResource
from engine.runtime.fibers import Life, Offload
from engine.runtime.results import Done

if TYPE_CHECKING:
    from engine.runtime.attempt import Attempt
    from engine.runtime.job import JobLife


def process(
    job: JobLife, attempt: Attempt, kind: CallType, settings: JobKeys, resources: dict[str, ResolvedResource]
) -> Life:
    """Make the call on a thread; gives what it gave."""
    attempt.directory.make_logs()
    cancel = Cancel()
    call = Call(
        job=job.job,
        settings=settings,
        params=job.params,
        resource=resources.get(getattr(settings, "resource", None) or ""),
        directory=job.directory,
        outputs=job.directory / "outputs",
        cancel=cancel,
        timeout=job.job.timeout,
        progress=attempt.progress,
        secret=job.house.secret,
    )
    own: dict[str, Any] = yield Offload(lambda: dict(kind.call(call)), cancel.request)
    return Done(job.house.mask(own))
