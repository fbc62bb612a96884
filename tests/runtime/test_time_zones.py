"""Times are shifted and formatted in the zone of the task's schedule, else of the workspace (contract 3)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.site import Site, shell, task

MIDNIGHT = {"at": "2026-11-21T00:00:00+00:00"}
HOUR = {"hour": "{$.TASK.PARAMS['at']}:DATE:0d:%H"}


@pytest.mark.parametrize(
    ("keys", "hour"),
    [
        ({"schedule": {"level": "day", "every": 1, "timezone": "Asia/Shanghai"}}, "08"),
        ({"schedule": {"level": "day", "every": 1, "timezone": "America/New_York"}}, "19"),
    ],
)
def test_the_zone_is_that_of_the_schedule(site: Site, keys: dict[str, Any], hour: str) -> None:
    seen = site.run(task({"a": shell("true", params=HOUR)}, params=MIDNIGHT, **keys))

    assert seen.job("a")["PARAMS"] == {"hour": hour}


def test_without_one_it_is_that_of_the_workspace(site: Site) -> None:
    seen = site.run(task({"a": shell("true", params=HOUR)}, params=MIDNIGHT, schedule="manual"))

    assert seen.job("a")["PARAMS"] == {"hour": "00"}
