"""What decided an instance is kept with it, and its values are in its context."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.api.documents import Rerun
from engine.context import TaskContext
from engine.model.codes.timing import NOT_WAITING
from engine.model.errors import Invalid, Refused
from engine.runtime.submission import Submission
from engine.runtime.timing.releasing import _released
from engine.store.opening import open_store
from engine.store.rebuild import rebuild
from engine.store.rebuilt_rows import _time_of
from engine.store.rows import LinkRow
from tests.timing.conftest import AN_HOUR, TimedSite
from tests.timing.test_dependencies import EVERY_10, FAILING, HOURLY, minutes, reason

COUNT = {"value": "{$.TASK.SCHEDULED_TIME}:DATE:0d:%H"}


def links(site: TimedSite, task: str = "a") -> list[dict[str, Any]]:
    """What the latest instance of a task waits for."""
    found: list[dict[str, Any]] = site.service.instance(site.instances(task)[-1].id)["upstream"]
    return found


def upstream_of(site: TimedSite, task: str = "a") -> dict[str, Any]:
    """``$.UPSTREAM`` of the latest instance of a task."""
    context: dict[str, Any] = site.service.context(site.instances(task)[-1].id)
    return dict(context["UPSTREAM"])


def test_show_says_what_has_decided(site: TimedSite) -> None:
    site.online("b", HOURLY)
    site.online("c", {"level": "day", "every": 1, "at": "07:00"})
    site.online("a", HOURLY, depends_on=[{"task": "b"}, {"task": "c"}])

    site.forward(hours=1)

    decided, nothing = links(site)
    [other] = site.instances("b")
    assert [each["instance"] for each in decided["instances"]] == [other.id]
    assert (decided["task"], decided["decided"], decided["succeeded"]) == ("b", True, 1)
    assert (nothing["task"], nothing["count"], nothing["first"]) == ("c", 0, None)


def test_a_period_is_one_link(site: TimedSite) -> None:
    site.online("b", {"level": "hour", "every": 6}, results={"hour": COUNT})
    waits = [{"task": "b", "window": "all_in_period", "period": "previous_day"}]
    site.online("a", {"level": "day", "every": 1, "at": "00:30"}, depends_on=waits)
    for _ in range(4):
        site.forward(hours=4, minutes=30)

    [link] = links(site)

    assert (link["first"][8:16], link["last"][8:16], link["count"]) == ("21T12:00", "21T18:00", 2)
    assert link["succeeded"] == 2
    assert [each["RESULT"]["hour"] for each in upstream_of(site)["b"]] == ["12", "18"]


def test_what_it_waits_for_is_kept_before_it_is_decided(site: TimedSite) -> None:
    site.online("b", HOURLY, AN_HOUR)
    site.online("a", HOURLY, depends_on=[{"task": "b"}])

    site.forward(hours=1)

    [link] = links(site)
    assert (link["decided"], link["succeeded"]) == (False, 0)
    assert [each["status"] for each in link["instances"]] == ["running"]


def test_what_failed_by_a_dependency_says_which(site: TimedSite) -> None:
    site.online("b", HOURLY, FAILING)
    site.online("a", HOURLY, depends_on=[{"task": "b"}])

    site.forward(hours=1)

    [link] = links(site)
    assert (link["decided"], [each["status"] for each in link["instances"]]) == (True, ["failed"])


def test_the_results_of_an_upstream_are_in_the_context(site: TimedSite) -> None:
    site.online("b", HOURLY, params={"limit": {"value": 3}}, results={"hour": COUNT})
    seen = {"seen": {"value": "$.UPSTREAM['b'].RESULT['hour']"}}
    site.online("a", HOURLY, params=seen, depends_on=[{"task": "b"}])

    site.forward(hours=1)

    [row], [other] = site.instances("a"), site.instances("b")
    assert row.params == {"seen": "09"}
    found = upstream_of(site)["b"]
    assert (found["INSTANCE"], found["RUN"], found["STATUS"]) == (other.id, 1, "succeeded")
    assert (found["PARAMS"], found["RESULT"]) == ({"limit": 3}, {"hour": "09"})
    assert found["SCHEDULED_TIME"].startswith("2026-11-21T09:00:00")


def test_of_itself_it_is_the_time_before(site: TimedSite) -> None:
    site.online("a", EVERY_10, results={"hour": COUNT}, depends_on=[{"self": True}])
    site.forward(minutes=10)
    first = site.service.context(site.instances("a")[0].id)

    site.forward(minutes=10)

    assert "UPSTREAM" not in first
    assert upstream_of(site)["a"]["INSTANCE"] == site.instances("a")[0].id


def test_started_by_hand_it_knows_of_no_other(site: TimedSite) -> None:
    site.online("b", HOURLY)
    seen = {"seen": {"value": "$.UPSTREAM['b'].STATUS"}}
    site.online("a", HOURLY, params=seen, depends_on=[{"task": "b"}])

    id = site.engine.submit(Submission("a"))
    site.engine.wait(id, 30)

    row = site.engine.store.instance(id)
    assert row is not None
    assert row.status == "failed"
    assert "$.UPSTREAM['b'].STATUS" in str(row.error_message)


def test_a_rerun_reads_what_they_gave_since(site: TimedSite) -> None:
    site.online("b", HOURLY)
    seen = {"seen": {"value": "$.UPSTREAM['b'].RUN"}}
    site.online("a", HOURLY, params=seen, depends_on=[{"task": "b"}])
    site.forward(hours=1)
    [other], [mine] = site.instances("b"), site.instances("a")

    for id in (other.id, mine.id):
        site.service.rerun([Rerun(id, "all")])
        site.settle()

    assert site.instances("a")[-1].params == {"seen": 2}


def test_the_log_of_an_instance_replays_without_the_others(site: TimedSite) -> None:
    site.online("b", HOURLY, results={"hour": COUNT})
    site.online("a", HOURLY, depends_on=[{"task": "b"}])
    site.forward(hours=1)
    [mine], [other] = site.instances("a"), site.instances("b")
    before = upstream_of(site)

    site.engine.store.remove_instances([other.id])

    tree = TaskContext.replay(site.engine.store.lines(mine.id), site.clock).tree
    assert tree["UPSTREAM"] == before


def test_the_reason_follows_the_state_of_what_is_waited_for(site: TimedSite) -> None:
    site.online("c", HOURLY, minutes(10))
    site.online("b", HOURLY, minutes(10), depends_on=[{"task": "c"}], success="1 == 2")
    site.online("a", HOURLY, depends_on=[{"task": "b", "on_failure": "wait"}])
    site.forward(hours=1)
    assert reason(site).endswith("is waiting")

    site.forward(minutes=10)
    site.settle()
    assert reason(site).endswith("is running")

    site.forward(minutes=10)
    site.settle()
    assert reason(site).endswith("is failed")

    site.service.rerun([Rerun(site.instances("b")[0].id, "all")])
    site.settle()
    assert reason(site).endswith("is running")


def test_they_come_back_with_a_rebuilt_database(site: TimedSite, tmp_path: Path) -> None:
    site.online("b", {"level": "hour", "every": 6}, results={"hour": COUNT})
    site.online("c", {"level": "hour", "every": 6})
    site.online("never", {"level": "year", "month": 1, "day": 1, "at": "00:00"})
    period = {"task": "b", "window": "all_in_period", "period": "previous_day"}
    others = [period, {"task": "c"}, {"task": "never"}, {"self": True}]
    site.online("a", {"level": "day", "every": 1, "at": "00:30"}, depends_on=others)
    for _ in range(9):
        site.forward(hours=4, minutes=30)
    known = [site.engine.store.links(row.id) for row in site.instances("a")]
    assert [[link.partners for link in links] for links in known] == [[0, 2, 1, 0], [1, 4, 1, 0]]

    rebuilt = open_store(f"sqlite:///{tmp_path}/rebuilt.db", durability="normal", clock=site.clock)
    assert rebuild(site.engine.workspace.instances, rebuilt).problems == ()
    found = [rebuilt.links(row.id) for row in site.instances("a")]
    rebuilt.close()

    assert [[_as_named(link) for link in links] for links in found] == [
        [_as_named(link) for link in links] for links in known
    ]
    assert all(link.decided_at for links in found for link in links)


def _as_named(link: LinkRow) -> LinkRow:
    return replace(link, decided_at=None)


@pytest.mark.parametrize("time", [None, "yesterday", ["x"], "2026-11-21"])
def test_a_log_that_was_changed_gives_what_it_can(time: object) -> None:
    assert _time_of({"SCHEDULED_TIME": time}) in (None, "2026-11-21T00:00:00.000000+00:00")


# -- let go ---------------------------------------------------------------------------------------


@pytest.fixture
def waits(site: TimedSite) -> int:
    """An instance that waits for two others, which take an hour."""
    for task in ("b", "c"):
        site.online(task, HOURLY, AN_HOUR)
    site.online("a", HOURLY, depends_on=[{"task": "b"}, {"task": "c"}])
    site.forward(hours=1)
    return site.instances("a")[0].id


def test_an_instance_is_let_go_without_what_it_waits_for(site: TimedSite, waits: int) -> None:
    done = site.service.release(waits, [], "the data is there")
    site.settle()

    assert done == {"instance": waits, "released": ["b", "c"]}
    assert site.states("a") == ["succeeded"]
    assert [each["released"] for each in links(site)] == ["the data is there"] * 2
    act = site.engine.store.audit(limit=1000)[-1]
    assert (act.actor, act.action, act.subject) == ("anna", "release", f"instance {waits}")
    assert "the data is there" in act.details


def test_let_go_without_one_of_them_it_waits_for_the_other(site: TimedSite, waits: int) -> None:
    site.service.release(waits, ["b"], "not needed today")
    site.settle()
    assert "waits for c" in reason(site)

    site.again()
    site.settle()
    assert "waits for c" in reason(site)

    site.service.release(waits, ["c"], "nor this")
    site.settle()
    assert site.states("a") == ["succeeded"]


def test_let_go_while_nothing_fires_it_begins_under_the_next_engine(site: TimedSite, waits: int) -> None:
    site.again(fires=False)
    site.service.release(waits, [], "the data is there")
    assert site.states("a") == ["waiting"]

    site.again()
    site.settle()

    assert site.states("a") == ["succeeded"]


def test_let_go_in_the_turn_in_which_an_engine_comes_to_it_it_begins(site: TimedSite, waits: int) -> None:
    """What it waits for is read from the database, which does not have that yet."""
    services, launching = site.engine.services, site.engine.scheduler.launching

    def at_once() -> None:
        launching.leave(waits)
        _released(services, launching, waits, [], "the data is there", "anna")
        launching._watch(waits)

    services.loop.ask(at_once)
    site.settle()

    assert site.states("a") == ["succeeded"]


@pytest.mark.parametrize("fires", [True, False])
def test_one_that_waits_for_an_earlier_one_is_let_go_as_well(site: TimedSite, fires: bool) -> None:
    site.online("t", {"level": "minute", "every": 10, "overlap": "wait"}, AN_HOUR)
    site.forward(minutes=10)
    site.forward(minutes=10)
    assert site.states("t") == ["running", "waiting"]
    second = site.instances("t")[1].id
    if not fires:
        site.again(fires=False)

    site.service.release(second, [], "both at once will do")
    if not fires:
        site.again()
    site.settle()

    assert site.states("t") == ["running", "running"]


def test_what_does_not_wait_cannot_be_let_go(site: TimedSite, waits: int) -> None:
    for instance, tasks in ((waits, ["d"]), (site.instances("b")[0].id, [])):
        with pytest.raises(Refused) as refused:
            site.service.release(instance, tasks, "why not")
        assert refused.value.code == NOT_WAITING.number
    for instance, why in ((waits, " "), (999, "why not")):
        with pytest.raises(Invalid):
            site.service.release(instance, [], why)
    assert site.states("a") == ["waiting"]
