"""What a run takes along of the definitions: all that the task uses, nothing that it only waits for."""

from __future__ import annotations

from engine.runtime.library import names_in, references, referred, tree_of
from engine.runtime.recovery.rebuilt_run import captured
from engine.runtime.submission import Submission
from tests.runtime.site import Site, shell

DAILY = {"level": "day", "every": 1, "calendar": "harbour"}


def chain(length: int) -> dict[str, object]:
    """Tasks of which each waits for the one before it; the last one also has a sub-task."""
    tasks = {
        f"t{n}": {"nodes": {"a": shell("true")}, "schedule": DAILY, "depends_on": [{"task": f"t{n - 1}"}]}
        for n in range(1, length)
    }
    tasks[f"t{length - 1}"]["nodes"] = {"a": {"type": "task", "task": "below"}}
    below = {"nodes": {"a": shell("true")}}
    first = {"nodes": {"a": shell("true")}, "schedule": DAILY}
    return {"calendars": {"harbour": {}}, "tasks": {"t0": first, **tasks, "below": below}}


def test_the_snapshot_of_a_run_has_no_task_that_it_only_waits_for(site: Site) -> None:
    site.engine.store.save_definitions(chain(5))

    instance = site.engine.submit(Submission("t4"))
    site.end(instance)

    snapshot = site.engine.store.snapshot(instance, 1) or {}
    assert sorted(snapshot["tasks"]) == ["below", "t4"]
    assert list(snapshot["calendars"]) == ["harbour"]
    assert sorted(tree_of(site.engine.store, "task", "t2")["tasks"]) == ["t2"]


def test_values_for_a_job_that_the_task_does_not_use_are_no_reason_to_refuse_its_run(site: Site) -> None:
    task = {"nodes": {"a": shell("true")}, "job_params": {"count": {"day": "monday"}}}
    site.engine.store.save_definitions({"jobs": {"count": shell("true")}, "tasks": {"t": task}})

    instance = site.engine.submit(Submission("t"))
    site.end(instance)

    row = site.engine.store.instance(instance)
    assert row is not None
    assert row.status == "succeeded"
    assert ("job", "count") in references("task", task)


def test_a_change_of_an_upstream_leaves_the_snapshot_of_its_dependants_as_it_was(site: Site) -> None:
    site.engine.store.save_definitions(chain(3))
    first = site.engine.submit(Submission("t2"))
    site.end(first)

    site.engine.store.save_definitions({"tasks": {"t0": {"nodes": {"b": shell("true")}}}})
    second = site.engine.submit(Submission("t2"))
    site.end(second)

    runs = [site.engine.store.run(each, 1) for each in (first, second)]
    assert len({run.snapshot for run in runs if run}) == 1


def test_whoever_asks_for_them_gets_the_upstreams_too() -> None:
    raw = chain(3)
    task = raw["tasks"]["t1"]  # type: ignore[index]

    found = referred(lambda kind, id: raw[f"{kind}s"].get(id), "task", "t2", upstreams=True)  # type: ignore[attr-defined]

    assert sorted(found["tasks"]) == ["below", "t0", "t1", "t2"]
    assert ("task", "t0") in names_in("task", task)
    assert ("task", "t0") not in references("task", task)


def test_a_task_names_the_resources_that_the_condition_of_its_schedule_reads() -> None:
    said = "$.RESOURCE['door'].ok == true or not $.RESOURCE['gate'].ok"
    for condition, read in (({"resource": "door"}, ["door"]), (said, ["door", "gate"]), ("1 ==", [])):
        task = {"schedule": {"condition": condition, "every": 5}, "nodes": {}}

        assert list(references("task", task)) == [("resource", id) for id in read]


def test_runs_of_the_same_definitions_are_planned_once(site: Site) -> None:
    store, types = site.engine.store, site.engine.services
    store.save_definitions(chain(3))
    first, second = site.engine.submit(Submission("t2")), site.engine.submit(Submission("t2"))
    store.save_definitions({"tasks": {"t2": {"nodes": {"b": shell("true")}}}})
    changed = site.engine.submit(Submission("t2"))

    plans = [captured(store, types, site.end(each).row) for each in (first, second, changed)]

    assert plans[0] is plans[1]
    assert [list(each.nodes) for each in plans] == [["a"], ["a"], ["b"]]
