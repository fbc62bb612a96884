"""A request to run past times of a task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.model.states import BackfillOrder, Reprocess


@dataclass(frozen=True, slots=True)
class BackfillRequest:
    """Which past times of a task to run. ``since`` and ``until`` are included; a date is the whole day.

    Without an offset they are in the zone of the schedule. ``params`` are typed values, ``texts`` are
    converted by the parameter's kind; they are given to the instances of ``task`` alone.
    """

    __pydantic_config__ = {"extra": "forbid"}

    task: str
    since: str
    until: str
    order: BackfillOrder = "oldest"
    parallel: int = 1
    reprocess: Reprocess = "missing"
    downstream: bool = False
    ignore_dependencies: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    folder: str | None = None
    reason: str = ""
