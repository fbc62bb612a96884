"""A task with `retry` is tried again, whatever made its run fail."""

from __future__ import annotations

from pathlib import Path

from tests.runtime.site import Site, shell, task


def test_when_no_job_failed_but_the_task_all_of_it_runs_again(site: Site, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    nodes = {"a": shell(f"echo a >> {journal}; wc -l < {journal} | tr -d '\\n' > outputs/n"),
             "b": shell(f"echo b >> {journal}", after=["a"])}  # fmt: skip

    seen = site.run(task(nodes, success="$.JOB['a'].RESULT['n'] >= 3", retry={"times": 5, "interval": "0s"}))

    assert (seen.status, seen.row.run) == ("succeeded", 2)
    assert journal.read_text().split() == ["a", "b", "a", "b"]
    seen.assert_replays()
