"""The forms of a stage, and what a failed end stage means."""

from __future__ import annotations

from app import wiring
from engine.definitions.reader import read
from engine.definitions.text_source import Source
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

    findings = read([Source("a.yaml", text.encode())], wiring.job_types(), wiring.resource_types()).findings

    assert [each.message.split("; ")[0] for each in findings] == [
        "`process`: there is no built-in `reed_file`", "`process`: there is no built-in `shell`",
    ]  # fmt: skip


def test_a_given_success_alone_decides_over_a_failed_end_stage(site: Site) -> None:
    nodes = {"said": shell("exit 4", end="exit 3", success="1 < 2"), "unsaid": shell("true", end="exit 3")}

    seen = site.run(task(nodes))

    assert seen.states == {"said": "succeeded", "unsaid": "failed"}
