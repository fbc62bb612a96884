"""Changes gathered in memory: whatever the order, they do what the same changes one by one would do."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.states import AttemptState, InstanceState, JobState, RunState
from engine.store.changes import MOVES, Changes
from engine.store.encoding import encoded, json_text, storable
from engine.store.tables import TABLES
from tests.store.conftest import BEGIN, a_job, an_instance, at

KEYS = st.integers(1, 4)
VALUES = st.fixed_dictionaries(
    {},
    optional={
        "worker": st.sampled_from(["here", "there"]),
        "error_code": st.none() | st.integers(-9, 0),
        "results": st.dictionaries(st.text(), st.integers() | st.text()),
    },
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("insert"), KEYS, VALUES),
        st.tuples(st.just("update"), KEYS, VALUES),
        st.tuples(st.just("stat"), KEYS, st.tuples(st.booleans(), st.floats(0, 1e6), st.none() | KEYS)),
    ),
    max_size=30,
)


def one_by_one(steps: list[Any], start: dict[int, dict[str, Any]]) -> tuple[dict[int, dict[str, Any]], Any]:
    """The rows and statistics after each step was applied by itself."""
    rows, stats = copy.deepcopy(start), {}  # type: tuple[dict[int, dict[str, Any]], dict[str, list[Any]]]
    for verb, key, values in steps:
        if verb == "insert" and key not in rows:
            rows[key] = encoded(TABLES["job_instance"], a_job(key) | values)
        elif verb == "update" and key in rows:
            rows[key].update(encoded(TABLES["job_instance"], values))
        elif verb == "stat":
            ok, seconds, code = values
            stats.setdefault(str(key), []).append((ok, seconds, code))
    return rows, stats


def gathered(steps: list[Any], start: dict[int, dict[str, Any]]) -> tuple[Changes, set[int]]:
    changes, there = Changes(), set(start)
    for verb, key, values in steps:
        if verb == "insert" and key not in there:
            changes.insert("job_instance", a_job(key) | values)
            there.add(key)
        elif verb == "update" and key in there:
            changes.update("job_instance", key, values)
        elif verb == "stat":
            changes.stat("job", str(key), *values)
    return changes, there


@given(STEPS, st.sets(KEYS))
def test_changes_together_do_what_they_do_one_by_one(steps: list[Any], there: set[int]) -> None:
    start = {key: encoded(TABLES["job_instance"], a_job(key)) for key in there}
    expected, stats = one_by_one(steps, start)

    changes, _ = gathered(steps, start)

    rows = copy.deepcopy(start) | changes.inserts.get("job_instance", {})
    for key, values in changes.updates.get("job_instance", {}).items():
        rows[key] = rows[key] | values
    assert rows == expected
    assert set(changes.stats) == {("job", key) for key in stats}
    for key, ends in stats.items():
        found = changes.stats["job", key]
        assert (found.counts, found.success) == (len(ends), sum(ok for ok, _, _ in ends))
        assert found.failed == found.counts - found.success
        assert found.max_execute_time == max(seconds for _, seconds, _ in ends)
        assert found.total_execute_time == pytest.approx(sum(seconds for _, seconds, _ in ends))
        codes = [code for _, _, code in ends if code is not None]
        assert found.codes == {code: codes.count(code) for code in codes}


@given(STEPS)
def test_each_row_is_written_once(steps: list[Any]) -> None:
    changes, there = gathered(steps, {})

    inserted = changes.inserts.get("job_instance", {})
    assert set(inserted) == there
    assert "job_instance" not in changes.updates
    assert bool(changes) == (len(changes) > 0)
    assert len(changes) == len(inserted) + len(changes.stats)


def test_later_changes_of_what_was_handed_in_change_nothing() -> None:
    changes, params = Changes(), {"x": [1]}
    row = an_instance(params=params)
    changes.insert("instance", row)

    params["x"].append(2)
    row["status"] = "failed"

    assert changes.inserts["instance"][1]["params"] == '{"x":[1]}'
    assert changes.inserts["instance"][1]["status"] == "running"


@pytest.mark.parametrize("verb", ["insert", "update"])
def test_a_row_is_not_inserted_twice(verb: str) -> None:
    changes = Changes()
    if verb == "insert":
        changes.insert("instance", an_instance())
    else:
        changes.update("instance", 1, {"worker": "x"})

    with pytest.raises(ValueError, match="there already"):
        changes.insert("instance", an_instance())


def test_what_these_changes_have_made_and_forget_is_not_made() -> None:
    changes = Changes()
    changes.insert("instance", an_instance(status="planned"))
    changes.insert("link", {"instance": 1, "upstream": "u", "window": "latest"})

    changes.remove("instance", 1, "planned")

    assert (changes.inserts, changes.removals) == ({"instance": {}, "link": {}}, {})


def test_a_row_is_forgotten_from_the_state_in_which_it_was_before_these_changes() -> None:
    changes = Changes()
    changes.move("instance", 1, "offline", "planned")

    with pytest.raises(ValueError, match="instance 1 is planned, not offline, and cannot be removed"):
        changes.remove("instance", 1, "offline")
    changes.remove("instance", 1, "planned")

    assert (changes.updates, changes.expected) == ({"instance": {}}, {})
    assert changes.removals == {("instance", 1): "offline"}


def test_a_move_from_a_state_that_these_changes_did_not_give_is_refused() -> None:
    changes = Changes()
    changes.insert("job_instance", a_job())

    with pytest.raises(ValueError, match="job_instance 1 is pending, not queued, and cannot become running"):
        changes.move("job_instance", 1, "queued", "running")
    with pytest.raises(ValueError, match="changed by move"):
        changes.update("job_instance", 1, {"status": "running"})
    with pytest.raises(ValueError, match="changed by move"):
        changes.update("alert", 1, {"acknowledged_at": at()})


@pytest.mark.parametrize(
    ("table", "key", "before", "after"),
    [
        ("instance", 1, "succeeded", "cancelled"),
        ("instance", 1, "running", "planned"),
        ("run", (1, 1), "failed", "running"),
        ("job_instance", 1, "succeeded", "queued"),
        ("job_run", (1, 1), "lost", "running"),
        ("exception", 1, "open", "forgotten"),
        ("alert", 1, "this morning", "this evening"),
        ("job_run", (1, 1), "no state at all", "running"),
    ],
)
def test_a_move_that_the_states_do_not_have_is_refused(table: str, key: Any, before: str, after: str) -> None:
    changes = Changes()

    with pytest.raises(ValueError, match=f"{before} -> {after} is not a move"):
        changes.move(table, key, before, after)

    assert not changes


def test_every_state_of_a_row_has_its_moves() -> None:
    for table, states in (
        ("instance", InstanceState), ("run", RunState), ("job_instance", JobState), ("job_run", AttemptState)
    ):  # fmt: skip
        assert set(MOVES[table]) == set(states)


def test_the_key_of_a_row_stays() -> None:
    changes = Changes()

    with pytest.raises(ValueError, match="cannot be changed"):
        changes.update("instance", 1, {"id": 2})
    with pytest.raises(ValueError, match="the key of run is instance, run"):
        changes.update("run", 1, {"worker": "x"})
    with pytest.raises(ValueError, match="the key of instance is id"):
        changes.update("instance", (1, 2), {"worker": "x"})
    assert not changes


def test_times_and_trees_become_text() -> None:
    changes = Changes()
    changes.update("run", (1, 1), {"ended_at": BEGIN, "params": {"é": None}, "selection": {}})

    assert changes.updates["run"][1, 1] == {"ended_at": at(), "params": '{"é":null}', "selection": "{}"}


def test_equal_definitions_have_equal_snapshots_and_order_counts() -> None:
    changes = Changes()

    same = [changes.snapshot({"a": 1, "b": 2}), changes.snapshot({"a": 1, "b": 2})]
    other = changes.snapshot({"b": 2, "a": 1})

    assert len(set(same)) == 1
    assert other not in same
    assert len(changes) == 2


@given(st.text() | st.text(st.characters()))
def test_text_that_can_be_stored_stays_as_it_is(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        assert storable(text) != text
        return
    assert storable(text) == text.replace("\0", "\ufffd")
    assert storable(json_text([text])) == json_text([text])
