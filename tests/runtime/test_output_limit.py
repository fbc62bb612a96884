"""``limits.output`` is kept: by programs that print without end, that write files, and that will not go."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.model.codes.processes import OUTPUT_LIMIT
from tests.runtime.site import Site, lives, shell, task

MB = 1_000_000


def _limited(process: str, most: int = MB) -> dict[str, object]:
    return shell(process, limits={"output": most})


@pytest.mark.parametrize(
    "process",
    ["yes", "yes >&2", "trap '' TERM; while :; do echo no end; yes; done", "echo; setsid yes & wait"],
)
def test_what_prints_without_end_is_ended_and_its_log_is_cut_off(site: Site, process: str) -> None:
    seen = site.run(task({"a": _limited(f"echo $$ > pid; {process}")}))["a"]

    assert seen.error_code == OUTPUT_LIMIT.number
    assert f"{MB:,} may be" in seen.error_message
    logs = [(seen.folder / name).read_bytes() for name in ("job.log", "job-error.log")]
    assert sum(map(len, logs)) < MB + 500
    assert any(b"bytes were cut off here; limits.output is 1,000,000" in log for log in logs)
    assert not lives(int((seen.folder / "pid").read_text()))


@pytest.mark.parametrize("place", ["outputs/r", "own", "made/here/own"])
def test_files_that_a_job_writes_into_its_directory_count(site: Site, place: str) -> None:
    waits = "mkdir -p made/here; head -c 3000000 /dev/zero > {}; while :; do sleep 1; done"

    seen = site.run(task({"a": _limited(waits.format(place))}))["a"]

    assert seen.error_code == OUTPUT_LIMIT.number
    assert f"{MB:,} may be" in seen.error_message


def test_files_elsewhere_and_holes_in_files_do_not_count(site: Site, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    process = f"head -c 3000000 /dev/zero > {elsewhere}; ln -s {elsewhere} outputs/r; truncate -s 9M own"

    assert site.run(task({"a": _limited(process)})).states == {"a": "succeeded"}


def test_what_skerry_itself_writes_there_does_not_count(site: Site) -> None:
    text = f"# {'x' * 5000}\nprintf 12345"

    assert site.run(task({"a": _limited(text, 5)})).states == {"a": "succeeded"}


def test_every_attempt_is_held_to_the_limit_again(site: Site) -> None:
    job = {**_limited("yes"), "retry": {"times": 1, "interval": "10ms"}}

    attempts = site.run(task({"a": job}))["a"].attempts

    assert [each.error_code for each in attempts] == [OUTPUT_LIMIT.number] * 2
