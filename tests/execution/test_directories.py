"""The directories of contract 4: their shape, their modes, their walls."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.execution import stage_file
from engine.execution.code import code
from engine.execution.directories import ATTEMPT_FILES, JobDirectories, JobDirectory
from engine.execution.outcomes import Exit
from engine.model.codes import processes as codes
from engine.model.errors import SkerryError
from tests.execution.conftest import Workbench, put_in_place


@pytest.fixture
def directories(tmp_path: Path) -> JobDirectories:
    """An empty folder of instances."""
    return JobDirectories(tmp_path)


def made(directories: JobDirectories, number: int = 1, text: str = "true\n") -> JobDirectory:
    """A job's directory of one instance."""
    instance = directories.instance("night", 7)
    instance.make()
    job = instance.job("load", number)
    job.make(b'{"a":1}\n', {"process": code(text)})
    return job


def listing(path: str) -> list[str]:
    """Every file and folder below, relative."""
    root = Path(path)
    return sorted(str(each.relative_to(root)) for each in root.rglob("*"))


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_job_has_its_files_in_their_places_with_private_modes(
    directories: JobDirectories, umask: int
) -> None:
    before = os.umask(umask)
    try:
        job = made(directories)
        job.make_logs()
        job.write_status(True)
        job.write_output("x", b"1")
    finally:
        os.umask(before)

    assert job.path == f"{directories.root}/task-night-7/jobs/job-load-1"
    assert listing(job.path) == [
        ".skerry", "executeCode", "executeCode/process", "inputs", "inputs/params.json",
        "job-error.log", "job.log", "outputs", "outputs/x", "status",
    ]  # fmt: skip
    for each in Path(directories.root).rglob("*"):
        assert stat.S_IMODE(each.stat().st_mode) == (0o700 if each.is_dir() else 0o600), each


def test_the_parameters_and_the_code_are_kept_as_they_are(directories: JobDirectories) -> None:
    job = made(directories, text="echo é\n")

    assert Path(job.path, "inputs/params.json").read_bytes() == b'{"a":1}\n'
    assert Path(job.path, "executeCode/process").read_text() == "echo é\n"


def test_a_directory_is_never_made_over_another_one(directories: JobDirectories) -> None:
    made(directories)

    with pytest.raises(SkerryError) as caught:
        made(directories)

    assert caught.value.entry is codes.DIRECTORY_FAILED


@pytest.mark.parametrize(
    "id", ["..", ".", "", "a/b", "/etc", "a\0b", "-x", "x" * 200, "a b", "..a", "1a", "é"]
)
def test_an_id_that_would_lead_elsewhere_is_refused(directories: JobDirectories, id: str) -> None:
    instance = directories.instance("t", 1)
    instance.make()
    job = instance.job("j", 1)
    job.make(b"", {})

    for attempt in (
        lambda: directories.instance(id, 1),
        lambda: instance.job(id, 1),
        lambda: job.output(id),
        lambda: job.write_output(id, b""),
    ):
        with pytest.raises(SkerryError) as caught:
            attempt()
        assert caught.value.entry is codes.BAD_NAME


@given(id=st.text(max_size=80))
def test_whatever_the_id_the_path_stays_inside(id: str) -> None:
    root = JobDirectories("/nowhere/instances")
    try:
        path = root.instance("t", 1).job(id, 3).path
    except SkerryError:
        return

    assert os.path.normpath(path) == path
    assert os.path.dirname(path) == "/nowhere/instances/task-t-1/jobs"


@pytest.mark.parametrize("id", ["a", "_x", "12", "report.0", "a-b_c.d"])
def test_every_id_of_the_contract_is_a_folder(directories: JobDirectories, id: str) -> None:
    assert directories.instance(id, 1).job(id, 2).path.endswith(f"task-{id}-1/jobs/job-{id}-2")


# -- code files -----------------------------------------------------------------------------------


def test_equal_code_is_linked_within_an_instance(directories: JobDirectories) -> None:
    instance = directories.instance("t", 1)
    instance.make()
    jobs = [instance.job("j", number) for number in (1, 2)]
    for job in jobs:
        job.make(b"", {"process": code("true")})

    first, second = (Path(job.path, "executeCode/process").stat() for job in jobs)

    assert first.st_ino == second.st_ino


def test_code_that_a_program_changed_or_removed_is_written_again(directories: JobDirectories) -> None:
    instance = directories.instance("t", 1)
    instance.make()
    texts = []
    for number, harm in enumerate([lambda p: p.write_text("evil"), Path.unlink, lambda p: None], start=1):
        job = instance.job("j", number)
        job.make(b"", {"process": code("true"), "end": code("end")})
        place = Path(job.path, "executeCode/process")
        texts.append(place.read_text())
        harm(place)

    assert texts == ["true", "true", "true"]


# -- attempts and runs ------------------------------------------------------------------------------


def test_a_second_attempt_keeps_the_files_of_the_first(bench: Workbench) -> None:
    ended = bench.run("echo first; echo 1 > outputs/n; echo 0 > status; echo mine > scratch; exit 1")
    job = ended.job
    Path(job.path, "ctx.json").write_bytes(b"{}\n")
    Path(job.path, "monitor.csv").write_bytes(b"time\n")
    Path(job.path, "ctx.log").write_bytes(b"")

    job.renew(1, b'{"second":true}\n', {"process": code("echo second")})

    kept = Path(job.path, "attempts", "1")
    assert sorted(os.listdir(kept)) == sorted(ATTEMPT_FILES)
    assert (kept / "job.log").read_text() == "first\n"
    assert (kept / "outputs" / "n").read_text() == "1\n"
    assert (kept / "status").read_text() == "0\n"
    assert Path(job.path, "inputs/params.json").read_bytes() == b'{"second":true}\n'
    assert sorted(os.listdir(job.path)) == [
        ".skerry", "attempts", "executeCode", "inputs", "outputs", "scratch",
    ]  # fmt: skip
    assert os.listdir(f"{job.path}/outputs") == []
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700


def test_a_third_attempt_keeps_both(bench: Workbench) -> None:
    job = bench.run("exit 1").job
    job.renew(1, b"", {"process": code("true")})
    job.renew(2, b"", {"process": code("true")})

    assert sorted(os.listdir(f"{job.path}/attempts")) == ["1", "2"]


@pytest.mark.parametrize("what", ["link", "pipe"])
def test_attempts_never_leave_the_directory(directories: JobDirectories, tmp_path: Path, what: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    job = made(directories)
    put_in_place(Path(job.path, "attempts"), what, str(elsewhere))

    with pytest.raises(SkerryError) as caught:
        job.renew(1, b"", {})

    assert caught.value.entry is codes.DIRECTORY_CHANGED
    assert list(elsewhere.iterdir()) == []


def test_a_folder_replaced_by_a_link_is_put_away_as_a_link(
    directories: JobDirectories, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    job = made(directories)
    Path(job.path, "outputs").rmdir()
    Path(job.path, "outputs").symlink_to(elsewhere)

    job.renew(1, b"", {})
    job.write_output("x", b"1")

    assert Path(job.path, "attempts/1/outputs").is_symlink()
    assert Path(job.path, "outputs/x").read_bytes() == b"1"
    assert list(elsewhere.iterdir()) == []


def test_the_params_and_environment_of_earlier_runs_are_kept(directories: JobDirectories) -> None:
    instance = directories.instance("t", 1)
    instance.make()
    instance.make()
    for run in (1, 2):
        instance.replace("params.json", b"%d" % run)
        instance.replace("environment.json", b"{}")
        instance.keep_run(run)

    assert listing(f"{instance.path}/runs") == [
        "1", "1/environment.json", "1/params.json", "2", "2/environment.json", "2/params.json",
    ]  # fmt: skip
    assert Path(instance.path, "runs/2/params.json").read_bytes() == b"2"


def test_an_instance_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "instances").write_text("")

    with pytest.raises(SkerryError) as caught:
        JobDirectories(tmp_path / "instances").instance("t", 1).make()

    assert caught.value.entry is codes.DIRECTORY_CHANGED


# -- status and results -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (None, None),
        ("", None),
        (" \n", None),
        ("1", True),
        ("1\n", True),
        ("0", False),
        ("no", False),
        ("11", False),
    ],
)
def test_status_is_what_the_program_wrote(bench: Workbench, written: str | None, said: bool | None) -> None:
    text = "true" if written is None else f"printf '{written}' > \"$SKERRY_STATUS\""

    ended = bench.run(text)

    assert ended.end == Exit(0)
    assert ended.job.read_status() is said


@pytest.mark.parametrize("what", ["link", "pipe", "folder"])
def test_a_status_that_is_no_plain_file_says_nothing_and_gives_way(
    directories: JobDirectories, tmp_path: Path, what: str
) -> None:
    target = tmp_path / "target"
    target.write_text("1")
    job = made(directories)
    put_in_place(Path(job.path, "status"), what, str(target))

    assert job.read_status() is None
    job.write_status(False)

    assert target.read_text() == "1"
    if what != "folder":
        assert Path(job.path, "status").read_text() == "0\n"


def test_a_computed_result_replaces_what_is_there_and_follows_no_link(
    directories: JobDirectories, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    target.write_text("precious")
    job = made(directories)
    Path(job.output("x")).symlink_to(target)

    job.write_output("x", b"new")

    assert target.read_text() == "precious"
    assert Path(job.output("x")).read_bytes() == b"new"


def test_a_result_in_the_place_of_a_folder_or_without_outputs_is_an_error(
    directories: JobDirectories,
) -> None:
    job = made(directories)
    Path(job.output("x")).mkdir()
    with pytest.raises(SkerryError):
        job.write_output("x", b"new")

    Path(job.output("x")).rmdir()
    Path(job.path, "outputs").rename(Path(job.path, "gone"))
    Path(job.path, "outputs").symlink_to("gone")
    with pytest.raises(SkerryError) as caught:
        job.write_output("x", b"new")

    assert caught.value.entry is codes.DIRECTORY_CHANGED


def test_a_directory_knows_whose_files_it_has_by_the_record_of_a_program(directories: JobDirectories) -> None:
    job = made(directories)
    assert job.last_attempt() is None

    os.close(stage_file.create(f"{job.path}/.skerry/process", "12.3.ab"))

    assert job.last_attempt() == 3


@pytest.mark.parametrize(
    ("filed", "attempt"),
    [(b'{"ATTEMPT": 2}', 2), (b'{"ATTEMPT": true}', None), (b'{"ATTEMPT": -1}', None), (b'["x"', None)],
)
def test_what_has_no_programs_says_in_its_context_whose_files_it_has(
    directories: JobDirectories, filed: bytes, attempt: int | None
) -> None:
    job = made(directories)
    Path(job.path, "ctx.json").write_bytes(filed)

    assert job.last_attempt() == attempt


def test_a_record_that_is_cut_off_in_its_number_says_nothing(directories: JobDirectories) -> None:
    job = made(directories)
    os.close(stage_file.create(f"{job.path}/.skerry/process", "12.3"))

    assert job.last_attempt() is None


def test_files_of_an_earlier_attempt_make_room_once(directories: JobDirectories) -> None:
    # given the files of a first attempt
    job = made(directories)
    Path(job.path, "ctx.json").write_bytes(b'{"ATTEMPT": 1}')

    # when they make room for a second one, whose files come and are looked at again
    moved = job.make_room(2)
    Path(job.path, "ctx.json").write_bytes(b'{"ATTEMPT": 2}')
    again = job.make_room(2)

    # then they were moved, and the second one's stay
    assert (moved, again) == (1, None)
    assert Path(job.path, "attempts/1/ctx.json").read_bytes() == b'{"ATTEMPT": 1}'
    assert Path(job.path, "ctx.json").read_bytes() == b'{"ATTEMPT": 2}'
