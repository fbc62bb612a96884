"""One thing that happens in a life."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PEOPLE = ("anna", "bo", "chen", "dana")


@dataclass(frozen=True)
class Action:
    """At a moment (virtual seconds since the life began) a person or the world does what the facts say."""

    at: float
    actor: str
    what: str
    facts: Mapping[str, Any]
