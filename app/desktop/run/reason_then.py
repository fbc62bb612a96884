"""Why a job did not run at a moment of the past, from the context of then and the task itself; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.desktop.kernel.reasons import reason_of
from app.desktop.run.node_states import by_node
from engine.api.documents import JobDocument
from engine.api.waiting_reason import behind
from engine.context.timeline import JobKey, Moment
from engine.model.reason import Kind, Reason
from engine.model.states import JOB_ENDED

_PENDING = "pending"


def reason_then(job: JobDocument, at: Moment, parents: Mapping[str, Sequence[str]]) -> Reason | None:
    """``parents`` of each node; a job that was skipped by then was so for the reason that it still has."""
    status = at.statuses.get(JobKey(job["node"], job["round"], job["index"]), _PENDING)
    if status == "skipped" and job["status"] == status:
        return reason_of(job)
    if status != _PENDING:
        return None
    states = {node: state.status for node, state in by_node(at.statuses).items()}
    before = [node for node in parents.get(job["node"], ()) if states.get(node) not in JOB_ENDED]
    return behind(before, parents, states) if before else Reason(Kind.TURN)
