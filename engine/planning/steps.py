"""What a run does next: start a node, or skip it and say why."""

from __future__ import annotations

from typing import NamedTuple

from engine.planning.rules import Outcome


class Start(NamedTuple):
    """A node whose turn has come. ``round`` counts its JobInstances from 1."""

    node: str
    round: int


class Skip(NamedTuple):
    """A node that does not run. ``detail`` names the nodes that are the reason.

    ``reason`` is a stable word: branch, when, parents_skipped, parent_failed, none_failed (an
    ``any_failed`` without a failure), stopped, disabled.
    """

    node: str
    round: int
    reason: str
    detail: str
    outcome: Outcome


Step = Start | Skip
