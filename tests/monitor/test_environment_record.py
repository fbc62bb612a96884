"""environment.json: enough to understand a run elsewhere, and nothing that is secret."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from engine.execution.stage_file import boot_id
from engine.runtime.environment_record import EnvironmentRecord

NOW = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)


def test_it_tells_versions_host_and_disk(tmp_path: Path) -> None:
    found = EnvironmentRecord(tmp_path, {}).describe(NOW, 12.34)

    assert found["time"] == "2026-11-21T08:00:00.000000+00:00"
    assert found["versions"]["python"]
    assert found["versions"]["sqlalchemy"]
    assert found["host"]["boot_id"] == boot_id()
    assert found["host"]["memory"] > 0
    assert found["disk"]["total"] >= found["disk"]["free"] > 0
    assert json.loads(json.dumps(found)) == found


def test_variables_are_recorded_by_an_allow_list(tmp_path: Path) -> None:
    environ = {"PATH": "/bin", "LC_ALL": "C", "AWS_SECRET": "x", "SKERRY_PASSPHRASE": "x", "SITE": "north"}

    found = EnvironmentRecord(tmp_path, environ, allow=("SITE",)).describe(NOW, 12.34)

    assert found["variables"] == {"LC_ALL": "C", "PATH": "/bin", "SITE": "north"}


def test_what_does_not_change_is_found_out_once(tmp_path: Path) -> None:
    record = EnvironmentRecord(tmp_path, {})

    assert record.describe(NOW, 12.34)["versions"] is record.describe(NOW, 12.34)["versions"]
