"""The page of monitoring names every column of the files."""

from __future__ import annotations

import re

from engine.runtime.monitoring.job_samples import JobSample
from engine.runtime.monitoring.machine_samples import MachineSample
from tests.docs.blocks import DOCS


def test_every_column_is_on_the_page_in_its_order() -> None:
    _, machine, job, _ = re.split(r"^## ", (DOCS / "monitoring.md").read_text("utf-8"), flags=re.MULTILINE)

    assert _columns(machine) == ["time", *MachineSample._fields]
    assert _columns(job) == ["time", *JobSample._fields]


def _columns(section: str) -> list[str]:
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`(\w+)`", row)]
