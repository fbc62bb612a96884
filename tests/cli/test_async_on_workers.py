"""Asynchronous jobs on hosts behind SSH."""

from __future__ import annotations

from pathlib import Path

from engine.model.codes.processes import NO_WORKING_DIR
from tests.cli.conftest import Answer, Skerry
from tests.cli.test_jobs_on_workers import build

__all__ = ["build"]

TASK = """\
skerry: 1
tasks:
  t:
    nodes:
      a:
        type: shell
        mode: async
        on: {{workers: [build]}}
        process: echo begun; sleep 1; echo ended; echo 7 > "$SKERRY_OUTPUTS/n"; touch {flag}
        check: {{after: 200ms, every: 200ms, times: 200, success: {{resource: flag}}}}
        end: cat "$SKERRY_OUTPUTS/n" > "$SKERRY_OUTPUTS/m"
        results: {{n: {{kind: number}}}}
      b:
        type: shell
        mode: async
        on: {{workers: [build]}}
        process: echo alone; sleep 0.5; echo done
resources:
  flag: {{type: file, uri: {flag}}}
"""


def test_an_asynchronous_job_runs_on_a_worker_and_its_end_stage_there(
    build: Answer, skerry: Skerry, tmp_path: Path
) -> None:
    (tmp_path / "t.yaml").write_text(TASK.format(flag=tmp_path / "flag"))

    ran = skerry("run", str(tmp_path / "t.yaml"), "--json")

    jobs = {each["node"]: each for each in ran.document["jobs"]}
    assert ran.document["status"] == "succeeded", ran.out
    assert {each["worker"] for each in jobs.values()} == {"build"}
    assert jobs["a"]["results"]["n"] == 7
    assert Path(jobs["a"]["directory"], "outputs", "m").read_text() == "7\n"


def test_an_asynchronous_job_that_cannot_be_started_there_fails(
    build: Answer, skerry: Skerry, tmp_path: Path
) -> None:
    text = TASK.format(flag=tmp_path / "flag").replace(
        "process: echo begun", "working_dir: /nowhere\n        process: echo begun"
    )
    (tmp_path / "t.yaml").write_text(text)

    ran = skerry("run", str(tmp_path / "t.yaml"), "--json")

    jobs = {each["node"]: each for each in ran.document["jobs"]}
    assert (jobs["a"]["status"], jobs["a"]["error_code"]) == ("failed", NO_WORKING_DIR.number), ran.out
