"""Both logs as one text, in the order in which they grew."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.desktop.log.lines import LogText
from app.desktop.log.merged import LengthSample, MergedText, samples
from tests.effort import effort

START = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
STEPS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=6)


def logs(folder: Path, output: bytes, errors: bytes) -> tuple[LogText, LogText]:
    (folder / "job.log").write_bytes(output)
    (folder / "job-error.log").write_bytes(errors)
    return LogText(folder / "job.log"), LogText(folder / "job-error.log", 1)


def test_lines_stand_in_the_order_in_which_the_samples_saw_them(tmp_path: Path) -> None:
    seen = [
        LengthSample(START, 4, 0),
        LengthSample(START + timedelta(seconds=1), 4, 6),
        LengthSample(START, 10, 6),
    ]
    with closing(MergedText(*logs(tmp_path, b"one\nthree\nfive", b"two...\n\nlast"), seen)) as text:
        rows = text.rows(0, 20)
        assert [(row.source, row.text) for row in rows] == [
            (0, b"one"),
            (0, b"three"),
            (0, b"five"),
            (1, b"two..."),
            (1, b""),
            (1, b"last"),
        ]


def test_what_comes_while_one_looks_is_at_the_end(tmp_path: Path) -> None:
    with closing(MergedText(*logs(tmp_path, b"a\n", b""))) as text:
        (tmp_path / "job-error.log").write_bytes(b"b\n")
        assert not text.refresh()
        (tmp_path / "job.log").write_bytes(b"a\nc\n")
        text.refresh()
        assert text.read(0, 100) == b"a\nb\nc\n"
        (tmp_path / "job.log").write_bytes(b"")
        assert text.refresh()
        assert text.read(0, 100) == b"b\n"


@settings(max_examples=effort(40, all=600))
@given(output=st.text("ab\n"), errors=st.text("xy\n"), steps=STEPS)
def test_every_line_of_both_is_there_once_in_its_own_order(
    tmp_path_factory: pytest.TempPathFactory, output: str, errors: str, steps: list[tuple[int, int]]
) -> None:
    seen, sizes = [], [0, 0]
    for out, err in steps:
        sizes = [sizes[0] + out, sizes[1] + err]
        seen.append(LengthSample(START, *sizes))
    with closing(
        MergedText(*logs(tmp_path_factory.mktemp("log"), output.encode(), errors.encode()), seen)
    ) as text:
        rows = text.rows(0, 10_000)
        for source, whole in ((0, output), (1, errors)):
            own = [row.text.decode() for row in rows if row.source == source]
            assert own == whole.removesuffix("\n").split("\n") if whole else not own


def test_samples_are_read_from_the_jobs_own_file_and_a_strange_one_is_none(tmp_path: Path) -> None:
    file = tmp_path / "monitor.csv"
    file.write_text("time,cpu,output,errors\n2026-11-21T08:00:00.000+00:00,1,5,6\n")
    assert samples(file) == [LengthSample(START, 5, 6)]
    file.write_text("time,cpu\nx,1\n")
    assert samples(file) == []
    assert samples(tmp_path / "none") == []
