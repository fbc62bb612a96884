"""What the machine is like now; what it was like at each run's start lies in the instances' directories."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from engine.runtime.environment_record import EnvironmentRecord
from export_import.collecting import BundleItem, file_item
from export_import.container import Omission
from export_import.export_source import Site

DEADLINE = 20.0


def items(site: Site) -> Iterator[BundleItem | Omission]:
    """``environment-now.json``, and the workspace's settings."""
    yield BundleItem("environment-now.json", "environment", 1, 2000, lambda: _now(site), "json")
    yield file_item(site.workspace.root / "workspace.yaml", "settings.yaml", "settings", 1)


def _now(site: Site) -> Iterator[bytes]:
    allowed = site.workspace.settings.environment
    record = EnvironmentRecord(site.workspace.root, os.environ, allowed)
    yield json.dumps(record.describe(site.clock.now(), site.clock.monotonic()), ensure_ascii=False).encode()
