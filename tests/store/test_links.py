"""What an instance waits for of each task: ranges of scheduled times, found from both sides."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from engine.store.changes import Changes
from engine.store.opening import open_store
from engine.store.sql_store import Store
from tests.store.conftest import StillClock, an_instance, at, with_instances
from tests.store.test_migrations import back_to


def a_link(instance: int, upstream: str = "nightly", **values: object) -> dict[str, object]:
    return {"instance": instance, "upstream": upstream, "window": "latest", **values}


def of_one(instance: int, second: int) -> dict[str, object]:
    return a_link(instance, first_at=at(seconds=second), last_at=at(seconds=second), partners=1)


def keep(store: Store, *links: dict[str, object]) -> None:
    changes = Changes()
    for each in links:
        changes.insert("link", each)
    store.commit(changes)


def test_an_instance_has_its_partners_in_the_order_of_time(store: Store) -> None:
    with_instances(
        store, *(an_instance(id, trigger="schedule") for id in (3, 1, 2)), an_instance(9, task="d")
    )
    with_instances(store, an_instance(4, scheduled_time=at(seconds=2.5)))  # by hand: nobody's partner
    keep(store, a_link(9, first_at=at(seconds=1), last_at=at(seconds=3), partners=3), a_link(9, "other"))

    first, nothing = store.links(9)

    assert [row.id for row in store.partners(first)] == [1, 2, 3]
    assert store.partners(nothing) == []


def test_those_that_name_an_instance_are_found_by_its_time(store: Store) -> None:
    with_instances(store, *(an_instance(id) for id in (1, 2, 3, 4)))
    month = a_link(2, first_at=at(seconds=0), last_at=at(seconds=9), partners=10)
    keep(store, of_one(4, 5), month, of_one(3, 6), a_link(1))

    assert [link.instance for link in store.links_to("nightly", at(seconds=5))] == [2, 4]
    assert [link.instance for link in store.links_to("nightly", at(seconds=9))] == [2]
    assert store.links_to("nightly", at(seconds=10)) == []
    assert store.links_to("other", at(seconds=5)) == []


def test_a_forecast_is_decided_once(store: Store) -> None:
    with_instances(store, an_instance(1))
    keep(store, of_one(1, 5))
    changes = Changes()
    changes.move("link", (1, "nightly"), None, at(seconds=7), {"first_at": at(seconds=6)})
    store.commit(changes)

    [link] = store.links(1)

    assert (link.decided_at, link.first_at) == (at(seconds=7), at(seconds=6))


def test_links_go_with_their_instance(store: Store) -> None:
    with_instances(store, an_instance(1), an_instance(2))
    keep(store, of_one(1, 5), of_one(2, 5))

    store.remove_instances([1])

    assert store.links(1) == []
    assert len(store.links(2)) == 1


def test_a_file_of_version_6_keeps_links_from_now_on(tmp_path: Path, clock: StillClock) -> None:
    path = tmp_path / "skerry.db"
    url = f"sqlite:///{path}"
    (made := open_store(url, clock=clock)).close()
    back_to(6, path)
    store = open_store(url, clock=clock)
    with_instances(store, an_instance(1))

    keep(store, of_one(1, 5))

    assert made.put_right == store.put_right == []
    assert store.verify() == []
    store.remove_instances([1])
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT count(*) FROM link").fetchone() == (0,)
    store.close()
