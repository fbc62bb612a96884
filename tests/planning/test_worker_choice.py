"""Whom ``on`` means, who of them can run a job, and who of those gets it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.reason import Kind, Reason
from engine.model.states import WorkerState
from engine.model.worker import LOCAL_WORKER, Worker
from engine.planning.worker_choice import HERE, Room, Where, best, is_meant, obstacle

WORKERS = [
    LOCAL_WORKER,
    Worker("a", groups=("big",), labels={"os": "linux"}),
    Worker("b", groups=("big", "new"), labels={"os": "linux", "zone": "1"}),
    Worker("c", labels={"os": "bsd"}, secrets="allow"),
]
ROOMS = st.lists(
    st.builds(
        Room,
        name=st.sampled_from("abcdef"),
        slots=st.integers(0, 5),
        taken=st.integers(0, 6),
        load=st.none() | st.floats(0, 9),
    ),
    unique_by=lambda room: room.name,
    max_size=6,
)


def first(names: Sequence[str]) -> str:
    return names[0]


@pytest.mark.parametrize(
    ("where", "names"),
    [
        (HERE, ["local"]),
        (Where(workers=("a", "local")), ["local", "a"]),
        (Where(group="big"), ["a", "b"]),
        (Where(labels=(("os", "linux"),)), ["a", "b"]),
        (Where(labels=(("os", "linux"), ("zone", "1"))), ["b"]),
        (Where(workers=("a", "c"), group="big"), ["a"]),
        (Where(group="small"), []),
    ],
)
def test_a_list_a_group_and_labels_name_workers(where: Where, names: list[str]) -> None:
    assert [each.name for each in WORKERS if is_meant(where, each)] == names


def test_who_is_not_online_cannot_and_says_why() -> None:
    untrusted = Reason(Kind.UNTRUSTED)

    assert obstacle(HERE, WORKERS[1], "untrusted", untrusted) == untrusted
    assert obstacle(HERE, WORKERS[1], "offline", None) == Reason.of(Kind.WORKER_STATE, state="offline")
    assert obstacle(HERE, WORKERS[1], "online", None) is None


def test_what_is_not_moved_runs_on_this_machine_alone() -> None:
    call = Where(workers=("local", "a"), movable=False)

    assert obstacle(call, LOCAL_WORKER, "online", None) is None
    assert obstacle(call, WORKERS[1], "online", None) == Reason(Kind.NOT_MOVED)


def test_a_secret_goes_only_where_it_is_allowed() -> None:
    given = Where(workers=("a", "c"), secret=True)

    assert obstacle(given, WORKERS[1], "online", None) == Reason(Kind.SECRET_REFUSED)
    assert obstacle(given, WORKERS[3], "online", None) is None
    assert obstacle(given, LOCAL_WORKER, str(WorkerState.ONLINE), None) is None


@given(ROOMS, st.booleans(), st.none() | st.sampled_from("abcdef"))
def test_who_is_chosen_has_a_slot_and_none_is_chosen_only_where_none_has(
    rooms: list[Room], random: bool, avoid: str | None
) -> None:
    name = best(Where(random=random, avoid=avoid), rooms, first)

    free = {room.name: room for room in rooms if room.taken < room.slots}
    assert (name is None) == (not free)
    assert name is None or name in free


@given(ROOMS)
def test_the_one_with_most_free_slots_in_proportion_then_the_lowest_load(rooms: list[Room]) -> None:
    name = best(Where(), rooms, first)

    chosen = next((room for room in rooms if room.name == name), None)
    for room in rooms if chosen is not None else ():
        if room.taken < room.slots:
            assert room.free <= chosen.free
            if room.free == chosen.free and room.load is not None:
                assert chosen.load is not None
                assert chosen.load <= room.load


@given(ROOMS, st.sampled_from("abcdef"))
def test_another_worker_than_the_one_before_is_preferred(rooms: list[Room], before: str) -> None:
    name = best(Where(avoid=before), rooms, first)

    others = [room for room in rooms if room.taken < room.slots and room.name != before]
    assert (name == before) <= (not others)


@given(ROOMS)
def test_at_random_all_that_can_are_offered(rooms: list[Room]) -> None:
    offered: list[str] = []

    def note(names: Sequence[str]) -> str:
        offered.extend(names)
        return names[-1]

    name = best(Where(random=True), rooms, note)

    free = sorted(room.name for room in rooms if room.taken < room.slots)
    assert offered == (free if len(free) > 1 else [])
    assert name == (free[-1] if free else None)
