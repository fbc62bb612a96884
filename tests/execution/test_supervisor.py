"""The supervisor: its bytes are those of its source, and nothing of a job gets out from under it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import engine.execution
from engine.execution import stage_file, supervisor
from engine.execution.kill import stop_tree, tree
from engine.execution.outcomes import Exit, Left
from engine.execution.supervisor import Supervisor, Unsupervised
from tests.execution.conftest import PATIENCE, Workbench, readable, wait

SOURCES = Path(engine.execution.__file__).parent
ASSEMBLERS = {
    "x86_64": [("as", "objcopy"), ("x86_64-linux-gnu-as", "x86_64-linux-gnu-objcopy")],
    "aarch64": [("aarch64-linux-gnu-as", "aarch64-linux-gnu-objcopy")],
}
LEAVES = "echo up; (setsid env -i sleep 1000 &); exit 5"


def assembled(machine: str, folder: Path) -> bytes:
    source, made, code = SOURCES / f"supervisor.{machine}.s", folder / "made.o", folder / "code"
    tools = next((each for each in ASSEMBLERS[machine] if all(map(shutil.which, each))), None)
    if tools is not None and (tools[0] != "as" or os.uname().machine == machine):
        subprocess.run([tools[0], source, "-o", made], check=True)
        subprocess.run([tools[1], "-O", "binary", "-j", ".text", made, code], check=True)
    elif shutil.which("llvm-mc") and shutil.which("llvm-objcopy"):
        subprocess.run(
            ["llvm-mc", f"-triple={machine}-linux-gnu", "-filetype=obj", source, "-o", made], check=True
        )
        subprocess.run(["llvm-objcopy", "-O", "binary", "--only-section=.text", made, code], check=True)
    else:
        pytest.skip(f"no assembler for {machine}")
    return code.read_bytes()


@pytest.mark.parametrize("machine", sorted(ASSEMBLERS))
def test_the_bytes_are_those_of_the_published_source(machine: str, tmp_path: Path) -> None:
    assert supervisor.code_of(machine) == assembled(machine, tmp_path)


def test_a_machine_without_one_says_so() -> None:
    with pytest.raises(Unsupervised, match="no supervisor for vax"):
        supervisor.program("vax")


def test_the_end_is_reported_at_once_although_others_live_on(bench: Workbench) -> None:
    running = bench.start(LEAVES)

    assert wait(running.child, bench.supervisor) == Exit(5)

    assert len(tree(running.job.path, running.mark)) == 1
    assert not stage_file.read(running.child.stage_file).clean  # type: ignore[union-attr]
    assert stop_tree(running.job.path, running.mark, PATIENCE, bench.clock) == Left()
    assert stage_file.read(running.child.stage_file).clean  # type: ignore[union-attr]


def test_what_was_left_ends_the_supervisor_with_the_status_of_the_job(bench: Workbench) -> None:
    running = bench.start("(setsid env -i sh -c 'read -r x < ../../go' &); exit 5")
    assert readable(bench.supervisor.news_fd, PATIENCE)
    bench.open_gate()

    assert wait(running.child) == Exit(5)
    assert tree(running.job.path, running.mark) == set()


def test_without_a_supervisor_a_kill_is_never_called_verified(bench: Workbench) -> None:
    bench.supervisor, made = None, bench.supervisor  # type: ignore[assignment]
    running = bench.start("echo up; sleep 1000")
    bench.supervisor = made
    running.line()

    left = stop_tree(running.job.path, running.mark, PATIENCE, bench.clock)

    assert left.pids == ()
    assert left.doubt == "it was started without a supervisor, so processes may have left it unseen"
    wait(running.child)


def test_a_supervisor_that_is_killed_leaves_a_doubt(bench: Workbench) -> None:
    running = bench.start("echo up; sleep 1000; true")
    running.line()

    os.kill(running.child.pid, 9)
    end = wait(running.child)
    left = stop_tree(running.job.path, running.mark, PATIENCE, bench.clock)

    assert isinstance(end, Exit)
    assert end.signal == 9
    assert left.pids == ()
    assert left.doubt == "its supervisor was killed, so processes may have left it unseen"


def test_a_descriptor_of_the_engine_does_not_reach_the_job(bench: Workbench) -> None:
    assert bench.run("ls /proc/self/fd | tr '\\n' ' '").out.split()[:4] == ["0", "1", "2", "3"]  # 3: ls's own
    assert "pipe" not in bench.run("ls -l /proc/self/fd").out


def test_it_can_be_made_many_times() -> None:
    for made in [Supervisor() for _ in range(3)]:
        made.close()
