"""What a command refuses, seen from a shell."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests import commands

TASK = 'skerry: 1\ntasks: {t: {params: {v: {kind: text}}, nodes: {a: {type: shell, process: "true"}}}}\n'


def skerry(folder: Path, *args: str | bytes) -> tuple[int, str]:
    """Exit status and standard error of a command in a workspace in that folder."""
    (folder / "t.yaml").write_text(TASK)
    command = [*commands.skerry(), "--workspace", str(folder / "w")]
    done = subprocess.run([os.fsencode(each) for each in (*command, *args)], capture_output=True, check=False)
    return done.returncode, done.stderr.decode()


def test_a_deleted_task_is_refused_and_one_that_never_was_is_wrong_use(tmp_path: Path) -> None:
    skerry(tmp_path, "load", str(tmp_path / "t.yaml"))
    skerry(tmp_path, "delete", "t")

    assert skerry(tmp_path, "run", "t") == (3, "error -10300905000: task 't' is deleted\n")
    assert skerry(tmp_path, "run", "u") == (2, "error -10300905000: there is no task 'u'\n")


def test_a_deleted_task_goes_neither_online_nor_away_again(tmp_path: Path) -> None:
    skerry(tmp_path, "load", str(tmp_path / "t.yaml"))
    skerry(tmp_path, "delete", "t")

    assert skerry(tmp_path, "online", "t") == (3, "error -14000902000: task 't' is deleted: load it again\n")
    assert skerry(tmp_path, "delete", "t") == (0, "")
    assert skerry(tmp_path, "online", "u") == (2, "error -10300905000: there is no task 'u'\n")
    assert skerry(tmp_path, "online", "t", "u") == (2, "error -10300905000: there is no task 'u'\n")


def test_a_value_that_is_no_text_is_not_changed_in_silence(tmp_path: Path) -> None:
    status, answer = skerry(tmp_path, "run", str(tmp_path / "t.yaml"), "-p", b"v=\xff\xfe")

    assert (status, "not UTF-8 text" in answer) == (2, True)
