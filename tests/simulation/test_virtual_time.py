"""Virtual time: who goes on when, what a kill leaves of a task, and how a circle is noticed."""

from __future__ import annotations

from random import Random

import pytest

from tests.simulation.machine.threads import SimulatedEvent, SimulatedLock
from tests.simulation.machine.virtual_time import Hub, Standstill


@pytest.fixture
def hub() -> Hub:
    return Hub(Random(1), most_steps=1000)


def test_hours_pass_at_once(hub: Hub) -> None:
    moments: list[float] = []

    def body() -> None:
        hub.sleep(3600.0)
        moments.append(hub.now)

    hub.start("one", "sleeper", body)
    hub.run()

    assert moments == [3600.0]


def test_time_passes_for_what_looks_again_after_the_last_bit_of_a_second(hub: Hub) -> None:
    until = 100_000.1

    def look() -> None:
        if hub.now < until:
            hub.after(1e-12, look)

    hub.at(100_000.1 - 2e-11, look)
    hub.run()

    assert hub.now > until


def test_a_frozen_task_never_goes_on_and_runs_no_handler(hub: Hub) -> None:
    happened: list[str] = []

    def body() -> None:
        try:
            hub.sleep(10.0)
            happened.append("went on")
        finally:
            happened.append("cleaned up")

    task = hub.start("engine", "victim", body)
    hub.at(5.0, lambda: hub.freeze("engine"))
    hub.run()

    assert happened == []
    assert not task.is_alive()


def test_a_task_that_freezes_its_owner_stops_at_that_point(hub: Hub) -> None:
    happened: list[str] = []

    def body() -> None:
        happened.append("before")
        hub.freeze("engine")
        happened.append("after")

    hub.start("engine", "suicide", body)
    hub.run()

    assert happened == ["before"]


def test_an_event_ends_the_wait_and_its_timeout_comes_too_late(hub: Hub) -> None:
    event, seen = SimulatedEvent(hub), list[tuple[bool, float]]()

    def body() -> None:
        seen.append((event.wait(10.0), hub.now))
        hub.sleep(60.0)
        seen.append((event.is_set(), hub.now))

    hub.start("one", "waiter", body)
    hub.at(2.0, event.set)
    hub.run()

    assert seen == [(True, 2.0), (True, 62.0)]


def test_a_lock_is_held_while_its_holder_waits(hub: Hub) -> None:
    lock, order = SimulatedLock(hub), list[str]()

    def body(name: str) -> None:
        with lock:
            order.append(name)
            hub.sleep(1.0)
            order.append(name)

    for name in "ab":
        hub.start("one", name, lambda name=name: body(name))
    hub.run()

    assert order in (["a", "a", "b", "b"], ["b", "b", "a", "a"])


def test_what_is_due_at_the_same_moment_comes_in_an_order_that_the_seed_decides() -> None:
    def order(seed: int) -> list[int]:
        hub, found = Hub(Random(seed)), list[int]()
        for number in range(8):
            hub.at(1.0, lambda number=number: found.append(number))
        hub.run()
        return found

    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(10)}) > 5


def test_a_circle_is_noticed(hub: Hub) -> None:
    def again() -> None:
        hub.after(0.0, again)

    again()

    with pytest.raises(Standstill, match="no end"):
        hub.run()


def test_a_life_of_many_days_may_take_a_step_now_and_then(hub: Hub) -> None:
    def renew() -> None:
        for _ in range(2000):
            hub.sleep(10.0)

    task = hub.start("engine", "leases", renew)
    hub.run(done=lambda: task.ended)

    assert hub.now >= 20_000.0
