"""Two runs side by side: what differs, what may differ, what took longer."""

from __future__ import annotations

from app.desktop.run.compare import Duration, Side, compare, pairs
from tests.api.fake_service import instance, job


def _run(number: int, limit: int, status: str, took: int) -> object:
    ended = f"2026-11-21T08:00:{took:02}.000000+08:00"
    load = job("load", status, ended_at=ended, results={"exit_code": 0 if status == "succeeded" else 3})
    return instance(number, status, params={"limit": limit}, ended_at=ended, jobs=[load])


def test_values_are_compared_by_their_place_and_what_one_side_lacks_is_said() -> None:
    found = {pair.name: (pair.left, pair.right) for pair in pairs({"a": {"b": 1}}, {"a": {"b": 2, "c": []}})}

    assert found == {"a.b": ("1", "2"), "a.c": (None, "[]")}


def test_two_runs_tell_what_differs_by_section() -> None:
    left = Side(
        _run(1, 10, "failed", 2),  # type: ignore[arg-type]
        {"tasks": {"nightly": {"params": {"limit": 10}}}},
        {"TASK": {"INSTANCE": 1, "PARAMS": {"limit": 10}}},
        {"versions": {"python": "3.11"}, "time": "a"},
    )
    right = Side(
        _run(2, 30, "succeeded", 20),  # type: ignore[arg-type]
        {"tasks": {"nightly": {"params": {"limit": 30}}}},
        {"TASK": {"INSTANCE": 2, "PARAMS": {"limit": 30}}},
        {"versions": {"python": "3.12"}, "time": "b"},
    )

    found = compare(left, right)

    sections = ("definition", "status", "params", "results", "context", "durations", "environment")
    assert [found.differing(each) for each in sections] == [2, 2, 1, 1, 1, 2, 1]
    assert Duration("load", None, 2.0, 20.0) in found.durations
    assert found.durations[0].ratio == 10.0


def test_times_and_numbers_are_expected_to_differ() -> None:
    [pair] = pairs({"TASK": {"START_TIME": "1"}}, {"TASK": {"START_TIME": "2"}}, root="$")

    assert pair.differs
    assert pair.expected
    assert pair.name == "$.TASK.START_TIME"


def test_equal_runs_do_not_differ() -> None:
    side = Side(_run(1, 10, "failed", 2), {"tasks": {}})  # type: ignore[arg-type]

    assert compare(side, side).definition == ()
    assert not any(compare(side, side).differing(each) for each in ("status", "params", "context"))
