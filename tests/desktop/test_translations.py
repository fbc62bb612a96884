"""Every text of the window is there in Chinese, with the same values in it, and no translation is left over."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
import yaml

from app.desktop.kernel.language import TRANSLATIONS, catalogue
from tests.desktop.texts import DESKTOP, files, mentioned, must_be_translated

CHINESE = catalogue("zh_CN")
PARTS = sorted((TRANSLATIONS / "zh_CN").glob("*.yaml"))


@pytest.mark.parametrize("file", files(), ids=lambda file: str(file.relative_to(DESKTOP)))
def test_every_text_is_translated(file: Path) -> None:
    assert {text for text in must_be_translated(file) if text not in CHINESE} == set()


@pytest.mark.parametrize("part", PARTS, ids=lambda file: file.stem)
def test_no_translation_is_left_over(part: Path) -> None:
    root = DESKTOP.parents[1]  # some words of the desk, and of what a power cut took, are shown as they come
    elsewhere = (*(root / "export_import").rglob("*.py"), root / "engine" / "context" / "missing.py")
    known = {text for file in (*files(), *elsewhere) for text in mentioned(file)}

    assert {text for text in _texts(part) if text not in known} == set()


@pytest.mark.parametrize("part", PARTS, ids=lambda file: file.stem)
def test_a_translation_has_the_values_of_its_original(part: Path) -> None:
    for english, chinese in _texts(part).items():
        assert _values(english) == _values(chinese), english


def test_two_parts_say_the_same_for_the_same_text() -> None:
    said: dict[str, set[str]] = {}
    for part in PARTS:
        for english, chinese in _texts(part).items():
            said.setdefault(english, set()).add(chinese)

    assert {english: ways for english, ways in said.items() if len(ways) > 1} == {}


def _texts(part: Path) -> dict[str, str]:
    return yaml.safe_load(part.read_text("utf-8")) or {}


def _values(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name} - {"n"}
