"""The levels of a schedule as Quartz expressions."""

from __future__ import annotations

from engine.model.schedule import Schedule

_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


def cron_text(schedule: Schedule) -> str | None:
    """What a schedule becomes; a crontab's own text; None for interval, once and condition."""
    at = _at(schedule.at)
    match schedule.level:
        case "crontab":
            return schedule.cron
        case "minute":
            return f"0 0/{schedule.every:g} * * * ?"
        case "hour":
            return _hourly(schedule)
        case "day":
            return f"{at} 1/{schedule.every:g} * ?"
        case "week":
            return f"{at} ? * {_weekday(schedule.day)}"
        case "month":
            return f"{at} {schedule.day} * ?"
        case "year":
            return f"{at} {schedule.day} {schedule.month} ?"
        case "custom_hour":
            return f"0 0 {_list(schedule.hours)} * * ?"
        case "custom_day":
            return f"{at} {_list(schedule.days)} * ?"
        case "custom_week":
            return f"{at} ? * {_list(map(_weekday, schedule.days or ()))}"
        case "custom_month":
            return f"{at} 1 {_list(schedule.months)} ?"
    return None


def _list(numbers: object) -> str:
    return ",".join(map(str, sorted(set(numbers))))  # type: ignore[call-overload]


def _weekday(day: object) -> int:
    return _DAYS.index(str(day)) + 1


def _clock(text: str) -> tuple[int, int, int]:
    hour, minute, *second = map(int, text.split(":"))
    return hour, minute, second[0] if second else 0


def _at(text: str | None) -> str:
    hour, minute, second = _clock(text or "00:00")
    return f"{second} {minute} {hour}"


def _hourly(schedule: Schedule) -> str:
    """Counted from ``from``, whose minute it keeps; ``to`` is included, and may be on the next day."""
    if schedule.from_ is None and schedule.to is None:
        return f"0 0 0/{schedule.every:g} * * ?"
    hour, *past = _clock(schedule.from_ or "00:00")
    last, *to = _clock(schedule.to or "23:59:59")
    last = last if to >= past else (last - 1) % 24
    step = "" if schedule.every == 1 else f"/{schedule.every:g}"
    return f"{past[1]} {past[0]} {hour}-{last}{step} * * ?"
