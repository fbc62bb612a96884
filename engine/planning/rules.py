"""The rules for one node: when it may start (contract 2.3), and which branch a condition takes (2.4)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from engine.model.codes.planning import NO_BRANCH
from engine.model.control import ConditionKeys
from engine.model.errors import SkerryError
from engine.model.expression import as_text
from engine.model.message import Message
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


class Start(NamedTuple):
    """A node whose turn has come. ``round`` counts its JobInstances from 1."""

    node: str
    round: int


class Skip(NamedTuple):
    """A node that does not run; ``reason`` is one of ``engine.model.reason.SKIPS``."""

    node: str
    round: int
    reason: Reason
    outcome: Outcome


Step = Start | Skip


def branch_key(keys: ConditionKeys, value: Any) -> str | None:
    """The branch for the value of a condition, compared as text; None where true or false has none.

    SkerryError when the value has no branch, is neither true nor false, and there is no default.
    """
    text = None if value is None else as_text(value)
    if text in keys.branches:
        return text
    if "default" in keys.branches:
        return "default"
    if text in ("true", "false"):
        return None
    known = ", ".join(f"'{key}'" for key in keys.branches) or Message.of("none")
    shown = "null" if text is None else f"'{text[:80]}'"
    message = "no branch is for the value {value}; there are: {known}"
    raise SkerryError(NO_BRANCH, message, value=shown, known=known)
