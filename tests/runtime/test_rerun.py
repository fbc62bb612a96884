"""Reruns, edits before them, outcomes settled by hand: what runs, what is kept, what is refused."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.api.local import LocalService
from engine.execution.proc import stat
from engine.model.codes.planning import RERUN_NEVER_RAN
from engine.model.codes.recovery import REASON_NEEDED
from engine.model.codes.runtime import EDIT_INVALID, FORCED, STILL_ALIVE, STILL_RUNNING
from engine.model.errors import Invalid, Refused
from engine.model.states import JobState
from engine.runtime.reruns.rerun_request import RerunRequest
from engine.runtime.submission import Submission
from engine.store.filters import ExceptionFilter
from tests.runtime.site import Gate, Seen, Site, definitions, shell, task
from tests.waiting import until

REPAIR = (Path(__file__).parents[2] / "examples" / "repair.yaml").read_text()
LIMIT, ROWS = "$.TASK.PARAMS['limit']", "$.JOB['extract'].RESULT['rows']"


def rerun(site: Site, seen: Seen, mode: Any, *nodes: str, **more: Any) -> Seen:
    site.engine.rerun([RerunRequest(seen.id, mode, nodes, **more)])
    return site.end(seen.id)


def journal_of(seen: Seen) -> list[str]:
    return (seen.folder / "journal").read_text().split()


def open_exceptions(site: Site, seen: Seen) -> list[str | None]:
    return [
        each.node for each in site.engine.store.exceptions(ExceptionFilter(instance=seen.id, status="open"))
    ]


def test_the_example_is_repaired_as_its_story_goes(site: Site) -> None:
    """Run, fail at load after its retry; another limit; then another value, with a reason."""
    first = site.run(definitions(REPAIR))
    assert first.status == "failed"
    assert journal_of(first) == ["extract", "audit", "load", "load"] or sorted(journal_of(first)) == [
        "audit", "extract", "load", "load",
    ]  # fmt: skip
    assert open_exceptions(site, first) == ["load"]

    second = rerun(site, first, "failed", edits=[(LIMIT, 30)])
    assert second.status == "succeeded"
    assert journal_of(second)[4:] == ["load", "index", "publish"]
    assert [second[node].based_on_edit for node in ("load", "index", "publish")] == [True] * 3
    assert open_exceptions(site, second) == []

    third = rerun(site, second, "from", "load", edits=[(ROWS, 5)], reason="typo")
    assert third.status == "succeeded"
    assert journal_of(third)[7:] == ["load", "index", "publish"]
    assert {each.node: each.based_on_edit for each in third.latest} == {
        "extract": False, "audit": False, "load": True, "index": True, "publish": True,
    }  # fmt: skip
    assert sorted(third.row.edited) == [ROWS, LIMIT]
    edits = {line["path"]: line for line in third.lines if line["actor"] == "operator"}
    assert (edits[LIMIT]["old"], edits[LIMIT]["new"], edits[LIMIT]["why"]) == (10, 30, "for a rerun (failed)")
    assert (edits[ROWS]["old"], edits[ROWS]["new"], edits[ROWS]["why"]) == (25, 5, "typo")
    assert [row.reason for row in site.engine.store.runs(third.id)] == [None, None, "typo"]
    third.assert_replays()


def test_the_logs_of_earlier_runs_stay(site: Site) -> None:
    first = site.run(definitions(REPAIR))
    second = rerun(site, first, "failed", edits=[(LIMIT, 30)])

    old, new = [each for each in second.rows if each.node == "load"]
    assert "too many rows" in (old.folder / "job-error.log").read_text()
    assert (new.folder / "job-error.log").read_text() == ""
    assert (second.folder / "runs" / "1" / "params.json").exists()


@pytest.mark.parametrize(
    ("mode", "nodes", "more", "run", "keep", "skip"),
    [
        ("failed", (), {}, ["load", "index", "publish"], ["extract", "audit"], []),
        ("from", ("index",), {}, ["index", "publish"], ["extract", "audit", "load"], []),
        ("from", ("index",), {"with_upstream": True}, ["extract", "load", "index", "publish"], ["audit"], []),
        ("only", ("audit",), {}, ["audit"], ["extract", "load"], ["index", "publish"]),
        ("all", (), {}, ["extract", "audit", "load", "index", "publish"], [], []),
    ],
)
def test_a_preview_lists_exactly_what_will_happen(
    site: Site, mode: Any, nodes: Any, more: Any, run: Any, keep: Any, skip: Any
) -> None:
    seen = site.run(definitions(REPAIR))
    before = len(seen.lines)

    answer = site.engine.preview(RerunRequest(seen.id, mode, nodes, **more))

    assert answer == {"run": run, "keep": keep, "skip": skip}
    assert len(site.see(seen.id).lines) == before


def test_the_definition_as_it_is_now_with_what_differs(site: Site) -> None:
    raw = definitions(REPAIR).raw
    site.engine.store.save_definitions(raw)
    seen = site.end(site.engine.submit(Submission("nightly")))
    changed = {**raw["tasks"]["nightly"], "name": "Repaired load"}
    changed["nodes"] = {**changed["nodes"], "load": {**changed["nodes"]["load"], "process": "true"}}
    site.engine.store.save_definitions({"tasks": {"nightly": changed}})

    answer = site.engine.preview(RerunRequest(seen.id, "failed", current=True))
    captured = rerun(site, seen, "failed")
    current = rerun(site, seen, "failed", current=True)

    assert answer["run"] == ["load", "index", "publish"]
    assert "-    name: Nightly load" in answer["diff"]
    assert "+    name: Repaired load" in answer["diff"]
    assert (captured.status, current.status) == ("failed", "succeeded")
    assert current.row.definition == 2


def _renamed(site: Site, journal: Path) -> Seen:
    """An instance in which ``fetch`` ran, which the definition calls ``collect`` since."""

    def nodes(first: str, last: str) -> dict[str, Any]:
        answer = {"n": f"$.JOB['{first}'].RESULT['n']"}
        return {
            first: shell(f"echo {first} >> {journal}; echo 5 > outputs/n", results={"n": {"kind": "number"}}),
            "load": shell(f"echo load $n >> {journal}; {last}", after=[first], params=answer),
        }

    site.engine.store.save_definitions(task(nodes("fetch", "exit 1")).raw)
    seen = site.end(site.engine.submit(Submission("t")))
    site.engine.store.save_definitions(task(nodes("collect", "true")).raw)
    journal.write_text("")
    return seen


@pytest.mark.parametrize("mode", ["from", "only"])
def test_what_runs_again_does_not_come_after_a_node_that_was_renamed_and_so_never_ran(
    site: Site, journal: Path, mode: Any
) -> None:
    seen = _renamed(site, journal)
    wanted = RerunRequest(seen.id, mode, ("load",), current=True)

    with pytest.raises(Refused) as previewed:
        site.engine.preview(wanted)
    with pytest.raises(Refused) as refused:
        site.engine.rerun([wanted])

    assert previewed.value.entry is refused.value.entry is RERUN_NEVER_RAN
    assert refused.value.where == "collect"
    assert refused.value.message == (
        f"what runs again comes after 'collect', never run in instance {seen.id} "
        "(the definition no longer has 'fetch')"
    )
    assert site.see(seen.id).row.run == 1
    assert journal.read_text() == ""


@pytest.mark.parametrize(
    ("mode", "nodes", "more"),
    [("failed", (), {}), ("from", ("load",), {"with_upstream": True}), ("from", ("collect",), {})],
)
def test_a_node_that_was_renamed_counts_as_new_and_runs_with_what_depends_on_it(
    site: Site, journal: Path, mode: Any, nodes: Any, more: Any
) -> None:
    seen = _renamed(site, journal)

    answer = site.engine.preview(RerunRequest(seen.id, mode, nodes, current=True, **more))
    again = rerun(site, seen, mode, *nodes, current=True, **more)

    assert (answer["run"], answer["keep"], answer["skip"]) == (["collect", "load"], [], [])
    assert again.status == "succeeded"
    assert journal.read_text().splitlines() == ["collect", "load 5"]


def test_the_definition_that_ran_knows_the_old_name(site: Site, journal: Path) -> None:
    seen = _renamed(site, journal)

    answer = site.engine.preview(RerunRequest(seen.id, "from", ("load",)))

    assert (answer["run"], answer["keep"], answer["skip"]) == (["load"], ["fetch"], [])


def test_nothing_is_rerun_while_it_runs_and_a_batch_is_all_or_nothing(site: Site, gate: Gate) -> None:
    busy = site.begin(task({"a": shell(gate.script())}))
    gate.until_up()
    ended = site.run(task({"a": shell("exit 1")}))

    with pytest.raises(Refused) as refused:
        site.engine.rerun([RerunRequest(ended.id, "failed"), RerunRequest(busy, "all")])
    with pytest.raises(Refused):
        site.engine.preview(RerunRequest(busy, "all"))
    gate.open()
    site.end(busy)

    assert refused.value.entry is STILL_RUNNING
    assert site.see(ended.id).row.run == 1
    assert site.engine.rerun([RerunRequest(ended.id, "failed"), RerunRequest(busy, "all")]) == [2, 2]


def test_a_lost_job_is_not_rerun_while_its_processes_live(site: Site, gate: Gate) -> None:
    instance = site.begin(task({"a": shell(gate.script())}))
    child = gate.until_up()
    pid = until(lambda: site.see(instance)["a"].pid)
    site.close()
    os.kill(pid, signal.SIGKILL)
    site.engine = Site(site.root).engine
    site.start()
    seen = site.end(instance)
    assert seen.status == "lost"

    for ask in (site.engine.preview, lambda request: site.engine.rerun([request])):
        with pytest.raises(Refused) as refused:
            ask(RerunRequest(instance, "failed"))
        assert refused.value.entry is STILL_ALIVE
        assert child in refused.value.details["pids"]  # type: ignore[operator]
    os.kill(child, signal.SIGKILL)
    until(lambda: stat(child) is None)
    until(lambda: _may_rerun(site, instance), "the end of what the child had started itself")
    gate.open()

    assert rerun(site, seen, "failed").status == "succeeded"


def _may_rerun(site: Site, instance: int) -> bool:
    try:
        site.engine.preview(RerunRequest(instance, "failed"))
    except Refused:
        return False
    return True


@pytest.mark.parametrize(
    ("mode", "nodes", "path", "message"),
    [
        ("from", ("extract",), ROWS, "runs again and would write over it"),
        ("all", (), ROWS, "runs again"),
        ("failed", (), "$.JOB['nobody'].RESULT['x']", "no node 'nobody'"),
        ("failed", (), "$.TASK", "cannot be edited"),
        ("failed", (), "limit", "a path starts with"),
    ],
)
def test_an_edit_that_would_be_lost_or_has_no_place_is_refused(
    site: Site, mode: Any, nodes: Any, path: str, message: str
) -> None:
    seen = site.run(definitions(REPAIR))

    with pytest.raises(Invalid, match=message) as invalid:
        site.engine.rerun([RerunRequest(seen.id, mode, nodes, edits=[(path, 5)])])

    assert invalid.value.entry is EDIT_INVALID
    assert site.see(seen.id).row.run == 1


def test_an_edit_stays_until_it_is_taken_back_or_all_runs_again(site: Site) -> None:
    seen = site.run(definitions(REPAIR))
    edited = rerun(site, seen, "failed", edits=[(LIMIT, 30)])
    again = rerun(site, edited, "from", "load")
    assert (again.row.edited, again["load"].based_on_edit) == ([LIMIT], True)

    back = rerun(site, again, "from", "load", edits=[(LIMIT, 10)], reason="back")
    assert (back.status, back.row.edited, back["load"].based_on_edit) == ("failed", [], False)

    twice = rerun(site, back, "failed", edits=[(LIMIT, 30)])
    again = rerun(site, twice, "all")
    assert (again.status, again.row.edited, again.context["TASK"]["PARAMS"]["limit"]) == ("failed", [], 10)


# -- outcomes settled by hand ----------------------------------------------------------------------


def test_a_failed_job_settled_by_hand_lets_a_rerun_go_on_behind_it(site: Site) -> None:
    seen = site.run(definitions(REPAIR))

    answer = site.engine.force(seen.id, "load", JobState.SUCCEEDED, "loaded by hand", "ann")

    assert answer == {
        "instance": seen.id, "node": "load", "status": "succeeded", "instance_status": "failed",
    }  # fmt: skip
    after = site.see(seen.id)
    assert (after["load"].status, after["load"].error_code) == ("succeeded", None)
    assert after["load"].reason == "by hand: loaded by hand (ann)"
    assert open_exceptions(site, after) == []
    done = rerun(site, seen, "failed")
    assert (done.status, journal_of(done)[4:]) == ("succeeded", ["index", "publish"])
    done.assert_replays()


def test_when_nothing_failed_any_more_the_instance_has_succeeded(site: Site) -> None:
    seen = site.run(task({"a": shell("true"), "b": shell("exit 1", after=["a"])}))

    answer = site.engine.force(seen.id, "b", JobState.SUCCEEDED, "seen to")
    after = site.see(seen.id)
    assert (answer["instance_status"], after.status, after.row.error_code) == ("succeeded", "succeeded", None)
    assert after.context["TASK"]["STATUS"] == "succeeded"

    answer = site.engine.force(seen.id, "a", JobState.FAILED, "it was wrong")
    after = site.see(seen.id)
    assert (answer["instance_status"], after.status, after.row.error_code) == (
        "failed",
        "failed",
        FORCED.number,
    )
    assert after.job("a")["ERROR_CODE"] == FORCED.number
    assert str(site.engine.store.run(seen.id, 1).status) == "failed"  # type: ignore[union-attr]
    after.assert_replays()


def test_members_of_a_batch_are_settled_together(site: Site) -> None:
    nodes = {"a": {**shell("exit $n"), "params": [{"n": 0}, {"n": 1}]}}
    seen = site.run(task(nodes))

    site.engine.force(seen.id, "a", JobState.SUCCEEDED, "fine")

    assert [each.status for each in site.see(seen.id).all("a")] == ["succeeded"] * 2


def test_what_is_settled_while_it_runs_ends(site: Site, gate: Gate) -> None:
    nodes = {"a": shell(gate.script()), "b": shell("true", after=["a"]), "c": shell("true", after=["b"])}
    instance = site.begin(task(nodes))
    gate.until_up()

    site.engine.force(instance, "c", JobState.FAILED, "not today")
    site.engine.force(instance, "a", JobState.SUCCEEDED, "done")

    seen = site.end(instance)
    assert seen.states == {"a": "succeeded", "b": "succeeded", "c": "failed"}
    assert seen["a"].reason == "by hand: done (operator)"


def test_a_reason_is_needed_and_a_node_that_ran(site: Site) -> None:
    seen = site.run(definitions(REPAIR))

    with pytest.raises(Invalid) as invalid:
        site.engine.force(seen.id, "load", JobState.SUCCEEDED, " ")
    assert invalid.value.entry is REASON_NEEDED
    with pytest.raises(Invalid):
        site.engine.force(seen.id, "nobody", JobState.SUCCEEDED, "why")


def test_a_result_that_is_made_again_is_edited_no_more(site: Site) -> None:
    nodes = {
        "a": shell("printf 25 > outputs/n", results={"n": {"kind": "number"}}),
        "b": shell("true", after=["a"], params={"n": "$.JOB['a'].RESULT['n']"}),
    }
    seen = site.run(task(nodes))
    edited = rerun(site, seen, "from", "b", edits=[("$.JOB['a'].RESULT['n']", 5)])
    assert (edited.row.edited, edited["b"].based_on_edit) == (["$.JOB['a'].RESULT['n']"], True)

    again = rerun(site, edited, "from", "a")

    assert (again.row.edited, again["b"].based_on_edit, again["b"].params) == ([], False, {"n": 25})


def test_an_instance_runs_again_after_its_workspace_was_moved(tmp_path: Path) -> None:
    """And what an earlier run left is found where it is now: also beside another workspace at the old path."""
    with closing(Site(tmp_path / "first").start()) as site:
        long = shell(
            "echo here; head -c 300000 /dev/zero | tr '\\0' x > outputs/long; [ -e ../../../../ready ]"
        )
        seen = site.run(task({"a": {**long, "results": {"long": "text"}}}))
        assert seen.states == {"a": "failed"}
    (tmp_path / "first").rename(tmp_path / "second")
    (tmp_path / "first").mkdir()
    (tmp_path / "second" / "ready").touch()

    with closing(Site(tmp_path / "second").start()) as site:
        service = LocalService(site.engine, "anna")
        assert service.instance(seen.id)["directory"] == str(tmp_path / "second/instances/task-t-1")
        [log] = service.logs(seen.id, "a")
        assert Path(log["path"]).read_text() == "here\n"

        again = rerun(site, seen, "all")

        assert again.states == {"a": "succeeded"}
        assert list((tmp_path / "first").iterdir()) == []
        assert again.context["TASK"]["DIRECTORY"] == str(tmp_path / "second/instances/task-t-1")
