"""The jobs of a run as rows: a node, below it its rounds, members and the members of a group; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.desktop.run.node_states import NodeState, by_node, member_name, statuses_by_job
from engine.api.documents import JobDocument
from engine.api.trouble_views import node_of


@dataclass(frozen=True)
class JobLine:
    """One row: ``job`` is what it stands for, ``state`` that of the whole node, ``below`` its parts."""

    name: str
    job: JobDocument
    state: NodeState
    below: tuple[JobLine, ...] = field(default=())

    @property
    def key(self) -> tuple[str, int, int | None]:
        return self.job["node"], self.job["round"], self.job["index"]


def lines_of(jobs: Sequence[JobDocument], nodes: Sequence[str]) -> list[JobLine]:
    """A row for every node of the task, in its order; then for what the task does not have any more."""
    states, known = by_node(statuses_by_job(jobs)), frozenset(nodes)
    own: dict[str, list[JobDocument]] = {}
    for job in jobs:
        holder = job["node"] if job["node"] in known else node_of(job["node"])
        own.setdefault(holder, []).append(job)
    ordered = [node for node in nodes if node in own] + [node for node in own if node not in known]
    return [_line(node, own[node], states) for node in ordered]


def _line(node: str, jobs: list[JobDocument], states: dict[str, NodeState]) -> JobLine:
    parts = tuple(JobLine(_name(job), job, NodeState(job["status"])) for job in jobs) if len(jobs) > 1 else ()
    latest = max(jobs, key=lambda job: (job["node"] == node, job["round"]))
    return JobLine(node, latest, states.get(node, NodeState(latest["status"])), parts)


def _name(job: JobDocument) -> str:
    return member_name(job["node"], job["index"]) + (f" ↻{job['round']}" if job["round"] > 1 else "")
