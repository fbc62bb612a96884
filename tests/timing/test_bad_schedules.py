"""What is wrong with schedules, calendars and dependencies is refused by load, each with its code and place."""

from __future__ import annotations

import pytest

from engine.model.codes import definitions, planning, schedules
from engine.model.errors import ErrorCode, Invalid, Refused
from tests.timing.conftest import TimedSite

HEAD = "skerry: 1\ntasks:\n"
NODES = "    nodes: {a: {type: condition, value: '1 == 1'}}\n"
UP = f"  up:\n    schedule: {{level: day, every: 1}}\n{NODES}"
MANY = f"  many:\n    schedule: {{level: minute, every: 5}}\n{NODES}"


def with_schedule(*lines: str) -> str:
    """A file whose task t has a schedule of these lines, from line 5 on."""
    return f"{HEAD}  t:\n    schedule:\n" + "".join(f"      {line}\n" for line in lines) + NODES


def with_dependencies(*lines: str, before: str = "", state: str = "init") -> str:
    """A file whose first task t has these dependencies, from line 7 on."""
    waits = "".join(f"      - {line}\n" for line in lines)
    task = f"  t:\n    state: {state}\n    schedule: {{level: day, every: 1}}\n    depends_on:\n{waits}"
    return f"{HEAD}{task}{NODES}{before}"


def workless(*, uses: bool) -> str:
    """A calendar without a working day."""
    calendar = "calendars:\n  c: {weekend: [mon, tue, wed, thu, fri, sat, sun]}\n"
    return (
        "skerry: 1\n" + calendar + (with_schedule("calendar: c").removeprefix("skerry: 1\n") if uses else "")
    )


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        (with_schedule("once: 2026-11-21T07:59:59Z"), schedules.NEVER_FIRES, (5, 13)),
        (with_schedule("once: 2026-11-21T08:00:00Z"), schedules.NEVER_FIRES, (5, 13)),
        (with_schedule("interval: 1h", "end: 2026-11-20"), schedules.NEVER_FIRES, (4, 5)),
        (with_schedule("interval: 1h", "end: 2026-W48"), definitions.SCHEDULE_TIME, (6, 12)),
        (with_schedule("interval: 1h", "start: 2027-01-02", "end: 2027-01-01"), schedules.END_BEFORE_START, (7, 12)),
        (with_schedule("cron: 0 0 0 30 2 ?"), schedules.NEVER_FIRES, (5, 13)),
        (with_schedule("cron: 0 0 30 2 *"), schedules.NEVER_FIRES, (5, 13)),
        (with_schedule("cron: 0 0 ? * *"), definitions.CRON_SYNTAX, (5, 13)),
        (with_schedule("cron: 0 0 0 L-3,5 * ?"), definitions.CRON_SYNTAX, (5, 13)),
        (with_schedule("level: day", "every: 1", "timezone: right/UTC"), definitions.SCHEDULE_TIME, (7, 17)),
        (with_schedule("level: day", "every: 1", "timezone: posix/Asia/Tokyo"), definitions.SCHEDULE_TIME, (7, 17)),
        (with_schedule("level: day", "every: 1", "timezone: Factory"), definitions.SCHEDULE_TIME, (7, 17)),
        (with_schedule("level: day", "every: 1", "timezone: localtime"), definitions.SCHEDULE_TIME, (7, 17)),
        (with_schedule("interval: 500ms"), definitions.SCHEDULE_TIME, (5, 17)),
        (with_schedule("condition: 1 == 1", "every: 0.5"), definitions.SCHEDULE_TIME, (6, 14)),
        (with_schedule("level: day", "every: 1", "calendar: harbour"), schedules.CALENDAR_UNKNOWN, (7, 17)),
        (workless(uses=False), schedules.CALENDAR_WITHOUT_WORK, (3, 3)),
        (with_dependencies("{task: up, window: same_period, period: same_week}", before=UP), planning.DEPENDS_ON, (7, 9)),
        (with_dependencies("{task: many, window: same_period}", before=MANY), planning.DEPENDS_ON, (7, 9)),
        (with_dependencies("{task: up}", "{task: up, on_failure: wait}", before=UP), definitions.DEPENDENCY, (8, 9)),
        (with_dependencies("{self: true}", "{self: true}"), definitions.DEPENDENCY, (8, 9)),
        (with_dependencies("{task: up}", before=UP, state="online"), schedules.UPSTREAM_NOT_READY, (7, 16)),
        (with_dependencies("{task: t}"), planning.TASKS_WAIT, (6, 5)),
        (with_dependencies("{task: gone}"), planning.UNKNOWN_TASK, (7, 16)),
    ],
)  # fmt: skip
def test_each_is_refused_with_its_code_and_place(
    site: TimedSite, text: str, code: ErrorCode, place: tuple[int, int]
) -> None:
    with pytest.raises(Invalid) as refused:
        site.service.load([{"name": "bad.yaml", "text": text}])

    found = [each for each in refused.value.details["findings"] if each["severity"] == "error"]
    assert [(each["code"], each["file"], each["line"], each["column"]) for each in found] == [
        (code.number, "bad.yaml", *place)
    ]
    assert site.engine.store.task_heads() == []


def test_what_was_loaded_in_time_may_be_loaded_again_when_it_is_over(site: TimedSite) -> None:
    text = with_schedule("once: 2026-11-21T09:00:00Z")
    site.service.load([{"name": "t.yaml", "text": text}])
    site.forward(hours=2)

    site.service.load([{"name": "t.yaml", "text": text.replace("1 == 1", "2 == 2")}])
    with pytest.raises(Invalid):
        site.service.load([{"name": "t.yaml", "text": text.replace("T09", "T08")}])

    with pytest.raises(Refused, match="never fires"):
        site.service.move_tasks(["t"], "online")


def test_a_task_that_was_put_online_by_a_command_is_one_that_others_may_wait_for(site: TimedSite) -> None:
    """Its file says nothing of a state: what counts is the one that it has."""
    site.online("up", {"level": "day", "every": 1})

    site.service.load([{"name": "t.yaml", "text": with_dependencies("{task: up}", state="online")}])

    assert {head.task: head.state for head in site.engine.store.task_heads()} == {
        "t": "online",
        "up": "online",
    }


def test_a_state_that_does_not_count_is_a_warning(site: TimedSite) -> None:
    site.online("t", {"level": "day", "every": 1})
    text = f"{HEAD}  t:\n    state: offline\n    schedule: {{level: day, every: 1}}\n{NODES}"
    same = text.replace("state: offline", "state: online")

    warned = [site.service.warnings([{"name": "t.yaml", "text": each}]) for each in (text, same)]

    [warning], nothing = warned
    assert (warning["code"], warning["line"], warning["column"]) == (
        schedules.STATE_NOT_COUNTED.number,
        4,
        12,
    )
    assert warning["message"] == "task 't' is online in the workspace and stays so"
    assert nothing == []
