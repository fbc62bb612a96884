"""What an engine finds out about the processes of an engine that is gone."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine.execution import child, stage_file
from engine.execution.adopt import adopt
from engine.execution.child import Child
from engine.execution.host import LOOK_AGAIN
from engine.execution.kill import stop_tree, tree
from engine.execution.outcomes import Exit, Left, Lost
from engine.execution.proc import mark_of, start_ticks
from tests.execution.conftest import PATIENCE, Workbench, put_in_place, readable, wait, wait_for_line

ENGINE = """
import os, sys
from engine.execution.launch import Launch
from engine.execution.spawn import spawn
job, mark = sys.argv[1:]
from engine.execution.supervisor import Supervisor
spawn(Launch(None, "executeCode/process", job, "process", mark, {**os.environ, "SKERRY_ATTEMPT": mark}), (), Supervisor())
print("spawned", flush=True)
sys.stdin.read()
"""


def until_known(job: str, mark: str) -> Child | Exit | Lost:
    """What became of it, looked at again as often as an engine does."""
    looks = 0
    while (found := adopt(job, "process", mark, looks=looks)) is None:
        looks += 1
        select.select((), (), (), LOOK_AGAIN)
    return found


def killed_engine(job: str, mark: str) -> None:
    """An engine that starts the job and is killed."""
    engine = subprocess.Popen(
        [sys.executable, "-c", ENGINE, job, mark], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert engine.stdout is not None
    assert engine.stdout.readline() == "spawned\n"
    engine.kill()
    engine.communicate()


def test_a_job_that_outlives_its_engine_is_waited_for(bench: Workbench) -> None:
    job = bench.job("echo up; read -r x < ../../go; exit 5")
    mark = bench.marks[-1]
    killed_engine(job.path, mark)

    adopted = until_known(job.path, mark)

    assert isinstance(adopted, Child)
    assert adopted.start_ticks == start_ticks(adopted.pid)
    assert adopted.reap() is None
    bench.open_gate()
    assert wait(adopted) == Exit(5)


def test_a_process_is_known_by_its_mark_from_its_first_moment() -> None:
    """Whoever starts it goes on before the kernel has laid out its environment."""
    for number in range(30):
        mark = f"{os.getpid()}.{number}"
        pid = os.posix_spawn("/bin/sh", ["sh", "-c", "kill -STOP $$"], {"SKERRY_ATTEMPT": mark})
        try:
            assert mark_of(pid) == mark.encode()
            assert tree(None, mark) == {pid}
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def test_a_wrapper_that_has_the_lock_but_has_not_begun_is_waited_for(bench: Workbench) -> None:
    job = bench.job("true")
    path = f"{job.path}/.skerry/process"
    lock = stage_file.create(path, "m")
    waits = subprocess.Popen(
        ["sh", "-c", "sleep 0.2; echo begun $$ >&0; exec sleep 1000"],
        stdin=lock,
        env={"SKERRY_ATTEMPT": "m", "PATH": os.environ["PATH"]},
        start_new_session=True,
    )
    os.close(lock)

    adopted = until_known(job.path, "m")

    assert isinstance(adopted, Child)
    assert adopted.pid == waits.pid
    waits.kill()
    waits.wait()


def test_a_job_that_ended_while_no_engine_was_there_keeps_its_status(bench: Workbench) -> None:
    job = bench.job("echo up; read -r x < ../../go; exit 5")
    mark = bench.marks[-1]
    killed_engine(job.path, mark)
    record = stage_file.read(f"{job.path}/.skerry/process")
    assert record is not None
    assert record.pid is not None
    pidfd = os.pidfd_open(record.pid)

    bench.open_gate()
    assert readable(pidfd, PATIENCE)
    os.close(pidfd)

    assert until_known(job.path, mark) == Exit(5)


def test_a_job_that_was_killed_with_its_supervisor_is_lost_while_its_tree_is_still_found(
    bench: Workbench,
) -> None:
    job = bench.job("echo up; sleep 1000; true")
    mark = bench.marks[-1]
    killed_engine(job.path, mark)
    wait_for_line(f"{job.path}/job.log")
    adopted = until_known(job.path, mark)
    assert isinstance(adopted, Child)

    record = stage_file.read(f"{job.path}/.skerry/process")
    assert record is not None
    for pid in (record.pid, record.leader):
        assert pid is not None
        os.kill(pid, signal.SIGKILL)

    assert isinstance(wait(adopted), Lost)
    assert isinstance(until_known(job.path, mark), Lost)
    assert tree(job.path, mark)
    assert stop_tree(job.path, mark, 5, bench.clock).pids == ()
    assert not tree(job.path, mark)


def test_a_job_that_was_killed_while_no_engine_was_there_has_failed_by_that_signal(bench: Workbench) -> None:
    job = bench.job("echo up; sleep 1000; true")
    mark = bench.marks[-1]
    killed_engine(job.path, mark)
    wait_for_line(f"{job.path}/job.log")
    record = stage_file.read(f"{job.path}/.skerry/process")
    assert record is not None
    assert record.leader is not None

    os.kill(record.leader, signal.SIGKILL)
    adopted = until_known(job.path, mark)

    assert (wait(adopted) if isinstance(adopted, Child) else adopted) == Exit(137, signal.SIGKILL)
    assert stop_tree(job.path, mark, 5, bench.clock) == Left()


def test_a_program_that_writes_over_its_environment_is_waited_for(bench: Workbench) -> None:
    job = bench.job("exec env -i sh -c 'echo up; read -r x < ../../go; exit 6'")
    mark = bench.marks[-1]
    killed_engine(job.path, mark)
    wait_for_line(f"{job.path}/job.log")

    adopted = until_known(job.path, mark)

    assert isinstance(adopted, Child)
    bench.open_gate()
    assert wait(adopted) == Exit(6)


def test_a_stage_that_was_never_started_is_lost(bench: Workbench) -> None:
    assert isinstance(adopt(bench.job("true").path, "process", "m"), Lost)


def test_the_record_of_another_attempt_says_nothing(bench: Workbench) -> None:
    ended = bench.run("true")

    assert isinstance(adopt(ended.job.path, "process", "another"), Lost)


def test_after_a_restart_of_the_machine_what_ended_is_known_and_what_ran_is_lost(bench: Workbench) -> None:
    ended = bench.run("exit 3")
    running = bench.start("echo up; sleep 1000")
    running.line()

    assert adopt(ended.job.path, "process", bench.marks[0], boot_id="other") == Exit(3)
    assert isinstance(adopt(running.job.path, "process", running.mark, boot_id="other"), Lost)

    assert stop_tree(running.job.path, running.mark, 5, bench.clock) == Left()
    wait(running.child)


@pytest.mark.parametrize("pid", [1, os.getpid(), 4_000_000], ids=["init", "ours", "nobody"])
def test_a_pid_that_belongs_to_someone_else_is_not_taken(bench: Workbench, pid: int) -> None:
    job = bench.job("true")
    path = f"{job.path}/.skerry/process"
    lock = stage_file.create(path, "m")
    stage_file.note_pid(lock, pid)

    while_locked = until_known(job.path, "m")
    os.close(lock)

    assert isinstance(while_locked, Lost)
    assert isinstance(adopt(job.path, "process", "m"), Lost)


def test_a_wrapper_whose_pid_was_not_written_down_is_found_by_its_mark(bench: Workbench) -> None:
    running = bench.start("echo up; read -r x < ../../go; exit 9")
    running.line()
    with Path(running.child.stage_file).open("r+b") as file:
        file.seek(32)
        file.write(b" " * 20)

    adopted = until_known(running.job.path, running.mark)

    assert isinstance(adopted, Child)
    assert adopted.pid == running.child.pid
    noted = stage_file.read(running.child.stage_file)
    assert noted is not None
    assert noted.pid == adopted.pid, "the engine after this one compares it with what the database has"
    bench.open_gate()
    assert wait(adopted) == Exit(9)
    assert wait(running.child) == Exit(9)


def test_the_end_of_a_job_is_known_once_its_supervisor_has_written_it_down(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given an adopted job that has ended while its supervisor does not run, as on a machine with other work
    running = bench.start("echo up; read -r x < ../../go; exit 9")
    running.line()
    adopted = until_known(running.job.path, running.mark)
    assert isinstance(adopted, Child)
    os.kill(running.child.pid, signal.SIGSTOP)
    bench.open_gate()
    assert readable(adopted.pidfd, PATIENCE)
    monkeypatch.setattr(child, "_LOOKS", 2)

    # when it is asked for, more often than without a supervisor
    asked = [adopted.is_settled() for _ in range(5)]

    # then nobody waits for it, and it is not lost
    assert asked == [False] * 5
    assert adopt(running.job.path, "process", running.mark, looks=5) is None
    os.kill(running.child.pid, signal.SIGCONT)
    assert wait(running.child) == Exit(9)
    assert adopted.is_settled()
    assert adopted.reap() == Exit(9)


@pytest.mark.parametrize("damage", [b"", b"\0" * 300, b"exit x\npid y\nmasker 1\n", b"\xff\xfe" * 100])
def test_a_damaged_record_is_lost_and_no_error(bench: Workbench, damage: bytes) -> None:
    job = bench.job("true")
    Path(job.path, ".skerry", "process").write_bytes(damage)

    assert isinstance(adopt(job.path, "process", "m"), Lost)


def test_a_record_that_is_cut_anywhere_never_says_that_a_running_job_was_not_started(
    bench: Workbench,
) -> None:
    """Where it has no mark and no process any more, the runtime compares the number of the process."""
    running = bench.start("echo up; read -r x < ../../go")
    running.line()
    file = Path(running.child.stage_file)
    whole = file.read_bytes()
    begins = whole.index(b"pid ") + len(f"pid {running.child.pid}\n")
    for length in range(begins, len(whole) - 1):
        os.truncate(file, length)
        record = stage_file.read(str(file))

        found = adopt(running.job.path, "process", running.mark)

        assert record is not None
        assert record.damaged(running.mark)
        assert isinstance(found, Lost)
        assert found.begun
        with file.open("r+b") as written:
            written.write(whole)

    bench.open_gate()
    assert wait(running.child) == Exit(0)


@pytest.mark.parametrize("what", ["link", "pipe", "folder"])
def test_a_record_that_is_no_plain_file_is_lost_and_never_waited_for(bench: Workbench, what: str) -> None:
    job = bench.job("true")
    place = Path(job.path, ".skerry", "process")
    put_in_place(place, what)

    assert isinstance(adopt(job.path, "process", "m"), Lost)
    assert not stage_file.locked(str(place))
