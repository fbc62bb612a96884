"""Tasks go online, offline and away by command: the table, several together, and what becomes of instances."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from engine.model.codes.commands import ONLINE_UNCHANGED, STATE_REFUSED
from engine.model.codes.store import CONFLICT
from engine.model.errors import Refused, SkerryError
from engine.planning.schedules.life_cycle import Command
from engine.runtime.interventions import amending
from engine.runtime.interventions.amendment import Amendment, NewDefinition
from engine.runtime.timing import task_changes, task_moves
from engine.runtime.timing.kept_schedules import KeptSchedules
from engine.runtime.timing.scheduler import begin_or_say
from engine.runtime.timing.task_graph import TaskGraph
from engine.store.changes import Changes
from engine.store.reading_definitions import DefinitionReading
from engine.store.rebuild import rebuild_database
from engine.store.rows import InstanceRow
from tests.timing.conftest import AN_HOUR, AT_ONCE, SETTINGS, TimedSite


@pytest.mark.parametrize(
    ("now", "wanted", "schedule", "allowed"),
    [
        ("init", "online", "manual", True),
        ("init", "online", {"level": "day", "every": 1}, True),
        ("offline", "online", "manual", True),
        ("init", "online", None, False),
        ("init", "offline", None, False),
        ("online", "offline", "manual", True),
        ("online", "deleted", "manual", False),
        ("offline", "deleted", "manual", True),
        ("deleted", "online", "manual", False),
        ("online", "init", "manual", False),
    ],
)
def test_the_moves_of_a_task(site: TimedSite, now: str, wanted: str, schedule: Any, allowed: bool) -> None:
    store = site.engine.store
    site.define("t", schedule)
    store.delete_definition("task", "t") if now == "deleted" else store.set_task_state("t", now)

    if allowed:
        [moved] = site.service.move_tasks(["t"], wanted)["tasks"]
        assert (moved["from"], moved["to"], moved["refused"]) == (now, wanted, None)
        return
    with pytest.raises(Refused) as refused:
        site.service.move_tasks(["t"], wanted)
    assert refused.value.entry is STATE_REFUSED


def test_several_tasks_change_together_or_not_at_all(site: TimedSite) -> None:
    site.define("good", {"level": "day", "every": 1})
    site.define("bad", {"cron": "0 0 0 30 2 ?"})

    with pytest.raises(Refused, match="never fires"):
        site.service.move_tasks(["good", "bad"], "online")

    assert {head.state for head in site.engine.store.task_heads()} == {"init"}
    assert site.engine.store.schedules() == []


def test_going_online_keeps_level_cron_zone_and_the_next_time(site: TimedSite) -> None:
    site.online("t", {"level": "day", "every": 1, "at": "09:30", "timezone": "Asia/Shanghai"})

    [row] = site.engine.store.schedules()

    assert (row.level, row.cron, row.zone) == ("day", "0 30 9 1/1 * ?", "Asia/Shanghai")
    assert row.since == "2026-11-21T08:00:00.000000+00:00"
    assert row.next_at == "2026-11-22T01:30:00.000000+00:00"


def test_the_time_zone_of_the_workspace_is_kept_until_the_task_goes_online_again(site: TimedSite) -> None:
    site.online("t", {"level": "day", "every": 1, "at": "09:30"})
    (site.root / "workspace.yaml").write_text(SETTINGS.replace("UTC", "Asia/Shanghai"))
    site.again().settle()
    [before] = site.engine.store.schedules()

    site.service.move_tasks(["t"], "offline")
    site.service.move_tasks(["t"], "online")

    [after] = site.engine.store.schedules()
    assert (before.zone, after.zone) == ("UTC", "Asia/Shanghai")
    assert (before.next_at or "", after.next_at or "") < ("2026-11-21T10", "2026-11-22T02")


def test_a_past_time_is_asked_of_the_schedule_that_held_then(site: TimedSite) -> None:
    site.online("t", {"level": "day", "every": 1})
    site.forward(hours=1)
    site.service.move_tasks(["t"], "offline")
    site.forward(hours=1)
    site.online("t", {"level": "hour", "every": 1})

    held = [
        (row.cron, row.since[11:16], row.until and row.until[11:16])
        for row in site.engine.store.schedules_of("t")
    ]

    assert held == [("0 0 0 1/1 * ?", "08:00", "09:00"), ("0 0 0/1 * * ?", "10:00", None)]


def test_offline_what_has_not_begun_does_not_begin_and_what_runs_goes_on(site: TimedSite) -> None:
    site.online("t", {"level": "minute", "every": 1, "overlap": "wait"}, AN_HOUR)
    site.forward(minutes=1)
    site.forward(minutes=1)
    assert site.states() == ["running", "waiting"]

    planned = site.service.move_tasks(["t"], "offline", dry_run=True)["tasks"]
    site.service.move_tasks(["t"], "offline")

    [moved] = planned
    assert site.instances()[1].id in moved.pop("instances")
    assert moved == {"task": "t", "from": "online", "to": "offline", "refused": None, "dependants": []}
    assert site.states() == ["running", "offline"]
    site.forward(minutes=5)
    assert len(site.instances()) == 2


def test_a_dry_run_changes_nothing(site: TimedSite) -> None:
    site.define("t", None)

    [answer] = site.service.move_tasks(["t"], "online", dry_run=True)["tasks"]

    assert answer["refused"] == "task 't' has no schedule (or 'schedule: manual')"
    assert [head.state for head in site.engine.store.task_heads()] == ["init"]


def test_a_task_that_others_wait_for_is_not_deleted(site: TimedSite) -> None:
    site.online("up", {"level": "day", "every": 1})
    site.online("down", {"level": "day", "every": 1}, depends_on=[{"task": "up"}])
    site.service.move_tasks(["up"], "offline")

    with pytest.raises(Refused, match="waited for by tasks that are online: down"):
        site.service.move_tasks(["up"], "deleted")

    [answer] = site.service.move_tasks(["up"], "deleted", dry_run=True)["tasks"]
    assert answer["dependants"] == ["down"]


def test_a_task_that_is_loaded_online_fires_too(site: TimedSite) -> None:
    site.service.load(
        [{"name": "t.yaml", "text": "skerry: 1\ntasks: {t: {state: online, schedule: {level: hour, every: 1},"
          " nodes: {a: {type: condition, value: '1 == 1'}}}}\n"}]
    )  # fmt: skip
    site.settle()

    site.forward(hours=1)

    assert site.times() == ["21 09:00"]


def test_loading_a_file_moves_no_task_that_is_there(site: TimedSite) -> None:
    site.online("t", {"level": "hour", "every": 1})

    site.define("t", {"level": "hour", "every": 1}, {"type": "condition", "value": "2 == 2"}, state="offline")
    site.forward(hours=1)

    assert [head.state for head in site.engine.store.task_heads()] == ["online"]
    assert site.times() == ["21 09:00"]


def test_deliveries_are_taken_back_one_after_the_other(site: TimedSite) -> None:
    # given a task and its calendar as one delivery brought them and a second one changed them
    operations, store = site.service.operations, site.engine.store
    for id, day in (("d1", "2026-12-01"), ("d2", "2026-12-02")):
        schedule = {"level": "hour", "every": 1, "calendar": "c"}
        fresh = {
            ("calendar", "c"): {"off": [day]},
            ("task", "t"): {"schedule": schedule, "nodes": {"a": AT_ONCE}, "description": day},
        }
        rows = {key: store.definition(*key) for key in fresh}
        new = [
            NewDefinition(*key, each, row.hash if (row := rows[key]) else None) for key, each in fresh.items()
        ]
        operations.amend_verified(Amendment(id, "delivery", definitions=tuple(new)))

    # when the second one is taken back, then the first one can be, and one that was changed cannot
    operations.take_back("d2", "not wanted")
    assert store.content("calendar", "c") == {"off": ["2026-12-01"]}
    store.save_definitions({"calendars": {"c": {"off": ["2026-12-03"]}}})
    with pytest.raises(Refused, match="calendar 'c' was changed since"):
        operations.take_back("d1", "not wanted")
    store.save_definitions({"calendars": {"c": {"off": ["2026-12-01"]}}})
    operations.take_back("d1", "not wanted")
    assert (store.content("calendar", "c"), store.content("task", "t")) == (None, None)


@pytest.mark.parametrize(
    "again", [None, {"schedule": {"level": "hour", "every": 2}, "nodes": {"a": AT_ONCE}}]
)
def test_taking_a_delivery_back_neither_deletes_nor_reschedules_an_online_task(
    site: TimedSite, again: dict[str, Any] | None
) -> None:
    """``again``: what was there before the delivery; None: nothing was."""
    operations = site.service.operations
    if again is not None:
        site.engine.store.save_definitions({"tasks": {"t": again}})
    content = {"schedule": {"level": "hour", "every": 1}, "nodes": {"a": AT_ONCE}}
    before = site.engine.store.definition("task", "t")
    new = NewDefinition("task", "t", content, before.hash if before else None)
    operations.amend_verified(Amendment("d1", "delivery", definitions=(new,)))
    site.service.move_tasks(["t"], "online")

    with pytest.raises(Refused) as refused:
        operations.take_back("d1", "not wanted")

    assert refused.value.entry is ONLINE_UNCHANGED
    site.forward(hours=1)
    assert site.times() == ["21 09:00"]


@pytest.mark.parametrize("moment", ["before the commit", "after the commit", "before its file"])
def test_a_kill_while_a_delivery_is_taken_back_leaves_all_of_it_or_nothing(
    site: TimedSite, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    # given a delivery that brought a calendar and a task that goes by it, beside one that is online
    site.online("other", {"level": "hour", "every": 1})
    fresh = {
        ("calendar", "c"): {"off": ["2026-12-01"]},
        ("task", "t"): {"schedule": {"level": "hour", "every": 1, "calendar": "c"}, "nodes": {"a": AT_ONCE}},
    }
    new = tuple(NewDefinition(*key, content, None) for key, content in fresh.items())
    site.service.operations.amend_verified(Amendment("d1", "delivery", definitions=new))
    commit = site.engine.store.commit

    def killed(*given: Any) -> None:
        if moment == "after the commit":
            commit(*given)
        raise SkerryError(CONFLICT, "killed")

    # when it is taken back and the engine is killed
    with monkeypatch.context() as patched:
        if moment == "before its file":
            patched.setattr(amending, "file_record", killed)
        else:
            patched.setattr(site.engine.store, "commit", killed)
        with pytest.raises(SkerryError, match="killed"):
            site.service.operations.take_back("d1", "not wanted")
    site.again()

    # then all of it is there, or nothing, in database and file, and can be taken back, or no more
    store, operations = site.engine.store, site.service.operations
    [record] = operations.amendments()
    taken_back = moment != "before the commit"
    assert (record["undone_at"] is not None) == taken_back
    assert {store.content(*key) is None for key in fresh} == {taken_back}
    [file] = (site.root / "amendments").glob("*.json")
    assert ("not wanted" in file.read_text()) == taken_back
    if not taken_back:
        operations.take_back("d1", "not wanted")
    with pytest.raises(Refused):
        operations.take_back("d1", "not wanted")
    site.forward(hours=1)
    assert (site.times("other"), site.times()) == (["21 09:00"], [])


def test_after_a_rebuild_every_task_with_a_schedule_is_offline(site: TimedSite) -> None:
    site.online("t", {"level": "hour", "every": 1}, state="online")
    site.define("by_hand", None)
    site.forward(hours=1)
    site.engine.close()

    rebuild_database(site.engine.workspace.database_url, site.engine.workspace.instances, clock=site.clock)
    site.engine = site._made()
    site.start()

    assert {head.task: head.state for head in site.engine.store.task_heads()}["t"] == "offline"
    site.forward(hours=2)
    assert site.times() == ["21 09:00"]


@pytest.mark.parametrize(("first", "then", "hold"), [("online", "offline", 0), ("offline", "online", 1)])
def test_an_engine_that_begins_to_fire_while_a_task_moves_has_its_schedule_once(
    site: TimedSite, monkeypatch: pytest.MonkeyPatch, first: str, then: str, hold: int
) -> None:
    site.online("t", {"level": "hour", "every": 1})
    site.service.move_tasks(["t"], first)
    site.again(fires=False)
    scheduler, services = site.engine.scheduler, site.engine.services
    moved = scheduler.launching.task_moved

    def in_the_same_turn(task: str) -> None:
        moved(task)
        begin_or_say(scheduler, services)

    monkeypatch.setattr(scheduler.launching, "task_moved", in_the_same_turn)

    site.service.move_tasks(["t"], then)
    site.settle()

    assert scheduler.fires
    assert len(site.engine.store.schedules()) == len(scheduler.kept) == hold
    site.forward(hours=1)
    assert site.states().count("succeeded") == hold


@pytest.mark.parametrize("state", ["online", "offline", "deleted"])
def test_many_tasks_move_by_as_many_queries_as_a_few(
    site: TimedSite, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given 3 and 60 tasks in the state from which they move, with an instance ahead each
    before = {"online": [], "offline": ["online"], "deleted": ["online", "offline"]}[state]
    few, many = ([f"{name}{n}" for n in range(count)] for name, count in (("few", 3), ("many", 60)))
    for task in (*few, *many):
        site.define(task, {"level": "day", "every": 1, "at": "09:30"})
    for each in before:
        site.service.move_tasks([*few, *many], each)
    queries: list[str] = []
    read, carried_out = DefinitionReading._all, task_changes.carry_out

    def counted(*given: Any) -> None:
        monkeypatch.setattr(
            DefinitionReading, "_all", lambda *a, **b: (queries.append("one"), read(*a, **b))[1]
        )
        carried_out(*given)
        monkeypatch.setattr(DefinitionReading, "_all", read)

    monkeypatch.setattr(task_changes, "carry_out", counted)

    site.service.move_tasks(few, state)
    of_few = len(queries)
    site.service.move_tasks(many, state)

    assert len(queries) - of_few == of_few > 0
    assert {each.state for each in site.engine.store.task_heads()} == (
        {state} if state != "deleted" else set()
    )


def test_what_is_planned_of_many_tasks_leaves_in_turns_of_its_own(
    site: TimedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given two tasks with a day of instances each, more than one turn takes, made after the decision
    monkeypatch.setattr(task_moves, "_AT_ONCE", 20)
    for task in ("a", "b"):
        site.online(task, {"level": "hour", "every": 1})
    site.engine.scheduler.wait_until_made()
    ahead = site.engine.scheduler.ahead  # takes them offline as well, when it comes first
    monkeypatch.setattr(ahead, "follow", ahead.let_go)
    before_they_were_made = dict[str, list[InstanceRow]](a=[], b=[])
    decide = task_changes.decided
    monkeypatch.setattr(
        task_changes, "decided", lambda *of: replace(decide(*of), coming=before_they_were_made)
    )
    changed: list[tuple[int, int]] = []
    for step in ("carry_out", "take_offline"):
        monkeypatch.setattr(task_changes, step, counted(site, getattr(task_changes, step), changed))

    # when they go offline together
    site.service.move_tasks(["a", "b"], "offline")

    # then their states change at once, and what is planned in a turn for each
    of_day = len(site.coming("a"))
    assert changed == [(2, 0), (0, of_day), (0, of_day)]
    assert {row.status for row in (*site.coming("a"), *site.coming("b"))} == {"offline"}


def counted(
    site: TimedSite, step: Callable[..., None], changed: list[tuple[int, int]]
) -> Callable[..., None]:
    """The step of a turn, with how many tasks and instances it moved: a commit may have those of several turns."""

    def so_many() -> tuple[int, int]:
        changes = site.engine.services.changes
        return len(changes.task_moves), sum(1 for _ in changes.moved("instance"))

    def done(*given: Any) -> None:
        tasks, instances = so_many()
        step(*given)
        tasks_after, instances_after = so_many()
        changed.append((tasks_after - tasks, instances_after - instances))

    return done


@pytest.mark.parametrize("hours", [0, 5])
def test_a_kill_while_what_is_planned_leaves_leaves_nothing_that_is_planned(
    site: TimedSite, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    # given the engine is killed when the task is offline and its instances are not
    site.online("t", {"level": "hour", "every": 1})
    commit, planned = site.engine.store.commit, len(site.coming())

    def killed(changes: Changes) -> None:
        if not changes.task_moves:
            raise SkerryError(CONFLICT, "killed")
        commit(changes)

    monkeypatch.setattr(site.engine.store, "commit", killed)
    with pytest.raises(SkerryError):
        site.service.move_tasks(["t"], "offline")

    # when the next engine comes, at once or after some of their times have passed
    site.clock.forward(hours=hours)
    site.again()
    site.engine.scheduler.wait_until_made()

    # then none of them is planned, none has run, and each has its time once
    rows = site.coming()
    assert {row.status for row in rows} == {"offline"}
    assert len({row.scheduled_time for row in rows}) == len(rows) >= planned
    assert site.instances() == []


def test_what_began_to_wait_in_the_turn_in_which_its_task_goes_offline_goes_offline_with_it(
    site: TimedSite,
) -> None:
    # given one that runs, behind which the next one of the task will wait
    site.online("t", {"level": "minute", "every": 1, "overlap": "wait"}, AN_HOUR)
    site.forward(minutes=1)
    services, scheduler = site.engine.services, site.engine.scheduler
    commands: dict[str, Command] = {"t": "offline"}
    done = task_moves.decided(services, TaskGraph(services, {}), commands)

    # when its time comes in the very turn that carries the command out
    def at_once() -> None:
        site.clock.forward(minutes=1)
        scheduler.look()
        task_moves.carry_out(services, scheduler, done, {}, "anna")

    services.loop.ask(at_once)

    # then it does not wait for ever
    assert site.states() == ["running", "offline"]


def test_the_schedule_of_a_command_is_not_read_from_its_definition_once_more(
    site: TimedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    look_at = KeptSchedules._look_at

    def looked(kept: KeptSchedules, task: str, revision: int) -> None:
        read.append(task)
        look_at(kept, task, revision)

    monkeypatch.setattr(KeptSchedules, "_look_at", looked)
    site.online("t", {"level": "hour", "every": 1})
    assert read == []

    # another definition of it is
    changed = {"schedule": {"level": "hour", "every": 1}, "nodes": {"a": {**AT_ONCE, "value": "2 == 1"}}}
    site.service.load([{"name": "t.json", "text": json.dumps({"skerry": 1, "tasks": {"t": changed}})}])
    site.settle()
    assert read == ["t"]
