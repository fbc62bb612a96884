"""What a change of calendars does to coming times, said before it is stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from app.desktop.kernel.language import tr, trn
from engine.api.documents import Document

_TASKS, _TIMES = 8, 3  # that are named; the rest is counted
_STATES = {"init": "draft", "online": "online", "offline": "offline"}


def changed_tasks(effects: Sequence[Document]) -> list[Document]:
    """The tasks of which a coming time changes, those that are online first."""
    changed = [each for each in effects if each["changes"]]
    return sorted(changed, key=lambda each: (each["state"] != "online", each["task"]))


def effect_lines(effects: Sequence[Document]) -> Iterator[str]:
    """A paragraph for each task of ``Service.calendar_effects`` that changes."""
    changed = changed_tasks(effects)
    one, many = "The coming times of 1 task change:", "The coming times of {n} tasks change:"
    yield trn(len(changed), one, many)
    for each in changed[:_TASKS]:
        yield "\n".join(_of_task(each))
    if len(changed) > _TASKS:
        yield trn(len(changed) - _TASKS, "and 1 more task", "and {n} more tasks")


def _of_task(effect: Document) -> Iterator[str]:
    state = tr(_STATES.get(str(effect["state"]), str(effect["state"])))
    yield tr("{task} ({state})", task=effect["task"], state=state)
    for gone, words in ((True, "falls away: {times}"), (False, "comes in addition: {times}")):
        times = [each["time"] for each in effect["changes"] if each["gone"] is gone]
        if times:
            yield "    " + tr(words, times=_some(times))


def _some(times: Sequence[str]) -> str:
    """In the zone of the schedule: that is how its days are meant."""
    named = ", ".join(f"{datetime.fromisoformat(each):%Y-%m-%d %H:%M}" for each in times[:_TIMES])
    rest = len(times) - _TIMES
    return named + (tr(" and {n} more", n=rest) if rest > 0 else "")
