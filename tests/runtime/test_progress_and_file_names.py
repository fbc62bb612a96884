"""What programs say of themselves reaches people: how far they are, and files whatever they are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.cli.cli_context import CliContext
from app.cli.run_progress import ProgressLines
from engine.api.documents import InstanceQuery
from engine.api.local import LocalService
from tests.runtime.site import Gate, Seen, Site, shell, task
from tests.waiting import until


def test_the_progress_of_a_running_job_is_in_show_and_list(
    make_site: Callable[..., Site], gate: Gate
) -> None:
    site = make_site(monitor=True)
    service = LocalService(site.engine)
    message = 'echo "40 half of it" >> "${SKERRY_PROGRESS}"\n'
    instance = site.begin(task({"load": shell(message + gate.script())}))

    [job] = until(lambda: [job for job in service.instance(instance)["jobs"] if job["reason"]])
    [row] = service.instances(InstanceQuery())
    gate.open()
    seen = site.end(instance)

    assert (job["status"], job["reason"]) == ("running", "40 % half of it")
    assert row["reason"] == "load: 40 % half of it"
    assert (seen.status, seen["load"].row.reason) == ("succeeded", None)
    assert service.instances(InstanceQuery())[0]["reason"] is None


def _reports(line: str) -> str:
    return f'echo "{line}" >> "${{SKERRY_PROGRESS}}"\n'


def _reported(seen: Seen) -> list[str]:
    return [line["value"]["text"] for line in seen.lines if line.get("why") == "progress"]


_CHECKED = {
    "mode": "async",
    "check": {"every": "50ms", "times": 2000, "success": "{$.JOB['a'].OUTPUT} # 'over'"},
}


@pytest.mark.parametrize("keys", [{}, _CHECKED], ids=["waited for", "asynchronous"])
def test_what_a_program_reports_between_the_last_sample_and_its_end_is_told(
    make_site: Callable[..., Site], gate: Gate, keys: dict[str, Any]
) -> None:
    site = make_site(monitor=True)
    process = _reports("40 half of it") + gate.script(then=_reports("100 all of it") + "echo over")
    instance = site.begin(task({"a": shell(process, **keys)}))
    until(lambda: _reported(site.see(instance)))

    gate.open()

    assert _reported(site.end(instance)) == ["half of it", "all of it"]


def test_what_was_reported_before_a_job_is_stopped_is_told(
    make_site: Callable[..., Site], gate: Gate
) -> None:
    site = make_site(monitor=True)
    instance = site.begin(task({"a": shell(_reports("40 half of it") + gate.script())}))
    gate.until_up()

    site.engine.cancel(instance)

    assert _reported(site.end(instance)) == ["half of it"]


def test_what_the_ready_stage_reported_is_told_once(make_site: Callable[..., Site], gate: Gate) -> None:
    site = make_site(monitor=True)
    job = shell(_reports("50 half of it") + gate.script(), ready=_reports("10 looking"))
    instance = site.begin(task({"a": job}))
    until(lambda: "half of it" in _reported(site.see(instance)))

    gate.open()

    assert _reported(site.end(instance)) == ["looking", "half of it"]


def test_run_tells_of_progress_where_it_is_piped(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    event = {"kind": "progress", "node": "load", "index": None, "percent": 40, "text": "half of it"}

    ProgressLines(CliContext()).event(event)

    assert capfdbinary.readouterr().out == b"load: 40 % half of it\n"


def test_results_whose_names_are_no_utf_8_are_listed(site: Site) -> None:
    program = "cd outputs; printf text > \"$(printf 'a\\377b')\"; printf '\\376' > \"$(printf 'c\\377')\""
    seen = site.run(task({"a": shell(program)}))

    assert seen.status == "succeeded", site.waiting(seen.id)
    assert seen["a"].results["a\\xffb"] == "text"
    assert seen["a"].results["c\\xff"] is None
    seen.assert_replays()


def test_a_job_that_removes_its_directory_leaves_no_traceback_in_the_log(site: Site) -> None:
    seen = site.run(task({"a": shell('rm -rf "${SKERRY_JOB_DIR}"')}))
    site.engine.sync(seen.id)

    log = "".join(file.read_text() for file in site.engine.workspace.logs.iterdir())
    assert "Traceback" not in log
    assert "was removed" in log
