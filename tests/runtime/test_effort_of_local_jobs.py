"""What a job on this machine costs the engine's thread, counted in calls: time says little on a machine that is shared."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

import pytest

from engine.runtime.loop import Loop
from tests.runtime.site import SETTINGS, Site, close_quietly, shell, task

MOST = 960  # calls of Python functions: 915 are needed
FEW, MANY = 20, 120


class Counted:
    """The calls that the threads of loops make."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        self.calls += event == "call"


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    counted, run = Counted(), Loop._run

    def profiled(loop: Loop) -> None:
        sys.setprofile(counted)
        run(loop)

    monkeypatch.setattr(Loop, "_run", profiled)
    return counted


def calls_of(jobs: int, site: Site, counted: Counted) -> int:
    before = counted.calls
    seen = site.run(task({f"n{number}": shell("true") for number in range(jobs)}))
    assert seen.row.status == "succeeded"
    return counted.calls - before


def test_a_local_job_costs_the_engine_few_calls(tmp_path: Path, counted: Counted) -> None:
    # given
    site = Site(tmp_path / "workspace", SETTINGS.replace("places: 4", "places: 1")).start()
    calls_of(FEW, site, counted)
    # when
    few, many = calls_of(FEW, site, counted), calls_of(MANY, site, counted)
    # then
    each = (many - few) / (MANY - FEW)
    assert each < MOST, f"{each:.0f} calls"
    close_quietly(site)
