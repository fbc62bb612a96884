"""A handler of the end leads to the job that failed, and that one to its handler."""

from __future__ import annotations

from typing import Any

from app.desktop.kernel.console import Target
from app.desktop.run.handler_links import other_end
from app.desktop.run.reading import RunLook
from app.desktop.run.remedies import Remedy
from tests.api.fake_service import instance, job


def _look(*jobs: Any, exceptions: Any = ()) -> RunLook:
    return RunLook(instance(7, "failed", jobs=list(jobs)), exceptions=exceptions)


def _target(found: Remedy | None) -> Target | None:
    return found.target if found is not None else None


def test_a_handler_leads_to_the_job_that_failed_first_and_back() -> None:
    load, report, handler = job("load", "failed"), job("report", "failed"), job("on_end.failed", "succeeded")
    exceptions = [{"id": 9, "node": "load"}, {"id": 4, "node": "report"}, {"id": 2, "node": "on_end.failed"}]
    around = _look(load, report, handler, exceptions=exceptions)

    assert _target(other_end(handler, around)) == Target("instance", "7", "report")
    assert _target(other_end(load, around)) == Target("instance", "7", "on_end.failed")


def test_a_failed_handler_leads_to_the_job_and_not_to_itself() -> None:
    handler = job("on_end.always", "failed")

    assert _target(other_end(handler, _look(job("load", "lost"), handler))) == Target("instance", "7", "load")


def test_without_a_failure_or_a_handler_that_began_there_is_no_way() -> None:
    load, handler = job("load", "succeeded"), job("on_end.succeeded", "succeeded")
    skipped = job("on_end.failed", "skipped")

    assert other_end(load, _look(load, handler)) is None
    assert other_end(handler, _look(load, handler)) is None
    assert other_end(job("load", "failed"), _look(job("load", "failed"), skipped)) is None
