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


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: str(shell[0]))
def test_folders_of_several_attempts_are_made_by_one_program(shell: list[str], tmp_path: Path) -> None:
    # given one attempt whose folder is there, with a file in it, and programs that are counted
    (tmp_path / "a" / ".skerry").mkdir(parents=True)
    (tmp_path / "a" / "kept").write_text("")
    count = f"mkdir() {{ echo ran >>'{tmp_path}/ran'; command mkdir \"$@\"; }}\n"
    text = f"K=key\n{FUNCTIONS.read_text()}\n{count}folders 0 '{tmp_path}/a' '{tmp_path}/b c' '{tmp_path}/d'\nsay 1 here\n"

    # when those of several are made, twice
    for _ in range(2):
        subprocess.run(shell, input=text, text=True, check=True, stdout=subprocess.DEVNULL)

    # then all are there for that user alone, and one program made them
    assert (tmp_path / "ran").read_text() == "ran\n"
    assert (tmp_path / "a" / "kept").exists()
    for name in ("b c", "d"):
        made = tmp_path / name
        assert sorted(each.name for each in made.iterdir()) == [".skerry", "executeCode", "inputs", "outputs"]
        assert {each.stat().st_mode & 0o777 for each in (made, *made.iterdir())} == {0o700}
