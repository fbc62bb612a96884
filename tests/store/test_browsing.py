"""Looking through many instances: ids in any order, rows by id, on every database."""

from __future__ import annotations

from itertools import chain

import pytest

from engine.store.browsing import Browser, SortedFilter
from engine.store.changes import Changes
from engine.store.sql_store import Store
from tests.store.conftest import a_job, an_instance, at, with_instances


@pytest.fixture
def browser(store: Store) -> Browser:
    with_instances(
        store,
        an_instance(1, status="succeeded", task="b", name="zinc", started_at=at(), ended_at=at(seconds=9)),
        an_instance(
            2,
            status="failed",
            error_code=-1_10_00_001_007,
            error_message="exit status 7",
            started_at=at(),
            ended_at=at(seconds=3),
        ),
        an_instance(3, status="planned"),
        an_instance(4, status="failed", error_code=-1_10_02_000_000, task="a%_b", reason="Waits FOR it"),
        an_instance(5, status="running", name="每日报表"),
    )
    changes = Changes()
    changes.insert("job_instance", a_job(1, instance=2, node="load", status="failed"))
    changes.insert("job_instance", a_job(2, instance=5, node="load", status="running"))
    store.commit(changes)
    return store.browser()


def ids(browser: Browser, wanted: SortedFilter) -> list[int]:
    return list(chain.from_iterable(browser.ids(wanted)))


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (SortedFilter(), [5, 4, 2, 1]),
        (SortedFilter(ascending=True), [1, 2, 4, 5]),
        (SortedFilter(order="task"), [5, 1, 2, 4]),
        (SortedFilter(statuses=("planned", "failed")), [4, 3, 2]),
        (SortedFilter(task="a%_b"), [4]),
        (SortedFilter(since=at(seconds=2), until=at(seconds=5)), [4, 2]),
        (SortedFilter(code=-1_10_00_001_000), [2]),
        (SortedFilter(code=-1_10_00_000_000), [4, 2]),
        (SortedFilter(code=-1_10_02_000_000), [4]),
        (SortedFilter(code=-1_20_00_000_000), []),
        (SortedFilter(text="STATUS 7"), [2]),
        (SortedFilter(text="报表"), [5]),
        (SortedFilter(text="%_"), [4]),
        (SortedFilter(text="for it"), [4]),
        (SortedFilter(node="load"), [2]),
        (SortedFilter(order="duration"), [1, 2, 5, 4]),
        (SortedFilter(order="duration", ascending=True), [4, 5, 2, 1]),
        (SortedFilter(text="#2"), [2]),
        (SortedFilter(text="#99999999999999999999"), []),
        (SortedFilter(text="001007"), [2]),
    ],
)
def test_what_is_wanted_comes_in_its_order(browser: Browser, wanted: SortedFilter, found: list[int]) -> None:
    assert ids(browser, wanted) == found


def test_rows_come_in_the_order_asked_for_and_removed_ones_are_left_out(browser: Browser) -> None:
    assert [row.id for row in browser.rows([4, 99, 1])] == [4, 1]
    assert browser.rows([]) == []


def test_every_task_that_ever_ran_is_known(browser: Browser) -> None:
    assert browser.tasks() == ["a%_b", "b", "nightly"]


def test_only_known_columns_order() -> None:
    with pytest.raises(ValueError, match="params"):
        next(Browser(lambda: pytest.fail("not asked"), "sqlite").ids(SortedFilter(order="params")))


def test_what_ran_in_a_span_is_found_by_when_it_ran_and_not_by_when_it_was_due(store: Store) -> None:
    with_instances(
        store,
        an_instance(1, status="succeeded", started_at=at(seconds=100), ended_at=at(seconds=200)),
        an_instance(2, status="running", started_at=at(seconds=50)),
        an_instance(3, status="failed", started_at=at(seconds=10), ended_at=at(seconds=20)),
        an_instance(4, status="planned"),
        an_instance(5, status="waiting"),
        an_instance(6, status="succeeded", started_at=at(seconds=300), ended_at=at(seconds=301)),
    )

    found = store.browser().running_in(at(seconds=150), at(seconds=300))

    assert [(each.id, each.status, each.ended_at) for each in found] == [
        (2, "running", None),
        (1, "succeeded", at(seconds=200)),
    ]
