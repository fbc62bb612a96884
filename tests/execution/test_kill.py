"""Stopping means stopped: everything that a job started is gone, and that is looked at."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine.execution import stage_file
from engine.execution.kill import stop_tree, tree
from engine.execution.outcomes import Exit, Left
from engine.execution.proc import stat
from tests.execution.conftest import PATIENCE, Workbench, readable, wait

STUBBORN = """
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
print(os.getpid(), flush=True)
signal.pause()
"""


def test_a_script_and_its_children_are_gone(bench: Workbench) -> None:
    running = bench.start("echo up; sleep 1000 & sleep 1000 & wait")
    running.line()

    assert stop_tree(running.job.path, running.mark, PATIENCE, bench.clock) == Left()

    assert tree(running.job.path, running.mark) == set()
    end = wait(running.child)
    assert isinstance(end, Exit)
    assert end.signal == signal.SIGTERM


def test_a_script_may_clean_up_within_its_grace(bench: Workbench) -> None:
    running = bench.start("trap 'echo cleaned; exit 3' TERM; echo up; sleep 1000 & wait")
    running.line()

    assert stop_tree(running.job.path, running.mark, PATIENCE, bench.clock) == Left()

    assert wait(running.child) == Exit(3)
    assert Path(running.job.path, "job.log").read_text() == "up\ncleaned\n"


def test_what_forks_twice_into_a_session_of_its_own_and_ignores_term_is_gone(bench: Workbench) -> None:
    running = bench.start(argv=(sys.executable, "-c", STUBBORN))
    daemon = int(running.line())
    assert wait(running.child, bench.supervisor) == Exit(0)
    found = stat(daemon)
    assert found is not None
    assert found.session != running.child.pid
    assert tree(running.job.path, running.mark) == {daemon}

    assert stop_tree(running.job.path, running.mark, 0.2, bench.clock) == Left()

    assert stat(daemon) is None


def test_what_ignores_term_is_killed_after_its_grace(bench: Workbench) -> None:
    running = bench.start("trap '' TERM; echo up; while :; do sleep 1000; done")
    running.line()

    assert stop_tree(running.job.path, running.mark, 0.2, bench.clock) == Left()

    end = wait(running.child)
    assert isinstance(end, Exit)
    assert end.signal == signal.SIGKILL


def test_what_cleared_its_environment_is_found_by_its_parent(bench: Workbench) -> None:
    running = bench.start("echo up; env -i setsid sleep 1000")
    running.line()

    assert stop_tree(running.job.path, running.mark, PATIENCE, bench.clock) == Left()
    wait(running.child)


def test_a_stopped_process_is_woken_to_end(bench: Workbench) -> None:
    running = bench.start("echo up; kill -STOP $$; sleep 1000")
    running.line()

    assert stop_tree(running.job.path, running.mark, PATIENCE, bench.clock) == Left()
    wait(running.child)


def test_a_job_that_keeps_forking_is_gone(bench: Workbench) -> None:
    life = "end = time.monotonic() + 60"  # whatever becomes of the test
    forks = "while time.monotonic() < end:\n if os.fork(): os._exit(0)\n"
    text = f"import os, time\n{life}\nprint('up', flush=True)\n{forks}"
    running = bench.start(argv=(sys.executable, "-c", text))
    running.line()

    assert stop_tree(running.job.path, running.mark, 0, bench.clock) == Left()
    wait(running.child)


def test_a_zombie_does_not_live(bench: Workbench) -> None:
    running = bench.start("exit 0")
    assert readable(running.child.pidfd, PATIENCE)

    assert tree(running.job.path, running.mark) == set()
    assert stop_tree(running.job.path, running.mark, 0, bench.clock) == Left()

    assert wait(running.child) == Exit(0)


def test_nothing_else_is_touched(bench: Workbench) -> None:
    bystander = subprocess.Popen(["sleep", "1000"])
    other = bench.start("echo up; sleep 1000")
    running = bench.start("echo up; sleep 1000")
    running.line()
    other.line()

    assert stop_tree(running.job.path, running.mark, PATIENCE, bench.clock) == Left()

    assert bystander.poll() is None
    assert tree(other.job.path, other.mark)
    assert stop_tree(other.job.path, other.mark, PATIENCE, bench.clock) == Left()
    bystander.kill()
    bystander.wait()
    wait(running.child)
    wait(other.child)


def test_a_mark_that_only_begins_alike_is_another_job(bench: Workbench) -> None:
    running = bench.start("echo up; sleep 1000")
    running.line()

    assert tree(running.job.path, running.mark[:-1]) == set()
    assert tree(running.job.path, running.mark + "1") == set()
    assert tree(None, running.mark)

    stop_tree(running.job.path, running.mark, PATIENCE, bench.clock)
    wait(running.child)


def test_what_will_not_go_is_named(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of another user, or ones that hang in the kernel, cannot be made: signals get lost here."""
    running = bench.start("echo up; sleep 1000")
    running.line()
    monkeypatch.setattr("engine.execution.kill._KILL_SECONDS", 0.1)
    monkeypatch.setattr(os, "killpg", lambda group, number: None)
    monkeypatch.setattr(signal, "pidfd_send_signal", lambda pidfd, number: None)

    left = stop_tree(running.job.path, running.mark, 0.1, bench.clock)

    monkeypatch.undo()
    assert not left.verified
    assert set(left.pids) == tree(running.job.path, running.mark)
    assert stop_tree(running.job.path, running.mark, PATIENCE, bench.clock) == Left()
    wait(running.child)


def test_the_engine_itself_is_never_part_of_a_tree() -> None:
    assert os.getpid() not in tree(None, "no-such-mark")


def test_a_reused_number_of_the_wrapper_is_another_process(bench: Workbench) -> None:
    job, mark = bench.job("true"), bench.marks[-1]
    bystander = subprocess.Popen(["sleep", "1000"], start_new_session=True)

    lock = stage_file.create(f"{job.path}/.skerry/process", mark, supervised=True)
    stage_file.note_pid(lock, bystander.pid)
    os.write(lock, b"begun %d\n" % bystander.pid)
    os.close(lock)

    assert tree(job.path, mark) == set()
    stop_tree(job.path, mark, 0, bench.clock)

    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()
