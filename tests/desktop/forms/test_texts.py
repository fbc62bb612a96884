"""Every text of the forms has its Chinese."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import app.desktop.design as design
from app.desktop.design.forms import key_words
from app.desktop.design.forms.kinds import specs
from app.desktop.design.picker import condition_rows, date_builder, source_tree, sources
from app.desktop.kernel.language import catalogue

FOLDERS = ("forms", "picker", "library", "resources")


def said() -> Iterator[str]:
    """The texts that are given to ``tr`` as they stand."""
    home = Path(design.__file__).parent
    for file in (each for folder in FOLDERS for each in (home / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("tr", "trn"):
                first = (part for each in node.args[:3] for part in ast.walk(each))
                yield from (
                    each.value
                    for each in first
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                )


def tables() -> Iterator[str]:
    """The texts that stand in tables."""
    keys = (*key_words.NAMING, *key_words.NODE, *key_words.ON, *key_words.JOB, *key_words.TASK, key_words.URI)
    yield from key_words.GROUPS.values()
    for key in keys:
        yield from (key.label, key.help)
        yield from (words for _, words in key.choices if isinstance(words, str))
    yield from (words for words, _ in sources._TASK_WORDS.values())
    yield from (words for words, _, _ in sources._JOB_WORDS.values())
    yield from (*condition_rows.WORDS.values(), *condition_rows.JOINS)
    yield from (words for _, words in (*date_builder.UNITS, *specs.KINDS))
    yield from source_tree._KINDS.values()


def test_every_text_has_its_chinese() -> None:
    known = catalogue("zh_CN")

    missing = sorted({each for each in (*said(), *tables()) if each and each not in known})

    assert missing == ["status"]  # an attribute's name, not a text


def test_what_is_filled_in_is_in_both() -> None:
    names, own = re.compile(r"{\w+}"), {*said(), *tables()}
    for english, chinese in catalogue("zh_CN").items():
        if english in own:
            assert sorted(names.findall(english)) == sorted(names.findall(chinese)), english
