"""A definition with a part missing or of another shape gives findings, never an error of the program."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml

from app import wiring
from engine.api.examine import examine
from tests.effort import effort

_EXAMPLES = Path(__file__).parents[2] / "examples"
_DROPPED = object()
_INSTEAD: tuple[object, ...] = (_DROPPED, None, {}, "{$.")
_JOB_TYPES = wiring.job_types()
_RESOURCE_TYPES = wiring.resource_types()


def _places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    parts = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in parts:
        yield (*path, key)
        yield from _places(value, (*path, key))


def _changed(tree: Any, path: tuple[Any, ...], value: object) -> Any:
    changed = part = copy.deepcopy(tree)
    for key in path[:-1]:
        part = part[key]
    if value is _DROPPED:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return changed


def _files() -> Iterator[tuple[str, Any]]:
    for name, kind in _JOB_TYPES.items():
        job = yaml.load(kind.example, yaml.CSafeLoader)
        tasks = {"t": {"nodes": {"n": {"job": "example"}}}}
        yield name, {"skerry": 1, "jobs": {"example": job}, "tasks": tasks}
    for name in ("calendar.yaml", "repair.yaml", "loop.yaml"):
        yield name, yaml.load((_EXAMPLES / name).read_bytes(), yaml.CSafeLoader)


@pytest.mark.parametrize(("name", "tree"), list(_files()))
def test_whatever_is_garbled_in_a_file_it_is_read_to_its_end(name: str, tree: Any) -> None:
    for path in islice(_places(tree), 0, None, effort(7, all=1)):
        for value in _INSTEAD:
            text = json.dumps(_changed(tree, path, value))

            found = examine([{"name": name, "text": text}], _JOB_TYPES, _RESOURCE_TYPES)

            assert all(each.message for each in found.findings), (path, value)


@pytest.mark.parametrize(
    "schedule", [{"cron": None}, {"level": "interval", "interval": None}, {"level": "hour", "every": None}]
)
def test_a_schedule_whose_one_key_is_empty_lacks_it(schedule: dict[str, Any]) -> None:
    task = {"schedule": schedule, "nodes": {"a": {"type": "shell", "process": "true"}}}
    text = json.dumps({"skerry": 1, "tasks": {"t": task}})

    [found] = examine([{"name": "t.json", "text": text}], _JOB_TYPES, _RESOURCE_TYPES).errors

    assert "needs" in found.message
