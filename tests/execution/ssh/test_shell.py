"""The functions that an engine gives to the shell of a host, in each shell that is there."""

from __future__ import annotations

import select
import shutil
import socket
import subprocess
import tracemalloc
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

import engine.execution.ssh
from engine.execution.ssh.quoting import call, quoted
from engine.execution.ssh.session import ShellSession

FUNCTIONS = Path(engine.execution.ssh.__file__).with_name("shell.sh")
SHELLS = [
    each for each in (["dash"], ["bash", "--posix"], ["busybox", "sh"], ["mksh"]) if shutil.which(each[0])
]


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


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: str(shell[0]))
@pytest.mark.parametrize(
    "there", ["root", "root/1.1.a/inputs", "elsewhere"], ids=["root", "half of it", "not even its root"]
)
def test_the_folders_above_an_attempt_are_made_only_where_they_are_missing(
    shell: list[str], tmp_path: Path, there: str
) -> None:
    # given a root, and programs whose words are written down
    (tmp_path / there).mkdir(parents=True)
    folder, ran = tmp_path / "root" / "1.1.a", tmp_path / "ran"
    noted = f'mkdir() {{ echo "$1" >>\'{ran}\'; command mkdir "$@"; }}\n'

    # when an attempt is to have its folders there
    text = f"K=key\n{FUNCTIONS.read_text()}\n{noted}folders 0 '{folder}'\nsay 1 here\n"
    subprocess.run(shell, input=text, text=True, check=True, stdout=subprocess.DEVNULL)

    # then it has them, and where the root is there no path is walked again from its beginning
    assert sorted(each.name for each in folder.iterdir()) == [".skerry", "executeCode", "inputs", "outputs"]
    assert ran.read_text().splitlines() == ([str(folder)] if there == "root" else [str(folder), "-p"])


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: str(shell[0]))
def test_a_long_answer_is_written_in_lines_that_nothing_is_mixed_into(shell: list[str]) -> None:
    # given a shell of which each write is seen as it is
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    words = ["", *map(str, range(3000)), "", "a b", ""]
    text = f"K=key\n{FUNCTIONS.read_text()}\nsay 7 usage {' '.join(map(quoted, words))}\nsay 8 here\n"

    # when it gives a long answer, and a short one
    with here, subprocess.Popen(shell, stdin=subprocess.PIPE, stdout=there, text=True) as sh:
        there.close()
        sh.communicate(text)
        writes = list(iter(partial(here.recv, 1 << 20), b""))

    # then each write is a line that a pipe takes as a whole, and together they are the answer
    assert all(each.endswith(b"\n") and each.count(b"\n") == 1 for each in writes)
    assert max(map(len, writes)) <= select.PIPE_BUF
    session = ShellSession(Mock(), Mock(recv=Mock(side_effect=[*writes, b""])), "key")
    assert list(session.lines()) == [["7", "usage", *" ".join(words).split(" ")], ["8", "here"]]


def test_lines_of_several_long_answers_may_come_in_turns() -> None:
    came = b"key 1 ... usage a\nkey 2 ... sizes\nkey 3 end 0\nkey 1 ... b\nkey 2 c\nkey 1 d\n"

    session = ShellSession(Mock(), Mock(recv=Mock(side_effect=[came, b""])), "key")

    answers = [["3", "end", "0"], ["2", "sizes", "c"], ["1", "usage", "a", "b", "d"]]
    assert list(session.lines()) == answers


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: str(shell[0]))
def test_of_a_request_that_a_cut_link_ends_too_early_nothing_is_done(
    shell: list[str], tmp_path: Path
) -> None:
    # given a folder of other people, and a root whose path goes on with a quote where that of theirs ends
    theirs, ours = tmp_path / "bob" / "thesis.tex", tmp_path / "bob's jobs" / "1.1.ab"
    theirs.parent.mkdir()
    theirs.write_text("mine")
    ours.mkdir(parents=True)
    removal, functions = call("forget", "1", str(ours)).decode(), FUNCTIONS.read_text()

    # when a link is cut somewhere in the request to remove what is in the root
    for size in range(len(removal) - 1):
        subprocess.run(shell, input=f"K=key\n{functions}\n{removal[:size]}", text=True, check=False)

    # then nothing was removed, until it came as a whole
    assert theirs.exists()
    assert ours.exists()
    subprocess.run(shell, input=f"K=key\n{functions}\n{removal}\nwait\n", text=True, check=True)
    assert not ours.exists()


def test_what_is_printed_before_an_answer_does_not_take_it_away() -> None:
    came = [b"...", b"50% done key 1 here\nkey 2 do", b"ne\nmore\n", b""]
    session = ShellSession(Mock(), Mock(recv=Mock(side_effect=came)), "key")

    assert list(session.lines()) == [["1", "here"], ["2", "done"]]


def test_what_is_printed_without_an_end_needs_little_memory() -> None:
    piece = bytes(1 << 16)
    came = chain(repeat(piece, 500), [b"key 1 here\n", b""])
    session = ShellSession(Mock(), SimpleNamespace(recv=lambda size: next(came), settimeout=print,
                           recv_stderr_ready=lambda: False), "key")  # type: ignore[arg-type]  # fmt: skip
    tracemalloc.start()
    try:
        assert list(session.lines()) == [["1", "here"]]
        assert tracemalloc.get_traced_memory()[1] < 10 * len(piece)
    finally:
        tracemalloc.stop()
