"""What a value can be taken from, and what fits."""

from __future__ import annotations

from typing import Any

import yaml

from app import wiring
from app.desktop.design.forms.definition_scope import DefinitionScope
from app.desktop.design.picker import sources
from engine.model.expression import read_path
from tests.desktop.conftest import EXAMPLES


def scope(task: str, tree: dict[str, Any] | None = None) -> DefinitionScope:
    found = tree or yaml.safe_load((EXAMPLES / "tour.yaml").read_text())
    return DefinitionScope(found, task, wiring.job_types(), wiring.resource_types())


def paths(groups: tuple[sources.SourceGroup, ...]) -> list[str]:
    return [source.path for group in groups for source in group.sources]


def test_a_node_takes_from_what_is_before_it_the_nearest_first() -> None:
    found = sources.groups(scope("tour"), "read")

    assert [each.key for each in found] == ["join", "exists", "write", "params", "builtin"]


def test_a_branch_makes_its_nodes_come_after_the_condition() -> None:
    assert "enough" in scope("tour").outline().upstream("four")


def test_only_what_fits_is_offered() -> None:
    found = paths(sources.fitting(sources.groups(scope("tour"), "table"), "number"))

    assert "$.JOB['words'].RESULT['count']" in found
    assert "$.JOB['words'].RESULT['words']" not in found
    assert "$.JOB['words'].OUTPUT" not in found


def test_every_path_that_is_offered_is_one_the_engine_reads() -> None:
    here = scope("tour")

    for node in here.nodes:
        for place in (sources.FOR_PARAMS, sources.FOR_KEYS, sources.FOR_RESULTS):
            for path in paths(sources.groups(here, node, place)):
                assert read_path(path).rest == ""


def test_a_result_may_use_what_the_job_itself_printed() -> None:
    found = sources.groups(scope("tour"), "write", sources.FOR_RESULTS)

    assert found[0].key == "own:write"
    assert "$.JOB['write'].OUTPUT" in paths(found)


def test_a_member_of_a_group_sees_the_members_before_it() -> None:
    found = sources.groups(scope("tour"), "report", sources.FOR_PARAMS, member=1)

    assert "$.JOB['report.0'].OUTPUT" in paths(found)
    assert "$.JOB['report.1'].OUTPUT" not in paths(found)


def test_a_batch_gives_the_results_of_all_its_members() -> None:
    nodes = {
        "many": {"type": "read_file", "params": [{"path": "/a"}, {"path": "/b"}]},
        "last": {"type": "shell", "process": "true", "after": ["many"]},
    }

    found = paths(sources.groups(scope("t", {"tasks": {"t": {"nodes": nodes}}}), "last"))

    assert "$.JOB['many'][*].RESULT['text']" in found
    assert "$.JOB['many'][0].RESULT['text']" in found


def test_a_node_for_each_item_sees_the_item() -> None:
    nodes = {"each": {"type": "shell", "process": "true", "for_each": [1, 2]}}

    assert "$.ITEM" in paths(sources.groups(scope("t", {"tasks": {"t": {"nodes": nodes}}}), "each"))


def test_a_sub_task_gives_the_results_of_the_task() -> None:
    tree = {
        "tasks": {
            "inner": {"results": {"total": {"kind": "number"}}, "nodes": {}},
            "t": {
                "nodes": {
                    "sub": {"type": "task", "task": "inner"},
                    "last": {"type": "shell", "process": "true", "after": ["sub"]},
                }
            },
        }
    }

    assert "$.JOB['sub'].RESULT['total']" in paths(sources.groups(scope("t", tree), "last"))


def test_a_path_is_found_at_the_source_that_it_begins_with() -> None:
    groups = sources.groups(scope("tour"), "four")

    found = sources.find(groups, "$.JOB['query'].RESULT['rows'][0]['n']")

    assert found is not None
    assert found[1].path == "$.JOB['query'].RESULT['rows']"


def waiting(depends_on: list[Any]) -> DefinitionScope:
    """A task that waits for tides."""
    node = {"type": "shell", "process": "true"}
    tides = {"params": {"port": "hull"}, "results": {"height": {"value": "3", "kind": "number"}},
             "nodes": {"m": node}}  # fmt: skip
    load = {"depends_on": depends_on, "params": {"day": "monday"}, "nodes": {"m": node}}
    return scope("load", {"skerry": 1, "tasks": {"tides": tides, "load": load}})


def test_a_task_that_waits_for_another_takes_from_its_results_state_and_parameters() -> None:
    here = waiting([{"task": "tides"}])
    found = sources.groups(here, "m")

    assert [each.key for each in found] == ["upstream:tides", "params", "builtin"]
    assert paths(found[:1]) == [
        "$.UPSTREAM['tides'].RESULT['height']",
        "$.UPSTREAM['tides'].STATUS",
        "$.UPSTREAM['tides'].SCHEDULED_TIME",
        "$.UPSTREAM['tides'].INSTANCE",
        "$.UPSTREAM['tides'].RUN",
        "$.UPSTREAM['tides'].PARAMS['port']",
    ]
    numbers = paths(sources.fitting(found[:1], "number"))
    assert numbers == [each for each in paths(found[:1]) if each.endswith(("'height']", "INSTANCE", "RUN"))]


def test_of_a_whole_period_there_are_all_values_and_the_first_one() -> None:
    found = paths(sources.groups(waiting([{"task": "tides", "window": "all_in_period"}]), "m")[:1])

    assert found[:2] == [
        "$.UPSTREAM['tides'][*].RESULT['height']",
        "$.UPSTREAM['tides'][0].RESULT['height']",
    ]
    assert all(read_path(path).rest == "" for path in found if "[*]" not in path)


def test_the_instance_before_is_waited_for_by_the_task_s_own_name() -> None:
    assert "$.UPSTREAM['load'].PARAMS['day']" in paths(sources.groups(waiting([{"self": True}]), "m"))


def test_a_value_of_another_task_that_is_bound_has_its_name() -> None:
    here = waiting([{"task": "tides"}])
    path = "$.UPSTREAM['tides'].RESULT['height']"

    found = sources.find(sources.near(here, "m", path), path)

    assert found is not None
    assert (found[0].key, found[1].path) == ("upstream:tides", path)


def test_a_task_that_waits_for_nothing_offers_no_other_task() -> None:
    assert [each.key for each in sources.groups(waiting([]), "m")] == ["params", "builtin"]
