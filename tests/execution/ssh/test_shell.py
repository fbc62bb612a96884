"""The functions that an engine gives to the shell of a host, in each shell that is there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import engine.execution.ssh

FUNCTIONS = Path(engine.execution.ssh.__file__).with_name("shell.sh")
SHELLS = [each for each in (["dash"], ["bash", "--posix"], ["busybox", "sh"]) if shutil.which(each[0])]


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: str(shell[0]))
def test_an_end_that_is_only_just_written_down_is_waited_for(shell: list[str], tmp_path: Path) -> None:
    # given the record of a stage whose process is gone, and no end in it
    gone = subprocess.Popen(["true"])
    gone.wait()
    (tmp_path / ".skerry").mkdir()
    stage = tmp_path / ".skerry" / "process"
    with subprocess.Popen(shell, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as sh:
        assert sh.stdin is not None
        assert sh.stdout is not None
        sh.stdin.write(f"K=key\n{FUNCTIONS.read_text()}\nhello 1\n")
        sh.stdin.flush()
        boot = sh.stdout.readline().split()[3]
        stage.write_text(f"begun {gone.pid}\nboot {boot}\nticks 1\n")

        # when it is looked at before what waits for the process has written the end
        sh.stdin.write(f"look 2 '{stage}'\nsay 3 here\n")
        sh.stdin.flush()
        assert sh.stdout.readline() == "key 3 here\n"
        with stage.open("a") as file:
            file.write("exit 7 7\n")

        # then that is the answer, and not that it is lost
        assert sh.stdout.readline() == f"key 2 exit 7 {gone.pid} -\n"
        sh.stdin.close()
