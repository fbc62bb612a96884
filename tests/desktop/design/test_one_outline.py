"""Planner, API, canvas, task table and forms say the same of a graph, however unfinished its definition is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from app import wiring
from app.desktop.canvas.task_picture import graph_of
from app.desktop.design import edits
from app.desktop.design.forms.definition_scope import DefinitionScope
from engine.definitions.reader import read
from engine.definitions.text_source import SourceFile
from engine.planning import graph
from engine.planning.outline import outline_in

Parents = dict[str, set[str]]
CHOOSE = "choose: {type: condition, value: 1, branches: %s}"
FORMS = {
    "a list": ("a: {}, b: {after: [a]}", {"b": {"a"}}),
    "one name instead of a list": ("load: {}, b: {after: load}", {"b": {"load"}}),
    "a number as a name": ("5: {}, b: {after: [5]}, c: {after: 5}", {"b": {"5"}, "c": {"5"}}),
    "the same name twice": ("a: {}, b: {after: [a, a]}", {"b": {"a"}}),
    "a name that does not exist": ("a: {}, b: {after: [a, ghost]}", {"b": {"a"}}),
    "what is no name": ("a: {}, b: {after: [a, true, null, {a: 1}]}", {"b": {"a"}}),
    "a map": ("a: {}, b: {after: {a: success}}", {"b": set()}),
    "nodes without a body": ("a: , b: {after: [a]}", {"b": {"a"}}),
    "branches": (f"{CHOOSE % '{true: [x], 2: {run: [y]}}'}, x: {{}}, y: {{}}", {"x": {"choose"}, "y": {"choose"}}),
    "one name in a branch": (f"{CHOOSE % '{true: {run: x}}'}, x: {{}}", {"x": {"choose"}}),
    "a branch beside a link": (f"{CHOOSE % '{true: [x]}'}, a: {{}}, x: {{after: [a]}}", {"x": {"a", "choose"}}),
    "a condition of the library": ("c: {job: decide}, x: {}", {"x": {"c"}}),
    "a job that does not exist": ("c: {job: ghost, branches: {true: [x]}}, x: {}", {"x": set()}),
    "a sequence": ("b: {}, a: {}, c: {}", {"b": set(), "a": {"b"}, "c": {"a"}}),
    "a sequence with links of its own": (
        "a: {}, b: {}, c: {after: []}, d: {}, e: {after: [a, b]}, f: {}",
        {"b": {"a"}, "c": set(), "d": {"c"}, "e": {"a", "b"}, "f": {"e"}},
    ),
    "a sequence with branches": (
        f"a: {{}}, {CHOOSE % '{true: [x], false: [y]}'}, x: {{}}, y: {{}}, last: {{}}, end: {{}}",
        {"choose": {"a"}, "x": {"choose"}, "y": {"choose"}, "last": {"choose", "x", "y"}, "end": {"last"}},
    ),
    "a sequence with a branch that comes later": (
        f"{CHOOSE % '{true: [x]}'}, a: {{}}, x: {{after: [a]}}, b: {{}}",
        {"a": {"choose"}, "x": {"choose", "a"}, "b": {"a", "x"}},
    ),
    "a sequence with a condition of the library": ("c: {job: decide}, x: {}, y: {}", {"x": {"c"}, "y": {"c", "x"}}),
    "branches of what is no condition": ("c: {type: wait, for: 1s, branches: {true: [x]}}, x: {}", {"x": set()}),
}  # fmt: skip


def tree_of(nodes: str, *, sequence: bool = False) -> dict[str, Any]:
    """Definitions of a task ``t``; a node that has nothing else is a shell job."""
    raw = yaml.safe_load("{" + nodes + "}")
    for node in raw.values():
        if node is not None and not {"job", "type"} & set(node):
            node |= {"type": "shell", "process": "true"}
    decide = {"type": "condition", "value": 1, "branches": {"true": ["x"]}}
    return {
        "jobs": {"decide": decide},
        "tasks": {"t": {"nodes": {str(id): each for id, each in raw.items()}, "sequence": sequence}},
    }


def of_planner(tree: dict[str, Any]) -> Parents:
    found = read(
        [SourceFile("t.yaml", yaml.safe_dump(tree, sort_keys=False).encode())],
        wiring.job_types(),
        wiring.resource_types(),
    )
    return {
        id: set(each)
        for id, each in graph.read(found.definitions.tasks["t"], found.definitions).outline.parents.items()
    }


def of_api(tree: dict[str, Any]) -> Parents:
    return {id: set(each) for id, each in outline_in(tree, "t").parents.items()}


def of_canvas(tree: dict[str, Any]) -> Parents:
    drawn = graph_of(tree["tasks"]["t"], tree["jobs"])
    return {node.id: {link.source for link in drawn.links if link.target == node.id} for node in drawn.nodes}


def of_forms(tree: dict[str, Any]) -> Parents:
    scope = DefinitionScope(tree, "t", wiring.job_types(), wiring.resource_types())
    return {id: set(scope.outline().parents[id]) for id in scope.nodes}


VIEWS: dict[str, Callable[[dict[str, Any]], Parents]] = {
    "planner": of_planner,
    "api": of_api,
    "canvas": of_canvas,
    "forms": of_forms,
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("form", FORMS)
def test_every_part_sees_the_same_links(form: str, view: str) -> None:
    nodes, expected = FORMS[form]

    found = VIEWS[view](tree_of(nodes, sequence="sequence" in form))

    assert {id: found[id] for id in expected} == expected


@pytest.mark.parametrize("form", FORMS)
def test_an_edit_keeps_the_links_that_were_there(form: str) -> None:
    nodes, expected = FORMS[form]

    tree = edits.add_node("t", "new", {"type": "shell"})(tree_of(nodes, sequence="sequence" in form))
    for id in expected:
        tree = edits.link("t", "new", id)(tree)

    links = {id: {each for each in of_canvas(tree)[id] if each != "new"} for id in expected}
    assert links == expected
