"""Every expression on the page of expressions gives the value beside it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from engine.context import ContextScope, NodeNames, TaskContext
from engine.model.errors import SkerryError
from engine.model.expression import compile_condition, compile_value, decide, render
from engine.model.expression.limits import MAX_VALUE
from tests.context.clocks import HandClock
from tests.docs.blocks import DOCS, blocks

PAGE = DOCS / "expressions.md"
CHINESE = DOCS / "zh" / "expressions.md"
_ROW = re.compile(r"^\| `(?P<text>.+)` \| (?:(?:error|错误) )?`(?P<gives>.+)` \|$", re.MULTILINE)


def _block(mark: str) -> str:
    return next(block.text for block in blocks(PAGE) if mark in block.marks)


def _rows(head: str, page: Path = PAGE) -> list[tuple[str, str]]:
    tables = [
        table for table in re.split(r"\n\n", page.read_text("utf-8")) if table.startswith(f"| {head} |")
    ]
    return [(row["text"], row["gives"]) for table in tables for row in _ROW.finditer(table)]


class Log:
    """The files of the page's one job with a log."""

    def read(self, root: str, name: str, limit: int = MAX_VALUE) -> bytes:
        """See ``FileReader``."""
        assert (root.rsplit("/", 1)[-1], name) == ("job-count-21", "job.log")
        return _block("log").encode()


@pytest.fixture(scope="module")
def scope() -> ContextScope:
    """What the page's expressions see."""
    context = TaskContext(HandClock())
    for name, value in json.loads(_block("context")).items():
        context.set((name,), value, run=1)
    return ContextScope(context, NodeNames(set(context.tree["JOB"])), files=Log(), zone="Asia/Shanghai")


def _outcome(evaluate: Any) -> str:
    try:
        return json.dumps(evaluate(), ensure_ascii=False, separators=(",", ":"))
    except SkerryError as error:
        return str(error.code)


@pytest.mark.parametrize(("text", "gives"), _rows("expression"))
def test_an_expression_gives_what_the_page_says(text: str, gives: str, scope: ContextScope) -> None:
    assert _outcome(lambda: render(compile_value(text), scope).value) == gives


@pytest.mark.parametrize(("text", "holds"), _rows("condition"))
def test_a_condition_holds_as_the_page_says(text: str, holds: str, scope: ContextScope) -> None:
    assert _outcome(lambda: decide(compile_condition(text), scope)[0]) == holds


def test_the_page_has_examples() -> None:
    assert len(_rows("expression")) > 40
    assert len(_rows("condition")) > 10


@pytest.mark.parametrize(("head", "chinese"), [("expression", "表达式"), ("condition", "条件")])
def test_the_chinese_page_has_the_same_examples(head: str, chinese: str) -> None:
    assert _rows(chinese, CHINESE) == _rows(head)


@pytest.mark.parametrize("mark", ["context", "log"])
def test_the_chinese_page_has_the_same_context(mark: str) -> None:
    assert [block.text for block in blocks(CHINESE) if mark in block.marks] == [_block(mark)]
