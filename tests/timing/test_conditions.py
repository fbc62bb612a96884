"""Schedules of the level condition: one start each time it becomes true."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.timing.conftest import TimedSite
from tests.waiting import until


def looked(site: TimedSite) -> None:
    """Until a look at the condition is over that began after now."""
    kept = site.engine.scheduler.kept["t"]
    conditions = site.engine.scheduler._conditions
    site.forward(seconds=1)
    until(lambda: conditions._timers.get(kept.row.id) is not None, "a look")
    site.settle()


@pytest.fixture
def flag(tmp_path: Path) -> Path:
    return tmp_path / "flag"


@pytest.mark.parametrize(
    "condition", [{"resource": "flag"}, "{$.RESOURCE['flag']['ok']} == true and {$.TASK.PARAMS['n']} > 2"]
)
def test_it_fires_each_time_it_becomes_true(site: TimedSite, flag: Path, condition: object) -> None:
    resource = {"type": "file", "uri": str(flag), "check": {"exists": True}}
    site.engine.store.save_definitions({"resources": {"flag": resource}})
    schedule = {"level": "condition", "condition": condition, "every": "1s"}
    site.online("t", schedule, params={"n": 3})
    looked(site)
    assert site.instances() == []

    flag.touch()
    looked(site)
    looked(site)
    assert [row.trigger for row in site.instances()] == ["condition"]

    flag.unlink()
    looked(site)
    flag.touch()
    looked(site)
    assert len(site.instances()) == 2


def test_what_became_true_while_nobody_looked_fires_once(site: TimedSite, flag: Path) -> None:
    resource = {"type": "file", "uri": str(flag), "check": {"exists": True}}
    site.engine.store.save_definitions({"resources": {"flag": resource}})
    site.online("t", {"level": "condition", "condition": {"resource": "flag"}, "every": "1s"})
    looked(site)
    flag.touch()

    site.again()
    looked(site)
    looked(site)

    assert len(site.instances()) == 1
    assert site.engine.store.schedules()[0].was_true is True


def test_what_is_true_from_the_beginning_has_not_become_true(site: TimedSite, flag: Path) -> None:
    flag.touch()
    resource = {"type": "file", "uri": str(flag), "check": {"exists": True}}
    site.engine.store.save_definitions({"resources": {"flag": resource}})
    site.online("t", {"level": "condition", "condition": {"resource": "flag"}, "every": "1s"})
    looked(site)
    looked(site)

    assert site.instances() == []


def test_a_condition_that_cannot_be_evaluated_does_not_fire(site: TimedSite) -> None:
    site.online("t", {"level": "condition", "condition": "{$.RESOURCE['none']['ok']} == true", "every": "1s"})
    looked(site)
    looked(site)

    assert site.instances() == []
    assert "there is no resource" in "".join(
        each.read_text("utf-8") for each in (site.root / "logs").iterdir()
    )
