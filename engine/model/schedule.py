"""When a task starts by itself and what it waits for (contract 2.6); the values only."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from engine.model.base import Bool, Frozen, Id, Int, Seconds
from engine.model.job import Condition, ResourceRef

Level = Literal[
    "minute", "hour", "day", "week", "month", "year",
    "custom_hour", "custom_day", "custom_week", "custom_month",
    "crontab", "interval", "once", "condition",
]  # fmt: skip
Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


class DstPolicy(Frozen):
    """What happens at the hour that does not exist, and at the one that comes twice."""

    gap: Literal["shift", "skip"] = "shift"
    overlap: Literal["first", "last", "both"] = "first"


class CalendarUse(Frozen):
    """The calendar of a schedule, and what happens to a fire on a day off."""

    id: Id
    on: Literal["skip", "next", "previous"] = "skip"


def _by_id_alone(value: Any) -> Any:
    return {"id": value} if isinstance(value, (str, int)) else value


class Schedule(Frozen):
    """One level with its keys; which keys a level takes is checked by the reader."""

    level: Level | None = None
    every: Annotated[Int, Field(ge=1)] | Seconds | None = None
    from_: Annotated[str | None, Field(alias="from")] = None
    to: str | None = None
    at: str | None = None
    day: Int | Weekday | None = None
    month: Annotated[Int, Field(ge=1, le=12)] | None = None
    hours: tuple[Int, ...] | None = None
    days: tuple[Int | Weekday, ...] | None = None
    months: tuple[Int, ...] | None = None
    cron: str | None = None
    interval: Seconds | None = None
    first: str | None = None
    once: str | None = None
    time: str | None = None
    condition: Condition | ResourceRef | None = None
    timezone: str | None = None
    start: str | None = None
    end: str | None = None
    catchup: Literal["none", "latest", "all"] = "latest"
    max: Annotated[Int, Field(ge=1)] | None = None
    overlap: Literal["skip", "wait", "parallel"] = "skip"
    dst: DstPolicy = DstPolicy()
    calendar: Annotated[
        CalendarUse | None, BeforeValidator(_by_id_alone, json_schema_input_type=CalendarUse | Id | None)
    ] = None


class Dependency(Frozen):
    """One task (or the task itself) whose instance of a matching scheduled time must succeed."""

    task: Id | None = None
    self_: Annotated[Bool, Field(alias="self")] = False
    window: Literal["latest", "same_period", "previous_period", "all_in_period"] = "latest"
    period: Annotated[str, Field(pattern=r"^(same|previous)_(hour|day|week|month|year)$")] | None = None
    on_failure: Literal["fail", "wait"] = "fail"
    timeout: Seconds | None = None
