"""``skerry watch``: what it prints of a run that another engine works on, and how it ends."""

from __future__ import annotations

from pathlib import Path

from app.cli.last_lines import LastLines
from engine.api.service import Service
from tests.api.fake_service import FakeService, instance, job
from tests.cli.conftest import Skerry


def test_a_run_that_succeeded_is_shown_with_its_jobs(skerry: Skerry, service: FakeService) -> None:
    service.found = {1: instance(1, "succeeded", jobs=[job("load", "succeeded")])}
    answer = skerry("watch", "1")
    lines = skerry("watch", "1", "--json").lines

    assert (answer.status, answer.out) == (0, "instance 1: nightly\nload: succeeded\ninstance 1: succeeded\n")
    assert [(each["kind"], each["status"]) for each in lines] == [("job", "succeeded"), ("end", "succeeded")]
    assert lines[0]["node"] == "load"


def test_it_ends_as_the_run_did(skerry: Skerry, service: FakeService) -> None:
    service.found = {2: instance(2, "failed", jobs=[])}

    assert skerry("watch", "2").status == 1
    assert skerry("watch", "7").status == 2


def test_the_last_line_of_a_log_is_found(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text("first\n" * 5000 + "last of it\n\n")
    found = [{"instance": 3, "path": str(log)}, {"instance": 4, "path": str(tmp_path / "none")}]

    class OnlyLogs(Service):
        def logs(self, *_given: object, **_more: object) -> list[object]:  # type: ignore[override]
            return list(found)

    lines = LastLines(OnlyLogs(), 1)
    lines.look()
    assert (lines.of(3), lines.of(4), lines.of(5)) == ("last of it", "", "")
