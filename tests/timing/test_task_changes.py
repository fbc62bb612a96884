"""One rule for all that changes tasks: commands, loading, fixes and deliveries, and taking those back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from engine.definitions.writer import dump
from engine.model.codes.commands import ONLINE_UNCHANGED, STATE_REFUSED
from engine.model.codes.store import CONFLICT
from engine.model.errors import Refused
from engine.runtime.interventions.amendment import Amendment, NewDefinition
from engine.runtime.threads import SystemThreads
from engine.runtime.timing.graph_turns import GraphTurns
from engine.store.changes import Changes, Placed
from tests.timing.conftest import AT_ONCE, TimedSite

HOURLY, DAILY = {"level": "hour", "every": 1}, {"level": "day", "every": 1}


def a_task(schedule: Any = DAILY, **keys: Any) -> dict[str, Any]:
    return {"schedule": schedule, "nodes": {"a": AT_ONCE}, **keys}


def waiting_for(task: str, **keys: Any) -> dict[str, Any]:
    return a_task(depends_on=[{"task": task}], **keys)


def load(site: TimedSite, **tasks: Any) -> None:
    site.service.load([{"name": "t.yaml", "text": dump({"tasks": tasks})}])


def deliver(site: TimedSite, id: str, **tasks: Any) -> None:
    rows = {name: site.engine.store.definition("task", name) for name in tasks}
    new = tuple(
        NewDefinition("task", name, content, row.hash if (row := rows[name]) else None)
        for name, content in tasks.items()
    )
    site.service.operations.amend_verified(Amendment(id, "delivery", definitions=new))


WAYS = {
    "load": lambda site, **tasks: load(site, **tasks),
    "deliver": lambda site, **tasks: deliver(site, "d1", **tasks),
}


def states(site: TimedSite) -> dict[str, str]:
    return {head.task: head.state for head in site.engine.store.task_heads()}


def content(site: TimedSite, task: str) -> Any:
    row = site.engine.store.definition("task", task)
    return row.content if row is not None else None


# -- what loading and deliveries may do --------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("changed", "entry"),
    [
        (a_task(DAILY), ONLINE_UNCHANGED),
        (a_task(HOURLY, depends_on=[{"self": True}]), ONLINE_UNCHANGED),
        ({"nodes": {"a": AT_ONCE}}, ONLINE_UNCHANGED),
    ],
)
def test_schedule_and_dependencies_of_an_online_task_stay(
    site: TimedSite, way: str, changed: Any, entry: Any
) -> None:
    site.online("t", HOURLY)

    with pytest.raises(Refused) as refused:
        WAYS[way](site, t=changed, other=a_task())

    assert refused.value.entry is entry
    assert list(states(site)) == ["t"]


@pytest.mark.parametrize("way", WAYS)
def test_the_same_schedule_in_other_words_changes_nothing(site: TimedSite, way: str) -> None:
    site.online("t", {"cron": "0 0 * * * ?"})
    before = site.engine.store.schedules()

    WAYS[way](site, t=a_task({"level": "crontab", "cron": "0 0 * * * ?", "overlap": "skip"}))
    site.forward(hours=1)

    [row], [held] = before, site.engine.store.schedules()
    assert (held.id, held.since, held.until) == (row.id, row.since, None)
    assert site.times() == ["21 09:00"]


@pytest.mark.parametrize("way", WAYS)
def test_the_state_of_a_file_counts_for_a_new_task_only(site: TimedSite, way: str) -> None:
    site.define("old", DAILY)

    WAYS[way](site, old=a_task(state="online", name="x"), new=a_task(state="online"))

    assert states(site) == {"old": "init", "new": "online"}


def test_what_was_deleted_is_init_when_it_is_loaded_again(site: TimedSite) -> None:
    site.online("t", DAILY)
    for state in ("offline", "deleted"):
        site.service.move_tasks(["t"], state)

    load(site, t=a_task())

    assert states(site) == {"t": "init"}


@pytest.mark.parametrize("way", WAYS)
def test_an_upstream_that_online_tasks_could_no_longer_wait_for_is_not_loaded(
    site: TimedSite, way: str
) -> None:
    site.online("up", DAILY)
    site.online("down", DAILY, depends_on=[{"task": "up", "window": "same_period"}])
    site.service.move_tasks(["up"], "offline")

    with pytest.raises(Refused, match="could no longer wait for task 'up': down") as refused:
        WAYS[way](site, up=a_task({"level": "minute", "every": 5}))

    assert refused.value.entry is STATE_REFUSED
    assert content(site, "up")["schedule"] == DAILY


# -- commands ------------------------------------------------------------------------------------


def test_a_task_whose_pairing_is_not_allowed_does_not_go_online(site: TimedSite) -> None:
    site.online("up", {"level": "minute", "every": 5})
    site.define("down", DAILY, depends_on=[{"task": "up", "window": "same_period"}])

    with pytest.raises(Refused, match="cannot go online: task 'up': an upstream of the level minute"):
        site.service.move_tasks(["down"], "online")


def test_a_task_whose_calendar_is_not_there_does_not_go_online(site: TimedSite) -> None:
    site.define("t", {**DAILY, "calendar": "harbour"})

    with pytest.raises(Refused, match="cannot go online: there is no calendar 'harbour'"):
        site.service.move_tasks(["t"], "online")


# -- taking back ---------------------------------------------------------------------------------


def test_taking_back_deletes_no_task_that_an_online_one_waits_for(site: TimedSite) -> None:
    deliver(site, "d1", up=a_task())
    site.service.move_tasks(["up"], "online")
    site.online("down", DAILY, depends_on=[{"task": "up"}])
    site.service.move_tasks(["up"], "offline")

    with pytest.raises(Refused, match="waited for by tasks that are online: down"):
        site.service.take_back("d1", "not wanted")

    assert states(site) == {"down": "online", "up": "offline"}


def test_taking_back_restores_no_schedule_that_online_tasks_cannot_wait_for(site: TimedSite) -> None:
    site.define("up", {"level": "minute", "every": 5})
    deliver(site, "d1", up=a_task())
    site.service.move_tasks(["up"], "online")
    site.online("down", DAILY, depends_on=[{"task": "up", "window": "same_period"}])
    site.service.move_tasks(["up"], "offline")

    with pytest.raises(Refused, match="could no longer wait for task 'up': down"):
        site.service.take_back("d1", "not wanted")

    assert content(site, "up")["schedule"] == DAILY


def test_what_else_a_delivery_brought_an_online_task_is_taken_back(site: TimedSite) -> None:
    site.online("t", HOURLY)
    [row] = site.engine.store.schedules()
    deliver(site, "d1", t=a_task(HOURLY, name="new"))

    site.service.take_back("d1", "not wanted")

    assert "name" not in content(site, "t")
    assert (states(site), [each.id for each in site.engine.store.schedules()]) == ({"t": "online"}, [row.id])


def test_a_task_that_was_only_delivered_is_deleted_when_it_is_taken_back(site: TimedSite) -> None:
    deliver(site, "d1", t=a_task())

    site.service.take_back("d1", "not wanted")

    assert states(site) == {}


# -- one after another ---------------------------------------------------------------------------


def test_a_deletion_expects_the_state_that_it_was_decided_on(site: TimedSite) -> None:
    site.define("t", DAILY)
    site.service.move_tasks(["t"], "online")
    changes = Changes()
    changes.define(Placed("task", "t", None, 1, state="deleted", before="init"))

    with pytest.raises(Refused) as refused:
        site.engine.store.commit(changes)

    assert refused.value.entry is CONFLICT
    assert states(site) == {"t": "online"}


def test_loading_expects_the_state_that_it_was_decided_on(site: TimedSite) -> None:
    site.define("t", DAILY)

    with pytest.raises(Refused) as refused:
        site.engine.store.save_definitions({"tasks": {"t": a_task(HOURLY)}}, states={"t": "offline"})

    assert refused.value.entry is CONFLICT
    assert content(site, "t")["schedule"] == DAILY


def test_who_loads_and_who_puts_online_at_once_are_one_after_the_other(site: TimedSite) -> None:
    """Whatever comes first: no task is online with another schedule than the one that holds."""
    for name in (f"t{n}" for n in range(12)):
        site.define(name, DAILY)

        def reload(name: str = name) -> None:
            load(site, **{name: a_task(HOURLY)})

        def online(name: str = name) -> None:
            site.service.move_tasks([name], "online")

        with ThreadPoolExecutor(2) as people:
            asked = [people.submit(each) for each in (reload, online)]
            refused = [each.exception() for each in asked if each.exception()]
        assert all(isinstance(each, Refused) and each.entry is ONLINE_UNCHANGED for each in refused)
        [held] = [row for row in site.engine.store.schedules() if row.task == name]
        assert held.level == content(site, name)["schedule"]["level"]


def test_another_graph_does_not_wait() -> None:
    turns, begun, go = GraphTurns(SystemThreads()), Event(), Event()

    def hold() -> None:
        with turns.taking(lambda: {"a", "b"}):
            begun.set()
            go.wait(30)

    def same() -> str:
        with turns.taking(lambda: {"b"}):
            return "same"

    with ThreadPoolExecutor(2) as people:
        people.submit(hold)
        assert begun.wait(30)
        waiting = people.submit(same)
        with turns.taking(lambda: {"c"}):
            other = not waiting.done()
        go.set()
        assert (other, waiting.result(30)) == (True, "same")


def test_who_waited_takes_in_what_was_connected_meanwhile() -> None:
    turns, asked = GraphTurns(SystemThreads()), iter([{"a"}, {"a", "b"}, {"a", "b"}])
    inner = iter([{"b"}])

    with turns.taking(lambda: next(asked)):
        taken = turns._taken.copy()

    assert (taken, turns._taken) == ({"a", "b"}, set())
    with turns.taking(lambda: next(inner, {"b"})):
        assert turns._taken == {"b"}
