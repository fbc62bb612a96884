"""What becomes of a script or a command that is started."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.execution import stage_file
from engine.execution.kill import stop_tree, tree
from engine.execution.launch import Launch
from engine.execution.outcomes import Exit, Left, failure_of
from engine.execution.spawn import inheritable, spawn
from engine.model.codes import processes as codes
from engine.model.codes.store import DISK_FULL
from engine.model.errors import SkerryError
from engine.model.job import Limits
from tests.effort import effort
from tests.execution.conftest import PATIENCE, Workbench, put_in_place, read, readable, wait


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("true", 0),
        ("", 0),
        ("# only a comment", 0),
        ("exit 3", 3),
        ("false", 1),
        ("set -e; false; exit 0", 1),
        ("return 5", 5),
        ("trap 'exit 9' EXIT; exit 4", 9),
        ("exec sh -c 'exit 6'", 6),
        ("exit 200", 200),
        ("exit 255", 255),
        ("no-such-command-anywhere", 127),
        ("syntax ( error", 2),
        ("exec 0<&- 1>&- 2>&-; exit 8", 8),
        ("s=1; readonly s; exit 7", 7),
        ("exec 9>/dev/null; exit 10", 10),
    ],
)
def test_the_exit_status_of_a_script_is_its_own(bench: Workbench, text: str, code: int) -> None:
    ended = bench.run(text)

    assert ended.end == Exit(code)
    record = stage_file.read(f"{ended.job.path}/.skerry/process")
    assert record is not None
    assert record.exit == code


def test_a_script_that_is_killed_ends_by_that_signal_and_leaves_no_word_of_it(bench: Workbench) -> None:
    ended = bench.run("sh -c 'kill -9 $PPID'; sleep 60")

    assert ended.end == Exit(137, signal.SIGKILL)
    assert ended.err == ""
    failure = failure_of(ended.end)
    assert failure is not None
    assert failure.code == codes.ENDED_BY_SIGNAL.with_extra(9)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV])
def test_a_script_that_kills_itself_ends_by_that_signal(bench: Workbench, number: int) -> None:
    ended = bench.run(f"kill -{int(number)} $$")

    assert ended.end == Exit(128 + number, number)


def test_a_job_that_reads_its_input_meets_the_end_of_it(bench: Workbench) -> None:
    ended = bench.run("cat; read -r line || echo end")

    assert (ended.end, ended.out) == (Exit(0), "end\n")


def test_logs_hold_the_programs_own_output_and_nothing_else(bench: Workbench) -> None:
    ended = bench.run("echo out; echo err >&2; no-such-command 2>/dev/null; sh -c 'kill -9 $$'; true")

    assert ended.end == Exit(0)
    assert ended.out == "out\n"
    assert ended.err.splitlines()[0] == "err"
    assert stat.S_IMODE(Path(ended.job.path, "job.log").stat().st_mode) == 0o600


def test_a_script_sees_its_own_name_and_no_arguments(bench: Workbench) -> None:
    ended = bench.run('echo "$0 [$*] $# $PWD"')

    assert ended.out == f"./executeCode/process [] 0 {ended.job.path}\n"


def test_a_first_line_chooses_another_interpreter(bench: Workbench) -> None:
    ended = bench.run("#!/usr/bin/env python3\nimport sys\nprint(sys.argv)\nsys.exit(5)\n")

    assert ended.end == Exit(5)
    assert ended.out == "['executeCode/process']\n"


def test_the_argument_of_a_first_line_is_handed_on(bench: Workbench) -> None:
    ended = bench.run("#!/bin/sh -e\nfalse\necho never\n")

    assert (ended.end, ended.out) == (Exit(1), "")


@pytest.mark.parametrize("text", ["#!/no/such/interpreter\n", "#!/usr/bin/env no-such-language\n"])
def test_a_script_without_its_interpreter_is_reported_before_it_starts(bench: Workbench, text: str) -> None:
    if "env" in text:
        program = Path(bench.instance.path, "program")
        program.write_text(text)
        program.chmod(0o700)
        argv: tuple[str, ...] | None = (str(program),)
        expected = codes.NO_INTERPRETER
    else:
        argv, expected = None, codes.NO_SUCH_PROGRAM

    with pytest.raises(SkerryError) as caught:
        bench.start(text, argv)

    assert caught.value.entry is expected


def test_windows_line_ends_do_not_hurt_a_script(bench: Workbench) -> None:
    ended = bench.run(b"\xef\xbb\xbfif true\r\nthen\r\necho yes\r\nfi\r\n")

    assert (ended.end, ended.out) == (Exit(0), "yes\n")


def test_a_script_of_more_than_a_megabyte_runs(bench: Workbench) -> None:
    ended = bench.run(f": '{'x' * 1_500_000}'\necho done\n")

    assert (ended.end, ended.out) == (Exit(0), "done\n")


# -- commands -------------------------------------------------------------------------------------


def test_a_command_gets_its_arguments_byte_for_byte(bench: Workbench) -> None:
    hostile = ("$(id)", "`id`", "'; drop table", '"', "a\nb\r\n", "*", "-n", "", "é中\U0001f600", "\\")

    ended = bench.run(argv=("python3", "-c", "import sys; print(sys.argv[1:])", *hostile))

    assert ended.out == f"{list(hostile)}\n"


def test_a_command_may_be_a_file_beside_the_job(bench: Workbench) -> None:
    job = bench.job()
    program = Path(job.path, "tool")
    program.write_text("#!/bin/sh\nexit 12\n")
    program.chmod(0o700)

    launch = Launch(("./tool",), "executeCode/process", job.path, "process", "m", dict(os.environ))

    assert wait(spawn(launch)) == Exit(12)


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (("no-such-program-anywhere",), codes.NO_SUCH_PROGRAM),
        (("/no/such/program",), codes.NO_SUCH_PROGRAM),
        (("",), codes.NO_SUCH_PROGRAM),
        (("/etc/passwd",), codes.NOT_EXECUTABLE),
        (("/etc",), codes.NOT_EXECUTABLE),
        (("true", "x" * 128_001), codes.ARGUMENT_TOO_LONG),
        (("true", "é" * 64_001), codes.ARGUMENT_TOO_LONG),
        (("true", *["x" * 100_000] * 40), codes.ARGUMENTS_TOO_BIG),
        (("true", "a\0b"), codes.UNPASSABLE_VALUE),
        (("true", "\ud800"), codes.UNPASSABLE_VALUE),
    ],
)
def test_what_cannot_be_run_is_reported_by_its_code(
    bench: Workbench, argv: tuple[str, ...], expected: object
) -> None:
    with pytest.raises(SkerryError) as caught:
        bench.start(argv=argv)

    assert caught.value.entry is expected


def test_an_argument_of_128000_bytes_arrives(bench: Workbench) -> None:
    ended = bench.run(argv=("sh", "-c", 'echo "${#1}"', "sh", "x" * 128_000))

    assert ended.out == "128000\n"


def test_a_variable_that_no_program_can_be_given_is_reported_by_its_code(bench: Workbench) -> None:
    job = bench.job("true")
    launch = Launch(None, "executeCode/process", job.path, "process", "m", {"x": "a\0b"})

    with pytest.raises(SkerryError) as caught:
        spawn(launch)

    assert caught.value.entry is codes.UNPASSABLE_VALUE


@settings(max_examples=effort(20, all=40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=200))
def test_any_text_reaches_a_script_as_it_is(bench: Workbench, value: str) -> None:
    ended = bench.run('printf %s "${given}"', params={"given": value})

    assert Path(ended.job.path, "job.log").read_bytes() == value.encode()


# -- what a job does not get, and does not keep ----------------------------------------------------


def test_a_job_inherits_three_descriptors_only(bench: Workbench) -> None:
    end, _ = pipe = os.pipe()
    os.set_inheritable(end, True)
    try:
        ended = bench.run("ls /proc/self/fd")
        command = bench.run(argv=("ls", "/proc/self/fd"))
    finally:
        for fd in pipe:
            os.close(fd)

    assert ended.out.split() == ["0", "1", "2", "3"]  # 3 is the folder that ls reads
    assert command.out.split() == ["0", "1", "2", "3"]


def test_the_engine_keeps_no_descriptor_of_a_job_that_has_ended(bench: Workbench) -> None:
    bench.run("true")
    before = sorted(os.listdir("/proc/self/fd"))

    bench.run("true")
    bench.run("exit 1")
    with pytest.raises(SkerryError):
        bench.start(argv=("true", *["x" * 100_000] * 40))

    assert sorted(os.listdir("/proc/self/fd")) == before


def test_inheritable_names_what_a_child_would_get() -> None:
    end, other = os.pipe()
    os.set_inheritable(end, True)
    try:
        found = inheritable()
    finally:
        os.close(end)
        os.close(other)

    assert end in found
    assert other not in found


def test_ignored_signals_of_the_engine_are_not_ignored_by_jobs(bench: Workbench) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        ended = bench.run("sh -c 'kill -INT $$'; echo $?")
    finally:
        signal.signal(signal.SIGINT, before)

    assert ended.out == "130\n"


def test_a_daemon_that_keeps_the_log_open_does_not_hold_up_the_stage(bench: Workbench) -> None:
    running = bench.start("setsid sh -c 'echo daemon; sleep 1000' & sleep 0; exit 0")

    end = wait(running.child, bench.supervisor)

    assert end == Exit(0)
    assert running.line() == "daemon"
    assert stop_tree(running.job.path, running.mark, 5, bench.clock) == Left()


def test_the_lock_shows_whether_the_supervisor_lives(bench: Workbench) -> None:
    running = bench.start("echo up; read -r x < ../../go")
    record = f"{running.job.path}/.skerry/process"

    held = stage_file.locked(record)
    bench.open_gate()
    wait(running.child)

    assert held
    assert not stage_file.locked(record)


def test_the_stage_file_holds_pid_boot_and_mark(bench: Workbench) -> None:
    running = bench.start("exit 3")
    wait(running.child)

    found = stage_file.read(running.child.stage_file)

    assert found is not None
    assert (found.exit, found.pid) == (3, running.child.pid)
    assert (found.boot, found.mark) == (stage_file.boot_id(), running.mark)
    assert found.supervised
    assert found.clean


def test_a_stage_is_never_started_twice(bench: Workbench) -> None:
    running = bench.start("true")
    wait(running.child)

    with pytest.raises(SkerryError) as caught:
        spawn(Launch(None, "executeCode/process", running.job.path, "process", "other", dict(os.environ)))

    assert caught.value.entry is codes.ALREADY_STARTED


def test_three_stages_share_the_logs(bench: Workbench) -> None:
    job = bench.job()
    for stage in ("ready", "end"):
        Path(job.path, "executeCode", stage).write_text(f"echo {stage}; echo e-{stage} >&2")
    Path(job.path, "executeCode", "process").write_text("echo process")

    for stage in ("ready", "process", "end"):
        launch = Launch(None, f"executeCode/{stage}", job.path, stage, bench.marks[-1], dict(os.environ))  # type: ignore[arg-type]
        assert wait(spawn(launch)) == Exit(0)

    assert read(job, "job.log") == "ready\nprocess\nend\n"
    assert read(job, "job-error.log") == "e-ready\ne-end\n"


@pytest.mark.parametrize("what", ["link", "pipe", "folder"])
def test_a_log_that_was_replaced_is_refused_and_never_waited_for(bench: Workbench, what: str) -> None:
    job = bench.job("true")
    place = Path(job.path, "job.log")
    target = Path(bench.instance.path, "target")
    target.write_text("precious")
    put_in_place(place, what, str(target))

    with pytest.raises(SkerryError) as caught:
        spawn(Launch(None, "executeCode/process", job.path, "process", "m", dict(os.environ)))

    assert caught.value.entry is codes.DIRECTORY_CHANGED
    assert target.read_text() == "precious"


def test_a_job_without_its_directory_is_reported_as_not_started(bench: Workbench) -> None:
    job = bench.job("true")
    child = spawn(Launch(None, "executeCode/process", job.path, "process", "m", dict(os.environ)))
    wait(child)
    Path(job.path, ".skerry", "process").rename(Path(job.path, ".skerry", "old"))

    with pytest.raises(SkerryError) as caught:
        spawn(Launch(None, "executeCode/process", f"{job.path}/gone", "process", "m", dict(os.environ)))

    assert caught.value.entry is codes.DIRECTORY_FAILED


def test_a_wrapper_that_could_not_do_its_work_is_not_taken_for_the_program(bench: Workbench) -> None:
    job = bench.job("true")
    away = f"{job.path}/../moved"
    stopped = f"{job.path}/executeCode"
    launch = Launch(None, "executeCode/process", job.path, "process", "m", {"PATH": os.defpath})
    os.rename(job.path, away)
    os.mkdir(job.path)
    os.mkdir(f"{job.path}/.skerry")
    os.chmod(job.path, 0o700)
    assert not Path(stopped).exists()

    end = wait(spawn(launch))  # no script there: the shell says 2, and writes it down

    assert isinstance(end, Exit)
    assert end.code != 0


# -- limits ---------------------------------------------------------------------------------------


def test_the_cpu_limit_ends_a_job_with_its_own_code(bench: Workbench) -> None:
    limits = Limits(cpu=1)

    ended = bench.run("while :; do :; done", limits=limits)

    failure = failure_of(ended.end, limits)
    assert failure is not None
    assert failure.code == codes.CPU_LIMIT.number


def test_the_memory_limit_counts_what_a_program_allocates(bench: Workbench) -> None:
    ended = bench.run(
        argv=("python3", "-c", "bytearray(300_000_000)"), limits=Limits.model_validate({"memory": "100M"})
    )

    assert ended.end == Exit(1)
    assert "MemoryError" in ended.err


def test_the_files_limit_holds(bench: Workbench) -> None:
    assert bench.run("ulimit -n", limits=Limits(files=20)).out == "20\n"


def test_a_limit_above_the_systems_own_is_no_error(bench: Workbench) -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]

    ended = bench.run("echo fine", limits=Limits(files=most + 1000))

    assert (ended.end, ended.out, ended.err) == (Exit(0), "fine\n", "")


def test_the_umask_of_a_job_is_private_unless_it_asks_otherwise(bench: Workbench) -> None:
    assert bench.run("umask").out == "0077\n"
    assert bench.run("umask", umask=0o022).out == "0022\n"


# -- a full disk ------------------------------------------------------------------------------------


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
def test_a_disk_filled_by_the_job_does_not_eat_its_exit_status(bench: Workbench, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small], check=False).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        tiny = Workbench(small)
        ended = tiny.run("dd if=/dev/zero of=fill bs=64k 2>/dev/null; exit 42")
        assert ended.end == Exit(42)
        record = stage_file.read(f"{ended.job.path}/.skerry/process")
        with pytest.raises(SkerryError) as caught:
            tiny.job("true")
    finally:
        subprocess.run(["umount", small], check=True)

    assert record is not None
    assert record.exit == 42
    assert caught.value.entry is DISK_FULL
    assert f"at {small}" in caught.value.message, "the disk is named"


def test_a_lock_is_not_passed_on_to_what_the_script_leaves_running(bench: Workbench) -> None:
    running = bench.start("sh -c 'echo up; sleep 1000' & sleep 0; exit 0")
    wait(running.child, bench.supervisor)
    running.line()

    held = {os.readlink(f"/proc/{pid}/fd/0") for pid in tree(running.job.path, running.mark)}

    assert held == {os.devnull}
    assert stop_tree(running.job.path, running.mark, 5, bench.clock) == Left()
    assert not stage_file.locked(running.child.stage_file)


def test_a_child_that_is_closed_goes_on(bench: Workbench) -> None:
    running = bench.start("echo up; read -r x < ../../go; echo done")
    pidfd = os.pidfd_open(running.child.pid)

    running.child.close()
    bench.open_gate()

    assert readable(pidfd, PATIENCE)
    os.close(pidfd)
    os.waitpid(running.child.pid, 0)
    assert read(running.job, "job.log") == "up\ndone\n"
