"""Which ended instances are no longer kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from engine.planning.retention import Ended, Keep, leaving

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)


def ended(id: int, days: float, task: str = "t", **more: object) -> Ended:
    return Ended(id, task, NOW - timedelta(days=days), **more)  # type: ignore[arg-type]


def gone(all_: list[Ended], keep: Keep, **tasks: Keep) -> list[tuple[int, str]]:
    return [tuple(each) for each in leaving(all_, keep, tasks, NOW)]  # type: ignore[misc]


def test_without_a_rule_everything_stays() -> None:
    assert gone([ended(1, 9999)], Keep()) == []


def test_by_days_since_the_end() -> None:
    assert gone([ended(1, 8), ended(2, 6.9), ended(3, 7.1)], Keep(days=7)) == [(1, "days"), (3, "days")]


def test_by_count_the_newest_of_each_task_stay() -> None:
    all_ = [ended(1, 3), ended(2, 2), ended(3, 1), ended(4, 9, "other")]
    assert gone(all_, Keep(count=2)) == [(1, "count")]


def test_what_never_began_pushes_no_run_out() -> None:
    skipped = [ended(id, 0.1 * id, began=False) for id in range(1, 5)]
    assert gone([*skipped, ended(8, 2), ended(9, 1)], Keep(count=2)) == [(4, "count"), (3, "count")]


def test_by_size_of_all_together_without_holes() -> None:
    all_ = [ended(1, 4, size=1), ended(2, 3, "other", size=80), ended(3, 2, size=30), ended(4, 1, size=40)]
    assert gone(all_, Keep(size=100)) == [(1, "size"), (2, "size")]


def test_a_task_with_a_rule_of_its_own_counts_by_itself() -> None:
    all_ = [ended(1, 50, "own", size=500), ended(2, 40, "own", size=10), ended(3, 50), ended(4, 1, size=60)]
    found = gone(all_, Keep(days=30, size=100), own=Keep(size=100))
    assert found == [(1, "size"), (3, "days")]


def test_a_failed_one_stays_until_it_was_exported_or_unless_asked() -> None:
    all_ = [ended(1, 9, failed=True), ended(2, 9, failed=True, exported=True), ended(3, 9)]
    assert gone(all_, Keep(days=1)) == [(2, "days"), (3, "days")]
    assert gone(all_, Keep(days=1, failed=True)) == [(1, "days"), (2, "days"), (3, "days")]


def test_a_failed_one_that_stays_takes_room_all_the_same() -> None:
    all_ = [ended(1, 9, failed=True, size=90), ended(2, 2, size=20), ended(3, 1, size=5)]
    assert gone(all_, Keep(size=100)) == [(2, "size")]


@given(
    st.lists(st.tuples(st.integers(0, 99), st.sampled_from("ab"), st.booleans(), st.integers(0, 50))),
    st.builds(
        Keep,
        days=st.none() | st.integers(0, 99),
        count=st.none() | st.integers(0, 9),
        size=st.none() | st.integers(0, 300),
    ),
)
def test_the_rules_hold_afterwards_and_what_stays_is_newer(
    rows: list[tuple[int, str, bool, int]], keep: Keep
) -> None:
    all_ = [ended(i, days, task, failed=bad, size=size) for i, (days, task, bad, size) in enumerate(rows)]
    left = {id for id, _ in gone(all_, keep)}
    assert not any(each.failed for each in all_ if each.id in left)
    free = [each for each in all_ if not each.failed]
    for task in "ab":
        kept = [each for each in free if each.task == task and each.id not in left]
        removed = [each for each in free if each.task == task and each.id in left]
        assert keep.count is None or len(kept) <= keep.count
        if kept and removed:
            assert max((e.ended, e.id) for e in removed) < min((e.ended, e.id) for e in kept)
    sizes = sum(each.size for each in free if each.id not in left)
    assert keep.size is None or sizes <= keep.size
    assert keep.limited or not left
