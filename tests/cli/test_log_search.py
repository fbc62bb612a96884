"""``skerry logs --grep``: what is found, and where, however long the logs and however bad the pattern."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli.log_search import matching
from engine.model.codes.expressions import PATTERN_TOO_SLOW
from engine.model.errors import SkerryError
from engine.model.expression.pattern import compile_pattern
from tests.api.fake_service import FakeService
from tests.cli.conftest import Skerry


@pytest.fixture
def two_logs(service: FakeService, tmp_path: Path) -> None:
    found = []
    for id, (node, text) in enumerate({"load": "one\nERROR 7\n", "send": "fine\n"}.items(), 1):
        folder = tmp_path / node
        folder.mkdir()
        (folder / "job.log").write_text(text)
        (folder / "job-error.log").write_text("ERROR here\n" if node == "send" else "")
        log = {"node": node, "index": None, "round": 1, "instance": id, "attempt": 1}
        found.append({**log, "path": str(folder / "job.log")})
    service.logs = lambda *_given, **_more: found  # type: ignore[method-assign,assignment,return-value]


@pytest.mark.usefixtures("two_logs")
def test_lines_of_all_jobs_are_found_with_node_file_and_number(skerry: Skerry) -> None:
    assert skerry("logs", "1", "--grep", "ERR.R").out == (
        "load:job.log:2: ERROR 7\nsend:job-error.log:1: ERROR here\n"
    )
    assert skerry("logs", "1", "--grep", "ERR", "--stderr").out == "send:job-error.log:1: ERROR here\n"
    assert skerry("logs", "1", "--grep", "^fine$", "--json").lines == [
        {"node": "send", "instance": 2, "attempt": 1, "file": "job.log", "line": 1, "text": "fine"}
    ]


@pytest.mark.usefixtures("two_logs")
def test_without_a_match_all_is_well_and_a_bad_pattern_is_wrong_use(skerry: Skerry) -> None:
    assert (skerry("logs", "1", "--grep", "nothing").status, skerry("logs", "1", "--grep", "x").out) == (
        0,
        "",
    )
    assert skerry("logs", "1", "--grep", "(").status == 2
    assert skerry("logs", "1", "--grep", "x", "--follow").status == 2


def test_a_pattern_that_runs_away_is_stopped() -> None:
    with pytest.raises(SkerryError) as caught:
        list(matching([b"a" * 5000 + b"!\n"], compile_pattern("(a|aa)+(a|aa)+(a|aa)+$")))

    assert caught.value.entry is PATTERN_TOO_SLOW


def test_a_log_of_any_size_is_searched_in_constant_memory() -> None:
    def blocks() -> Iterator[bytes]:
        for _ in range(48):
            yield b"x" * (1 << 20)  # a single line of 48 MiB
        yield b"\nend\n"

    tracemalloc.start()
    found = list(matching(blocks(), compile_pattern("end")))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert [each.number for each in found] == [2]
    assert most < 24 << 20


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=8), st.integers(1, 7))
def test_where_blocks_are_cut_changes_nothing(lines: list[str], size: int) -> None:
    data = "\n".join(each.replace("\n", "").replace("\r", "") for each in lines).encode()
    cut = [data[at : at + size] for at in range(0, len(data), size)]
    pattern = compile_pattern("[a-f]")

    assert list(matching(cut, pattern)) == list(matching([data], pattern))
