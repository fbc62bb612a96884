"""A site whose tasks have an instance in each state that time makes: for bundles of them."""

from __future__ import annotations

from pathlib import Path

from tests.timing.conftest import AN_HOUR, TimedSite

HOURLY = {"level": "hour", "every": 1}
BERLIN = {**HOURLY, "timezone": "Europe/Berlin", "calendar": "all"}
STATES = ("planned", "skipped", "offline", "waiting", "succeeded")
EVERY_DAY = {"all": {"name": "every day", "weekend": []}}


def scheduled_site(folder: Path) -> TimedSite:
    """Instances without a directory, and one that ran, each of the task with the name of its state."""
    made = TimedSite(folder).start()
    made.engine.store.save_definitions({"calendars": EVERY_DAY})
    reads = {"type": "condition", "value": "$.UPSTREAM['up'].STATUS == 'succeeded'"}
    made.online("up", BERLIN)
    made.online("succeeded", BERLIN, reads, depends_on=[{"task": "up"}])
    made.online("skipped", {"level": "minute", "every": 30}, AN_HOUR)
    made.online("waiting", HOURLY, depends_on=[{"task": "skipped"}])
    for task in ("planned", "offline"):
        made.online(task, HOURLY, depends_on=[{"task": "up"}])
    made.service.move_tasks(["offline"], "offline")
    made.forward(hours=1)
    made.forward(minutes=30)
    return made


def instances_of(site: TimedSite) -> dict[str, int]:
    """The first one of each task that is in the state of its name."""
    found: dict[str, int] = {}
    for row in site.engine.store.instances(limit=1000, newest_first=False):
        if row.task == row.status:
            found.setdefault(row.task, row.id)
    for task in ("planned", "offline"):
        found.setdefault(task, site.coming(task)[0].id)
    assert set(found) >= set(STATES)
    return found
