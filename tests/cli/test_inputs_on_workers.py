"""Files that jobs on hosts behind SSH read, in a run."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Answer, Skerry
from tests.cli.test_jobs_on_workers import build

__all__ = ["build"]

TASK = """\
skerry: 1
jobs:
  use:
    type: shell
    params: {{table: {{kind: file}}, list: {{kind: document, send: true}}, there: {{kind: file}}}}
    ready: test -s "$table"
    process: cat "$table" "$list" > "$SKERRY_OUTPUTS/all"; echo "$table"; echo "$there"
    results: {{all: {{kind: text}}}}
tasks:
  t:
    nodes:
      make: {{type: shell, process: 'echo made > "$SKERRY_OUTPUTS/table"', results: {{table: {{kind: file}}}}}}
      use:
        job: use
        after: [make]
        on: {{workers: [build]}}
        params: {{table: "$.JOB['make'].RESULT.table", list: {list}, there: /etc/passwd}}
"""


def test_a_result_of_this_machine_and_a_file_that_is_sent_are_read_on_the_worker(
    build: Answer, skerry: Skerry, tmp_path: Path
) -> None:
    listed = tmp_path / "listed"
    listed.write_text("listed\n")
    (tmp_path / "t.yaml").write_text(TASK.format(list=listed))

    ran = skerry("run", str(tmp_path / "t.yaml"), "--json")

    jobs = {each["node"]: each for each in ran.document["jobs"]}
    assert ran.document["status"] == "succeeded", ran.out
    assert jobs["use"]["results"]["all"] == "made\nlisted\n"
    table, there = Path(jobs["use"]["directory"], "job.log").read_text().splitlines()
    assert table.startswith(str(tmp_path / "remote"))
    assert table.endswith("/inputs/table/table")
    assert there == "/etc/passwd"
    assert jobs["use"]["params"]["table"] == str(Path(jobs["make"]["directory"], "outputs", "table"))


def test_a_file_that_is_not_there_fails_with_its_code(build: Answer, skerry: Skerry, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(TASK.format(list=tmp_path / "nowhere"))

    ran = skerry("run", str(tmp_path / "t.yaml"), "--json")

    jobs = {each["node"]: each for each in ran.document["jobs"]}
    assert (jobs["use"]["status"], jobs["use"]["error_code"]) == ("failed", -11101017000)
