"""``on_end`` of a task: handlers that know the outcome and cannot change it (contract 2.3)."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.planning import HANDLER
from engine.model.errors import Refused
from engine.model.states import JobState
from engine.runtime.reruns.rerun_request import RerunRequest
from tests.runtime.site import Gate, Site, shell, task, tree
from tests.waiting import until

OUTCOME = "$.TASK.STATUS"


def note(journal: Path, name: str) -> dict[str, Any]:
    """A handler that writes down what it knows of the outcome."""
    params = {"status": OUTCOME, "code": "$.TASK.ERROR.CODE", "node": "$.TASK.ERROR.NODE"}
    return shell(f'echo "{name} $status ${{code:-none}} ${{node:-none}}" >> {journal}', params=params)


def notes(journal: Path, *names: str) -> dict[str, Any]:
    return {name: note(journal, name) for name in names or ("succeeded", "failed", "cancelled", "always")}


def lines(journal: Path) -> list[str]:
    return journal.read_text().splitlines()


def in_background(call: Any) -> threading.Thread:
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    return thread


def alerts(site: Site) -> list[str]:
    return [each.kind for each in site.engine.store.alerts()]


# -- which one runs, and what it knows ---------------------------------------------------------------


def test_the_handler_of_the_outcome_runs_and_then_always(site: Site, journal: Path) -> None:
    seen = site.run(task({"a": shell("true")}, on_end=notes(journal)))

    assert seen.status == "succeeded"
    assert lines(journal) == ["succeeded succeeded none none", "always succeeded none none"]
    assert seen.states == {"a": "succeeded", "on_end.succeeded": "succeeded", "on_end.always": "succeeded"}
    assert seen.context["TASK"]["ERROR"] == {"CODE": None, "MESSAGE": None, "NODE": None}
    seen.assert_replays()


def test_a_failure_is_known_by_code_message_and_node(site: Site, journal: Path) -> None:
    seen = site.run(task({"a": shell("exit 3"), "b": shell("true", after=["a"])}, on_end=notes(journal)))

    code = seen.row.error_code
    assert seen.status == "failed"
    assert lines(journal) == [f"failed failed {code} a", f"always failed {code} a"]
    assert seen.context["TASK"]["ERROR"]["MESSAGE"] == str(seen.row.error_message)


def test_failed_also_serves_a_timeout_which_does_not_count_the_handlers(site: Site, journal: Path) -> None:
    seen = site.run(task({"a": shell("sleep 60")}, timeout=0.3, on_end=notes(journal)))

    assert seen.status == "timed_out"
    assert [each.split()[:2] for each in lines(journal)] == [["failed", "timed_out"], ["always", "timed_out"]]


def test_no_handler_runs_while_the_task_is_to_be_tried_again(site: Site, journal: Path) -> None:
    seen = site.run(task(
        {"a": shell(f"echo a >> {journal}; exit 1")}, retry={"times": 1, "interval": 0}, on_end=notes(journal)
    ))  # fmt: skip

    assert seen.row.run == 2
    assert [each.split()[0] for each in lines(journal)] == ["a", "a", "failed", "always"]


def test_the_run_is_running_until_its_handlers_end(site: Site, gate: Gate) -> None:
    instance = site.begin(task({"a": shell("exit 1")}, on_end={"failed": shell(gate.script())}))
    gate.until_up()

    seen = site.see(instance)
    assert seen.status == "running"
    assert not site.engine.wait(instance, 0.1)
    assert seen.context["TASK"]["STATUS"] == "failed"

    gate.open()
    assert site.end(instance).status == "failed"


def test_a_task_node_and_its_dependants_wait_for_the_handlers(site: Site, journal: Path) -> None:
    made = tree({"tasks": {
        "sub": {"nodes": {"x": shell("true")}, "on_end": {"always": shell(f"sleep 0.3; echo end >> {journal}")}},
        "t": {"nodes": {"s": {"type": "task", "task": "sub"},
                        "n": shell(f"echo after >> {journal}", after=["s"])}},
    }})  # fmt: skip

    assert site.run(made, "t").status == "succeeded"
    assert lines(journal) == ["end", "after"]


# -- what they cannot do ------------------------------------------------------------------------------


def test_their_failure_is_an_exception_and_an_alert_and_changes_nothing(site: Site, journal: Path) -> None:
    handlers = {"succeeded": shell("exit 4"), "always": note(journal, "always")}

    seen = site.run(task({"a": shell("true")}, on_end=handlers))

    assert seen.status == "succeeded"
    assert seen.row.error_code is None
    assert seen.states["on_end.succeeded"] == "failed"
    assert [each.node for each in site.engine.store.exceptions()] == ["on_end.succeeded"]
    assert alerts(site) == ["handler_failed"]
    assert lines(journal) == ["always succeeded none none"]


def test_each_has_a_timeout_of_its_own(site: Site) -> None:
    seen = site.run(task({"a": shell("true")}, on_end={"always": shell("sleep 60", timeout=0.3)}))

    assert seen.status == "succeeded"
    assert seen.states["on_end.always"] == "timed_out"
    assert alerts(site) == ["handler_failed"]


def test_surroundings_of_the_task_are_theirs_and_defaults_are_not(site: Site, tmp_path: Path) -> None:
    script = f"echo $A > {tmp_path}/out; pwd >> {tmp_path}/out; [ -e {tmp_path}/once ] && exit 0; touch {tmp_path}/once; exit 1"
    seen = site.run(task(
        {"a": shell("true")}, env={"A": "1"}, working_dir=str(tmp_path), defaults={"retry": {"times": 3}},
        on_end={"always": shell(script)},
    ))  # fmt: skip

    assert (tmp_path / "out").read_text().split() == ["1", str(tmp_path)]
    assert seen["on_end.always"].attempt == 1
    assert seen.states["on_end.always"] == "failed"


# -- cancel ---------------------------------------------------------------------------------------------


def test_cancel_returns_when_the_jobs_are_gone_and_the_handlers_go_on(site: Site, gate: Gate) -> None:
    instance = site.begin(task({"a": shell(gate.script("a"))}, on_end={"cancelled": shell(gate.script("h"))}))
    gate.until_up("a")

    assert site.engine.cancel(instance)["verified"]

    gate.until_up("h")
    assert site.see(instance).status == "running"
    gate.open("h")
    seen = site.end(instance)
    assert seen.status == "cancelled"
    assert seen.states == {"a": "cancelled", "on_end.cancelled": "succeeded"}


def test_a_second_cancel_stops_the_handlers(site: Site, gate: Gate, journal: Path) -> None:
    handlers = {"cancelled": shell(gate.script("h")), "always": note(journal, "always")}
    instance = site.begin(task({"a": shell(gate.script("a"))}, on_end=handlers))
    gate.until_up("a")
    site.engine.cancel(instance)
    gate.until_up("h")

    site.engine.cancel(instance)

    seen = site.see(instance)
    assert seen.status == "cancelled"
    assert seen.states == {"a": "cancelled", "on_end.cancelled": "cancelled", "on_end.always": "skipped"}
    assert alerts(site) == []
    assert lines(journal) == []


def test_a_paused_run_that_is_cancelled_runs_its_handlers(site: Site, gate: Gate, journal: Path) -> None:
    instance = site.begin(task(
        {"a": shell(gate.script("a")), "b": shell("true", after=["a"])}, on_end=notes(journal)
    ))  # fmt: skip
    gate.until_up("a")
    site.engine.pause(instance)

    site.engine.cancel(instance)

    assert site.end(instance).status == "cancelled"
    assert [each.split()[0] for each in lines(journal)] == ["cancelled", "always"]


def test_cancelled_while_it_waits_to_be_tried_again(site: Site, journal: Path) -> None:
    instance = site.begin(
        task({"a": shell("exit 1")}, retry={"times": 1, "interval": 3600}, on_end=notes(journal))
    )
    until(lambda: site.see(instance).status == "waiting")

    site.engine.cancel(instance)

    seen = site.end(instance)
    assert seen.status == "cancelled"
    assert [each.split()[:2] for each in lines(journal)] == [
        ["cancelled", "cancelled"],
        ["always", "cancelled"],
    ]
    seen.assert_replays()


def test_a_sub_tasks_own_handlers_run_when_its_parent_is_cancelled(
    site: Site, gate: Gate, journal: Path
) -> None:
    made = tree({"tasks": {
        "sub": {"nodes": {"x": shell(gate.script("x"))}, "on_end": notes(journal)},
        "t": {"nodes": {"s": {"type": "task", "task": "sub"}}, "on_end": {"always": note(journal, "parent")}},
    }})  # fmt: skip
    instance = site.begin(made, "t")
    gate.until_up("x")

    site.engine.cancel(instance)

    assert site.end(instance).status == "cancelled"
    assert [each.split()[:2] for each in lines(journal)] == [
        ["cancelled", "cancelled"], ["always", "cancelled"], ["parent", "cancelled"]
    ]  # fmt: skip


def test_a_second_cancel_stops_the_handlers_of_sub_tasks_too(site: Site, gate: Gate) -> None:
    made = tree({"tasks": {
        "sub": {"nodes": {"x": shell(gate.script("x"))}, "on_end": {"always": shell(gate.script("h"))}},
        "t": {"nodes": {"s": {"type": "task", "task": "sub"}}},
    }})  # fmt: skip
    instance = site.begin(made, "t")
    gate.until_up("x")
    first = in_background(lambda: site.engine.cancel(instance))
    gate.until_up("h")

    site.engine.cancel(instance)

    first.join()
    assert site.end(instance).status == "cancelled"


# -- reruns, and what is refused --------------------------------------------------------------------------


def test_every_rerun_runs_them_again(site: Site, journal: Path, tmp_path: Path) -> None:
    job = shell(f"[ -e {tmp_path}/ok ]")
    first = site.run(task({"a": job, "b": shell("true")}, on_end=notes(journal)))
    preview = site.engine.preview(RerunRequest(first.id, "failed"))
    (tmp_path / "ok").touch()

    site.engine.rerun([RerunRequest(first.id, "failed")])
    seen = site.end(first.id)

    assert preview["run"] == ["a", "on_end.succeeded", "on_end.failed", "on_end.cancelled", "on_end.always"]
    assert [each.split()[0] for each in lines(journal)] == ["failed", "always", "succeeded", "always"]
    assert seen.status == "succeeded"
    assert seen.context["TASK"]["ERROR"]["CODE"] is None
    assert "on_end.failed" not in seen.context["JOB"]
    seen.assert_replays()


@pytest.mark.parametrize("mode", ["from", "only"])
def test_a_rerun_cannot_begin_with_a_handler(site: Site, mode: Any) -> None:
    seen = site.run(task({"a": shell("true")}, on_end={"always": shell("true")}))

    with pytest.raises(Refused) as refused:
        site.engine.rerun([RerunRequest(seen.id, mode, ("on_end.always",))])

    assert refused.value.entry is HANDLER


def test_force_refuses_a_handler(site: Site) -> None:
    seen = site.run(task({"a": shell("true")}, on_end={"always": shell("exit 1")}))

    with pytest.raises(Refused) as refused:
        site.engine.force(seen.id, "on_end.always", JobState.SUCCEEDED, "why not")

    assert refused.value.entry is HANDLER
