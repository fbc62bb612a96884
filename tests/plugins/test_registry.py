"""Job types and resource types are found by scan and by entry points."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import pytest

import jobs_builtin
import resources
from engine.plugins import registry
from engine.plugins.job_type import Call, CallType
from engine.plugins.registry import job_types, resource_types


class Ferry(CallType):
    kind = "ferry"

    def call(self, call: Call) -> Mapping[str, Any]:
        return {}


def test_the_built_in_job_types_are_found_by_scan() -> None:
    found = job_types(jobs_builtin)

    assert {"shell", "command", "python", "java", "condition", "wait", "group", "task"} <= found.keys()
    assert all(kind == each.kind for kind, each in found.items())


def test_a_type_of_another_package_is_found_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("ferry", f"{__name__}:Ferry", "skerry.job_types")
    monkeypatch.setattr(registry, "_entry_points", lambda: EntryPoints([point]))

    assert isinstance(job_types(jobs_builtin)["ferry"], Ferry)


def test_a_resource_type_is_found_by_its_aliases_too() -> None:
    found = resource_types(resources)

    assert all(found[alias] is each for each in found.values() for alias in each.aliases)


def test_finding_the_types_imports_nothing_heavy() -> None:
    heavy = (
        "sqlalchemy",
        "paramiko",
        "jsonpath_ng",
        "cryptography",
        "urllib3",
        "zstandard",
        "lark",
        "tarfile",
    )
    script = (
        "import sys, jobs_builtin, resources; from engine.plugins import registry;"
        "registry.job_types(jobs_builtin); registry.resource_types(resources);"
        f"print([name for name in {heavy} if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
