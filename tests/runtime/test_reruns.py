"""Running again: everything, from a node, what failed, only a node; with values edited before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.planning import RERUN_NODE, RERUN_NOTHING
from engine.model.codes.runtime import EDIT_INVALID, FORCED, NO_SUCH_INSTANCE, NOT_RUNNING, STILL_RUNNING
from engine.model.errors import Invalid, Refused
from engine.model.states import JobState
from engine.runtime.reruns.rerun_request import RerunRequest
from tests.runtime.site import Gate, Seen, Site, definitions, shell, task
from tests.waiting import until

EXAMPLES = Path(__file__).parents[2] / "examples"


def rerun(site: Site, seen: Seen, mode: Any, *nodes: str, **more: Any) -> Seen:
    """Run it again to its end."""
    site.engine.rerun([RerunRequest(seen.id, mode, nodes, **more)])
    return site.end(seen.id)


def chain(journal: Path) -> Any:
    """a -> b -> c, and d beside them; b fails unless the flag file is there."""

    def writes(name: str) -> str:
        return f"echo {name} >> {journal}"

    return task({
        "a": shell(writes("a")),
        "b": shell(f"{writes('b')}; [ -e {journal}.flag ]", after=["a"]),
        "c": shell(writes("c"), after=["b"]),
        "d": shell(writes("d")),
    })  # fmt: skip


def since(journal: Path, before: str) -> list[str]:
    return sorted(journal.read_text().removeprefix(before).split())


# -- repair.yaml -------------------------------------------------------------------------------------


@pytest.fixture
def failed(site: Site) -> Seen:
    """The example ``repair.yaml``, failed at ``load``."""
    return site.run(definitions((EXAMPLES / "repair.yaml").read_text()))


def lines(seen: Seen) -> list[str]:
    return (seen.folder / "journal").read_text().split()


def test_the_example_fails_at_load_after_its_retry(failed: Seen) -> None:
    assert failed.status == "failed"
    assert failed.states == {"extract": "succeeded", "audit": "succeeded", "load": "failed",
                             "index": "skipped", "publish": "skipped"}  # fmt: skip
    assert (failed["load"].attempt, failed["load"].exit_code) == (2, 3)
    assert sorted(lines(failed)) == ["audit", "extract", "load", "load"]


def test_the_example_is_repaired_by_a_parameter_then_by_a_result(site: Site, failed: Seen) -> None:
    # when what failed runs again with another limit
    edits = [("$.TASK.PARAMS['limit']", 30)]
    seen = rerun(site, failed, "failed", edits=edits, reason="more rows", actor="me")

    # then load, index and publish run and nothing else
    assert (seen.status, seen.row.run) == ("succeeded", 2)
    assert sorted(lines(seen)) == ["audit", "extract", "index", "load", "load", "load", "publish"]
    assert seen.row.edited == ["$.TASK.PARAMS['limit']"]
    assert {each.node: each.run for each in seen.latest} == {
        "extract": 1, "audit": 1, "load": 2, "index": 2, "publish": 2,
    }  # fmt: skip
    edit = next(line for line in seen.lines if line["actor"] == "me")
    assert (edit["path"], edit["old"], edit["new"], edit["why"], edit["run"]) == (
        "$.TASK.PARAMS['limit']", 10, 30, "more rows", 2,
    )  # fmt: skip

    # and when it runs again from load with another result of extract
    edits = [("$.JOB['extract'].RESULT['rows']", 5)]
    again = rerun(site, seen, "from", "load", edits=edits, reason="typo")

    # then load, index and publish are based on an edited context
    assert (again.status, again.row.run) == ("succeeded", 3)
    assert {each.node: each.based_on_edit for each in again.latest} == {
        "extract": False, "audit": False, "load": True, "index": True, "publish": True,
    }  # fmt: skip
    assert again.job("load")["PARAMS"] == {"dir": str(again.folder), "rows": 5, "limit": 30}
    assert again.row.edited == ["$.JOB['extract'].RESULT['rows']", "$.TASK.PARAMS['limit']"]
    assert sorted(lines(again))[-3:] == ["load", "publish", "publish"]
    again.assert_replays()


def test_a_rerun_of_all_begins_with_the_parameters_of_the_beginning(site: Site) -> None:
    wanted = task(
        {"a": shell('printf %s "${x}" > outputs/x', params={"x": "$.TASK.PARAMS['x']"})}, params={"x": 1}
    )
    first = site.run(wanted, x=5)
    edited = rerun(site, first, "from", "a", edits=[("$.TASK.PARAMS['x']", 7)], reason="r")
    kept = rerun(site, edited, "from", "a")
    everything = rerun(site, kept, "all")

    outputs = [seen["a"].outputs["x"] for seen in (first, edited, kept, everything)]
    assert outputs == [b"5", b"7", b"7", b"5"]
    assert [seen["a"].based_on_edit for seen in (edited, kept, everything)] == [True, True, False]
    assert everything.row.edited == []


# -- what runs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "nodes", "more", "ran"),
    [
        ("all", (), {}, "abcd"),
        ("failed", (), {}, "bc"),
        ("from", ("b",), {}, "bc"),
        ("from", ("b",), {"with_upstream": True}, "abc"),
        ("from", ("d",), {}, "d"),
        ("only", ("b",), {}, "b"),
        ("only", ("a", "d"), {}, "ad"),
        ("only", ("b",), {"with_upstream": True}, "ab"),
        ("only", ("c",), {}, "c"),
    ],
)
def test_what_runs_again_is_what_the_preview_said(
    site: Site, journal: Path, mode: Any, nodes: tuple[str, ...], more: dict[str, Any], ran: str
) -> None:
    seen = site.run(chain(journal))
    assert seen.status == "failed"
    before = journal.read_text()
    Path(f"{journal}.flag").touch()

    preview = site.engine.preview(RerunRequest(seen.id, mode, nodes, **more))
    assert site.see(seen.id).row.run == 1
    again = rerun(site, seen, mode, *nodes, **more)

    assert since(journal, before) == list(ran)
    assert sorted(preview["run"]) == list(ran)
    assert sorted(preview["run"] + preview["keep"] + preview["skip"]) == list("abcd")
    assert {each.node for each in again.latest if each.run == 2} == set(ran)
    again.assert_replays()


def test_earlier_runs_keep_their_logs_and_get_their_own_files(site: Site, journal: Path) -> None:
    seen = site.run(chain(journal))
    first = seen["b"].folder
    Path(f"{journal}.flag").touch()
    again = rerun(site, seen, "failed")

    assert again["b"].folder != first
    assert (first / "status").read_text() == "0\n"
    assert (again["b"].folder / "status").read_text() == "1\n"
    assert sorted(each.name for each in (seen.folder / "runs/1").iterdir()) == [
        "environment.json",
        "params.json",
    ]
    assert [(run.run, str(run.status), str(run.trigger)) for run in site.engine.store.runs(seen.id)] == [
        (1, "failed", "manual"), (2, "succeeded", "manual"),
    ]  # fmt: skip


def test_a_failed_rerun_can_be_run_again(site: Site, journal: Path) -> None:
    seen = site.run(chain(journal))
    again = rerun(site, seen, "failed")
    assert (again.status, again.row.run) == ("failed", 2)
    Path(f"{journal}.flag").touch()
    third = rerun(site, again, "failed")

    assert (third.status, third.row.run) == ("succeeded", 3)
    assert journal.read_text().split().count("a") == 1


def test_several_instances_all_or_none(site: Site, journal: Path) -> None:
    first, second = site.run(chain(journal)), site.run(task({"a": shell("true")}))
    requests = [RerunRequest(first.id, "failed"), RerunRequest(second.id, "failed")]
    with pytest.raises(Invalid) as caught:
        site.engine.rerun(requests)

    assert caught.value.entry is RERUN_NOTHING
    assert site.see(first.id).row.run == 1
    Path(f"{journal}.flag").touch()
    assert site.engine.rerun([RerunRequest(first.id, "failed"), RerunRequest(second.id, "all")]) == [2, 2]
    assert {site.end(first.id).status, site.end(second.id).status} == {"succeeded"}


def test_what_cannot_be_run_again_is_refused(site: Site, gate: Gate) -> None:
    running = site.begin(task({"a": shell(gate.script())}))
    gate.until_up()
    with pytest.raises(Refused) as still:
        site.engine.rerun([RerunRequest(running, "all")])
    gate.open()
    ended = site.end(running)
    with pytest.raises(Invalid) as node:
        site.engine.preview(RerunRequest(ended.id, "from", ("x",)))
    with pytest.raises(Invalid) as unknown:
        site.engine.preview(RerunRequest(4711, "all"))
    with pytest.raises(Invalid) as path:
        site.engine.rerun([RerunRequest(ended.id, "all", edits=[("nothing", 1)], reason="r")])

    assert still.value.entry is STILL_RUNNING
    assert node.value.entry is RERUN_NODE
    assert unknown.value.entry is NO_SUCH_INSTANCE
    assert path.value.entry is EDIT_INVALID
    assert site.see(ended.id).row.run == 1


def test_a_rerun_has_its_own_time(site: Site, journal: Path) -> None:
    # given an instance whose task's time is long over
    nodes = {"a": shell(f"[ -e {journal}.flag ] || {{ touch {journal}.flag; sleep 60; }}")}
    seen = site.run(task(nodes, timeout="500ms"))
    assert seen.status == "timed_out"

    # when it is run again, then it is not timed out at once
    assert rerun(site, seen, "all").status == "succeeded"


def test_a_loop_begins_again(site: Site, journal: Path) -> None:
    look = f"echo look >> {journal}; grep -c look {journal} > outputs/n"
    branches = {"true": [], "false": {"run": ["fix"], "again": True, "from": "look"}}
    condition = {
        "type": "condition",
        "value": "{$.JOB['look'].RESULT['n']} >= 2",
        "after": ["look"],
        "branches": branches,
    }
    nodes = {"look": shell(look, results={"n": {"kind": "number"}}), "c": condition, "fix": shell("true")}
    seen = site.run(task(nodes))
    assert [each.round for each in seen.all("look")] == [1, 2]
    again = rerun(site, seen, "all")

    assert [each.round for each in again.all("look")] == [1]
    assert "look" not in again.context.get("ROUNDS", {})
    again.assert_replays()


# -- settled by hand ---------------------------------------------------------------------------------


def test_a_running_node_is_settled(site: Site, gate: Gate) -> None:
    instance = site.begin(task({"a": shell(gate.script()), "b": shell("true", after=["a"])}))
    gate.until_up()
    site.engine.force(instance, "a", JobState.SUCCEEDED, "it did enough", "me")
    seen = site.end(instance)

    assert (seen.status, seen.states) == ("succeeded", {"a": "succeeded", "b": "succeeded"})


def test_a_pending_node_is_settled(site: Site, gate: Gate, journal: Path) -> None:
    nodes = {
        "a": shell(gate.script()),
        "b": shell(f"echo b >> {journal}", after=["a"]),
        "c": shell("true", after=["b"]),
    }
    instance = site.begin(task(nodes))
    gate.until_up()
    site.engine.force(instance, "b", JobState.FAILED, "not wanted", "me")
    gate.open()
    seen = site.end(instance)

    assert seen.states == {"a": "succeeded", "b": "failed", "c": "skipped"}
    assert journal.read_text() == ""


def test_an_ended_node_is_settled_for_the_next_run(site: Site, journal: Path) -> None:
    seen = site.run(chain(journal))
    site.engine.force(seen.id, "b", JobState.SUCCEEDED, "done by hand", "me")
    assert site.see(seen.id)["b"].status == "succeeded"
    before = journal.read_text()
    again = rerun(site, seen, "failed")

    assert since(journal, before) == ["c"]
    assert again.status == "succeeded"
    assert any(line["actor"] == "me" and line["why"] == "done by hand" for line in again.lines)
    again.assert_replays()


def test_what_succeeded_by_hand_does_not_spoil_what_succeeded_by_its_own_condition(site: Site) -> None:
    # given a task that decides itself, and counts as succeeded though two of its jobs failed
    seen = site.run(task({"a": shell("exit 3"), "b": shell("exit 4")}, success=["1 < 2"]))
    assert seen.status == "succeeded"

    # when one of them is settled as succeeded
    site.engine.force(seen.id, "a", JobState.SUCCEEDED, "done by hand", "me")

    # then the other one, which still is not, does not make it fail
    after = site.see(seen.id)
    assert after.states == {"a": "succeeded", "b": "failed"}
    assert (after.status, after.row.error_code) == ("succeeded", None)


def test_only_the_latest_of_a_node_is_settled(site: Site, journal: Path) -> None:
    seen = site.run(chain(journal))
    again = rerun(site, seen, "failed")
    site.engine.force(seen.id, "b", JobState.SUCCEEDED, "r", "me")

    states = [str(each.status) for each in site.see(again.id).rows if each.node == "b"]
    assert states == ["failed", "succeeded"]


def test_a_batch_is_settled_as_a_whole(site: Site) -> None:
    seen = site.run(
        task({"b": shell('[ "${i}" = 1 ]', params=[{"i": "1"}, {"i": "2"}]), "c": shell("true", after=["b"])})
    )
    site.engine.force(seen.id, "b", JobState.SUCCEEDED, "r", "me")
    again = rerun(site, seen, "failed")

    assert (again.status, again["c"].status) == ("succeeded", "succeeded")
    assert [each["STATUS"] for each in again.job("b")] == ["succeeded", "succeeded"]


def test_what_has_no_outcome_cannot_be_settled(site: Site, gate: Gate) -> None:
    instance = site.begin(task({"a": shell("true"), "b": shell(gate.script(), after=["a"])}))
    gate.until_up()
    until(lambda: site.state(instance, "a") == "succeeded")
    with pytest.raises(Refused) as caught:
        site.engine.force(instance, "a", JobState.FAILED, "r", "me")
    with pytest.raises(Invalid):
        site.engine.force(instance, "b", JobState.FAILED, " ", "me")
    gate.open()
    site.end(instance)

    assert caught.value.entry is NOT_RUNNING


def test_what_was_settled_before_its_turn_stays_so_for_the_next_engine(site: Site, gate: Gate) -> None:
    nodes = {
        "a": shell(gate.script()),
        "b": shell("true", after=["a"]),
        "m": shell("true", after=["a"], params=[{"x": 1}, {"x": 2}]),
        "c": shell("true", after=["b", "m"], run_if="all_done"),
    }
    instance = site.begin(task(nodes))
    gate.until_up()
    site.engine.force(instance, "b", JobState.FAILED, "not wanted", "me")
    site.engine.force(instance, "m", JobState.SUCCEEDED, "done before", "me")

    site.again()
    gate.open()
    seen = site.end(instance)

    assert seen.states == {"a": "succeeded", "b": "failed", "m": "succeeded", "c": "succeeded"}
    assert (seen.status, seen.row.error_code) == ("failed", FORCED.number)
    assert [row.node for row in seen.rows] == ["a", "b", "m", "m", "c"]
    seen.assert_replays()
