"""The pages in ``docs/`` that come from the program are those of this program."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import jobs_builtin
from app import regenerate_docs
from app.regenerate_docs import DOCS, pages, written
from engine.plugins.registry import job_types

THERE = sorted(written())
AGAIN = "run `python -m app.regenerate_docs`"
made = cache(pages)


def test_no_page_is_missing_and_none_is_left_over() -> None:
    assert written() == made().keys(), AGAIN


@pytest.mark.parametrize("path", THERE)
def test_every_page_is_as_the_program_makes_it(path: str) -> None:
    assert (DOCS / path).read_text("utf-8") == made()[path], AGAIN


def test_every_job_type_has_a_page_in_both_languages() -> None:
    for kind in job_types(jobs_builtin):
        assert {f"job-types/{kind}.md", f"zh/job-types/{kind}.md"} <= made().keys()


@pytest.mark.parametrize("path", THERE)
def test_every_link_leads_to_a_page(path: str) -> None:
    for link in re.findall(r"\]\(([^)#]+\.md)\)", made()[path]):
        target = (DOCS / path).parent / link
        assert str(target.resolve().relative_to(DOCS)) in made()


def test_writing_them_makes_missing_pages_and_removes_those_of_types_that_are_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regenerate_docs, "DOCS", tmp_path)
    (tmp_path / "job-types").mkdir()
    (tmp_path / "job-types" / "gone.md").write_text("a type that was")
    (tmp_path / "guide.md").write_text("by hand")

    regenerate_docs.main()

    assert written() == made().keys()
    assert (tmp_path / "guide.md").read_text() == "by hand"
