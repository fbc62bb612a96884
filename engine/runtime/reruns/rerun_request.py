"""A request to rerun an instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.model.states import RerunMode


class Spoken(NamedTuple):
    """The text of a value; it is read as the kind of the value that it replaces."""

    text: str


@dataclass(frozen=True)
class RerunRequest:
    """Which part of an ended instance runs again, and what is changed before."""

    instance: int
    mode: RerunMode
    nodes: Sequence[str] = ()
    with_upstream: bool = False
    edits: Sequence[tuple[str, Any]] = ()  # path, and a value or Spoken
    reason: str = ""
    current: bool = False  # the definition as it is now, not as it was captured
    downstream: bool = False  # also the instances that depend on this one, after it
    actor: str = "operator"
    trigger: str = "manual"  # what made the further run
    follows: bool = False  # not asked for by itself: it runs after what it depends on, its edits stay
