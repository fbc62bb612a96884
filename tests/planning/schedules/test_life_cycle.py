"""What commands make of the states of tasks, alone and together."""

from __future__ import annotations

import pytest

from engine.model.states import TaskState
from engine.planning.schedules.life_cycle import Command, Refusal, StateMove, TaskSituation, moved

INIT, ONLINE, OFFLINE, DELETED = TaskState.INIT, TaskState.ONLINE, TaskState.OFFLINE, TaskState.DELETED


def task(
    state: TaskState,
    *upstreams: str,
    scheduled: bool = True,
    fires: bool = True,
    problems: tuple[str, ...] = (),
) -> TaskSituation:
    return TaskSituation(state, scheduled, fires, upstreams, problems)


def alone(situation: TaskSituation, command: Command) -> TaskState | Refusal:
    [move] = moved({"t": situation}, {"t": command})
    return move.refused or move.after


@pytest.mark.parametrize(
    ("before", "command", "after"),
    [
        (INIT, "online", ONLINE),
        (INIT, "offline", Refusal("never_online")),
        (INIT, "delete", DELETED),
        (INIT, "load", INIT),
        (ONLINE, "online", ONLINE),
        (ONLINE, "offline", OFFLINE),
        (ONLINE, "delete", Refusal("offline_first")),
        (ONLINE, "load", ONLINE),
        (OFFLINE, "online", ONLINE),
        (OFFLINE, "offline", OFFLINE),
        (OFFLINE, "delete", DELETED),
        (OFFLINE, "load", OFFLINE),
        (DELETED, "online", Refusal("deleted")),
        (DELETED, "offline", Refusal("deleted")),
        (DELETED, "delete", DELETED),
        (DELETED, "load", INIT),
    ],
)
def test_the_table_of_the_contract(before: TaskState, command: Command, after: TaskState | Refusal) -> None:
    assert alone(task(before), command) == after


@pytest.mark.parametrize("before", [INIT, OFFLINE])
@pytest.mark.parametrize(
    ("situation", "refusal"),
    [
        ({"scheduled": False, "fires": False}, Refusal("no_schedule")),
        ({"fires": False}, Refusal("never_fires")),
        ({"problems": ("a: no",)}, Refusal("pairing", ("a: no",))),
    ],
)
def test_a_task_goes_online_only_with_a_schedule_that_fires_and_pairings_that_are_allowed(
    before: TaskState, situation: dict[str, object], refusal: Refusal
) -> None:
    assert alone(task(before, **situation), "online") == refusal  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("upstream", "refusal"),
    [(INIT, True), (DELETED, True), (ONLINE, False), (OFFLINE, False)],
)
def test_what_it_waits_for_must_be_online_or_offline(upstream: TaskState, refusal: bool) -> None:
    tasks = {"up": task(upstream), "t": task(INIT, "up")}

    [move] = moved(tasks, {"t": "online"})

    assert move.refused == (Refusal("upstream", ("up",)) if refusal else None)


def test_an_upstream_that_is_not_there_is_not_online() -> None:
    [move] = moved({"t": task(INIT, "gone")}, {"t": "online"})

    assert move.refused == Refusal("upstream", ("gone",))


def test_tasks_go_online_together_with_what_they_wait_for() -> None:
    tasks = {"up": task(INIT), "t": task(INIT, "up")}

    moves = moved(tasks, {"t": "online", "up": "online"})

    assert moves == (StateMove("t", INIT, ONLINE), StateMove("up", INIT, ONLINE))


def test_two_tasks_that_wait_for_each_other_stay_where_they_are() -> None:
    tasks = {"x": task(INIT, "y"), "y": task(INIT, "x")}

    x, y = moved(tasks, {"x": "online", "y": "online"})

    assert x.refused == Refusal("cycle", ("x", "y"))
    assert y.refused is not None
    assert (x.after, y.after) == (INIT, INIT)


def test_a_cycle_further_up_is_found_too() -> None:
    tasks = {"t": task(INIT, "a"), "a": task(OFFLINE, "b"), "b": task(OFFLINE, "a")}

    [move] = moved(tasks, {"t": "online"})

    assert move.refused == Refusal("cycle", ("a", "b"))


@pytest.mark.parametrize("dependant", [INIT, OFFLINE, DELETED])
def test_a_task_that_only_tasks_at_rest_wait_for_can_be_deleted(dependant: TaskState) -> None:
    tasks = {"t": task(OFFLINE), "down": task(dependant, "t")}

    assert moved(tasks, {"t": "delete"}) == (StateMove("t", OFFLINE, DELETED),)


def test_a_task_that_an_online_one_waits_for_is_not_deleted() -> None:
    tasks = {"t": task(OFFLINE), "down": task(ONLINE, "t")}

    [move] = moved(tasks, {"t": "delete"})

    assert move == StateMove("t", OFFLINE, OFFLINE, Refusal("depended_on", ("down",)))


def test_it_can_be_deleted_when_the_other_goes_offline_with_it() -> None:
    tasks = {"t": task(OFFLINE), "down": task(ONLINE, "t")}

    moves = moved(tasks, {"t": "delete", "down": "offline"})

    assert [(each.task, each.after, each.refused) for each in moves] == [
        ("t", DELETED, None),
        ("down", OFFLINE, None),
    ]


@pytest.mark.parametrize(
    ("situation", "after"),
    [
        (TaskSituation(DELETED, True, True), INIT),
        (TaskSituation(DELETED, True, True, given=OFFLINE), OFFLINE),
        (TaskSituation(DELETED, True, True, given=ONLINE), ONLINE),
        (TaskSituation(DELETED, False, False, given=ONLINE), Refusal("no_schedule")),
        (TaskSituation(DELETED, True, False, given=ONLINE), Refusal("never_fires")),
        (TaskSituation(INIT, True, True, given=ONLINE), INIT),
        (TaskSituation(OFFLINE, True, True, given=ONLINE), OFFLINE),
        (TaskSituation(ONLINE, True, True, given=OFFLINE), ONLINE),
        (TaskSituation(ONLINE, True, True, changed=("schedule",)), Refusal("changed", ("schedule",))),
        (TaskSituation(OFFLINE, True, True, changed=("schedule",)), OFFLINE),
    ],
)
def test_the_state_of_a_file_counts_for_a_new_task_only(
    situation: TaskSituation, after: TaskState | Refusal
) -> None:
    assert alone(situation, "load") == after


def test_a_new_task_that_a_file_puts_online_waits_only_for_what_is_online_or_offline_then() -> None:
    new = TaskSituation(DELETED, True, True, ("up",), given=ONLINE)

    together = moved(
        {"t": new, "up": TaskSituation(DELETED, True, True, given=OFFLINE)},
        dict.fromkeys(["t", "up"], "load"),
    )
    [alone_] = moved({"t": new, "up": task(INIT)}, {"t": "load"})

    assert [(each.after, each.refused) for each in together] == [(ONLINE, None), (OFFLINE, None)]
    assert alone_.refused == Refusal("upstream", ("up",))


def test_what_is_loaded_must_not_wait_for_what_is_online_and_waits_for_it() -> None:
    tasks = {"t": task(OFFLINE, "down"), "down": task(ONLINE, "t")}

    [move] = moved(tasks, {"t": "load"})

    assert move.refused == Refusal("cycle", ("t", "down"))


def test_what_is_wrong_already_keeps_no_task_from_going_offline() -> None:
    tasks = {"t": task(ONLINE, "down"), "down": task(ONLINE, "t", problems=("t: no",))}

    moves = moved(tasks, {"t": "offline", "down": "offline"})

    assert [(each.after, each.refused) for each in moves] == [(OFFLINE, None)] * 2


def test_what_is_loaded_must_still_fit_those_online_that_wait_for_it() -> None:
    tasks = {"t": task(OFFLINE), "down": task(ONLINE, "t", problems=("t is a crontab",))}

    [move] = moved(tasks, {"t": "load"})

    assert move.refused == Refusal("unpaired", ("down",))
