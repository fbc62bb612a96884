"""A set of definitions: what one file holds, or what a run was started with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.model.calendar import Calendar
from engine.model.job import Job
from engine.model.resource import Resource
from engine.model.task import Task


@dataclass(frozen=True, slots=True)
class Definitions:
    """Jobs, tasks, resources and calendars by id.

    ``raw`` is the tree of the file as JSON values (short forms as they were written); it is what
    the store keeps and ``dump`` writes, so nothing is lost on the way: ``{"jobs": {id: …}, …}``.
    """

    resources: Mapping[str, Resource] = field(default_factory=dict)
    jobs: Mapping[str, Job] = field(default_factory=dict)
    tasks: Mapping[str, Task] = field(default_factory=dict)
    project: str | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)
    calendars: Mapping[str, Calendar] = field(default_factory=dict)
