"""``parallel`` of a node: so many members of a batch or for_each at once (contract 2.3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.model.states import JobState
from tests.runtime.site import Gate, Site, shell, task, tree
from tests.waiting import until

HOLD = "until [ -e {folder}/$i.go ]; do sleep 0.02; done"


def held(gate: Gate, journal: Path, **keys: Any) -> dict[str, Any]:
    """Members that write down their number, then wait for it to be let go."""
    script = f"echo $i >> {journal}; {HOLD.format(folder=gate.folder)}"
    return shell(script, for_each="$.TASK.PARAMS['l']", params={"i": "$.ITEM"}, **keys)


def begun(journal: Path) -> list[str]:
    return journal.read_text().split() if journal.exists() else []


def test_members_begin_by_index_when_one_before_has_ended(site: Site, gate: Gate, journal: Path) -> None:
    instance = site.begin(task({"e": held(gate, journal, parallel=2)}, params={"l": [1, 2, 3, 4]}))
    until(lambda: len(begun(journal)) == 2)
    rows = site.see(instance).all("e")
    assert [(str(each.status), each.reason) for each in rows[2:]] == [
        ("pending", "waits for an earlier member of e: 2 at once")
    ] * 2

    gate.open("2")
    until(lambda: len(begun(journal)) == 3)
    for member in ("1", "3", "4"):
        gate.open(member)

    assert site.end(instance).status == "succeeded"
    assert begun(journal)[2:] == ["3", "4"]


def test_one_at_once_is_one_after_the_other_also_for_sub_tasks(site: Site, journal: Path) -> None:
    script = f"echo begin $i >> {journal}; echo end $i >> {journal}"
    made = tree({"tasks": {
        "sub": {"params": {"i": None}, "nodes": {"a": shell(script, params={"i": "$.TASK.PARAMS['i']"})}},
        "t": {"nodes": {"e": {"type": "task", "task": "sub", "parallel": 1,
                              "params": [{"i": n} for n in range(5)]}}},
    }})  # fmt: skip

    seen = site.run(made)

    assert seen.status == "succeeded"
    assert journal.read_text().split("\n")[:-1] == [
        f"{what} {i}" for i in range(5) for what in ("begin", "end")
    ]


def test_a_pause_before_a_retry_keeps_the_next_one_waiting(site: Site, journal: Path) -> None:
    script = f'echo $i >> {journal}; [ "$i" != 0 ] || [ "$(grep -c 0 {journal})" = 2 ]'
    node = shell(script, params=[{"i": 0}, {"i": 1}], parallel=1, retry={"times": 1, "interval": "100ms"})

    assert site.run(task({"e": node})).status == "succeeded"
    assert begun(journal) == ["0", "0", "1"]


@pytest.mark.parametrize(("on_failure", "states"), [("finish_branches", "fss"), ("stop", "fkk")])
def test_a_failed_member_stops_the_others_only_where_failures_stop_the_task(
    site: Site, on_failure: str, states: str
) -> None:
    node = shell('[ "$i" != 0 ]', params=[{"i": 0}, {"i": 1}, {"i": 2}], parallel=1)

    seen = site.run(task({"e": node}, on_failure=on_failure))

    words = {"f": JobState.FAILED, "s": JobState.SUCCEEDED, "k": JobState.SKIPPED}
    assert [each.status for each in seen.all("e")] == [words[each] for each in states]
    assert seen.status == "failed"
    seen.assert_replays()


def test_a_cancel_reaches_those_whose_turn_has_not_come(site: Site, gate: Gate, journal: Path) -> None:
    instance = site.begin(task({"e": held(gate, journal, parallel=1)}, params={"l": [1, 2, 3]}))
    until(lambda: begun(journal))

    site.engine.cancel(instance)

    seen = site.end(instance)
    assert {str(each.status) for each in seen.all("e")} == {"cancelled"}
    assert begun(journal) == ["1"]
    assert [each.directory for each in seen.all("e")][1:] == [None, None]
