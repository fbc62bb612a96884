"""Rows of a log by offset: every byte belongs to exactly one row, from whichever side it is reached."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.desktop.log import lines
from app.desktop.log.index import LineIndex
from app.desktop.log.lines import LogRow, LogText
from tests.effort import effort

PIECES = st.lists(st.sampled_from([b"", b"a", b"word " * 3, b"\r", b"x" * 70, b"y" * 300]), max_size=20)


def every_row(log: LogText) -> list[LogRow]:
    found, at = [], 0
    while at < log.size:
        found += log.rows(at, 7)
        at = found[-1].end
    return found


@settings(max_examples=effort(40, all=800))
@given(parts=PIECES, ends=st.booleans())
def test_rows_cover_the_file_and_are_the_same_from_above_and_below(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], ends: bool
) -> None:
    # given short pieces, so that lines are broken within what hypothesis makes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "PIECE", 64)
        patch.setattr(lines, "_BLOCK", 16)
        path = tmp_path_factory.mktemp("log") / "job.log"
        data = b"\n".join(parts) + (b"\n" if ends else b"")
        path.write_bytes(data)
        with closing(LogText(path)) as log:
            # when walked from the top
            found = every_row(log)

            # then nothing is missing and every byte leads back to its row
            assert b"".join(data[row.start : row.end] for row in found) == data
            starts = [row.start for row in found]
            for row in found:
                assert {log.start(at) for at in range(row.start, row.end)} == {row.start}
            if starts:
                assert log.before(log.size, len(starts)) == 0
                assert log.before(starts[-1], 1) == (starts[-2] if len(starts) > 1 else 0)


def test_a_line_without_end_is_shown_in_pieces_and_at_once(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    path.write_bytes(b"first\n" + b"z" * (3 * lines.PIECE) + b"\nlast")
    with closing(LogText(path)) as log:
        found = every_row(log)
        assert found[0].text == b"first"
        assert found[-1].text == b"last"
        assert len(found) == 5
        assert found[1].cut > 0
        assert len(found[1].text) == lines.SHOWN


def test_a_file_that_is_replaced_or_cut_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    path.write_bytes(b"one\ntwo\n")
    with closing(LogText(path)) as log:
        with path.open("ab") as more:
            more.write(b"three\n")
        assert not log.refresh()
        assert log.size == 14
        os.truncate(path, 4)
        assert log.refresh()
        path.unlink()
        assert log.refresh()
        assert log.rows(0, 3) == []
        path.write_bytes(b"again\n")
        assert not log.refresh()
        assert log.rows(0, 3)[0].text == b"again"


@settings(max_examples=effort(40, all=100))
@given(parts=PIECES, step=st.integers(1, 100))
def test_line_numbers_and_offsets_agree_while_the_file_grows(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], step: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.desktop.log.index.BLOCK", 16)
        patch.setattr("app.desktop.log.index._STRIDE", 64)
        path = tmp_path_factory.mktemp("log") / "job.log"
        data = b"\n".join(parts)
        path.write_bytes(data)
        with closing(LogText(path)) as log:
            index = LineIndex()
            for size in range(step, len(data) + step, step):
                list(index.extend(log, min(size, len(data))))
            assert index.lines == data.count(b"\n")
            offset = 0
            for number, line in enumerate(data.split(b"\n"), 1):
                assert index.offset(log, number) == offset
                assert index.number(log, offset) == number
                offset += len(line) + 1
