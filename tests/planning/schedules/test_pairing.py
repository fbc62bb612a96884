"""Which tasks may wait for which, and for what instances."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest

from engine.model.schedule import Dependency
from engine.planning.schedules.fire_times import fires
from engine.planning.schedules.pairing import UNITS, Paired, Unpaired, pairing, possible
from engine.planning.schedules.timetable import Timetable
from engine.planning.schedules.windows import last_fire, period, wanted
from tests.effort import effort
from tests.planning.schedules.timetables import timetable

ZONE = ZoneInfo("Asia/Shanghai")
NO_PARTNERS = ("crontab", "condition")
LATEST_ONLY = ("interval", "once", "manual")
LEVELS = (*UNITS, *LATEST_ONLY, *NO_PARTNERS)


def paired(own: str, upstream: str, **keys: str) -> Paired | str:
    found = pairing(Dependency.model_validate({"task": "t", **keys}), own, upstream)
    return found if isinstance(found, Paired) else found.message


@pytest.mark.parametrize("own", LEVELS)
@pytest.mark.parametrize("upstream", LEVELS)
def test_the_latest_is_allowed_to_all_levels_but_two(own: str, upstream: str) -> None:
    refused = own in NO_PARTNERS or upstream in NO_PARTNERS

    assert isinstance(paired(own, upstream), Paired) is not refused


@pytest.mark.parametrize("window", ["same_period", "previous_period", "all_in_period"])
@pytest.mark.parametrize("level", [*LATEST_ONLY, *NO_PARTNERS])
def test_other_windows_are_not_for_levels_without_a_period(level: str, window: str) -> None:
    assert isinstance(paired("day", level, window=window), str)
    assert isinstance(paired(level, "day", window=window, period="previous_week"), str)


@pytest.mark.parametrize(
    ("upstream", "unit"),
    [
        ("hour", "hour"), ("custom_hour", "hour"), ("day", "day"), ("custom_day", "day"), ("custom_week", "day"),
        ("week", "week"), ("month", "month"), ("custom_month", "month"), ("year", "year"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("which", ["same", "previous"])
def test_the_one_of_a_period_is_of_the_upstreams_own_unit(upstream: str, unit: str, which: str) -> None:
    window = f"{which}_period"

    assert paired("day", upstream, window=window) == Paired(window, which, unit)  # type: ignore[arg-type]
    assert paired("day", upstream, window=window, period=f"{which}_{unit}") == paired(
        "day", upstream, window=window
    )
    for other in {"hour", "day", "week", "month", "year"} - {unit}:
        assert isinstance(paired("day", upstream, window=window, period=f"{which}_{other}"), str)
    against = "previous" if which == "same" else "same"
    assert isinstance(paired("day", upstream, window=window, period=f"{against}_{unit}"), str)


def test_an_upstream_of_minutes_has_no_single_one_in_a_period() -> None:
    assert paired("day", "minute", window="same_period") == (
        "an upstream of the level minute fires more than once in every period"
    )


@pytest.mark.parametrize(
    ("upstream", "allowed"),
    [
        ("minute", {"hour", "day"}),
        ("hour", {"day", "week", "month"}),
        ("custom_hour", {"day", "week", "month"}),
        ("day", {"week", "month", "year"}),
        ("custom_day", {"week", "month", "year"}),
        ("custom_week", {"week", "month", "year"}),
        ("week", {"month", "year"}),
        ("month", {"year"}),
        ("custom_month", {"year"}),
        ("year", set()),
    ],
)
def test_all_of_a_period_need_a_coarser_one(upstream: str, allowed: set[str]) -> None:
    units = ("hour", "day", "week", "month", "year")

    found = {unit for unit in units if isinstance(_all(upstream, f"same_{unit}"), Paired)}

    assert found == allowed
    assert all(isinstance(_all(upstream, f"previous_{unit}"), Paired) is (unit in allowed) for unit in units)


def _all(upstream: str, period: str) -> Paired | str:
    return paired("day", upstream, window="all_in_period", period=period)


@pytest.mark.parametrize(
    ("own", "upstream", "unit"),
    [
        ("day", "hour", "day"),
        ("custom_week", "hour", "day"),
        ("hour", "minute", "hour"),
        ("month", "day", "month"),
    ],
)
def test_the_period_of_all_is_the_one_before_of_the_dependants_own_unit(
    own: str, upstream: str, unit: str
) -> None:
    assert paired(own, upstream, window="all_in_period") == Paired("all_in_period", "previous", unit)  # type: ignore[arg-type]


def test_a_task_of_minutes_names_the_period() -> None:
    assert (
        paired("minute", "hour", window="all_in_period")
        == "a task of the level minute has to name the period"
    )
    assert isinstance(paired("minute", "hour", window="all_in_period", period="previous_day"), Paired)


def test_a_task_waits_for_its_own_fire_time_before_only() -> None:
    own = Dependency.model_validate({"self": True})

    assert pairing(own, "day", "day") == Paired("latest")
    assert isinstance(pairing(own.model_copy(update={"window": "same_period"}), "day", "day"), Unpaired)
    assert isinstance(pairing(own, "crontab", "crontab"), Unpaired)


def test_the_latest_has_no_period() -> None:
    assert paired("day", "hour", period="previous_day") == "the window latest has no period"


@pytest.mark.parametrize("own", LEVELS)
@pytest.mark.parametrize("upstream", LEVELS)
def test_what_is_named_instead_of_a_refused_pairing_would_do(own: str, upstream: str) -> None:
    for each in possible(own, upstream):
        window, _, named = each.partition(" ")
        assert isinstance(
            paired(own, upstream, window=window, **({"period": named} if named else {})), Paired
        )


def test_a_refusal_says_what_would_do() -> None:
    refused = pairing(Dependency.model_validate({"task": "t", "window": "all_in_period"}), "hour", "day")

    assert isinstance(refused, Unpaired)
    assert refused.wording == (
        "the hour is not a period for all fires of an upstream that fires by the day; possible: latest, "
        "same_period, previous_period, all_in_period same_week, all_in_period previous_week, "
        "all_in_period same_month, all_in_period previous_month, all_in_period same_year, "
        "all_in_period previous_year"
    )


# -- the instances --------------------------------------------------------------------------------

SCHEDULES = (
    {"level": "minute", "every": 20},
    {"level": "hour", "every": 5},
    {"level": "hour", "every": 1, "from": "08:00", "to": "18:00"},
    {"level": "day", "every": 1, "at": "02:30"},
    {"level": "custom_week", "days": ["mon", "fri"]},
    {"level": "week", "day": "sun", "at": "23:00"},
    {"level": "month", "day": 31},
    {"level": "interval", "interval": 50_000, "first": "2024-11-01T00:00:00"},
)


def slow_wanted(
    own: str, keys: dict[str, str], time: datetime, zone: ZoneInfo, upstream: Timetable
) -> list[datetime]:
    """Every fire of the year, each asked whether it is one of those."""
    every = list(fires(upstream, datetime(2024, 12, 1, tzinfo=UTC), datetime(2027, 2, 1, tzinfo=UTC)))
    if keys["window"] == "latest":
        return [each for each in every if each <= time][-1:]
    which, unit = keys["period"].split("_")
    now = _names(time, unit, zone)
    step = {"hour": timedelta(minutes=59), "day": timedelta(hours=20), "week": timedelta(days=6)}.get(unit)
    before = time
    while which == "previous" and _names(before, unit, zone) == now:
        before -= step or timedelta(days=20)
    found = [each for each in every if _names(each, unit, zone) == _names(before, unit, zone)]
    return found if keys["window"] == "all_in_period" else found[-1:]


def _names(moment: datetime, unit: str, zone: ZoneInfo) -> tuple[object, ...]:
    """The period that a moment is in, by its calendar names."""
    local = moment.astimezone(zone)
    match unit:
        case "hour":
            return (local.date(), local.hour, local.utcoffset())
        case "week":
            return tuple(local.isocalendar()[:2])
        case "month":
            return (local.year, local.month)
        case "year":
            return (local.year,)
    return (local.date(),)


@pytest.mark.parametrize("zone", [ZONE, ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")], ids=str)
@pytest.mark.parametrize("seed", range(effort(8, 60)))
def test_partners_are_those_that_a_slow_reference_finds(seed: int, zone: ZoneInfo) -> None:
    random = Random(seed)
    for _ in range(6):
        schedule = random.choice(SCHEDULES)
        upstream = timetable(zone.key, **schedule)  # type: ignore[arg-type]
        time = datetime(2026, 1, 10, tzinfo=UTC) + timedelta(minutes=random.randrange(330 * 1440))
        window, _, named = random.choice(possible("day", str(schedule["level"]))).partition(" ")
        unit = UNITS.get(str(schedule["level"]))
        named = named or (f"{window.partition('_')[0]}_{unit}" if window != "latest" else "")
        keys = {"window": window, **({"period": named} if named else {})}
        allowed = paired("day", str(schedule["level"]), **keys)

        assert isinstance(allowed, Paired)
        found = wanted(allowed, time, zone, upstream)

        assert found == slow_wanted("day", keys, time, zone, upstream), (schedule, keys, time)


def test_a_task_never_waits_for_itself() -> None:
    table = timetable(ZONE.key, level="hour", every=1, **{"from": "08:00", "to": "18:00"})
    morning = datetime(2026, 3, 2, 8, tzinfo=ZONE)

    found = wanted(Paired("latest"), morning, ZONE, table, itself=True)

    assert found == [datetime(2026, 3, 1, 18, tzinfo=ZONE)]


def test_before_the_first_fire_there_is_nothing_to_wait_for() -> None:
    table = timetable(ZONE.key, level="day", every=1, start="2026-03-01")

    assert last_fire(table, datetime(2026, 2, 28, tzinfo=UTC)) is None
    assert wanted(Paired("latest"), datetime(2026, 2, 28, tzinfo=UTC), ZONE, table) == []


def test_the_day_before_the_one_that_was_lost() -> None:
    apia = ZoneInfo("Pacific/Apia")
    moment = datetime(2011, 12, 31, 12, tzinfo=apia)

    found = period(moment, "previous", "day", apia)

    assert [each.astimezone(apia).isoformat() for each in found] == [
        "2011-12-29T00:00:00-10:00",
        "2011-12-31T00:00:00+14:00",
    ]
