"""``skerry watch``: what it prints of a run that another engine works on, and how it ends."""

from __future__ import annotations

import io
from pathlib import Path

from app.cli.cli_context import CliContext
from app.cli.last_lines import LastLines
from app.cli.progress_picture import ProgressPicture
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


def test_a_narrow_terminal_with_wide_characters_shows_every_job_on_one_line() -> None:
    from rich.cells import cell_len
    from rich.console import Console

    picture = ProgressPicture(CliContext())
    long = job("a_node_whose_name_is_longer_than_half_of_the_terminal", "running", instance=2)
    picture.state(instance(1, jobs=[job("load", "running", instance=3), long]))
    for number in (2, 3):
        picture.event(
            {
                "kind": "progress",
                "job_instance": number,
                "text": "40 正在装载港口办公室五月份的全部数据请等待",
            }
        )
    picture.close()

    console = Console(width=60, record=True, file=io.StringIO())
    console.print(picture._render())

    lines = console.export_text().splitlines()
    assert [each.split()[0] for each in lines[1:]] == ["load", "a_node_whose_name_is…"]
    assert all(cell_len(each) <= 60 for each in lines)
    assert all("running" in each for each in lines[1:])
    assert "装载" in lines[1]
