"""``limits: {parallel}`` of a task counts a running sub-task as one of its jobs."""

from __future__ import annotations

from typing import Any

from engine.model.definitions import Definitions
from tests.runtime.site import Gate, Site, shell, tree
from tests.waiting import until


def _starts(task: str, **keys: Any) -> dict[str, Any]:
    return {"type": "task", "task": task, **keys}


def _top(gate: Gate, **limits: Any) -> Definitions:
    """Two sub-tasks and a job, of which ``limits`` says how many run at once."""
    nodes = {"s": _starts("leaf"), "other": _starts("empty"), "job": shell("true")}
    tasks = {
        "leaf": {"nodes": {"a": shell(gate.script("a"))}},
        "empty": {"nodes": {"b": shell("true")}},
        "top": {"limits": limits, "nodes": nodes},
    }
    return tree({"tasks": tasks})


def _states(site: Site, instance: int) -> dict[str, str]:
    return {row.node: str(row.status) for row in site.engine.store.jobs(instance)}


def _ids(site: Site, instance: int) -> set[int]:
    return {row.id for row in site.engine.store.jobs(instance)}


def test_a_running_sub_task_counts_as_one_job_of_its_parent(site: Site, gate: Gate) -> None:
    # given a task that runs one job at once, and a sub-task of it at work
    top = site.begin(_top(gate, parallel=1), "top")
    gate.until_up("a")

    # then everything else of it waits
    until(lambda: _states(site, top) == {"s": "running", "other": "queued", "job": "queued"}, "both wait")

    # also for the next engine
    site.again()
    until(
        lambda: _states(site, top) == {"s": "running", "other": "queued", "job": "queued"}, "they wait again"
    )
    assert next(iter(site.engine.services.queue.holders())).job not in _ids(site, top), (
        "a sub-task uses no slot"
    )

    # and follows when the sub-task has ended
    gate.open("a")
    assert set(site.end(top).states.values()) == {"succeeded"}


def test_without_a_limit_nothing_waits_for_a_sub_task(site: Site, gate: Gate) -> None:
    top = site.begin(_top(gate), "top")
    gate.until_up("a")

    until(
        lambda: _states(site, top) == {"s": "running", "other": "succeeded", "job": "succeeded"},
        "the rest ends",
    )

    gate.open("a")
    assert set(site.end(top).states.values()) == {"succeeded"}
