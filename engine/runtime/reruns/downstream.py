"""What a rerun with downstream runs again: its dependants and theirs, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from engine.model.codes.recovery import CIRCLE
from engine.model.control import SubTaskKeys
from engine.model.errors import Refused
from engine.planning.dag import cycles, distances
from engine.planning.names import is_within
from engine.runtime.interventions.settled_outcomes import latest
from engine.runtime.recovery.rebuilt_run import captured
from engine.runtime.reruns.rerun_request import RerunRequest
from engine.runtime.run_state.restart import place

if TYPE_CHECKING:
    from engine.planning.shape import Plan
    from engine.runtime.library import Types
    from engine.runtime.reruns.neighbourhood import Neighbourhood
    from engine.store.rows import InstanceRow, JobRow
    from engine.store.sql_store import Store


class ChainLink(NamedTuple):
    """One instance of the chain: what of it runs again, once all of ``after`` have run again in success."""

    request: RerunRequest
    after: tuple[int, ...] = ()


class _Dependant(NamedTuple):
    """An instance that used what another one gave; ``node`` is where, None: as a whole."""

    instance: int
    node: str | None = None


def chain(
    store: Store, types: Types, around: Neighbourhood, wanted: Iterable[RerunRequest]
) -> list[ChainLink]:
    """Those that are asked for and, where they say so, what depends on them; each behind what it waits for.

    Refused when they wait for each other in a circle. Reads the store only.
    """
    requests = {each.instance: each for each in wanted}
    after: dict[int, list[int]] = {id: [] for id in requests}
    open = deque(id for id, each in requests.items() if each.downstream)
    while open:
        id = open.popleft()
        for found in _dependants(store, types, around, id):
            if found.instance not in requests:
                open.append(found.instance)
            requests[found.instance] = _joined(requests.get(found.instance), found, requests[id])
            after.setdefault(found.instance, []).append(id)
    return [ChainLink(requests[id], tuple(after[id])) for id in _ordered(after)]


def _ordered(after: Mapping[int, Sequence[int]]) -> Iterable[int]:
    found = distances(after)
    if len(found) < len(after):
        named = ", ".join(map(str, cycles(after)[0]))
        raise Refused.at(CIRCLE, "these instances depend on each other in a circle: {where}", named)
    return found


def _joined(known: RerunRequest | None, found: _Dependant, origin: RerunRequest) -> RerunRequest:
    """What of a dependant runs again: what was asked for, else from the node that used it, else all."""
    if known is not None and not known.follows:
        return known
    nodes = () if found.node is None else (found.node,)
    if known is None:
        return RerunRequest(
            found.instance, "from" if nodes else "all", nodes, reason=origin.reason, current=origin.current,
            downstream=True, actor=origin.actor, follows=True,
        )  # fmt: skip
    if known.mode == "all" or not nodes:
        return replace(known, mode="all", nodes=())
    return replace(known, nodes=tuple(dict.fromkeys((*known.nodes, *nodes))))


def _dependants(store: Store, types: Types, around: Neighbourhood, instance: int) -> Iterator[_Dependant]:
    row = store.instance(instance)
    if row is not None:
        yield from (_Dependant(each.id) for each in around.dependants(row))
        yield from _starter(store, types, row)


def _starter(store: Store, types: Types, row: InstanceRow) -> Iterator[_Dependant]:
    """The instance that started this one as a sub-task, if it waited for it and has no later one since."""
    job = store.job(row.parent) if row.parent is not None else None
    outer = store.instance(job.instance) if job is not None and job.type == "task" else None
    if job is None or outer is None:
        return
    uses = latest(store.jobs(outer.id), job.node)
    if all(row.id != sub_task_of(store, each) for each in uses):
        return
    node = _node_of(captured(store, types, outer), job)
    if node is not None:
        yield _Dependant(outer.id, node)


def _node_of(plan: Plan, job: JobRow) -> str | None:
    """The node that a job is or lies in; None where it does not wait for what it starts."""
    node = next((id for id in plan.nodes if is_within(job.node, {id})), None)
    keys = plan.nodes[job.node].job.settings if job.node in plan.nodes else None
    return None if isinstance(keys, SubTaskKeys) and not keys.wait else node


def sub_task_of(store: Store, job: JobRow) -> int | None:
    """The instance that a JobInstance of a task job started or took."""
    taken = job.results.get("instance")
    if isinstance(taken, int):
        return taken
    started = store.children(job.id)
    return started[-1].id if started else None


def taken(store: Store, row: InstanceRow, run: Iterable[str], after: Sequence[int]) -> dict[str, int]:
    """The sub-tasks that nodes of ``run`` take over instead of starting further ones: ``place`` -> instance.

    They are those of a node for one of whose sub-tasks this instance has waited.
    """
    found: dict[str, int] = {}
    rows = store.jobs(row.id)
    for name in {each.node for each in rows if each.type == "task" and is_within(each.node, set(run))}:
        group = {place(each.node, each.index): sub_task_of(store, each) for each in latest(rows, name)}
        if not set(after).isdisjoint(group.values()):
            found |= {where: id for where, id in group.items() if id is not None}
    return found
