"""When a node may start once all of its parents have ended (contract 2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from engine.model.reason import Kind, Reason
from engine.model.task import RunIf


class Outcome(StrEnum):
    """What a node came to, as far as what follows is concerned."""

    OK = "ok"
    BAD = "bad"
    SKIPPED = "skipped"  # by a branch, by when, by hand: looked through, counts as nothing
    BLOCKED = "blocked"  # it could not run: counts as failed

    @property
    def failed(self) -> bool:
        """Whether it counts as failed for what follows."""
        return self in (Outcome.BAD, Outcome.BLOCKED)


class No(NamedTuple):
    """Why a node does not start, and what it comes to."""

    reason: Reason
    outcome: Outcome


def verdict(run_if: RunIf, parents: Mapping[str, Outcome]) -> No | None:
    """None when a node with these (all ended) parents starts, else why not."""
    counting = [outcome for outcome in parents.values() if outcome is not Outcome.SKIPPED]
    if run_if == "all_done" or not parents:
        return None
    if not counting:
        return No(Reason(Kind.PARENTS_SKIPPED), Outcome.SKIPPED)
    failed = [parent for parent, outcome in parents.items() if outcome.failed]
    if run_if == "any_failed":
        return None if failed else No(Reason(Kind.NONE_FAILED), Outcome.SKIPPED)
    holds = Outcome.OK in counting if run_if == "any_succeeded" else not failed
    return None if holds else No(Reason.of(Kind.PARENT_FAILED, nodes=failed), Outcome.BLOCKED)
