"""Runs on several workers at the desk: the context computed again and a stand-in run differ in nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import wiring
from export_import.desk.evidence import Evidence
from export_import.desk.reevaluation import reevaluate
from export_import.desk.standin import Trial, try_out
from tests.runtime.conftest import namesakes_only as namesakes_only  # a fixture
from tests.runtime.site import Site
from tests.runtime.workers_of_site import add_worker

pytestmark = pytest.mark.usefixtures("namesakes_only")

TASK = """
skerry: 1
tasks:
  render:
    nodes:
      frames: {type: shell, process: 'printf 3 > "$SKERRY_OUTPUTS/n"', on: {workers: [a]},
               results: {n: {kind: number}}}
      tidy:
        type: shell
        process: 'printf "$SKERRY_WORKER" > "$SKERRY_OUTPUTS/at"; case $PWD in */b) exit 3;; esac'
        on: {workers: [local, a, b], strategy: all, success: single}
        results: {at: {kind: text}}
        after: [frames]
      sums:
        type: shell
        params: {codes: "$.JOB['tidy'].WORKERS['b'].EXIT_CODE", n: "$.JOB['frames'].RESULT['n']"}
        process: 'test "$codes" = 3'
        after: [tidy]
"""


def test_a_run_on_several_workers_is_replayed_without_a_difference(site: Site, tmp_path: Path) -> None:
    for name in ("a", "b"):
        add_worker(site, name)
    seen = site.run(TASK)
    assert seen.status == "succeeded"

    with Evidence.open(site.root) as evidence:
        tried = try_out(evidence, wiring.installed_types(), Trial(seen.id), tmp_path / "scratch")
        assert tried.status == "succeeded"
        assert tried.divergences == ()
        hows = {job.node: job.how for job in tried.jobs}
        assert {hows[f"tidy@{name}"] for name in ("local", "a", "b")} == {"recorded"}
        assert all(instance.differences == () for instance in [reevaluate(evidence, seen.id)])
