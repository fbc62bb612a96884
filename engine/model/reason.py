"""Why something waits, was skipped or was stopped: a kind and its facts, kept as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from engine.model.message import FACTS, facts_of


class Kind(StrEnum):
    """What kind of reason it is; ``reasons.yaml`` has a sentence for each."""

    TEXT = "text"  # words that nobody has as data: of an older version, or a program's own
    OF_JOBS = "of_jobs"  # of an instance: what its jobs that run say
    # a job that waits for its turn
    PARENTS = "parents"
    TURN = "turn"
    MEMBERS = "members"
    SLOT = "slot"
    CONNECTS = "connects"
    QUEUE_PAUSED = "queue_paused"
    EXCLUSIVE = "exclusive"
    EXCLUSIVE_NEXT = "exclusive_next"
    STILL_RUNS = "still_runs"
    HELD = "held"
    STILL_RUNS_THERE = "still_runs_there"
    EXCLUSIVE_THERE = "exclusive_there"
    NO_WORKER = "no_worker"
    BUSY = "busy"
    # an instance that is paused, and what waits with it
    PAUSED = "paused"
    PAUSED_WITH = "paused_with"
    INSTANCE_PAUSED = "instance_paused"
    INSTANCE_PAUSED_WITH = "instance_paused_with"
    # between two attempts
    RETRY = "retry"
    RETRY_BY_RULE = "retry_by_rule"
    RETRY_AFTER_SET = "retry_after_set"
    RECOVERY = "recovery"
    TRIED_AGAIN = "tried_again"
    PROCESSES_LIVE = "processes_live"
    MAY_LIVE = "may_live"
    REMEDY = "remedy"
    RULE_ASKS = "rule_asks"
    ASKS = "asks"
    ANSWER = "answer"
    ASKS_FOR_WORKER = "asks_for_worker"
    # a job at work
    WAIT_FOR = "wait_for"
    WAIT_UNTIL = "wait_until"
    WAIT_CONDITION = "wait_condition"
    QUESTION = "question"
    SUB_TASK = "sub_task"
    STAGE = "stage"
    CHECK = "check"
    PROGRESS = "progress"
    NO_ROOM = "no_room"
    BEING_STOPPED = "being_stopped"
    # how a job came to its outcome
    BRANCH = "branch"
    WHEN = "when"
    PARENTS_SKIPPED = "parents_skipped"
    PARENT_FAILED = "parent_failed"
    NONE_FAILED = "none_failed"
    STOPPED = "stopped"
    DISABLED = "disabled"
    BY_HAND = "by_hand"
    BY_RULE = "by_rule"
    EMPTY_BATCH = "empty_batch"
    # an instance
    PLANNED = "planned"
    WAITS = "waits"
    ABOUT_TO_START = "about_to_start"
    SETTLED = "settled"
    TASK_RETRY = "task_retry"
    RUNS_AGAIN = "runs_again"
    RUN_AGAIN = "run_again"
    NOT_RUN_AGAIN = "not_run_again"
    NOT_RUN_EITHER = "not_run_either"
    NOT_RUN_GONE = "not_run_gone"
    NOT_RUN_CANCELLED = "not_run_cancelled"
    NOT_RUN_ERROR = "not_run_error"
    OVERLAPS = "overlaps"
    EARLIER = "earlier"
    RELEASED = "released"
    TASK_OFFLINE = "task_offline"
    UPSTREAMS = "upstreams"
    UPSTREAM_UNFINISHED = "upstream_unfinished"
    UPSTREAM_MISSING = "upstream_missing"
    UPSTREAM_NOT_RUN = "upstream_not_run"
    UPSTREAM_BAD = "upstream_bad"
    UPSTREAM_LATE = "upstream_late"
    UPSTREAM_FAILED = "upstream_failed"
    # a time of a backfill
    NO_INSTANCE = "no_instance"
    NEVER_RAN = "never_ran"
    HAS_STATE = "has_state"
    COMES_AFTER = "comes_after"
    BACKFILLED = "backfilled"
    BACKFILL_PAUSED = "backfill_paused"
    # a worker
    UNTRUSTED = "untrusted"
    NOT_REACHED = "not_reached"
    REACHED_NO_MORE = "reached_no_more"
    KEY_CHANGED = "key_changed"
    SKEWED = "skewed"
    WORKER_PAUSED = "worker_paused"
    WORKER_DRAINING = "worker_draining"
    WORKER_GONE = "worker_gone"
    WORKER_STATE = "worker_state"
    NOT_REGISTERED = "not_registered"
    NOT_MOVED = "not_moved"
    SECRET_REFUSED = "secret_refused"
    # a job of a stand-in run, beside its record
    INPUTS_DIFFER = "inputs_differ"
    DEFINITION_DIFFERS = "definition_differs"
    NOT_AT_SITE = "not_at_site"
    NOT_SO_OFTEN = "not_so_often"


SKIPS = frozenset(
    {
        Kind.BRANCH,
        Kind.WHEN,
        Kind.PARENTS_SKIPPED,
        Kind.PARENT_FAILED,
        Kind.NONE_FAILED,
        Kind.STOPPED,
        Kind.DISABLED,
    }
)


HOLDS_UP = frozenset({Kind.REACHED_NO_MORE, Kind.NO_ROOM})  # a job that runs; they change no outcome

_KINDS = {str(kind): kind for kind in Kind}
_FITTING = {
    **dict.fromkeys(
        ("nodes", "holders", "on", "pids", "instances", "names", "workers", "choices", "fails_on", "jobs"),
        list,
    ),
    **dict.fromkeys(("instance", "job_instance"), int),
    FACTS["message"]: dict,
}


@dataclass(frozen=True, slots=True)
class Reason:
    """``facts`` are JSON values by name; times among them are ISO 8601 texts with an offset."""

    kind: Kind
    facts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, kind: Kind, **facts: Any) -> Reason:
        """With the facts that are known: one that is None is left out. A message brings its own along."""
        known = {name: value for name, value in facts.items() if value is not None}
        if tree := facts_of(known.get("message")):
            known |= {"message": str(known["message"]), FACTS["message"]: tree}
        return cls(kind, known)

    def to_json(self) -> dict[str, Any]:
        """As it is kept and shown in documents: ``{"kind": "parents", "nodes": ["load"]}``."""
        return {"kind": str(self.kind), **self.facts}

    @classmethod
    def read(cls, tree: Mapping[str, Any] | None, text: str | None) -> Reason | None:
        """What a row or a document says: its data, else its text; None when it has neither.

        Data that only a newer version knows, or that is not as it was written, has its text all the same.

        >>> Reason.read(None, "waits for load"), Reason.read(None, None)
        (Reason(kind=<Kind.TEXT: 'text'>, facts={'text': 'waits for load'}), None)
        """
        if isinstance(tree, Mapping) and (kind := _KINDS.get(str(tree.get("kind")))):
            facts = {name: value for name, value in tree.items() if name != "kind"}
            if all(isinstance(value, _FITTING.get(name, (str, int, float))) for name, value in facts.items()):
                return cls(kind, facts)
        return written(text) if text else None


def written(text: str) -> Reason:
    """A reason of which only the text is left: in a context log, or in a row of an older version.

    The log tells a skip by its stable word and its nodes (docs/directories.md).

    >>> written("parent_failed: load, index").facts
    {'nodes': ['load', 'index']}
    """
    word, _, nodes = text.partition(": ")
    if word in SKIPS:
        return Reason.of(Kind(word), nodes=nodes.split(", ") if nodes else None)
    return Reason(Kind.TEXT, {"text": text})
