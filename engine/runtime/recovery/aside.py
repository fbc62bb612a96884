"""What may still run of an instance that a failing disk set aside: nothing exclusive begins beside it."""

from __future__ import annotations

from itertools import chain

from engine.execution.strangers import Stranger
from engine.model.errors import SkerryError
from engine.model.worker import LOCAL
from engine.planning.shape import Plan
from engine.planning.uses import with_members
from engine.runtime.recovery.rebuilt_run import captured
from engine.runtime.runs.control import RunControl
from engine.store.rows import InstanceRow


def counts(control: RunControl, row: InstanceRow) -> None:
    """Until it is taken up: on the workers of its attempts, on all of them where these cannot be read."""
    no_more(control, row.id)
    workers = control.services.workers
    try:
        attempts = list(chain(*control.store.open_attempts(row.id).values()))
        alone = _has_exclusive(captured(control.store, control.services, row))
    except SkerryError:
        for live in workers:
            live.aside[row.id] = (Stranger("", None, alone=True),)
        return
    for each in attempts:
        if (worker := workers.find(each.worker or LOCAL)) is not None:
            found = Stranger(each.mark or "", each.job_instance, alone)
            worker.aside[row.id] = (*worker.aside.get(row.id, ()), found)


def no_more(control: RunControl, instance: int) -> None:
    """It has its slots again, or has none."""
    for live in control.services.workers:
        live.aside.pop(instance, None)
    control.services.queue.wake()


def _has_exclusive(plan: Plan) -> bool:
    """Whether any of its jobs is: which of them run is not known before it is taken up."""
    nodes = (*plan.nodes.values(), *plan.handlers.values())
    return any(job.on.exclusive for node in nodes for job in with_members(node.job, plan.definitions))
