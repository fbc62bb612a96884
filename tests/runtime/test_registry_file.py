"""The file beside the database that has what is registered of workers."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.runtime.upkeep.registry_file import LEASES, leases


def services(root: Path, inside: dict[str, Any]) -> Any:
    store = SimpleNamespace(setting=lambda name, default: {LEASES: inside}.get(name, default))
    return SimpleNamespace(workspace=SimpleNamespace(root=root), store=store)


@pytest.mark.parametrize(
    ("beside", "inside", "term"),
    [
        ({"leases": {"id": "a", "term": 9, "endless": []}}, {"id": "a", "term": 4}, 9),  # an older database
        ({"leases": {"id": "a", "term": 9, "endless": []}}, {"id": "a", "term": 12}, 12),
        ({"leases": {"id": "a", "term": 9, "endless": []}}, {}, 9),
        ({"leases": {"term": "9"}}, {"id": "a", "term": 4}, 4),
        ({"leases": [9]}, {"id": "a", "term": 4}, 4),
        ([], {"id": "a", "term": 4}, 4),
        (None, {"id": "a", "term": 4}, 4),
    ],
)
def test_the_term_that_hosts_know_does_not_come_again_with_an_older_database(
    tmp_path: Path, beside: Any, inside: dict[str, Any], term: int
) -> None:
    if beside is not None:
        (tmp_path / "workers.json").write_text(json.dumps(beside))

    assert leases(services(tmp_path, inside))["term"] == term


def test_a_file_that_cannot_be_read_leaves_what_the_database_has(tmp_path: Path) -> None:
    (tmp_path / "workers.json").write_text("{")

    assert leases(services(tmp_path, {"term": 4})) == {"term": 4}
