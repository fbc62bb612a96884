"""The examples and the types that come with the program."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import jobs_builtin
import resources
from engine.definitions.reader import Source, read, read_raw
from engine.plugins.registry import job_types, resource_types

JOB_TYPES = job_types(jobs_builtin)
RESOURCE_TYPES = resource_types(resources)
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_read_without_a_finding(example: Path) -> None:
    reading = read([Source(str(example), example.read_bytes())], JOB_TYPES, RESOURCE_TYPES)

    assert [str(each) for each in reading.findings] == []
    assert read_raw(reading.definitions.raw, JOB_TYPES, RESOURCE_TYPES) == reading.definitions


@pytest.mark.parametrize("kind", sorted(JOB_TYPES))
def test_the_example_of_every_type_is_read_without_a_finding(kind: str) -> None:
    job = "".join(f"    {line}\n" for line in JOB_TYPES[kind].example.splitlines())
    text = f"skerry: 1\njobs:\n  example:\n{job}"

    reading = read([Source("example.yaml", text.encode())], JOB_TYPES, RESOURCE_TYPES)

    assert [str(each) for each in reading.errors] == []


def test_a_task_of_5000_nodes_is_read_quickly() -> None:
    job = "type: shell, params: {x: 'v'}, process: 'echo $x'"
    nodes = "".join(f"      n{i}: {{after: [{f'n{i - 1}' if i else ''}], {job}}}\n" for i in range(5000))
    text = f"skerry: 1\ntasks:\n  big:\n    nodes:\n{nodes}"

    began = time.process_time()
    definitions = read([Source("big.yaml", text.encode())], JOB_TYPES, RESOURCE_TYPES).valid()
    read_yaml = time.process_time() - began
    began = time.process_time()
    again = read_raw(definitions.raw, JOB_TYPES, RESOURCE_TYPES)
    read_tree = time.process_time() - began

    assert again == definitions
    assert read_yaml < 5  # about 1 s on an idle machine
    assert read_tree < 1.5  # about 0.2 s
