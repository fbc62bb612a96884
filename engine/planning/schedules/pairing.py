"""Which tasks may wait for which, in which window: one table for check, editor and docs (contract 2.6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from engine.model.message import Message
from engine.model.schedule import Dependency, Schedule

Window = Literal["latest", "same_period", "previous_period", "all_in_period"]
Which = Literal["same", "previous"]
Unit = Literal["minute", "hour", "day", "week", "month", "year"]
PERIODS: tuple[Unit, ...] = ("hour", "day", "week", "month", "year")

UNITS: Mapping[str, Unit] = {
    "minute": "minute",
    "hour": "hour",
    "day": "day",
    "week": "week",
    "month": "month",
    "year": "year",
    "custom_hour": "hour",
    "custom_day": "day",
    "custom_week": "day",
    "custom_month": "month",
}
LATEST_ONLY = ("interval", "once", "manual")
WITHOUT = ("crontab", "condition")
# The periods in which all fires of an upstream of each unit can be waited for.
COARSER: Mapping[Unit, tuple[Unit, ...]] = {
    "minute": ("hour", "day"),
    "hour": ("day", "week", "month"),
    "day": ("week", "month", "year"),
    "week": ("month", "year"),
    "month": ("year",),
    "year": (),
}
WRITTEN: tuple[str, ...] = (  # every window, with its period where one has to be chosen
    "latest",
    "same_period",
    "previous_period",
    *(f"all_in_period {which}_{unit}" for unit in PERIODS for which in ("same", "previous")),
)


@dataclass(frozen=True, slots=True)
class Paired:
    """An allowed pairing with its period filled in; of `latest` there is none."""

    window: Window
    which: Which | None = None
    unit: Unit | None = None

    @property
    def written(self) -> str:
        """Its entry of ``WRITTEN``."""
        return f"{self.window} {self.which}_{self.unit}" if self.window == "all_in_period" else self.window


@dataclass(frozen=True, slots=True)
class Unpaired:
    """Why a pairing is refused, and what would do, as it is written in a definition; perhaps nothing."""

    message: Message
    instead: tuple[str, ...] = ()

    @property
    def wording(self) -> Message:
        """The message with what would do."""
        if not self.instead:
            return self.message
        return Message.of(
            "{message}; possible: {windows}", message=self.message, windows=", ".join(self.instead)
        )


def level_of(schedule: Schedule | str | None) -> str | None:
    """The level of a schedule, or ``manual``; None where there is none."""
    return schedule.level if isinstance(schedule, Schedule) else schedule


def pairing(dependency: Dependency, own: str | None, upstream: str | None) -> Paired | Unpaired:
    """The window of a dependency between tasks of two levels (`manual`; None: without a schedule).

    ``own``: the level of the task that waits; of ``self`` both are the same.
    """
    for level in (own, upstream):
        if level in WITHOUT:
            return Unpaired(Message.of("the level {level} takes no part in dependencies", level=level))
    if dependency.self_ and dependency.window != "latest":
        return Unpaired(Message.of("a task waits for itself in the window latest only"), ("latest",))
    found = _paired(dependency, own, upstream)
    return found if isinstance(found, Paired) else Unpaired(found, possible(own, upstream))


def _paired(dependency: Dependency, own: str | None, upstream: str | None) -> Paired | Message:
    """The message where it is refused."""
    window, period = dependency.window, dependency.period
    if window == "latest":
        return Paired("latest") if period is None else Message.of("the window latest has no period")
    for level in (own, upstream):
        if level in LATEST_ONLY or level is None:
            return Message.of("the level {level} has the window latest only", level=level or "manual")
    if window == "all_in_period":
        return _all_in_period(period, UNITS[str(own)], UNITS[str(upstream)])
    return _one_of_period(window, period, UNITS[str(upstream)])


def _one_of_period(
    window: Literal["same_period", "previous_period"], period: str | None, upstream: Unit
) -> Paired | Message:
    which: Which = "same" if window == "same_period" else "previous"
    if upstream == "minute":
        return Message.of("an upstream of the level minute fires more than once in every period")
    if period not in (None, f"{which}_{upstream}"):
        text = "of an upstream that fires by the {unit} the period is {period}"
        return Message.of(text, unit=Message.of(upstream), period=f"{which}_{upstream}")
    return Paired(window, which, upstream)


def _all_in_period(period: str | None, own: Unit, upstream: Unit) -> Paired | Message:
    if period is None and own == "minute":
        return Message.of("a task of the level minute has to name the period")
    which, _, unit = (period or f"previous_{own}").partition("_")
    allowed = COARSER[upstream]
    if unit not in allowed:
        text = "the {period} is not a period for all fires of an upstream that fires by the {unit}"
        return Message.of(text, period=Message.of(unit), unit=Message.of(upstream))
    named = next(each for each in allowed if each == unit)
    return Paired("all_in_period", "same" if which == "same" else "previous", named)


def possible(own: str | None, upstream: str | None) -> tuple[str, ...]:
    """What two levels allow, as it is written: `latest`, `all_in_period same_day` …"""
    if own in WITHOUT or upstream in WITHOUT:
        return ()
    if any(level in LATEST_ONLY or level is None for level in (own, upstream)):
        return ("latest",)
    unit = UNITS[str(upstream)]
    single = () if unit == "minute" else ("same_period", "previous_period")
    every = (f"all_in_period {which}_{each}" for each in COARSER[unit] for which in ("same", "previous"))
    return ("latest", *single, *every)
