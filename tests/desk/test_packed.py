"""Large logs of a case stay packed: whoever reads them sees what the site wrote."""

from __future__ import annotations

import io
import random
import stat
from contextlib import closing
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from app import wiring
from app.cli.main import cli
from engine.model.codes.bundles import DAMAGED
from engine.model.codes.store import DISK_FULL
from engine.model.errors import Refused, SkerryError
from engine.runtime.write_health import WriteHealth
from export_import.case import Case
from export_import.container import open_bundle
from export_import.container.form import Entry, Ref
from export_import.desk.evidence import Evidence
from export_import.desk.findings import Study, findings
from export_import.desk.reevaluation import reevaluate
from export_import.desk.searching import search
from export_import.desk.stand_in_choices import Choices
from export_import.desk.standin import Trial, try_out
from export_import.importing import import_bundle
from export_import.packed_logs import FRAMES, INDEX, Pack, lay_out, opened, packed_log, packed_paths, tail
from tests.bundles.case_service import service_of
from tests.bundles.conftest import CLOCK, Place, run
from tests.bundles.hostile import Forged, file_of, manifest_of, volume_of

pytest.importorskip("PySide6.QtCore", reason="the window's libraries are not installed", exc_type=ImportError)

from app.desktop.home.log_end import log_end
from app.desktop.log.packed_text import log_text

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
READS_BY_PATH = """
skerry: 1
tasks:
  night:
    nodes:
      count: {type: shell, process: seq 1 900000}
      read:
        type: shell
        after: [count]
        params: {folder: "$.JOB['count'].DIRECTORY"}
        process: tail -n 1 "$folder/job.log"
"""


@cache
def output() -> bytes:
    """What ``count`` of the task writes."""
    return "\n".join(map(str, range(1, 900_001))).encode() + b"\nthe needle\n"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = Place(tmp_path_factory.mktemp("site"))
    run(site.root, TASK)
    return site.export(site.root / "out").path


@pytest.fixture
def case(bundle: Path, tmp_path: Path) -> Case:
    return import_bundle(tmp_path, [bundle], clock=CLOCK, name="case")


def log_of(case: Case, node: str, name: str = "job.log") -> Path:
    with service_of(case) as service:
        return Path(service.logs(1, node)[0]["path"]).with_name(name)


def test_large_logs_take_the_room_that_they_had_in_the_bundle(case: Case) -> None:
    log, errors = log_of(case, "count"), log_of(case, "load", "job-error.log")

    assert not log.exists()
    assert set(packed_paths(case.folder)) == {log, errors}
    assert (case.folder / FRAMES).stat().st_size < len(output()) / 2
    assert stat.S_IMODE((case.folder / FRAMES).stat().st_mode) == 0o600
    assert log_of(case, "load").read_bytes() == b"", "a small one is a file"


def test_its_text_is_printed_as_it_was(case: Case) -> None:
    command = ["--workspace", str(case.folder), "logs", "1", "count"]

    assert CliRunner().invoke(cli, command).stdout_bytes == output()
    assert CliRunner().invoke(cli, [*command, "--follow"]).stdout_bytes == output()
    assert not log_of(case, "count").exists(), "looking changes nothing"


def test_any_stretch_of_it_reads_as_it_was(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    case = import_bundle(tmp_path_factory.mktemp("desk"), [bundle], clock=CLOCK, name="case")
    log = packed_log(log_of(case, "count"))
    assert log is not None
    assert log.size == len(output())

    @given(st.integers(0, len(output()) + 10), st.integers(0, 3 << 20))
    def stretch(offset: int, length: int) -> None:
        assert log.read(offset, length) == output()[offset : offset + length]

    with log:
        stretch()
    assert log.read(0, 10) == b"", "nothing is read from what was given back"


def test_as_a_file_it_can_be_sought_and_read_by_lines(case: Case) -> None:
    with opened(log_of(case, "count")) as file:
        assert [next(file), next(file)] == [b"1\n", b"2\n"]
        file.seek(-11, io.SEEK_END)
        assert file.read() == b"the needle\n"
        assert file.tell() == len(output())


def test_everything_in_it_is_found_by_a_search(case: Case) -> None:
    with Evidence.open(case.folder) as evidence:
        [hit] = [hit for hit in search(evidence, "needle") if hit.file.endswith("job.log")]

    assert (hit.line, hit.offset, hit.job) == (900_001, len(output()) - 7, "count")


def test_the_findings_tell_its_last_lines(case: Case) -> None:
    with Evidence.open(case.folder) as evidence:
        [failed] = [each for each in findings(Study(evidence, 1)) if each.title.en.startswith("Job 'load'")]

    assert "the very last word" in failed.detail.en


def test_an_expression_that_read_it_is_computed_again(case: Case) -> None:
    with Evidence.open(case.folder) as evidence:
        answer = reevaluate(evidence, 1)

    assert answer.expressions > 0
    assert not answer.differences
    assert not answer.redacted


def test_a_stand_in_run_says_what_the_site_said(case: Case, tmp_path: Path) -> None:
    with Evidence.open(case.folder) as evidence:
        tried = try_out(evidence, wiring.installed_types(), Trial(1), tmp_path / "w")

    [log] = (tmp_path / "w").rglob("job-count-*/job.log")
    assert tried.status == "failed"
    assert log.read_bytes() == output()


def test_a_stand_in_run_leaves_the_case_as_it_was(case: Case, tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (case.folder / "instances").rglob("*")}

    with Evidence.open(case.folder) as evidence:
        try_out(evidence, wiring.installed_types(), Trial(1), tmp_path / "w")

    assert {path: path.stat().st_mtime_ns for path in (case.folder / "instances").rglob("*")} == before


def test_a_job_that_really_runs_reads_the_log_of_one_before_it_by_its_path(tmp_path: Path) -> None:
    site = Place(tmp_path / "site")
    run(site.root, READS_BY_PATH)
    case = import_bundle(tmp_path, [site.export(tmp_path / "out").path], clock=CLOCK, name="case")

    with Evidence.open(case.folder) as evidence:
        trial = Trial(1, choices=Choices(run=frozenset({"read"})))
        tried = try_out(evidence, wiring.installed_types(), trial, tmp_path / "w")

    [log] = (tmp_path / "w").rglob("job-read-*/job.log")
    assert tried.status == "succeeded"
    assert log.read_text() == "900000\n"


def test_a_stand_in_run_does_not_wait_for_room_on_a_full_disk(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WriteHealth, "reason", property(lambda services: "no room on /dev/sda1"))
    monkeypatch.setattr("export_import.desk.standin._LOOK", 0)

    with Evidence.open(case.folder) as evidence, pytest.raises(SkerryError, match="no room on") as error:
        try_out(evidence, wiring.installed_types(), Trial(1), tmp_path / "w")

    assert error.value.entry is DISK_FULL


def test_what_was_imported_before_has_its_logs_as_files_and_is_read_as_ever(case: Case) -> None:
    texts = {}
    for path in packed_paths(case.folder):
        with opened(path) as log:
            texts[path] = log.read()
    for path, text in texts.items():
        path.write_bytes(text)
    (case.folder / FRAMES).unlink()
    (case.folder / INDEX).unlink()

    assert (
        CliRunner().invoke(cli, ["--workspace", str(case.folder), "logs", "1", "count"]).stdout_bytes
        == output()
    )
    with Evidence.open(case.folder) as evidence:
        [hit] = [hit for hit in search(evidence, "needle") if hit.file.endswith("job.log")]
        assert hit.line == 900_001
        assert not reevaluate(evidence, 1).differences
    with closing(log_text(log_of(case, "count"))) as shown:
        assert (shown.size, shown.read(0, 4)) == (len(output()), b"1\n2\n")


def test_laid_out_it_is_a_file_like_any_other(case: Case, tmp_path: Path) -> None:
    log, file = log_of(case, "count"), tmp_path / "file"
    file.write_bytes(b"what a try without room left behind" * 1_000_000)

    lay_out(log, file)

    assert file.read_bytes() == output()
    assert not log.exists(), "a case is not changed"
    file.unlink()
    lay_out(log, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    lay_out(log_of(case, "load"), tmp_path / "other")
    assert not (tmp_path / "other").exists(), "a small one is a file already"


def test_without_room_it_is_not_laid_out(case: Case) -> None:
    with pytest.raises(SkerryError) as error:
        lay_out(log_of(case, "count"), Path("/dev/full"))

    assert error.value.entry is DISK_FULL


@pytest.mark.parametrize("spoil", ["frame", "index", "list", "gone"])
def test_what_is_not_as_it_was_imported_is_never_shown_as_right(
    case: Case, tmp_path: Path, spoil: str
) -> None:
    log = log_of(case, "count")
    if spoil == "frame":
        flip(case.folder / FRAMES, 5000)
    elif spoil == "index":
        (case.folder / INDEX).write_bytes(b'{"packed": 1')
    elif spoil == "list":
        (case.folder / INDEX).write_bytes(b"[]")
    else:
        (case.folder / FRAMES).unlink()

    with pytest.raises(Refused) as error:
        lay_out(log, tmp_path / "file")
    with closing(log_text(log)) as text:
        shown = text.read(0, text.size)
        assert text.read(10, 1000) == shown[10:1010], "wherever one begins to read"

    assert error.value.entry is DAMAGED
    assert (b" bytes are not what was imported: " if spoil == "frame" else b"[") in shown
    assert len(shown) == text.size
    result = CliRunner().invoke(cli, ["--workspace", str(case.folder), "logs", "1", "count"])
    assert (result.exit_code, str(DAMAGED.number) in result.stderr) == (3, True)


def flip(file: Path, place: int, bit: int = 1) -> None:
    with open(file, "r+b") as stream:
        stream.seek(place)
        [old] = stream.read(1)
        stream.seek(place)
        stream.write(bytes([old ^ bit]))


def test_one_flipped_bit_anywhere_in_what_a_case_keeps_packed_is_noticed(case: Case) -> None:
    rng = random.Random(7)
    logs = packed_paths(case.folder)
    for file in (case.folder / FRAMES, case.folder / INDEX):
        for place in (0, file.stat().st_size - 2, *(rng.randrange(file.stat().st_size) for _ in range(30))):
            bit = 1 << rng.randrange(8)
            flip(file, place, bit)
            with pytest.raises(SkerryError) as error:
                read_all(logs)
            assert error.value.entry is DAMAGED, (file.name, place)
            flip(file, place, bit)


def read_all(logs: list[Path]) -> None:
    for each in logs:
        with opened(each) as log:
            while log.read(1 << 20):
                pass


def test_a_damaged_log_costs_an_export_of_the_case_that_log_alone(case: Case, tmp_path: Path) -> None:
    flip(case.folder / FRAMES, (case.folder / FRAMES).stat().st_size - 100)

    done = Place(case.folder).export(tmp_path / "again")

    [left_out] = done.omitted
    assert left_out.name.endswith(("job.log", "job-error.log"))
    bundle = open_bundle([done.path], None, clock=CLOCK)
    logs = {str(each.relative_to(case.folder)) for each in packed_paths(case.folder)}
    assert logs - set(bundle.entries) == {left_out.name}


def test_an_export_of_a_case_whose_list_of_large_logs_is_damaged_has_the_rest(
    case: Case, tmp_path: Path
) -> None:
    flip(case.folder / INDEX, 10)

    done = Place(case.folder).export(tmp_path / "again")

    [left_out] = done.omitted
    assert left_out.name == "the large logs of the case"
    assert any(name.endswith("ctx.log") for name in open_bundle([done.path], None, clock=CLOCK).entries)


def test_what_a_job_left_below_the_instances_says_nothing_about_its_logs(case: Case) -> None:
    log = log_of(case, "count")
    for folder in log.parents:
        for name in (
            name for name in ("case.json", INDEX, FRAMES) if folder.is_relative_to(case.folder / "instances")
        ):
            (folder / name).write_text("{}")

    with opened(log) as file:
        assert file.read() == output()


def test_a_workspace_has_no_packed_logs_whatever_files_lie_in_it(tmp_path: Path) -> None:
    log = tmp_path / "instances" / "task-t-1" / "jobs" / "job-a-2" / "job.log"
    log.parent.mkdir(parents=True)
    for folder in log.parents[:6]:
        (folder / INDEX).write_text('{"name": "of a tool that packs"}')

    assert packed_log(log) is None
    assert packed_paths(tmp_path) == []


JOB = "instances/task-night-1/jobs/job-a-2"


@pytest.mark.parametrize(
    ("name", "objects", "packed"),
    [
        (f"{JOB}/job.log", 5, True),
        (f"{JOB}/attempts/1/job-error.log", 5, True),
        (f"{JOB}/outputs/job.log", 5, False),
        (f"{JOB}/build/job.log", 5, False),
        (f"{JOB}/attempts/1/outputs/job.log", 5, False),
        ("instances/job.log", 5, False),
        ("instances/task-night-1/job.log", 5, False),
        (f"{JOB}/job.log", 5000, False),  # crumbs
        (f"{JOB}/job.log", 3, False),  # small
    ],
)
def test_only_the_logs_of_jobs_stay_packed(tmp_path: Path, name: str, objects: int, packed: bool) -> None:
    size = (5 << 20) // objects if objects > 3 else 1 << 20
    refs = tuple(Ref(f"{number:064x}", size, 0) for number in range(objects))

    with Pack(tmp_path, {name: Entry(name, size * objects, "log", objects=refs)}) as pack:
        assert (name in pack.names) is packed


def test_home_shows_its_end(case: Case) -> None:
    with service_of(case) as service:
        assert log_end(service, 1, "count").endswith("900000\nthe needle")
        assert log_end(service, 1, "load").endswith("800000\nthe very last word")


def test_what_is_lost_with_a_volume_is_reported_in_its_place(bundle: Path, tmp_path: Path) -> None:
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
        output = file.read()

    assert str(log.relative_to(case.folder)) in names
    assert output.startswith(b"\n[")
    assert b"bytes are lost with vol-000" in output


def test_a_case_that_is_exported_again_takes_its_logs_along(case: Case, tmp_path: Path) -> None:
    again = Place(case.folder).export(tmp_path / "again").path

    (tmp_path / "other").mkdir()
    second = import_bundle(tmp_path / "other", [again], clock=CLOCK, name="second")

    log = packed_log(log_of(second, "count"))
    assert log is not None
    assert b"".join(log.chunks()) == output()
    assert not log_of(case, "count").exists(), "it is not laid out for that"


def test_of_a_large_log_that_does_not_fit_the_end_is_exported(case: Case, tmp_path: Path) -> None:
    again = Place(case.folder).export(tmp_path / "again", budget=1_500_000).path

    (tmp_path / "other").mkdir()
    second = import_bundle(tmp_path / "other", [again], clock=CLOCK, name="second")

    with opened(log_of(second, "load", "job-error.log")) as log:
        text = log.read()
    assert 0 < len(text) < len(output())
    assert text.endswith(b"800000\nthe very last word\n")


def forged(tmp_path: Path, files: list[dict[str, object]], *objects: bytes) -> Case:
    tree = manifest_of(files=files)
    path = Forged(tree=tree, volumes=(volume_of(*objects),)).write(tmp_path / "forged")
    return import_bundle(tmp_path, [path], clock=CLOCK, name="case")


def test_an_object_may_be_in_a_large_log_and_in_a_small_file(tmp_path: Path) -> None:
    one, two = b"a line of a log\n" * 200_000, b"another one\n" * 200_000
    refs = [[sha256(data).hexdigest(), len(data), 0] for data in (one, two, one)]
    log = file_of(f"{JOB}/job.log", size=2 * len(one) + len(two), objects=refs)

    case = forged(tmp_path, [log, file_of(f"{JOB}/note", one)], one, two)

    assert (case.folder / JOB / "note").read_bytes() == one
    with opened(case.folder / JOB / "job.log") as file:
        assert file.read() == one + two + one
    assert (case.folder / FRAMES).stat().st_size < 5000


def test_a_log_of_hundreds_of_times_the_same_takes_the_room_of_one(tmp_path: Path) -> None:
    data = b"0123456789abcdef" * (1 << 18)
    ref = [sha256(data).hexdigest(), len(data), 0]
    log = file_of(f"{JOB}/job.log", size=250 * len(data), objects=[ref] * 250)

    case = forged(tmp_path, [log], data)

    assert (case.folder / FRAMES).stat().st_size < 5000
    assert tail(case.folder / JOB / "job.log", 32) == "0123456789abcdef" * 2
    with closing(log_text(case.folder / JOB / "job.log")) as text:
        assert text.size == 250 * len(data)
        assert text.read(1_000_000_001, 5) == b"12345"


def test_a_log_whose_object_is_larger_than_said_is_lost_and_said_to_be(tmp_path: Path) -> None:
    data = b"0123456789abcdef" * (1 << 18)
    part = data[:-1]
    lying = [sha256(data).hexdigest(), len(part), 0]
    log = file_of(f"{JOB}/job.log", size=2 * len(part), objects=[lying, lying])

    case = forged(tmp_path, [log], data)

    assert [each["name"] for each in case.lost] == [f"{JOB}/job.log"]
    assert "bytes are lost with vol-000" in tail(case.folder / JOB / "job.log", 100)
