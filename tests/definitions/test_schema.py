"""The JSON Schema of definition files; that the published one is current is in tests/docs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from engine.definitions.schema import json_schema
from engine.definitions.text_source import SourceFile, parse
from tests.definitions.fakes import JOB_TYPES, RESOURCE_TYPES

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "definition.schema.json"


def test_every_type_has_its_keys_with_help() -> None:
    schema = json_schema(JOB_TYPES, RESOURCE_TYPES)["$defs"]

    assert schema["JobBody"]["properties"]["type"]["enum"] == sorted(JOB_TYPES)
    assert schema["Job.argv"]["properties"]["argv"]["description"] == "The program and its arguments."
    assert schema["Job.argv"]["properties"]["process"] is False
    assert schema["Job.script"]["required"] == ["process"]
    assert set(schema["Job.lines"]["properties"]["params"]["properties"]) == {"path", "limit", "mode"}
    assert schema["Resource"]["properties"]["type"]["enum"] == ["store", "shelf"]
    assert "exists" in schema["Resource.store"]["properties"]["check"]["properties"]


def test_every_reference_leads_somewhere() -> None:
    schema = json_schema(JOB_TYPES, RESOURCE_TYPES)

    assert set(_references(schema)) == {f"#/$defs/{name}" for name in schema["$defs"]}


def _references(schema: Any) -> list[str]:
    if isinstance(schema, dict):
        own = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
        return own + [each for value in schema.values() for each in _references(value)]
    return [each for value in schema for each in _references(value)] if isinstance(schema, list) else []


@pytest.fixture
def validator() -> Any:
    jsonschema.Draft202012Validator.check_schema(json.loads(PUBLISHED.read_text()))
    return jsonschema.Draft202012Validator(json.loads(PUBLISHED.read_text()))


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_example_fits_the_schema(example: Path, validator: Any) -> None:
    tree = parse(SourceFile(example.name, example.read_bytes())).value

    assert [each.message for each in validator.iter_errors(tree)] == []


@pytest.mark.parametrize(
    "tree",
    [
        {},
        {"skerry": 2},
        {"skerry": 1, "job": {}},
        {"skerry": 1, "jobs": {"j": {"type": "shell", "process": "x", "timeot": 3}}},
        {"skerry": 1, "jobs": {"j": {"type": "shell", "process": "x", "timeout": []}}},
        {"skerry": 1, "jobs": {"j": {"type": "shell"}}},
        {"skerry": 1, "jobs": {"a b": {"type": "shell", "process": "x"}}},
        {"skerry": 1, "tasks": {"t": {"nodes": {"n": {"job": "j", "process": "x"}}}}},
        {"skerry": 1, "tasks": {"t": {"nodes": {"n": {"type": "shell", "process": "x", "aftr": []}}}}},
        {
            "skerry": 1,
            "tasks": {"t": {"nodes": {"n": {"type": "condition", "value": "x", "branches": {"a": 4}}}}},
        },
        {"skerry": 1, "tasks": {"t": {"schedule": {"level": "week", "at": "08:00"}}}},
        {"skerry": 1, "tasks": {"t": {"schedule": {"level": "minute", "every": 5, "at": "08:00"}}}},
    ],
)
def test_what_is_wrong_does_not_fit_the_schema(tree: Any, validator: Any) -> None:
    assert list(validator.iter_errors(tree))
