"""What is printed of jobs on other workers: on which, their records, and why one does not go on."""

from __future__ import annotations

from typing import Any

import pytest

from app.cli.cli_context import CliContext
from app.cli.run_progress import ProgressLines
from engine.model.reason import Kind, Reason
from engine.model.reason_words import said
from tests.api.fake_service import FakeService, instance, job
from tests.cli.conftest import Skerry

AWAY = said(Reason.of(Kind.REACHED_NO_MORE, at="2026-11-21T10:00:00+00:00"))
NOBODY = said(
    Reason.of(Kind.NO_WORKER, workers=[{"name": "b", "why": Reason(Kind.NOT_REGISTERED).to_json()}], names=["b"])
)  # fmt: skip


@pytest.fixture
def run(service: FakeService) -> None:
    """A job that one of two workers failed."""
    service.found = {
        1: instance(
            1,
            "failed",
            jobs=[
                job("here", "succeeded", worker="local"),
                job("tidy", "failed", instance=2, worker="a"),
                job("tidy@a", "succeeded", instance=3, worker="a"),
                job("tidy@b", "failed", instance=4, worker="b"),
                job("tidy@b.end.0", "succeeded", instance=5, worker="b"),
            ],
        )
    }


@pytest.mark.usefixtures("run")
def test_the_table_of_a_run_says_on_which_workers_its_jobs_ran(skerry: Skerry) -> None:
    lines = [line.split() for line in skerry("show", "1").out.splitlines() if line.startswith("  ")]

    rows = {line[0]: line[1] for line in lines if line[0].startswith(("here", "tidy"))}
    assert rows == {"here": "local", "tidy": "a", "tidy@a": "a", "tidy@b": "b", "tidy@b.end.0": "b"}


@pytest.mark.usefixtures("run")
def test_a_node_is_shown_with_the_records_of_its_workers(skerry: Skerry) -> None:
    shown = skerry("show", "1", "tidy").out

    assert "tidy@a  a       succeeded" in shown
    assert "tidy@b  b       failed" in shown
    assert "here" not in shown
    assert "tidy@b.end.0" not in shown, "the job of a stage of a record is none"
    assert "tidy@a  a" not in skerry("show", "1", "tidy@b").out


def test_a_run_on_this_machine_alone_has_no_column_for_that(skerry: Skerry, service: FakeService) -> None:
    service.found = {1: instance(1, "succeeded", jobs=[job("here", "succeeded", worker="local")])}

    assert "worker" not in skerry("show", "1").out


def test_progress_says_where_a_job_runs_and_why_one_waits(capsys: pytest.CaptureFixture[str]) -> None:
    lines, waits = ProgressLines(CliContext()), job("x", "no_worker", instance=1, **NOBODY)

    def look(*jobs: Any) -> list[str]:
        lines.state(instance(1, jobs=list(jobs)))
        return capsys.readouterr().out.splitlines()

    look()
    assert look(waits) == ["x: no_worker  no worker is there to run it: b (not registered)"]
    assert look(waits) == []
    running = {"instance": 1, "worker": "a"}
    assert look(job("x", "running", **running)) == ["x: running  on a"]
    assert look(job("x", "running", **running, **AWAY)) == [
        "x: running  not reachable since 2026-11-21 10:00:00 +00:00"
    ]
    assert look(job("x", "running", **running, **AWAY)) == []
    assert look(job("x", "running", **running)) == ["x: running  on a"]
    assert look(job("x", "succeeded", **running)) == ["x: succeeded"]
    assert look(job("y@a", "running", instance=2, worker="a"), job("z", "running", instance=3, worker="local")) == [
        "y@a: running", "z: running",
    ]  # fmt: skip
