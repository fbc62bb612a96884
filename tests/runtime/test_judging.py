"""How an attempt is judged, in which order its stages come, and when it is made again (contract 2.2)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.processes import ENDED_BY_SIGNAL, EXIT_STATUS, OUTPUT_LIMIT, TIMED_OUT
from engine.model.codes.runtime import NOT_SUCCESSFUL, QUEUE_TIMEOUT, STATUS_SAYS_FAILED, TASK_TIMED_OUT
from engine.model.errors import covers
from tests.runtime.site import TESTED, Gate, Site, lives, shell, task, tree


def judged(site: Site, job: dict[str, Any]) -> tuple[str, int | None, int | None]:
    """The state, exit status and error code of one job."""
    seen = site.run(task({"a": job}))
    return str(seen["a"].status), seen["a"].exit_code, seen["a"].error_code


# -- the verdict -----------------------------------------------------------------------------------


def test_without_more_the_exit_status_decides(site: Site) -> None:
    assert judged(site, shell("true")) == ("succeeded", 0, None)
    assert judged(site, shell("exit 7")) == ("failed", 7, EXIT_STATUS.number - 7)


@pytest.mark.parametrize(
    ("written", "exit", "state"),
    [
        ("1", 3, "succeeded"),
        ("1\\n", 0, "succeeded"),
        ("0", 0, "failed"),
        ("x", 0, "failed"),
        ("", 0, "succeeded"),
    ],
)
def test_what_the_program_wrote_into_status_goes_before_its_exit_status(
    site: Site, written: str, exit: int, state: str
) -> None:
    script = f"printf '{written}' > \"${{SKERRY_STATUS}}\"; exit {exit}"

    got, code, error = judged(site, shell(script))

    assert (got, code) == (state, exit)
    assert error == (STATUS_SAYS_FAILED.number if state == "failed" else None)


def test_success_alone_decides_when_it_is_given(site: Site) -> None:
    says_no = 'printf 0 > "${SKERRY_STATUS}"; echo fine; exit 9'
    holds = "{$.JOB['a'].OUTPUT} # 'fine'"

    assert judged(site, shell(says_no, success=holds)) == ("succeeded", 9, None)
    assert judged(site, shell("echo bad", success=holds)) == ("failed", 0, NOT_SUCCESSFUL.number)
    assert judged(site, shell("exit 4", success="$.JOB['a'].EXIT_CODE == 4"))[0] == "succeeded"


def test_all_of_a_list_must_hold_resources_too(site: Site, tmp_path: Path) -> None:
    there = {"there": {"type": "file", "uri": str(tmp_path), "check": {"exists": True}}}
    gone = {"gone": {"type": "file", "uri": str(tmp_path / "x"), "check": {"exists": True}}}
    nodes = {
        "both": shell("exit 2", success=[True, {"resource": "there"}, "1 < 2"]),
        "one": shell("true", success=["1 < 2", {"resource": "gone"}]),
    }
    seen = site.run(tree({"resources": there | gone, "tasks": {"t": {"nodes": nodes}}}))

    assert seen.states == {"both": "succeeded", "one": "failed"}


def test_a_signal_fails_it_whatever_success_says(site: Site) -> None:
    state, code, error = judged(site, shell("kill -9 $$", success=True))

    assert (state, code) == ("failed", 137)
    assert covers(ENDED_BY_SIGNAL.number, error or 0)


def test_a_failed_ready_stage_fails_it_and_the_work_is_not_done(site: Site, journal: Path) -> None:
    job = shell(f"echo process >> {journal}", ready="exit 3", end=f"echo end >> {journal}", success=True)

    assert judged(site, job)[0] == "failed"
    assert journal.read_text() == ""


def test_the_stages_come_in_order_and_the_end_sees_the_results(site: Site, journal: Path) -> None:
    job = shell(
        f"echo process >> {journal}; printf 5 > outputs/n",
        ready=f"echo ready >> {journal}",
        end=f"echo end $(cat outputs/made) >> {journal}",
        results={"n": {"kind": "number"}, "made": {"value": "<{$.JOB['a'].RESULT['n']}>"}},
    )

    assert judged(site, job)[0] == "succeeded"
    assert journal.read_text() == "ready\nprocess\nend <5>\n"


def test_a_failed_end_stage_fails_it(site: Site) -> None:
    seen = site.run(task({"a": shell("true", end="exit 3")}))

    assert seen["a"].status == "failed"
    assert "end stage" in (seen["a"].error_message or "")


def test_a_resource_that_is_not_there_fails_it_before_anything_runs(site: Site, journal: Path) -> None:
    resources = {"gone": {"type": "file", "uri": "/nonexistent/x", "check": {"exists": True}}}
    job = shell(f"echo ran >> {journal}", resources=["gone"])
    seen = site.run(tree({"resources": resources, "tasks": {"t": {"nodes": {"a": job}}}}))

    assert seen["a"].status == "failed"
    assert "'gone'" in (seen["a"].error_message or "")
    assert journal.read_text() == ""


def test_what_may_not_be_run_is_an_error_with_a_code(site: Site) -> None:
    seen = site.run(task({"a": {"type": "command", "argv": ["/nonexistent/program"]}}))

    assert seen["a"].status == "failed"
    assert seen["a"].error_code is not None


# -- time limits -----------------------------------------------------------------------------------


def test_an_attempt_that_takes_too_long_is_ended_with_all_it_started(site: Site, gate: Gate) -> None:
    seen = site.run(task({"a": shell(gate.script(), timeout="300ms")}))

    assert (seen["a"].status, seen["a"].error_code) == ("timed_out", TIMED_OUT.number)
    assert not lives(gate.until_up())


def test_a_timeout_beats_success_and_may_be_tried_again(site: Site, journal: Path) -> None:
    script = f"echo x >> {journal}; [ $(wc -l < {journal}) = 2 ] || sleep 60"
    seen = site.run(task({"a": shell(script, timeout="1s", success=True, retry={"times": 1})}))

    assert seen["a"].status == "succeeded"
    assert [str(each.status) for each in seen["a"].attempts] == ["timed_out", "succeeded"]


def test_waiting_for_a_place_may_take_too_long(make_site: Callable[..., Site], gate: Gate) -> None:
    with_one = make_site(places=1)
    first = with_one.begin(task({"a": shell(gate.script())}))
    gate.until_up()

    seen = with_one.run(task({"b": shell("true", queue_timeout="100ms")}))
    gate.open()

    assert (seen["b"].status, seen["b"].error_code) == ("timed_out", QUEUE_TIMEOUT.number)
    assert seen["b"].directory is None
    assert with_one.end(first).status == "succeeded"


def test_the_tasks_time_is_up(site: Site, gate: Gate) -> None:
    nodes = {"a": shell(gate.script()), "b": shell("true", after=["a"])}
    seen = site.run(task(nodes, timeout="400ms"))

    assert (seen.status, seen.row.error_code) == ("timed_out", TASK_TIMED_OUT.number)
    assert seen.states == {"a": "timed_out", "b": "skipped"}
    assert not lives(gate.until_up())


def test_the_tasks_time_is_up_while_an_attempt_that_took_too_long_is_ended(site: Site, journal: Path) -> None:
    """It ignores TERM for the whole grace of a second, in which the time of its task passes."""
    script = f"trap '' TERM; echo x >> {journal}; while {TESTED}; do sleep 0.05; done"
    again = {"strategy": "retry", "after": "60s", "times": 2}
    seen = site.run(
        task({"a": shell(script, timeout="700ms", recovery=again)}, timeout="1200ms", on_failure="stop")
    )

    assert (seen.status, seen.row.error_code) == ("timed_out", TASK_TIMED_OUT.number)
    assert (seen["a"].status, seen["a"].error_code) == ("timed_out", TASK_TIMED_OUT.number)
    assert journal.read_text() == "x\n"


def test_the_tasks_timeout_counts_its_waiting(site: Site) -> None:
    seen = site.run(task({"a": {"type": "wait", "for": "60s"}}, timeout="300ms"))

    assert seen.status == "timed_out"


# -- retries ---------------------------------------------------------------------------------------


def fails_before(journal: Path, times: int, code: int = 3) -> str:
    """A job that succeeds at its attempt ``times + 1``."""
    return f'echo "${{SKERRY_ATTEMPT}}" >> {journal}; [ $(wc -l < {journal}) -gt {times} ] || exit {code}'


def test_times_1_means_two_attempts(site: Site, journal: Path) -> None:
    seen = site.run(task({"a": shell(fails_before(journal, 9), retry={"times": 1})}))

    assert seen["a"].status == "failed"
    assert seen["a"].attempt == 2
    assert [each.exit_code for each in seen["a"].attempts] == [3, 3]
    marks = journal.read_text().split()
    assert len(marks) == len(set(marks)) == 2
    assert [each.mark for each in seen["a"].attempts] == marks


def test_an_attempt_that_succeeds_is_enough(site: Site, journal: Path) -> None:
    seen = site.run(task({"a": shell(fails_before(journal, 1), retry={"times": 5})}))

    assert (seen.status, seen["a"].attempt, seen["a"].error_code) == ("succeeded", 2, None)
    assert seen.job("a")["ATTEMPT"] == 2
    assert seen.job("a").get("ERROR_CODE") is None


def test_earlier_attempts_are_kept(site: Site, journal: Path) -> None:
    script = fails_before(journal, 2) + "; echo good"
    seen = site.run(task({"a": shell(f"echo try; {script}", retry={"times": 2})}))

    attempts = seen["a"].folder / "attempts"
    assert sorted(each.name for each in attempts.iterdir()) == ["1", "2"]
    assert (attempts / "1" / "job.log").read_text() == "try\n"
    assert (attempts / "2" / "status").read_text() == "0\n"
    assert seen["a"].log == "try\ngood\n"
    assert (seen["a"].folder / "status").read_text() == "1\n"


def test_the_pause_grows_by_backoff_up_to_max_interval(site: Site) -> None:
    retry = {"times": 3, "interval": "100ms", "backoff": 3, "max_interval": "200ms"}
    seen = site.run(task({"a": shell("exit 1", retry=retry)}))

    times = seen["a"].attempts
    pauses = [
        (datetime.fromisoformat(after.started_at) - datetime.fromisoformat(before.ended_at)).total_seconds()
        for before, after in itertools.pairwise(times)
    ]
    assert pauses[0] >= 0.1
    assert pauses[1] >= 0.2
    assert 0.2 <= pauses[2] < 0.9, "not 0.9 s, as three times three would be"


@pytest.mark.parametrize(
    ("on", "attempts"),
    [
        ([EXIT_STATUS.number - 3], 2),
        ([EXIT_STATUS.number], 2),
        ([-11000000000], 2),
        ([EXIT_STATUS.number - 4], 1),
        ([-12000000000], 1),
    ],
)
def test_only_the_codes_of_on_are_tried_again(site: Site, on: list[int], attempts: int) -> None:
    seen = site.run(task({"a": shell("exit 3", retry={"times": 1, "on": on})}))

    assert seen["a"].attempt == attempts


def test_what_the_catalogue_calls_pointless_is_not_tried_again(site: Site) -> None:
    job = {"type": "shell", "process": "true", "params": {"x": {"kind": "number"}}, "retry": {"times": 3}}
    nodes = {"a": {"job": "j", "params": {"x": "$.TASK.ID"}}}

    assert site.run(tree({"jobs": {"j": job}, "tasks": {"t": {"nodes": nodes}}}))["a"].attempt == 1


def test_while_it_waits_for_its_next_attempt_it_is_retrying(site: Site) -> None:
    instance = site.begin(task({"a": shell("exit 3", retry={"times": 1, "interval": "1h"})}))

    site.until_state(instance, "a", "retrying")

    row = site.engine.store.jobs(instance)[0]
    assert "tried again" in (row.reason or "")
    site.engine.cancel(instance)
    assert site.state(instance, "a") == "cancelled"


# -- limits ----------------------------------------------------------------------------------------


def test_limits_hold(site: Site) -> None:
    nodes = {
        "cpu": shell("while :; do :; done", limits={"cpu": "1s"}),
        "files": shell("ulimit -n > outputs/n", limits={"files": 64}),
        "memory": shell("head -c 300000000 /dev/zero | tail > /dev/null", limits={"memory": "50MB"}),
    }
    seen = site.run(task(nodes))

    assert seen.states == {"cpu": "failed", "files": "succeeded", "memory": "failed"}
    assert seen["files"].outputs["n"] == b"64\n"


def test_too_much_output_ends_the_job(make_site: Callable[..., Site]) -> None:
    watched = make_site(monitor=True)
    script = "head -c 3000000 /dev/zero | tr '\\0' x; sleep 60"

    seen = watched.run(task({"a": shell(script, limits={"output": "1MB"})}))

    assert seen["a"].status == "failed"
    assert "it wrote" in (seen["a"].error_message or "")


def test_what_never_ran_has_no_directory(site: Site, tmp_path: Path) -> None:
    resources = {"r": {"type": "file", "uri": f"{tmp_path}/none", "check": {"exists": True}}}
    nodes = {"a": shell("true", resources=["r"])}

    seen = site.run(tree({"resources": resources, "tasks": {"t": {"nodes": nodes}}}))

    assert (seen["a"].status, seen["a"].directory) == ("failed", None)


def test_what_printed_too_much_before_anybody_looked_has_failed_too(site: Site) -> None:
    quick = shell("head -c 5000 /dev/zero", limits={"output": "1KB"})

    seen = site.run(task({"a": quick, "b": shell("printf 12345", limits={"output": 5})}))

    assert seen["a"].error_code == OUTPUT_LIMIT.number
    assert seen.states["b"] == "succeeded"
