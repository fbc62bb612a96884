"""What a run does next: start a node, or skip it and say why."""

from __future__ import annotations

from typing import NamedTuple

from engine.model.reason import Reason
from engine.planning.rules import Outcome


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
