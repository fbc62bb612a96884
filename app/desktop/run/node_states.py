"""The states of a run's nodes, from its jobs or from a moment of its past: one rule for both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.api.documents import JobDocument
from engine.api.trouble_views import node_of
from engine.context.timeline import JobKey
from engine.model.states import JOB_ENDED

ENDED = frozenset(map(str, JOB_ENDED))
NEEDS_HELP = ("failed", "lost", "timed_out", "discarded", "cancelled")  # the most telling first
_ASKING = ("question", "asks", "rule_asks")  # kinds of reasons
_ACTIVE = ("running", "checking", "retrying", "no_worker", "busy", "waiting", "queued", "pending")
_QUIET = ("succeeded", "skipped")


@dataclass(frozen=True, slots=True)
class NodeState:
    """A node in its latest round: ``status`` of its members together, how many of them have ended."""

    status: str
    round: int = 1
    members: int = 1
    ended: int = 0

    @property
    def batch(self) -> bool:
        return self.members > 1


def member_name(node: str, index: int | None) -> str:
    """``load``, or ``load[3]`` for a member of a batch."""
    return node if index is None else f"{node}[{index}]"


def together(statuses: Iterable[str]) -> str:
    """One status for the members of a batch: what still goes on, then what went wrong, then the rest.

    >>> together(["succeeded", "failed", "running"]), together(["succeeded", "failed"])
    ('running', 'failed')
    >>> together(["queued", "succeeded"])
    'running'
    """
    found = Counter(statuses)
    for status in (*_ACTIVE, *NEEDS_HELP, *_QUIET):
        if found[status]:
            begun = status in ("queued", "pending") and any(found[each] for each in (*ENDED,))
            return "running" if begun else status
    return next(iter(found), "pending")


def statuses_by_job(jobs: Iterable[JobDocument]) -> dict[JobKey, str]:
    return {JobKey(job["node"], job["round"], job["index"]): job["status"] for job in jobs}


def by_node(statuses: Mapping[JobKey, str]) -> dict[str, NodeState]:
    """The state of every node in its latest round."""
    found: dict[str, tuple[int, list[str]]] = {}
    for key, status in statuses.items():
        latest = found.get(key.node)
        if latest is None or latest[0] < key.round:
            found[key.node] = key.round, [status]
        elif latest[0] == key.round:
            latest[1].append(status)
    return {node: _state(statuses, round) for node, (round, statuses) in found.items()}


def _state(statuses: list[str], round: int) -> NodeState:
    if len(statuses) == 1:
        return _alone(statuses[0], round)
    ended = sum(status in ENDED for status in statuses)
    return NodeState(together(statuses), round, len(statuses), ended)


@lru_cache(maxsize=1024)
def _alone(status: str, round: int) -> NodeState:
    """The same object each time: a replay asks for thousands of them again and again."""
    return NodeState(status, round, 1, int(status in ENDED))


def first_in_trouble(jobs: Sequence[JobDocument]) -> JobDocument | None:
    """What ended badly, else what asks a person; None while there is neither."""
    return first_needing([each for each in jobs if each["status"] in NEEDS_HELP]) or next(
        filter(_is_asking, jobs), None
    )


def _is_asking(job: JobDocument) -> bool:
    why = job.get("why")
    return why is not None and why["kind"] in _ASKING


def first_needing(jobs: Sequence[JobDocument]) -> JobDocument | None:
    """What a person should look at first: what ended badly, then what runs or waits; or the only job."""
    ranked = (*NEEDS_HELP, "retrying", "no_worker", "busy", "waiting", "running")
    found = [job for job in jobs if job["status"] in ranked]
    return min(
        found,
        key=lambda job: (ranked.index(job["status"]), node_of(job["node"]) != job["node"]),
        default=jobs[0] if len(jobs) == 1 else None,
    )
