"""The examples and the types that come with the program."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import jobs_builtin
import resources
from engine.definitions.reader import SourceFile, locate, read, read_raw
from engine.planning.plan import check
from engine.plugins.registry import job_types, resource_types
from tests.effort import effort

JOB_TYPES = job_types(jobs_builtin)
RESOURCE_TYPES = resource_types(resources)
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_read_without_a_finding(example: Path) -> None:
    reading = read([SourceFile(str(example), example.read_bytes())], JOB_TYPES, RESOURCE_TYPES)

    assert [str(each) for each in reading.findings] == []
    assert read_raw(reading.definitions.raw, JOB_TYPES, RESOURCE_TYPES) == reading.definitions


@pytest.mark.parametrize("kind", sorted(JOB_TYPES))
def test_the_example_of_every_type_is_read_without_a_finding(kind: str) -> None:
    job = "".join(f"    {line}\n" for line in JOB_TYPES[kind].example.splitlines())
    text = f"skerry: 1\njobs:\n  example:\n{job}"

    reading = read([SourceFile("example.yaml", text.encode())], JOB_TYPES, RESOURCE_TYPES)

    assert [str(each) for each in reading.errors] == []


def test_a_task_of_many_nodes_takes_as_much_work_for_each_of_them() -> None:
    _lines_to_read(1)  # what is made once is there
    few, many = _lines_to_read(100), _lines_to_read(800)

    assert many < few * 8 * 1.2  # eight times as many


def _lines_to_read(count: int) -> int:
    """How many lines of Python run to read a chain of nodes, from its text and from what was read."""
    job = "type: shell, params: {x: 'v'}, process: 'echo $x'"
    nodes = "".join(f"      n{i}: {{after: [{f'n{i - 1}' if i else ''}], {job}}}\n" for i in range(count))
    source = SourceFile("big.yaml", f"skerry: 1\ntasks:\n  big:\n    nodes:\n{nodes}".encode())
    lines = Counter[str]()

    def traced(frame: FrameType, event: str, argument: object) -> Callable[..., Any]:
        lines[event] += 1
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        definitions = read([source], JOB_TYPES, RESOURCE_TYPES).valid()
        again = read_raw(definitions.raw, JOB_TYPES, RESOURCE_TYPES)
    finally:
        sys.settrace(before)

    assert again == definitions
    return lines["line"]


def test_all_of_thousands_of_mistakes_are_found() -> None:
    count = effort(400, all=5000)
    nodes = "".join(f"      n{i}: {{type: shell, proces: x, aftr: [n{i}]}}\n" for i in range(count))
    text = f"skerry: 1\ntasks:\n  big:\n    nodes:\n{nodes}"

    reading = read([SourceFile("big.yaml", text.encode())], JOB_TYPES, RESOURCE_TYPES)

    assert len(reading.errors) == 2 * count
    assert reading.errors[-1].line == count + 4


BROKEN = """\
skerry: 1
resources: {r: {type: databse}, s: x}
jobs:
  one: x
  2nd: {type: shell, process: x, resources: [r, s]}
  three: {type: nonsense}
tasks:
  t:
    nodes:
      a: {job: one}
      b: x
      c: {after: [a, b]}
      d: {job: {type: shell}, after: [c]}
      5e: {job: three, after: [d]}
      f: {type: condition, branches: {"1": [g]}, after: [5e]}
      g: {type: group, jobs: [{process: x}, {job: 7up}]}
"""


def test_what_cannot_be_read_is_not_missed_by_the_planner_again() -> None:
    reading = read([SourceFile("x.yaml", BROKEN.encode())], JOB_TYPES, RESOURCE_TYPES)

    planned = locate(reading, check(reading.definitions, JOB_TYPES))

    assert [each.line for each in reading.errors] == [2, 2, 4, 5, 6, 11, 12, 13, 14, 15, 15, 16, 16]
    assert [str(each) for each in planned if each.severity == "error"] == []
