"""What the machine is like now; what it was like at each run's start lies in the instances' directories."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from engine.runtime.environment_record import EnvironmentRecord
from export_import.collecting import BundleItem, file_item
from export_import.collectors.rows import schedules_of
from export_import.container import Omission
from export_import.desk.zone_tables import zone_table
from export_import.export_source import Site

DEADLINE = 20.0
_AROUND = 1  # years


def items(site: Site) -> Iterator[BundleItem | Omission]:
    """``environment-now.json``, and the workspace's settings."""
    yield BundleItem("environment-now.json", "environment", 1, 2000, lambda: _now(site), "json")
    yield file_item(site.workspace.root / "workspace.yaml", "settings.yaml", "settings", 1)


def _now(site: Site) -> Iterator[bytes]:
    allowed = site.workspace.settings.environment
    record = EnvironmentRecord(site.workspace.root, os.environ, allowed)
    found = record.describe(site.clock.now(), site.clock.monotonic()) | {"time_zones": _zones(site)}
    yield json.dumps(found, ensure_ascii=False).encode()


def _zones(site: Site) -> dict[str, Any]:
    """What the clocks do in the zones of the schedules, in the years around the times of the instances."""
    years: dict[str, list[int]] = {}
    for each in site.chosen:
        for held in schedules_of(site.store, each.row):
            years.setdefault(held.zone, []).append(int(each.row.scheduled_time[:4]))
    spans = {zone: (min(of) - _AROUND, max(of) + _AROUND) for zone, of in sorted(years.items())}
    return {zone: zone_table(zone, first, last) for zone, (first, last) in spans.items()}
