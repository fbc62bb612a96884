"""A job that was given secrets: its output passes through a process that hides them."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from engine.execution import masking, stage_file
from engine.execution.adopt import adopt
from engine.execution.child import Child
from engine.execution.kill import stop_tree
from engine.execution.outcomes import Exit, Left, failure_of
from engine.execution.proc import mark_of
from engine.model.codes import processes as codes
from engine.model.errors import SkerryError
from tests.execution.conftest import PATIENCE, Workbench, read, readable, wait

SECRET = "correct-horse-battery"


def test_a_secret_never_reaches_the_logs(bench: Workbench) -> None:
    ended = bench.run(f"echo before {SECRET} after; echo {SECRET} >&2; exit 3", secrets=(SECRET,))

    assert ended.end == Exit(3)
    assert ended.out == "before ****** after\n"
    assert ended.err == "******\n"


def test_everything_printed_is_there_when_the_stage_has_ended(bench: Workbench) -> None:
    ended = bench.run("seq 1 200000", secrets=(SECRET,))

    assert ended.out.splitlines() == [str(n) for n in range(1, 200_001)]


def test_the_secret_is_in_no_command_line_and_no_environment(bench: Workbench) -> None:
    running = bench.start("echo up; read -r x < ../../go", secrets=(SECRET,))
    running.line()
    masker = running.child.masker

    shown = [Path(f"/proc/{masker}/{name}").read_bytes() for name in ("cmdline", "environ")]
    bench.open_gate()
    wait(running.child)

    assert all(SECRET.encode() not in each for each in shown)
    assert mark_of(os.getpid()) is None


def test_a_daemon_that_keeps_the_output_open_does_not_hold_up_the_stage(bench: Workbench) -> None:
    running = bench.start("setsid sh -c 'echo daemon; sleep 1000' & sleep 0; exit 4", secrets=(SECRET,))

    end = wait(running.child, bench.supervisor)
    masker_ended = running.child.pidfd

    assert end == Exit(4)
    assert running.line() == "daemon"
    assert stop_tree(running.job.path, running.mark, 5, bench.clock) == Left()
    assert readable(masker_ended, PATIENCE)  # the last writer is gone, so the masking process ends too
    assert running.child.reap() == Exit(4)
    assert running.child.masker is None


def test_a_masking_process_that_is_killed_is_reported(bench: Workbench) -> None:
    running = bench.start("echo up; read -r x < ../../go; exit 0", secrets=(SECRET,))
    running.line()
    assert running.child.masker is not None

    os.kill(running.child.masker, signal.SIGKILL)
    bench.open_gate()
    end = wait(running.child)

    assert end == Exit(0, problem=codes.MASKING_FAILED)
    failure = failure_of(end)
    assert failure is not None
    assert failure.code == codes.MASKING_FAILED.number


def test_stopping_a_job_leaves_its_masking_process_to_finish(bench: Workbench) -> None:
    running = bench.start(f"echo {SECRET}; sleep 1000", secrets=(SECRET,))
    running.line()

    assert stop_tree(running.job.path, running.mark, 5, bench.clock) == Left()

    end = wait(running.child)
    assert isinstance(end, Exit)
    assert end.signal == signal.SIGTERM
    assert read(running.job, "job.log") == "******\n"


def test_the_masking_process_is_adopted_with_the_job(bench: Workbench) -> None:
    running = bench.start(f"echo {SECRET}; read -r x < ../../go; echo {SECRET}; exit 6", secrets=(SECRET,))
    running.line()

    adopted = adopt(running.job.path, "process", running.mark)
    assert isinstance(adopted, Child)
    assert adopted.masker == running.child.masker
    bench.open_gate()

    assert wait(adopted) == Exit(6)
    assert wait(running.child) == Exit(6)
    assert read(running.job, "job.log") == "******\n******\n"


def test_a_job_that_has_ended_while_its_output_is_still_masked_is_waited_for(bench: Workbench) -> None:
    running = bench.start("sh -c 'read -r x < ../../go; echo late' & exit 7", secrets=(SECRET,))
    assert readable(bench.supervisor.news_fd, PATIENCE)

    adopted = adopt(running.job.path, "process", running.mark)
    assert isinstance(adopted, Child)
    bench.open_gate()

    assert wait(adopted) == Exit(7)
    assert read(running.job, "job.log") == "late\n"
    assert wait(running.child) == Exit(7)


def test_without_a_masking_process_the_job_does_not_start(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(masking, "command", lambda: ("/no/such/python",))

    with pytest.raises(SkerryError) as caught:
        bench.start("echo never", secrets=(SECRET,))

    assert caught.value.entry is codes.MASKING_FAILED


def test_a_command_that_cannot_start_leaves_no_masking_process(bench: Workbench) -> None:
    before = sorted(os.listdir("/proc/self/fd"))

    with pytest.raises(SkerryError) as caught:
        bench.start(argv=("true", *["x" * 100_000] * 40), secrets=(SECRET,))

    assert caught.value.entry is codes.ARGUMENTS_TOO_BIG
    assert sorted(os.listdir("/proc/self/fd")) == before
    record = stage_file.read(f"{bench.instance.path}/jobs/job-j-1/.skerry/process")
    assert record is not None
    assert record.masker is not None
    assert not Path(f"/proc/{record.masker[0]}").exists()
