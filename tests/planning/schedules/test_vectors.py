"""The published examples of fire times (docs/schedule-vectors.yaml), which others may build on."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
import yaml

from engine.planning.schedules.levels import cron_text
from tests.docs.blocks import DOCS
from tests.effort import effort
from tests.planning.schedules.slow_reference import slow_fires
from tests.planning.schedules.timetables import first, local, model, timetable

VECTORS: list[dict[str, Any]] = yaml.safe_load((DOCS / "schedule-vectors.yaml").read_text("utf-8"))
LONGEST = effort(20, 400)  # days that the slow reference looks through
MOST = 4


def test_there_are_eighty_in_six_zones() -> None:
    assert (len(VECTORS), len({each["zone"] for each in VECTORS})) == (80, 6)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda each: f"{each['zone']} {each['schedule']}")
def test_a_schedule_fires_at_its_published_moments(vector: dict[str, Any]) -> None:
    table = timetable(vector["zone"], **vector["schedule"])

    assert first(table, vector["after"], MOST) == vector["times"]


def _looked_through() -> list[dict[str, Any]]:
    return [each for each in VECTORS if _quartz(each) and _days(each) <= LONGEST]


def _quartz(vector: dict[str, Any]) -> bool:
    """Whether its expression alone says when it fires."""
    text = cron_text(model(vector["schedule"]))
    return text is not None and len(text.split()) > 5 and not {"start", "end"} & vector["schedule"].keys()


def _days(vector: dict[str, Any]) -> int:
    moments = [
        datetime.fromisoformat(each).replace(tzinfo=None) for each in (vector["after"], *vector["times"])
    ]
    return (max(moments) - min(moments)).days


@pytest.mark.parametrize("vector", _looked_through(), ids=lambda each: f"{each['zone']} {each['schedule']}")
def test_a_look_at_every_minute_finds_the_published_moments(vector: dict[str, Any]) -> None:
    table, dst = timetable(vector["zone"], **vector["schedule"]), vector["schedule"].get("dst", {})
    begin = datetime.fromisoformat(vector["after"]).replace(tzinfo=table.zone)
    end = datetime.fromisoformat(vector["times"][-1]) if vector["times"] else begin

    found = slow_fires(str(cron_text(model(vector["schedule"]))), table.zone, begin, end, **dst)

    assert [local(each, table.zone) for each in found] == vector["times"]
