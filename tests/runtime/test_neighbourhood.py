"""A rerun is refused while something directly before or after the instance waits or runs (seed 001, 4.1)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.model.codes.recovery import NEIGHBOUR_AT_WORK
from engine.model.errors import Refused
from engine.runtime.reruns.neighbourhood import Neighbourhood
from engine.runtime.reruns.rerun_request import RerunRequest
from engine.runtime.submission import Submission
from tests.runtime.site import TESTED, Gate, Site, shell, tree


def refusal(site: Site, *instances: int, **more: Any) -> Refused:
    """How a rerun of these is refused."""
    with pytest.raises(Refused) as caught:
        site.engine.rerun([RerunRequest(each, "all", **more) for each in instances])
    return caught.value


def load(site: Site, gate: Gate) -> None:
    """``up``, and ``down`` that depends on it; each waits at its gate once that is asked for."""
    waits = f"test ! -e {{0}}/stop.{{1}} || while {TESTED} && [ ! -e {{0}}/go ]; do sleep 0.02; done"
    tasks = {
        "up": {"nodes": {"a": shell(waits.format(gate.folder, "up"))}, "schedule": "manual"},
        "down": {
            "nodes": {"a": shell(waits.format(gate.folder, "down"))},
            "schedule": "manual",
            "depends_on": [{"task": "up"}],
        },
    }
    site.engine.store.save_definitions({"tasks": tasks})


def run(site: Site, name: str) -> int:
    """One instance to its end."""
    instance = site.engine.submit(Submission(name))
    site.end(instance)
    return instance


def begin(site: Site, gate: Gate, name: str) -> int:
    """One instance that stays at work."""
    (gate.folder / f"stop.{name}").touch()
    instance = site.engine.submit(Submission(name))
    site.until_state(instance, "a", "running")
    return instance


def test_an_upstream_instance_is_not_run_again_while_one_that_depends_on_it_runs(
    site: Site, gate: Gate
) -> None:
    load(site, gate)
    earlier, up = run(site, "up"), run(site, "up")
    down = begin(site, gate, "down")

    refused = refusal(site, up)
    site.engine.rerun([RerunRequest(earlier, "all")])  # ``down`` waits for the latest, which is not this one

    assert refused.code == NEIGHBOUR_AT_WORK.number
    assert str(down) in refused.message
    (gate.folder / "go").touch()
    site.end(down)
    site.end(earlier)
    assert site.engine.rerun([RerunRequest(up, "all")]) == [2]


def test_one_that_depends_is_not_run_again_while_what_it_depends_on_runs(site: Site, gate: Gate) -> None:
    load(site, gate)
    up = run(site, "up")
    down = run(site, "down")
    (gate.folder / "stop.up").touch()
    site.engine.rerun([RerunRequest(up, "all")])

    assert refusal(site, down).code == NEIGHBOUR_AT_WORK.number
    (gate.folder / "go").touch()
    site.end(up)
    assert site.engine.rerun([RerunRequest(down, "all")]) == [2]


def test_those_of_one_batch_do_not_forbid_each_other(site: Site, gate: Gate) -> None:
    load(site, gate)
    both = [run(site, "up"), run(site, "down")]

    assert site.engine.rerun([RerunRequest(each, "all") for each in both]) == [2, 2]


def test_a_sub_task_and_who_started_it_forbid_each_other(site: Site, gate: Gate) -> None:
    tasks = {
        "inner": {"nodes": {"a": shell("true")}},
        "outer": {"nodes": {"s": {"type": "task", "task": "inner"}, "b": shell(gate.script(), after=["s"])}},
    }
    outer = site.begin(tree({"tasks": tasks}), "outer")
    gate.until_up()
    [inner] = [row.id for row in site.engine.store.instances() if row.task == "inner"]

    refused = refusal(site, inner)

    assert (refused.code, refused.where) == (NEIGHBOUR_AT_WORK.number, str(outer))
    gate.open()
    site.end(outer)
    assert site.engine.rerun([RerunRequest(inner, "all")]) == [2]


def test_however_many_are_looked_at_the_instances_of_a_task_are_read_once(
    site: Site, gate: Gate, monkeypatch: Any
) -> None:
    load(site, gate)
    *_, earlier, latest, down = (run(site, each) for each in ("up", "up", "up", "down"))
    store, reads = site.engine.store, list[Any]()
    real = store.instances
    monkeypatch.setattr(
        store, "instances", lambda *given, **more: reads.append(given) or real(*given, **more)
    )

    around = Neighbourhood(store, site.engine.workspace.zone)
    found = [[each.id for each in around.dependants(site.see(id).row)] for id in (earlier, latest, down)]

    assert found == [[], [down], []]
    assert len(reads) == len({task for (task,) in reads}) == 2  # ``down``, and ``up``, which it reads
