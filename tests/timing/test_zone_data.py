"""New time-zone data: what comes next is found again, what was fired stays."""

from __future__ import annotations

import shutil
import zoneinfo
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from engine.planning.schedules.zones import clock_changes_of
from tests.timing.conftest import TimedSite

DAILY = {"level": "day", "every": 1, "at": "09:00", "timezone": "Europe/Berlin"}


class MachineZones:
    """The data of time zones as a machine has it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def give(self, zone: str, those_of: str) -> None:
        """From now on the clocks of a zone go as those of another one."""
        source = next(Path(each) / those_of for each in zoneinfo.TZPATH if (Path(each) / those_of).exists())
        target = self._folder / zone
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
        zoneinfo.reset_tzpath([str(self._folder), *zoneinfo.TZPATH])
        ZoneInfo.clear_cache()


@pytest.fixture
def zone_data(tmp_path: Path) -> Iterator[MachineZones]:
    before = zoneinfo.TZPATH
    yield MachineZones(tmp_path / "zoneinfo")
    zoneinfo.reset_tzpath(before)
    ZoneInfo.clear_cache()


def next_at(site: TimedSite) -> dict[str, str]:
    return {row.task: str(row.next_at)[8:16].replace("T", " ") for row in site.engine.store.schedules()}


def test_the_next_times_follow_new_data(site: TimedSite, zone_data: MachineZones) -> None:
    site.online("t", DAILY)
    site.online("other", {**DAILY, "timezone": "Asia/Shanghai"})
    site.forward(days=1, hours=1)
    assert (site.times(), next_at(site)) == (["22 08:00"], {"t": "23 08:00", "other": "23 01:00"})

    zone_data.give("Europe/Berlin", "Asia/Tokyo")
    site.again().settle()

    assert next_at(site) == {"t": "23 00:00", "other": "23 01:00"}
    site.forward(hours=16)
    assert site.times() == ["22 08:00", "23 00:00"]


def test_the_same_data_find_nothing_again(site: TimedSite, zone_data: MachineZones) -> None:
    site.online("t", DAILY)
    before = site.engine.store.schedules()

    site.again().settle()
    ZoneInfo.clear_cache()
    site.again().settle()

    assert site.engine.store.schedules() == before


def test_the_changes_of_a_zone_are_found_to_the_second() -> None:
    changes = clock_changes_of(ZoneInfo("Europe/Berlin"), 2026, 2026)

    assert changes == (
        (datetime(2026, 1, 1, tzinfo=UTC), timedelta(hours=1)),
        (datetime(2026, 3, 29, 1, tzinfo=UTC), timedelta(hours=2)),
        (datetime(2026, 10, 25, 1, tzinfo=UTC), timedelta(hours=1)),
    )
    assert len(clock_changes_of(ZoneInfo("Asia/Shanghai"), 2026, 2028)) == 1


def test_a_new_year_is_no_new_data(site: TimedSite) -> None:
    site.online("t", {"level": "month", "day": 5, "timezone": "Europe/Berlin"})
    [before] = site.engine.store.schedules()

    site.clock.set_by(days=60)
    site.clock.uptime += timedelta(days=60).total_seconds()
    site.again().settle()

    log = (site.root / "logs" / "execution.log").read_text()
    assert "new time-zone data" not in log
    [row] = site.engine.store.schedules()
    assert str(row.next_at) > str(before.next_at)


def test_what_was_planned_by_older_data_goes_and_links_follow(
    site: TimedSite, zone_data: MachineZones
) -> None:
    site.online("t", {**DAILY, "at": "08:00"})
    site.online("after", {"level": "day", "every": 1, "at": "07:30"}, depends_on=[{"task": "t"}])
    assert (planned(site, "t"), planned(site, "after")) == (["22 07:00"], ["22 07:30"])
    [later] = site.coming("after")
    assert foreseen(site, later.id) == "22 07:00"

    zone_data.give("Europe/Berlin", "Asia/Tokyo")
    site.again().settle()

    assert planned(site, "t") == ["21 23:00"]
    assert foreseen(site, later.id) == "21 23:00"
    assert [row.id for row in site.coming("after")] == [later.id]


def planned(site: TimedSite, task: str) -> list[str]:
    site.engine.scheduler.wait_until_made()
    return [row.scheduled_time[8:16].replace("T", " ") for row in site.coming(task)]


def foreseen(site: TimedSite, instance: int) -> str:
    site.engine.scheduler.wait_until_made()
    [link] = site.engine.store.links(instance)
    return str(link.first_at)[8:16].replace("T", " ")
