"""Large logs of a case stay packed: whoever reads them sees what the site wrote."""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from app import wiring
from app.cli.main import cli
from app.desktop.log.packed_text import log_text
from engine.model.codes.bundles import DAMAGED
from engine.model.codes.store import DISK_FULL
from engine.model.errors import Refused, SkerryError
from export_import.case import Case
from export_import.desk.evidence import Evidence
from export_import.desk.findings import Study, findings
from export_import.desk.reevaluation import reevaluate
from export_import.desk.searching import search
from export_import.desk.standin import Trial, try_out
from export_import.importing import import_bundle
from export_import.packed import FRAMES, INDEX, lay_out, opened, packed_log, packed_paths
from tests.bundles.conftest import CLOCK, Place, run

TASK = """
skerry: 1
tasks:
  night:
    nodes:
      count:
        type: shell
        process: seq 1 900000; echo "the needle"
        results: {said: "$.JOB['count'].OUTPUT"}
      load:
        type: shell
        after: [count]
        params: {count: "$.JOB['count'].EXIT_CODE"}
        process: seq 1 800000 >&2; echo "the very last word" >&2; exit 3
"""
OUTPUT = b"".join(b"%d\n" % number for number in range(1, 900_001)) + b"the needle\n"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = Place(tmp_path_factory.mktemp("site"))
    run(site.root, TASK)
    return site.export(site.root / "out").path


@pytest.fixture
def case(bundle: Path, tmp_path: Path) -> Case:
    return import_bundle(tmp_path, [bundle], clock=CLOCK, name="case")


def log_of(case: Case, node: str, name: str = "job.log") -> Path:
    with case.service(CLOCK) as service:
        return Path(service.logs(1, node)[0]["path"]).with_name(name)


def test_large_logs_take_the_room_that_they_had_in_the_bundle(case: Case) -> None:
    log, errors = log_of(case, "count"), log_of(case, "load", "job-error.log")

    assert not log.exists()
    assert set(packed_paths(case.folder)) == {log, errors}
    assert (case.folder / FRAMES).stat().st_size < len(OUTPUT) / 2
    assert stat.S_IMODE((case.folder / FRAMES).stat().st_mode) == 0o600
    assert log_of(case, "load").read_bytes() == b"", "a small one is a file"


def test_its_text_is_printed_as_it_was(case: Case) -> None:
    command = ["--workspace", str(case.folder), "logs", "1", "count"]

    assert CliRunner().invoke(cli, command).stdout_bytes == OUTPUT
    assert CliRunner().invoke(cli, [*command, "--follow"]).stdout_bytes == OUTPUT
    assert not log_of(case, "count").exists(), "looking changes nothing"


def test_any_stretch_of_it_reads_as_it_was(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    case = import_bundle(tmp_path_factory.mktemp("desk"), [bundle], clock=CLOCK, name="case")
    log = packed_log(log_of(case, "count"))
    assert log is not None
    assert log.size == len(OUTPUT)

    @given(st.integers(0, len(OUTPUT) + 10), st.integers(0, 3 << 20))
    def stretch(offset: int, length: int) -> None:
        assert log.read(offset, length) == OUTPUT[offset : offset + length]

    with log:
        stretch()
    assert log.read(0, 10) == b"", "nothing is read from what was given back"


def test_as_a_file_it_can_be_sought_and_read_by_lines(case: Case) -> None:
    with opened(log_of(case, "count")) as file:
        assert [next(file), next(file)] == [b"1\n", b"2\n"]
        file.seek(-11, io.SEEK_END)
        assert file.read() == b"the needle\n"
        assert file.tell() == len(OUTPUT)


def test_everything_in_it_is_found_by_a_search(case: Case) -> None:
    with Evidence.open(case.folder) as evidence:
        [hit] = [hit for hit in search(evidence, "needle") if hit.file.endswith("job.log")]

    assert (hit.line, hit.offset, hit.job) == (900_001, len(OUTPUT) - 7, "count")


def test_the_findings_tell_its_last_lines(case: Case) -> None:
    with Evidence.open(case.folder) as evidence:
        [failed] = [each for each in findings(Study(evidence, 1)) if each.title.en.startswith("Job 'load'")]

    assert "the very last word" in failed.detail.en


def test_an_expression_that_read_it_is_computed_again(case: Case) -> None:
    with Evidence.open(case.folder) as evidence:
        told = reevaluate(evidence, 1)

    assert told.expressions > 0
    assert not told.differences
    assert not told.redacted


def test_a_stand_in_run_says_what_the_site_said(case: Case, tmp_path: Path) -> None:
    with Evidence.open(case.folder) as evidence:
        tried = try_out(evidence, wiring.installed_types(), Trial(1), tmp_path / "w")

    [log] = (tmp_path / "w").rglob("job-count-*/job.log")
    assert tried.status == "failed"
    assert log.read_bytes() == OUTPUT


def test_laid_out_it_is_a_file_like_any_other(case: Case) -> None:
    log = log_of(case, "count")

    lay_out(log)
    lay_out(log)

    assert log.read_bytes() == OUTPUT
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert packed_log(log) is None
    assert packed_paths(case.folder) == [log_of(case, "load", "job-error.log")]
    assert {each.name for each in case.folder.glob("packed*")} == {FRAMES, INDEX}


def test_without_room_nothing_is_laid_out(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    log = log_of(case, "count")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(SkerryError) as error:
        lay_out(log)

    assert error.value.entry is DISK_FULL
    assert not log.exists()
    assert {each.name for each in case.folder.glob("packed*")} == {FRAMES, INDEX}


@pytest.mark.parametrize("spoil", ["frame", "index", "gone"])
def test_what_is_not_as_it_was_imported_is_never_shown_as_right(case: Case, spoil: str) -> None:
    log = log_of(case, "count")
    if spoil == "frame":
        with open(case.folder / FRAMES, "r+b") as file:
            file.seek(5000)
            file.write(b"\0" * 100)
    elif spoil == "index":
        (case.folder / INDEX).write_bytes(b'{"packed": 1')
    else:
        (case.folder / FRAMES).unlink()

    with pytest.raises(Refused) as error:
        lay_out(log)
    with log_text(log) as text:
        shown = text.read(0, text.size)

    assert error.value.entry is DAMAGED
    assert not log.exists()
    assert str(DAMAGED.number).encode() in shown or shown.startswith(b"[")
    assert len(shown) == text.size
    result = CliRunner().invoke(cli, ["--workspace", str(case.folder), "logs", "1", "count"])
    assert (result.exit_code, str(DAMAGED.number) in result.stderr) == (3, True)


def test_what_is_lost_with_a_volume_is_told_in_its_place(bundle: Path, tmp_path: Path) -> None:
    volumes = {each.name: each.read_bytes() for each in bundle.glob("vol-*")}
    for name in volumes:
        (bundle / name).unlink()
    try:
        case = import_bundle(tmp_path, [bundle], clock=CLOCK, name="case")
    finally:
        for name, data in volumes.items():
            (bundle / name).write_bytes(data)

    names = {each["name"] for each in case.lost}
    [log] = [path for path in packed_paths(case.folder) if path.name == "job.log"]
    with opened(log) as file:
        told = file.read()

    assert str(log.relative_to(case.folder)) in names
    assert told.startswith(b"\n[")
    assert b"bytes are lost with vol-000" in told


def test_a_case_that_is_exported_again_takes_its_logs_along(case: Case, tmp_path: Path) -> None:
    again = Place(case.folder).export(tmp_path / "again").path

    (tmp_path / "other").mkdir()
    second = import_bundle(tmp_path / "other", [again], clock=CLOCK, name="second")

    log = packed_log(log_of(second, "count"))
    assert log is not None
    assert b"".join(log.chunks()) == OUTPUT
