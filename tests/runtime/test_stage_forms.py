"""The forms of a stage, and what a failed end stage means."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import wiring
from engine.api.examine import examine
from engine.definitions.reader import read
from engine.definitions.text_source import SourceFile
from engine.execution.host import LivingStage
from engine.execution.launch import Launch
from tests.runtime.site import Site, definitions, shell, task

GROUPS = """\
skerry: 1
jobs:
  one: {type: shell, process: 'printf 1 > outputs/x'}
  both: {type: shell, process: {group: [{job: one}, {type: shell, process: 'printf 2 > outputs/y'}]}}
tasks:
  t: {nodes: {g: {job: both}, s: {type: shell, process: {task: inner}}}}
  inner: {nodes: {a: {job: one}}, results: {out: {value: "$.JOB['a'].RESULT['x']"}}}
"""


def test_a_process_may_be_a_group_or_a_task(site: Site) -> None:
    seen = site.run(definitions(GROUPS), "t")

    assert seen.status == "succeeded"
    assert seen["g.0"].results["x"] == "1"
    assert seen["g"].results == {"exit_code": 0, "y": "2"}
    assert seen["s"].results["out"] == "1"
    seen.assert_replays()


def test_a_built_in_that_is_not_there_is_found_before_anything_runs() -> None:
    jobs = [
        f"{id}: {{type: shell, process: {{class: {name}}}}}"
        for id, name in (("a", "reed_file"), ("b", "shell"))
    ]
    text = f"skerry: 1\njobs: {{{', '.join(jobs)}}}"

    findings = read(
        [SourceFile("a.yaml", text.encode())], wiring.job_types(), wiring.resource_types()
    ).findings

    assert [each.message.split("; ")[0] for each in findings] == [
        "`process`: there is no built-in `reed_file`", "`process`: there is no built-in `shell`",
    ]  # fmt: skip


def test_a_given_success_alone_decides_over_a_failed_end_stage(site: Site) -> None:
    nodes = {"said": shell("exit 4", end="exit 3", success="1 < 2"), "unsaid": shell("true", end="exit 3")}

    seen = site.run(task(nodes))

    assert seen.states == {"said": "succeeded", "unsaid": "failed"}


STAGES_BY_JOBS = """\
skerry: 1
jobs:
  one: {type: shell, process: 'echo one >> "$log"', params: {log: {}}}
tasks:
  t:
    params: {log: {required: true}, place: {value: 'not {$.evaluated', dynamic: false}}
    nodes:
      a:
        type: shell
        params: {place: "$.TASK.PARAMS['place']", log: "$.TASK.PARAMS['log']"}
        ready: {group: [{job: one}, {type: shell, params: {log: "$.TASK.PARAMS['log']"}, process: 'echo two >> "$log"'}]}
        process: 'echo work >> "$log"'
        end: {task: inner}
  inner:
    params: {log: {required: true}, place: {required: true}}
    nodes: {b: {type: shell, process: 'echo "inner $place" >> "$log"', params: {log: "$.TASK.PARAMS['log']", place: "$.TASK.PARAMS['place']"}}}
"""


def test_ready_and_end_may_be_groups_and_tasks_also_with_a_single_place(tmp_path: Path) -> None:
    one_place = Site(tmp_path / "w", "places: 1\ntimezone: UTC\nmonitor: false\n").start()
    log = tmp_path / "log"

    seen = one_place.run(definitions(STAGES_BY_JOBS), "t", log=str(log))
    one_place.close()

    assert seen.status == "succeeded", [(row.node, row.error_message) for row in seen.rows]
    assert log.read_text().splitlines() == ["one", "two", "work", "inner not {$.evaluated"]
    assert {"a.ready.0", "a.ready.1", "a.end.0"} <= {row.node for row in seen.rows}


def test_a_failed_member_of_a_stage_fails_the_stage(site: Site) -> None:
    nodes = {
        "a": shell("echo never", ready={"group": [shell("exit 4"), shell("true")]}),
        "b": shell("true", end={"group": [shell("exit 5")]}),
    }

    seen = site.run(task(nodes))

    assert seen.states == {"a": "failed", "a.ready.0": "failed", "b": "failed", "b.end.0": "failed"}
    assert "ready stage: member 'a.ready.0'" in (seen["a"].error_message or "")
    assert "end stage: member 'b.end.0'" in (seen["b"].error_message or "")


def test_what_steers_has_stages_too(site: Site, tmp_path: Path) -> None:
    log = tmp_path / "log"
    nodes = {
        "w": {
            "type": "wait", "for": 0, "params": {"log": str(log)},
            "ready": 'echo ready >> "$log"', "end": 'echo end >> "$log"',
        },
        "c": {"type": "condition", "value": "1 == 2", "ready": "exit 9"},
        "g": {"type": "group", "jobs": [shell("true")], "end": {"group": [shell("echo x > outputs/x")]}},
    }  # fmt: skip

    seen = site.run(task(nodes))

    assert log.read_text() == "ready\nend\n"
    assert {id: seen.states[id] for id in nodes} == {"w": "succeeded", "c": "failed", "g": "succeeded"}


def test_mistakes_in_the_jobs_of_a_stage_are_found() -> None:
    text = """\
skerry: 1
tasks:
  t: {nodes: {a: {type: shell, process: x, ready: {group: [{job: nobody}]}, end: {task: nothing}}}}
  s: {nodes: {a: {type: shell, process: x, ready: {task: s}}}}
"""

    found = examine([{"name": "a.yaml", "text": text}], wiring.job_types(), wiring.resource_types()).findings

    answer = [(each.line, each.message.partition(":")[0]) for each in found]
    assert (3, "there is no job 'nobody'") in answer
    assert (3, "there is no task 'nothing'; there are") in answer
    assert (4, "task 's' would start itself") in answer


def test_how_a_ready_stage_of_jobs_ended_is_durable_before_the_work_begins(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else an engine killed right then leaves a job behind that runs for ever in its records."""
    states: dict[str, str] = {}

    host = site.engine.services.host
    start = host.start

    def watched(launch: Launch) -> LivingStage:
        rows = site.engine.store.jobs(1)
        states.update({row.node: str(row.status) for row in rows if launch.directory.endswith("job-e-1")})
        return start(launch)

    monkeypatch.setattr(host, "start", watched)

    site.run(task({"e": shell("true", ready={"group": [shell("true"), shell("true")]})}))

    assert states == {"e": "running", "e.ready.0": "succeeded", "e.ready.1": "succeeded"}
