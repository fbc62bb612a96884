"""A job of type approve: who may answer what, what follows, and what an engine's end changes: nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from engine.model.codes.jobs import REJECTED
from engine.model.codes.processes import TIMED_OUT
from engine.model.codes.recovery import ANSWER_UNFIT, NO_QUESTION
from engine.model.codes.runtime import NO_SUCH_INSTANCE, NO_SUCH_NODE
from engine.model.errors import Invalid, Refused
from engine.runtime.clock import SystemClock
from engine.runtime.interventions.question_answers import Reply
from engine.runtime.reruns.rerun_request import RerunRequest
from engine.store.rebuild import rebuild_database
from tests.runtime.engine_process import EngineProcess
from tests.runtime.site import Seen, Site, shell, task
from tests.waiting import until


def asking(**keys: Any) -> dict[str, Any]:
    return {"type": "approve", "question": "Load {$.TASK.NAME}?", **keys}


def two(**keys: Any) -> dict[str, Any]:
    """A question, and a job that follows it."""
    return {"ask": asking(**keys), "after": shell("echo after", after=["ask"])}


def begun(site: Site, nodes: dict[str, Any], **keys: Any) -> int:
    """The instance when it asks."""
    number = site.begin(task(nodes, **keys))
    site.until_state(number, "ask", "waiting")
    return number


def answer(site: Site, number: int, choice: str = "approve", by: str = "anna", **more: Any) -> dict[str, Any]:
    return site.engine.approve(number, Reply("ask", choice, **more), by)


def audit(site: Site) -> list[tuple[str, str, Any]]:
    acts = [act for act in site.engine.store.audit() if act.action == "approve"]
    details = [json.loads(act.details) for act in acts]
    return [(act.actor, each["node"], each["choice"]) for act, each in zip(acts, details, strict=True)]


def test_an_answer_lets_the_run_go_on_and_is_its_result(site: Site) -> None:
    # given a run that asks, and says so with all that an answer needs
    number = begun(site, two(value="number", note="required"))
    row = site.see(number)["ask"]
    assert row.reason == "waits for an answer: Load t?"
    assert row.why["choices"] == ["approve", "reject"]
    assert (row.why["note"], row.why["value"]) == ("required", "number")
    assert site.engine.queue.document()["taken"] == 0

    # when it is answered
    given = answer(site, number, note="as agreed", value="7.5")

    # then that is the result, and who did it is in the audit
    results = {"choice": "approve", "note": "as agreed", "value": 7.5, "by": "anna"}
    assert given == {"instance": number, "node": "ask", **results}
    end = site.end(number)
    assert end.states == {"ask": "succeeded", "after": "succeeded"}
    assert end["ask"].results == results
    assert end.job("ask")["RESULT"] == results
    assert audit(site) == [("anna", "ask", "approve")]
    end.assert_replays()


def test_a_choice_that_fails_the_job_is_neither_retried_nor_recovered(site: Site) -> None:
    again = {"retry": {"times": 3}, "recovery": {"strategy": "retry", "after": 0}}
    number = begun(site, two(**again))
    answer(site, number, "reject", note="wrong month")

    end = site.end(number)
    assert end.states == {"ask": "failed", "after": "skipped"}
    assert (end["ask"].error_code, end["ask"].attempt) == (REJECTED.number, 1)
    assert end["ask"].error_message == "anna chose 'reject': wrong month"
    assert end["ask"].results["choice"] == "reject"


@pytest.mark.parametrize(
    ("keys", "reply"),
    [
        ({}, {"choice": "later"}),
        ({"note": "required"}, {}),
        ({"note": "required"}, {"note": "  "}),
        ({"note": "none"}, {"note": "x"}),
        ({}, {"value": "7"}),
        ({"value": "number"}, {}),
        ({"value": "number"}, {"value": "seven"}),
        ({}, {"index": 2}),
    ],
)
def test_an_answer_that_does_not_fit_changes_nothing(
    site: Site, keys: dict[str, Any], reply: dict[str, Any]
) -> None:
    number = begun(site, two(**keys))

    with pytest.raises(Invalid) as caught:
        answer(site, number, **reply)

    assert caught.value.entry is ANSWER_UNFIT
    assert site.state(number, "ask") == "waiting"
    assert audit(site) == []


def test_a_choice_that_fails_the_job_needs_no_value(site: Site) -> None:
    number = begun(site, two(value="number"))

    assert answer(site, number, "reject")["value"] is None


def test_what_does_not_wait_or_is_answered_takes_no_answer(site: Site) -> None:
    number = begun(site, two())
    with pytest.raises(Refused) as early:
        site.engine.approve(number, Reply("after", "approve"), "li")
    answer(site, number)
    with pytest.raises(Refused) as late:
        answer(site, number)
    with pytest.raises(Invalid) as unknown:
        site.engine.approve(number, Reply("nobody", "approve"), "li")
    with pytest.raises(Invalid) as missing:
        answer(site, 99)

    assert (early.value.entry, late.value.entry) == (NO_QUESTION, NO_QUESTION)
    assert (unknown.value.entry, missing.value.entry) == (NO_SUCH_NODE, NO_SUCH_INSTANCE)


def test_members_are_answered_by_their_index(site: Site) -> None:
    number = begun(site, {"ask": asking(params=[{"x": 1}, {"x": 2}])})
    until(lambda: len(site.engine.services.questions) == 2)

    with pytest.raises(Invalid, match="--index"):
        answer(site, number)
    answer(site, number, index=1, note="b")
    answer(site, number, index=0, note="a")

    end = site.end(number)
    assert [each.results["note"] for each in end.all("ask")] == ["a", "b"]


def test_in_a_loop_the_latest_round_is_answered(site: Site) -> None:
    branches = {"again": {"run": [], "again": True, "from": "ask"}, "done": []}
    nodes = {
        "ask": asking(choices=["again", "done"]),
        "c": {
            "type": "condition", "value": "{$.JOB['ask'].RESULT['choice']}", "branches": branches,
            "after": ["ask"],
        },
    }  # fmt: skip
    number = begun(site, nodes)
    answer(site, number, "again")
    until(lambda: site.engine.store.jobs(number)[-1].round == 2 and site.engine.services.questions)
    answer(site, number, "done")

    assert site.end(number)["ask"].round == 2


def test_an_answer_in_a_pause_counts_and_nothing_follows_before_the_resume(site: Site) -> None:
    number = begun(site, two())
    site.engine.pause(number, "wait", "li")
    answer(site, number)
    site.until_state(number, "ask", "succeeded")
    assert site.state(number, "after") in ("pending", "queued")

    # also for the next engine
    site.again()
    assert site.state(number, "after") in ("pending", "queued")
    site.engine.resume(number, "", "li")
    assert site.end(number).status == "succeeded"


def test_after_the_deadline_the_other_choice_counts(site: Site) -> None:
    end = site.run(task(two(deadline=0.05, otherwise="approve")))

    assert end.status == "succeeded"
    assert end["ask"].results == {"choice": "approve", "note": None, "value": None, "by": None}
    assert audit(site) == [("engine", "ask", "approve")]


def test_without_another_choice_the_job_times_out(site: Site) -> None:
    end = site.run(task(two(deadline=0.05)))

    assert end.states == {"ask": "timed_out", "after": "skipped"}
    assert end["ask"].error_code == TIMED_OUT.number


def test_a_deadline_goes_on_while_no_engine_runs(site: Site) -> None:
    number = begun(site, two(deadline=3, otherwise="reject"))
    before = site.see(number)["ask"].why["until"]
    site.close()
    site.again()

    end = site.end(number)
    assert end["ask"].error_message == "'reject' counts: nobody answered in time"
    assert before <= end["ask"].ended_at.replace("Z", "+00:00")


def test_a_rerun_that_contains_it_asks_again(site: Site) -> None:
    number = begun(site, two())
    answer(site, number, "reject")
    site.end(number)
    site.engine.rerun([RerunRequest(number, "from", ("ask",))])
    site.until_state(number, "ask", "waiting")
    answer(site, number, by="li")

    assert site.end(number)["ask"].results["by"] == "li"


def test_a_retry_asks_again(site: Site) -> None:
    again = {"retry": {"times": 1, "interval": 0}, "success": "{$.JOB['ask'].ATTEMPT} > 1"}
    number = begun(site, {"ask": asking(**again)})
    answer(site, number)
    until(lambda: site.see(number)["ask"].attempt == 2 and site.state(number, "ask") == "waiting")
    answer(site, number, by="li")

    end = site.end(number)
    assert (end.status, end["ask"].results["by"]) == ("succeeded", "li")


# -- without an engine, and over its end -----------------------------------------------------------


@pytest.fixture
def fallen(tmp_path: Path) -> Iterator[EngineProcess]:
    """An engine process whose instance asks."""
    raw = {"skerry": 1, "tasks": {"t": {"nodes": two(deadline=3600)}}}
    process = EngineProcess(tmp_path, raw).until_up()
    reader = Site(tmp_path)
    reader.until_state(process.instance or 0, "ask", "waiting")
    reader.engine.store.close()
    yield process
    process.kill()


def _until(site: Site, number: int) -> Any:
    return site.see(number)["ask"].why["until"]


def _answered_alone(root: Path, number: int, choice: str = "approve") -> None:
    """As the command does it when no engine runs: one that leaves the instances alone."""
    with wiring.open_engine(root, resume=False) as engine:
        engine.approve(number, Reply("ask", choice), "anna")
        with pytest.raises(Refused):
            engine.approve(number, Reply("ask", choice), "li")


def _end(site: Site, number: int) -> Seen:
    try:
        return site.end(number)
    finally:
        site.close()


def test_a_question_is_still_open_after_a_kill_with_the_same_deadline(
    fallen: EngineProcess, tmp_path: Path
) -> None:
    number = fallen.instance or 0
    fallen.kill()
    site = Site(tmp_path)
    before = _until(site, number)
    site.start()
    until(lambda: site.engine.services.questions)

    assert _until(site, number) == before
    answer(site, number)
    assert _end(site, number).status == "succeeded"


def test_a_question_has_the_same_deadline_in_a_database_made_from_the_directories(
    fallen: EngineProcess, tmp_path: Path
) -> None:
    number = fallen.instance or 0
    fallen.kill()
    lost = Site(tmp_path)
    before, database = _until(lost, number), f"sqlite:///{tmp_path / 'skerry.db'}"
    instances = lost.engine.workspace.instances
    lost.engine.store.close()
    rebuild_database(database, instances, clock=SystemClock())

    site = Site(tmp_path).start()
    until(lambda: site.engine.services.questions)

    moments = [datetime.fromisoformat(each) for each in (before, _until(site, number))]
    assert abs(moments[1] - moments[0]) < timedelta(seconds=1)
    answer(site, number)
    assert _end(site, number).status == "succeeded"


def test_an_answer_that_was_written_down_is_followed_after_a_kill(
    fallen: EngineProcess, tmp_path: Path
) -> None:
    fallen.approve("ask", "approve")
    site = Site(tmp_path)
    until(lambda: "approve" in [act.action for act in site.engine.store.audit()])
    fallen.kill()

    end = _end(site.start(), fallen.instance or 0)
    assert end["ask"].results["choice"] == "approve"
    assert end.status == "succeeded"


def test_an_answer_given_while_no_engine_runs_is_followed_by_the_next(
    fallen: EngineProcess, tmp_path: Path
) -> None:
    number = fallen.instance or 0
    fallen.kill()
    _answered_alone(tmp_path, number)
    site = Site(tmp_path)
    assert site.state(number, "ask") == "waiting"

    end = _end(site.start(), number)
    assert end["ask"].results == {"choice": "approve", "note": None, "value": None, "by": "anna"}
    assert end.states == {"ask": "succeeded", "after": "succeeded"}
