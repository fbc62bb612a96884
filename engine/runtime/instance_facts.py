"""What does not change about an instance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.model.states import Trigger


@dataclass(frozen=True)
class InstanceFacts:
    """Its ids, moments, directory and parameters."""

    id: int
    trigger: Trigger
    scheduled_time: datetime
    created_at: datetime
    directory: Path
    priority: int = 0
    params: Mapping[str, Any] = field(default_factory=dict)  # as they were given, by name
    above: tuple[int, ...] = ()  # the instances that it is a sub-task of, the outermost first
    revision: int | None = None  # of the task's definition; None: it ran from a file
    made_before: bool = False  # it was there before it could begin
