"""Lets a waiting instance go on without what it waits for; a person says so, and why."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from engine.model.codes.recovery import REASON_NEEDED
from engine.model.codes.runtime import NO_SUCH_INSTANCE
from engine.model.codes.timing import NOT_WAITING
from engine.model.errors import Invalid, Refused
from engine.model.reason import Kind, Reason
from engine.model.reason_words import said
from engine.model.states import InstanceState
from engine.runtime.interventions.ended_instances import in_turn
from engine.runtime.services import EngineServices
from engine.runtime.timing.launching import Launching
from engine.store.rows import InstanceRow


def release(
    services: EngineServices,
    launching: Launching,
    instance: int,
    tasks: Sequence[str],
    reason: str,
    actor: str,
) -> dict[str, Any]:
    """``{"instance", "released": [task, …]}``; without ``tasks`` all that it waits for.

    Of one that waits for an earlier instance of its own task that is what it need not wait for any more.
    Refused when it does not wait.
    """
    if not reason.strip():
        raise Invalid(REASON_NEEDED, "a reason is needed: --reason TEXT", where=str(instance))
    masked = str(services.mask(reason))
    return in_turn(
        services, (instance,), partial(_released, services, launching, instance, tasks, masked, actor)
    )


def _released(
    services: EngineServices,
    launching: Launching,
    instance: int,
    tasks: Sequence[str],
    reason: str,
    actor: str,
) -> dict[str, Any]:
    row = _waiting(services, instance)
    if row.because is not None and row.because.kind is Kind.EARLIER and not tasks:
        services.changes.update("instance", instance, said(Reason.of(Kind.RELEASED, by=actor)))
        launching.let_begin(instance)
        names = [row.task]
    else:
        names = _names(services, row, tasks)
        for name in names:
            services.changes.update("link", (instance, name), {"released": reason})
        launching.release(instance, names)
    services.changes.act(actor, "release", f"instance {instance}", tasks=names, reason=reason)
    services.say(f"instance {instance} ({row.task}) was released by {actor} from {', '.join(names)}")
    return {"instance": instance, "released": names}


def _waiting(services: EngineServices, instance: int) -> InstanceRow:
    row = services.store.instance(instance)
    if row is None:
        raise Invalid.at(NO_SUCH_INSTANCE, "there is no instance {where}", instance)
    if row.status != InstanceState.WAITING or row.run:
        message = "instance {where} is {status}: it does not wait for other tasks"
        raise Refused.at(NOT_WAITING, message, instance, status=row.status)
    return row


def _names(services: EngineServices, row: InstanceRow, tasks: Sequence[str]) -> list[str]:
    """Those of these tasks, or of all, that it waits for and was not released from yet."""
    waits_for = [link.upstream for link in services.store.links(row.id) if link.released is None]
    names = [name for name in dict.fromkeys(tasks or waits_for) if name in waits_for]
    if missing := [name for name in tasks if name not in waits_for]:
        message = "instance {where} does not wait for {names}"
        raise Refused.at(NOT_WAITING, message, row.id, names=", ".join(missing))
    if not names:
        raise Refused.at(NOT_WAITING, "instance {where} does not wait for other tasks", row.id)
    return names
