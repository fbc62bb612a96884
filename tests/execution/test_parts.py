"""The small pure parts: stage texts, progress lines, /proc lines, outcomes, wrapper texts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.execution.code import code
from engine.execution.outcomes import Exit, Lost, failure_of
from engine.execution.proc import mark_of, parse_stat, pids, start_ticks, stat
from engine.execution.progress import ProgressLine, ProgressReader, parse
from engine.execution.wrapper import NO_LIMITS, wrapper
from engine.model.codes import processes as codes
from engine.model.codes.runtime import LOST
from engine.model.job import Limits


@pytest.mark.parametrize(
    ("text", "interpreter"),
    [
        ("true", None),
        ("", None),
        ("#!/bin/sh\ntrue", None),
        ("#!/bin/sh", None),
        ("#!\ntrue", None),
        ("#! /bin/sh -e\ntrue", ("/bin/sh", "-e")),
        ("#!/usr/bin/env python3\n", ("/usr/bin/env", "python3")),
        ("#!/usr/bin/awk -f -v x=1  \n", ("/usr/bin/awk", "-f -v x=1")),
        ("#!/usr/bin/python3\r\nprint()\r\n", ("/usr/bin/python3",)),
    ],
)
def test_the_first_line_of_a_script_names_its_interpreter(
    text: str, interpreter: tuple[str, ...] | None
) -> None:
    found = code(text)

    assert found.interpreter == interpreter
    assert found.argv("s") == (None if interpreter is None else (*interpreter, "s"))


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (b"a\r\nb\r\n", b"a\nb\n"),
        (b"a\r\nb", b"a\nb"),
        (b"a\r\nb\n", b"a\r\nb\n"),
        (b"a\rb\n", b"a\rb\n"),
        (b"\xef\xbb\xbfa\n", b"a\n"),
    ],
)
def test_windows_files_become_plain_ones_and_others_stay(given: bytes, kept: bytes) -> None:
    assert code(given).data == kept


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("40 half", ProgressLine(40, "half")),
        ("40", ProgressLine(40, "")),
        ("40% done", ProgressLine(40, "done")),
        ("99.5 nearly", ProgressLine(99, "nearly")),
        ("loading 40", ProgressLine(None, "loading 40")),
        ("400 rows", ProgressLine(None, "400 rows")),
        ("12abc", ProgressLine(None, "12abc")),
        ("101", ProgressLine(None, "101")),
        ("中文", ProgressLine(None, "中文")),
        ("x" * 1000, ProgressLine(None, "x" * 500)),
    ],
)
def test_a_line_of_progress(line: str, expected: ProgressLine) -> None:
    assert parse(line) == expected


def test_progress_is_read_line_by_line_as_it_comes(tmp_path: Path) -> None:
    file = tmp_path / "progress"
    reader = ProgressReader(str(file))

    seen = [reader.news()]
    for text in ("10 a\n20", " b\n\n", "30 c\n40 d\n"):
        with file.open("a") as stream:
            stream.write(text)
        seen.append(reader.news())
    seen.append(reader.news())

    assert seen == [
        [], [ProgressLine(10, "a")], [ProgressLine(20, "b")], [ProgressLine(30, "c"), ProgressLine(40, "d")], [],
    ]  # fmt: skip


def test_progress_that_is_written_again_or_is_no_file_does_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "progress"
    file.write_text("10 a\n20 b\n")
    reader = ProgressReader(str(file))
    reader.news()

    file.write_text("5 x\n")
    again = reader.news()
    file.unlink()
    os.mkfifo(file)

    assert again in ([ProgressLine(5, "x")], [])
    assert reader.news() == []


def test_of_very_much_progress_the_last_lines_are_read(tmp_path: Path) -> None:
    file = tmp_path / "progress"
    file.write_text("".join(f"1 line {n}\n" for n in range(100_000)))

    assert ProgressReader(str(file)).news()[-1] == ProgressLine(1, "line 99999")


def test_a_program_name_with_blanks_and_parentheses_is_no_trap() -> None:
    line = b"12 (a) b) (c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23"

    found = parse_stat(12, line)

    assert found is not None
    assert (found.parent, found.group, found.session, found.cpu) == (1, 2, 3, 11 + 12 + 13 + 14)
    assert (found.threads, found.started, found.rss) == (17, 19, 21 * os.sysconf("SC_PAGE_SIZE"))


@pytest.mark.parametrize("line", [b"", b"12 (x) Z 1 2", b"12 (x) Z " + b"1 " * 30, b"12 (x) X " + b"1 " * 30])
def test_the_dead_and_the_unreadable_are_nobody(line: bytes) -> None:
    assert parse_stat(12, line) is None


def test_this_process_is_found_and_others_are_distinguished() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", "print('up', flush=True); input()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={"X": "1", "NOT_SKERRY_ATTEMPT": "b", "SKERRY_ATTEMPT": "a.1"},
    )  # fmt: skip
    assert child.stdout is not None
    child.stdout.readline()

    assert os.getpid() in set(pids())
    assert stat(child.pid) is not None
    assert start_ticks(child.pid) == start_ticks(child.pid)
    assert mark_of(child.pid) == b"a.1"
    assert mark_of(child.pid) == b"a.1"

    child.communicate(b"\n")
    assert stat(child.pid) is None
    assert mark_of(child.pid) is None


@pytest.mark.parametrize(
    ("end", "limits", "code"),
    [
        (Exit(0), None, None),
        (Exit.of(3), None, codes.EXIT_STATUS.with_extra(3)),
        (Exit.of(127), None, codes.EXIT_STATUS.with_extra(127)),
        (Exit.of(255), None, codes.EXIT_STATUS.with_extra(255)),
        (Exit.of(192), None, codes.ENDED_BY_SIGNAL.with_extra(64)),
        (Exit.of(193), None, codes.EXIT_STATUS.with_extra(193)),
        (Exit.of(128), None, codes.EXIT_STATUS.with_extra(128)),
        (Exit.of(128 + 42), None, codes.ENDED_BY_SIGNAL.with_extra(42)),
        (Exit.killed(15), None, codes.ENDED_BY_SIGNAL.with_extra(15)),
        (Exit.of(152), None, codes.ENDED_BY_SIGNAL.with_extra(24)),
        (Exit.of(152), Limits(cpu=2), codes.CPU_LIMIT.number),
        (Exit(2, problem=codes.NOT_STARTED), None, codes.NOT_STARTED.number),
        (Lost("why"), None, LOST.number),
    ],
)
def test_every_end_has_its_code(end: Exit | Lost, limits: Limits | None, code: int | None) -> None:
    failure = failure_of(end, limits)

    assert (failure.code if failure else None) == code


@pytest.mark.parametrize("supervised", [True, False])
def test_the_wrapper_uses_built_ins_only(supervised: bool) -> None:
    text = wrapper(False, Limits(cpu=1.5, memory=10 << 20, files=20), 0o077, supervised=supervised)

    assert "ulimit -S -t 2" in text
    assert "ulimit -H -t 7" in text
    assert "ulimit -d 10240" in text
    words = set(text.replace(";", " ").split()) & {"cat", "sleep", "env", "rm", "mv", "dd"}
    assert words == set()
    assert 'exec "$@"' in wrapper(True, NO_LIMITS, 0, supervised=supervised)
