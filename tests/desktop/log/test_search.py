"""Searching logs: each matching line once, in any block, stoppable between blocks."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.desktop.log import search as module
from app.desktop.log.lines import LogText
from app.desktop.log.search import BadPattern, Query, search, spans
from tests.effort import effort

LINES = st.lists(
    st.sampled_from(["", "all well", "ERROR here", "error error", "错误 a", "Warnings WARN", "x" * 40])
)
QUERIES = st.sampled_from(
    [
        Query("error"),
        Query("error", case=True),
        Query("错误"),
        Query("er+or", regex=True),
        Query(r"(?<=E)RROR", regex=True, case=True),
        Query(levels=frozenset({"error"})),
        Query("a", levels=frozenset({"error", "warning"})),
    ]
)


def matches(line: bytes, query: Query) -> bool:
    return next(module._lines(line, module._finders(query)), None) is not None


@settings(max_examples=effort(40, all=800))
@given(lines=LINES, query=QUERIES, block=st.integers(50, 300))
def test_what_is_found_is_what_matches_line_by_line(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], query: Query, block: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        path = tmp_path_factory.mktemp("log") / "job.log"
        path.write_text("\n".join(lines))
        with closing(LogText(path)) as log:
            found = [start for each in search(log, log.size, query) for start in each.starts]
            raw = path.read_bytes()
            expected, at = [], 0
            for line in raw.split(b"\n"):
                if matches(line, query):
                    expected.append(at)
                at += len(line) + 1
            assert found == expected


def test_searching_goes_on_where_the_file_has_grown(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    path.write_text("one x\ntwo\n")
    with closing(LogText(path)) as log:
        *_, last = search(log, log.size, Query("x"))
        assert list(last.starts) == [0]
        with path.open("a") as more:
            more.write("three x\n")
        log.refresh()
        [found] = search(log, log.size, Query("x"), last.upto)
        assert list(found.starts) == [10]


def test_a_pattern_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text("a\n")
    with closing(LogText(tmp_path / "job.log")) as log, pytest.raises(BadPattern, match="missing"):
        list(search(log, log.size, Query("(a", regex=True)))


def test_a_pattern_that_explodes_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text("a" * 5000 + "!\n")
    with closing(LogText(tmp_path / "job.log")) as log, pytest.raises(BadPattern, match="too long"):
        list(search(log, log.size, Query(r"(?<=a)(a|aa)+$", regex=True)))


def test_only_real_levels_count() -> None:
    levels = Query(levels=frozenset({"error"}))
    assert matches(b"java.lang.IllegalStateException: no", levels)
    assert matches("发生错误".encode(), levels)
    assert not matches(b"terrors of the deep, 0 mirrored", levels)


def test_matches_are_marked_within_a_line() -> None:
    assert spans("an Error, an error", Query("error")) == [(3, 5), (13, 5)]
    assert spans("a.b", Query(".", regex=False)) == [(1, 1)]
    assert spans("abc", Query("(", regex=True)) == []
    assert spans("x" * 5000, Query("(x+x+)+y", regex=True)) == []
    assert spans("a" * 60 + "b", Query("(?:a|a)+$", regex=True)) == []  # it would take for ever
