"""A pause holds the whole tree: no sub-task of a paused instance begins anything, at any depth."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest

from engine.api.local import LocalService
from engine.api.read_only import ReadOnlyService
from engine.model.codes.recovery import NOT_PAUSED
from engine.model.codes.runtime import NOT_RUNNING
from engine.model.definitions import Definitions
from engine.model.errors import Refused
from engine.runtime.clock import SystemClock
from engine.store.rebuild import rebuild_database
from tests.runtime.site import Gate, Site, shell, tree
from tests.waiting import until

TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d"


def _leaf(gate: Gate, name: str = "a", **keys: Any) -> dict[str, Any]:
    """A task whose first job waits at the gate, and whose second comes after it."""
    return {"nodes": {"a": shell(gate.script(name)), "b": shell("echo b", after=["a"])}, **keys}


def _starts(task: str, **keys: Any) -> dict[str, Any]:
    return {"type": "task", "task": task, **keys}


def _nested(gate: Gate, **leaf: Any) -> Definitions:
    """``top`` starts ``mid``, which starts ``leaf``."""
    tasks: Mapping[str, Any] = {
        "leaf": _leaf(gate, **leaf),
        "mid": {"nodes": {"s": _starts("leaf"), "after": shell("true", after=["s"])}},
        "top": {"nodes": {"s": _starts("mid"), "after": shell("true", after=["s"])}},
    }
    return tree({"tasks": tasks})


def _child(site: Site, instance: int, node: str = "s") -> int:
    """The instance that a node has started."""

    def found() -> Any:
        rows = [row for row in site.engine.store.jobs(instance) if row.node == node]
        return rows and rows[-1].results.get("instance")

    return int(until(found, f"the sub-task of {node}"))


def _begun(site: Site, gate: Gate, **leaf: Any) -> tuple[int, int, int]:
    """``top``, ``mid`` and ``leaf`` at work, the first job of the leaf at the gate."""
    top = site.begin(_nested(gate, **leaf), "top")
    mid = _child(site, top)
    low = _child(site, mid)
    gate.until_up("a")
    return top, mid, low


def _status(site: Site, instance: int) -> tuple[str, str | None]:
    row = site.engine.store.instance(instance)
    assert row is not None
    return str(row.status), row.reason


def test_what_runs_goes_on_and_nothing_more_begins_at_any_depth(site: Site, gate: Gate) -> None:
    # given a task that started a task that started a task
    top, mid, low = _begun(site, gate)

    # when the outermost is paused, and the job that runs in the innermost comes to its end
    site.engine.pause(top, "the file is late", "anna")
    gate.open("a")
    site.until_state(low, "a", "succeeded")

    # then nothing more has begun, and each says that it is because of the outermost: who, when and why
    assert site.state(low, "b") == "pending"
    message = rf"paused with instance {top}, paused by anna at {TIME}: the file is late"
    for id in (mid, low):
        status, reason = _status(site, id)
        assert status == "paused"
        assert re.fullmatch(message, str(reason))
    seen = LocalService(site.engine).instance(low)
    waiting = next(job for job in seen["jobs"] if job["node"] == "b")
    assert re.fullmatch(f"the instance is {message}", str(waiting["reason"]))

    # when it goes on, then they all come to their end
    site.engine.resume(top, "here it is", "li")
    assert site.end(top).status == "succeeded"
    for id in (mid, low):
        end = site.end(id)
        assert (end.status, end.row.reason) == ("succeeded", None)
        end.assert_replays()
        whys = [line.get("why") or "" for line in end.lines if line["path"] == "$.TASK.STATUS"]
        assert any(re.fullmatch(message, why) for why in whys)


def test_a_job_that_is_in_line_loses_its_turn(site: Site, gate: Gate) -> None:
    # given a queue with one place, which is taken, and a sub-task whose job waits for it
    site.engine.queue.resize(1, "ann")
    other = site.begin(tree({"tasks": {"o": {"nodes": {"x": shell(gate.script("x"))}}}}))
    gate.until_up("x")
    top = site.begin(_nested(gate), "top")
    low = _child(site, _child(site, top))
    site.until_state(low, "a", "queued")

    # when the outermost is paused and the place is free
    site.engine.pause(top)
    until(lambda: not list(site.engine.queue.document()["waiting"]))
    gate.open("x")
    site.end(other)

    # then it has not begun
    assert site.state(low, "a") == "queued"
    assert f"paused with instance {top}" in str(site.see(low)["a"].reason)

    # and the queue names the instances whose jobs are not in it, with and without an engine
    reader = ReadOnlyService(site.engine.store, site.engine.workspace)
    for queue in (LocalService(site.engine).queue(), reader.queue()):
        assert (queue["held"], queue["waiting"]) == ([top, low - 1, low], [])
    gate.open("a")
    site.engine.resume(top)
    assert site.end(top).status == "succeeded"


def test_a_child_that_an_operator_paused_stays_paused(site: Site, gate: Gate) -> None:
    # given a child that was paused by itself, then its parent as well
    top, mid, low = _begun(site, gate)
    site.engine.pause(low, "mine", "anna")
    site.engine.pause(top, "all", "li")
    gate.open("a")
    site.until_state(low, "a", "succeeded")
    assert "by anna" in str(_status(site, low)[1])

    # when the parent goes on
    site.engine.resume(top)

    # then the child in between does, and the one that was paused by itself does not
    assert _status(site, mid) == ("running", None)
    status, reason = _status(site, low)
    assert (status, str(reason)[:14], str(reason)[-6:]) == ("paused", "paused by anna", ": mine")
    assert site.state(low, "b") == "pending"
    site.engine.resume(low)
    assert site.end(top).status == "succeeded"


def test_a_child_whose_own_pause_ends_still_waits_for_its_parent(site: Site, gate: Gate) -> None:
    top, _, low = _begun(site, gate)
    site.engine.pause(low, "", "anna")
    site.engine.pause(top, "", "li")
    gate.open("a")
    site.until_state(low, "a", "succeeded")

    # when the child is resumed, then it says what it waits for now, and begins nothing
    answer = site.engine.resume(low)
    assert answer["status"] == "paused"
    assert str(answer["reason"]).startswith(f"paused with instance {top}, paused by li at ")
    assert _status(site, low)[1] == answer["reason"]
    assert site.state(low, "b") == "pending"

    # and a second time there is nothing to end: the refusal names who holds it
    with pytest.raises(Refused) as refused:
        site.engine.resume(low)
    assert refused.value.code == NOT_PAUSED.number
    assert f"instance {top}" in refused.value.message
    site.engine.resume(top)
    assert site.end(top).status == "succeeded"


def test_a_sub_task_that_nobody_waits_for_is_held_as_well(site: Site, gate: Gate) -> None:
    # given a task that only woke another one up, which did the same and has ended
    made = {
        "leaf": _leaf(gate),
        "mid": {"nodes": {"s": _starts("leaf", wait=False)}},
        "top": {"nodes": {"s": _starts("mid", wait=False), "x": shell(gate.script("x"))}},
    }
    top = site.begin(tree({"tasks": made}), "top")
    mid = _child(site, top)
    low = _child(site, mid)
    site.end(mid)
    gate.until_up("a")
    gate.until_up("x")

    # when the outermost is paused, then the one below the ended one is held
    site.engine.pause(top)
    gate.open("a")
    site.until_state(low, "a", "succeeded")
    assert site.state(low, "b") == "pending"
    site.engine.resume(top)
    assert site.end(low).status == "succeeded"
    gate.open("x")
    site.end(top)


@pytest.mark.parametrize("end", ["comes to its end", "is cancelled"])
def test_when_a_paused_instance_ends_what_it_woke_up_stays_paused(site: Site, gate: Gate, end: str) -> None:
    # given a paused task beside the one that it woke up, which has a sub-task of its own
    made = {
        "leaf": _leaf(gate),
        "mid": {"nodes": {"s": _starts("leaf")}},
        "top": {"nodes": {"s": _starts("mid", wait=False), "x": shell(gate.script("x"))}},
    }
    top = site.begin(tree({"tasks": made}), "top")
    mid = _child(site, top)
    low = _child(site, mid)
    gate.until_up("a")
    gate.until_up("x")
    site.engine.pause(top, "late", "anna")

    # when it ends
    if end == "is cancelled":
        site.engine.cancel(top)
    gate.open("x")
    site.end(top)
    gate.open("a")
    site.until_state(low, "a", "succeeded")

    # then nothing begins by itself: the topmost that lives is paused in its own right, also under a later engine
    site.again()
    assert site.state(low, "b") == "pending"
    assert re.fullmatch(rf"paused by anna at {TIME}: late", str(_status(site, mid)[1]))
    assert str(_status(site, low)[1]).startswith(f"paused with instance {mid}, ")
    site.engine.resume(mid)
    assert site.end(low).status == "succeeded"
    assert site.end(mid).status == "succeeded"


def test_what_a_paused_instance_woke_up_stays_paused_while_its_handlers_run(site: Site, gate: Gate) -> None:
    # given a paused task whose last job ends, so that its handlers run, beside one that it woke up
    made = {
        "leaf": _leaf(gate),
        "top": {
            "nodes": {"s": _starts("leaf", wait=False), "x": shell(gate.script("x"))},
            "on_end": {"always": shell(gate.script("h"))},
        },
    }
    top = site.begin(tree({"tasks": made}), "top")
    low = _child(site, top)
    gate.until_up("a")
    gate.until_up("x")
    site.engine.pause(top, "late", "anna")
    gate.open("x")
    gate.until_up("h")

    # when another engine comes, and the job of the other one ends
    site.again()
    gate.open("a")
    site.until_state(low, "a", "succeeded")

    # then nothing more of that begins: it is paused in its own right; what only has its handlers left cannot be
    assert site.state(low, "b") == "pending"
    assert re.fullmatch(rf"paused by anna at {TIME}: late", str(_status(site, low)[1]))
    with pytest.raises(Refused) as refused:
        site.engine.pause(top)
    assert refused.value.code == NOT_RUNNING.number
    gate.open("h")
    assert site.end(top).status == "succeeded"
    site.engine.resume(low)
    assert site.end(low).status == "succeeded"


def test_the_next_engine_holds_the_children_too(site: Site, gate: Gate) -> None:
    top, mid, low = _begun(site, gate)
    site.engine.pause(top, "over night", "anna")
    before = _status(site, low)

    # when the engine ends, then the job, and another engine comes
    site.again()
    gate.open("a")
    site.until_state(low, "a", "succeeded")

    # then all is as it was, and goes on when it is resumed
    assert site.state(low, "b") == "pending"
    assert _status(site, low) == before
    reader = ReadOnlyService(site.engine.store, site.engine.workspace)
    assert (reader.instance(low)["status"], reader.instance(low)["reason"]) == before
    site.engine.resume(top)
    assert _status(site, mid) == ("running", None)
    assert site.end(top).status == "succeeded"


def test_a_child_that_is_to_be_tried_again_waits_for_the_parent(site: Site, gate: Gate) -> None:
    # given a sub-task that fails once and whose task is tried again
    failing = {
        "nodes": {"a": shell(gate.script("a", then="[ -e ../../../again ]"))},
        "retry": {"times": 1, "interval": "0s"},
    }
    made = {"leaf": failing, "top": {"nodes": {"s": _starts("leaf")}}}
    top = site.begin(tree({"tasks": made}), "top")
    low = _child(site, top)
    gate.until_up("a")
    site.engine.pause(top)

    # when its run fails, also under a later engine, then it is not tried again
    gate.open("a")
    until(lambda: site.engine.services.runs[low].pause.retry_due)
    assert _status(site, low)[0] == "paused"
    site.again()
    until(lambda: site.engine.services.runs[low].pause.retry_due)
    row = site.engine.store.instance(low)
    assert row is not None
    assert row.run == 1
    site.engine.resume(top)
    assert site.end(low).row.run == 2


def test_the_time_limit_of_a_child_goes_on_counting(site: Site, gate: Gate) -> None:
    top, mid, low = _begun(site, gate, timeout="1s")
    site.engine.pause(top)
    gate.open("a")
    assert site.end(low).status == "timed_out"
    assert site.end(low).states == {"a": "succeeded", "b": "skipped"}
    assert [site.end(id).status for id in (mid, top)] == [
        "failed",
        "failed",
    ]  # nothing is left that could begin


def test_the_time_in_which_its_parent_is_paused_does_not_count_for_its_place_in_the_queue(
    site: Site, gate: Gate
) -> None:
    # given a sub-task whose job waits for the only place, a while at most
    site.engine.queue.resize(1, "ann")
    other = site.begin(tree({"tasks": {"o": {"nodes": {"x": shell(gate.script("x"))}}}}))
    gate.until_up("x")
    waits = {"nodes": {"a": shell("true", queue_timeout="1s")}}
    top = site.begin(tree({"tasks": {"leaf": waits, "top": {"nodes": {"s": _starts("leaf")}}}}), "top")
    low = _child(site, top)
    site.until_state(low, "a", "queued")

    # when that while passes in a pause
    site.engine.pause(top)
    until(lambda: "paused" in str(site.see(low)["a"].reason))
    passed: Any = site.engine.services.loop.ask(lambda: site.engine.services.clock.monotonic()) + 1.2
    until(lambda: site.engine.services.clock.monotonic() > passed)

    # then it still waits, and runs when there is a place
    gate.open("x")
    site.end(other)
    assert site.state(low, "a") == "queued"
    site.engine.resume(top)
    assert site.end(top).status == "succeeded"


def test_what_a_rule_starts_to_repair_is_held_from_its_first_moment(site: Site, gate: Gate) -> None:
    # given a paused run whose job fails, and a rule that has a task repair it
    made = {
        "tasks": {
            "fix": {"nodes": {"f": shell("true")}},
            "top": {
                "nodes": {"a": shell(gate.script("a", then="[ $SKERRY_ATTEMPT_NO ]"), retry={"times": 0})}
            },
        },
        "rules": [{"id": "mend", "match": {"task": "top"}, "action": {"run": {"task": "fix"}}}],
    }
    top = site.begin(tree(made), "top")
    gate.until_up("a")
    site.engine.pause(top, "", "anna")
    gate.open("a")

    # then the repair is there but begins nothing
    fix = until(lambda: [row.id for row in site.engine.store.unfinished() if row.task == "fix"])[0]
    assert str(_status(site, fix)[1]).startswith(f"paused with instance {top}, paused by anna at ")
    assert site.state(fix, "f") == "pending"
    site.engine.resume(top)
    assert site.end(fix).status == "succeeded"
    with suppress(Refused):  # it may have ended by itself
        site.engine.cancel(top)


def test_a_parent_that_is_cancelled_while_paused_ends_its_children(site: Site, gate: Gate) -> None:
    top, mid, low = _begun(site, gate)
    site.engine.pause(top)
    gate.open("a")
    site.until_state(low, "a", "succeeded")
    site.engine.cancel(top)
    assert [site.end(id).status for id in (top, mid, low)] == ["cancelled"] * 3
    assert site.engine.services.pauses == {}


@pytest.mark.parametrize("paused", [True, False])
def test_a_tree_goes_on_as_it_stood_when_its_database_was_lost(site: Site, gate: Gate, paused: bool) -> None:
    # given a tree, paused or not, whose database is rebuilt from its directories
    top, mid, low = _begun(site, gate)
    if paused:
        site.engine.pause(top, "late", "anna")
    site.engine.services.loop.ask(lambda: [run.files.write() for run in site.engine.services.runs.values()])
    site.close()
    if paused:
        gate.open("a")
    for file in site.root.glob("skerry.db*"):
        file.unlink()
    database = f"sqlite:///{site.root / 'skerry.db'}"
    rebuild_database(database, site.engine.workspace.instances, clock=SystemClock())

    # then the next engine holds it as a whole
    site.again()
    if paused:
        site.until_state(low, "a", "succeeded")
        assert [_status(site, id)[1] for id in (mid, low)] == [f"paused with instance {top}, paused"] * 2
        assert site.state(low, "b") in ("", "pending")
        site.engine.resume(top)

    # and it comes to its end with the sub-tasks that it had, none of them started twice
    gate.open("a")
    assert [site.end(id).status for id in (top, mid, low)] == ["succeeded"] * 3
    assert sorted(row.id for row in site.engine.store.instances()) == [top, mid, low]
