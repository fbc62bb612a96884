"""Every text of window and command line is there in Chinese, and no translation is left over."""

from __future__ import annotations

import errno
import os
import re
import string
from pathlib import Path

import pytest
import yaml

from app.texts import TRANSLATIONS, catalogue
from engine.model.reason_words import sentences
from tests.texts.source import APP, ROOT, files, mentioned, read_in

CHINESE = catalogue("zh")
# words of the desk, of failures, and of what a power cut took, are shown as they come
_ELSEWHERE = [ROOT / each for each in ("export_import", "engine", "jobs_builtin", "resources")]
PARTS = sorted((TRANSLATIONS / "zh").glob("*.yaml"))
# What reads as words and is not looked up: parts of messages of errors (English, with a code whose title is shown in
# Chinese), help of commands, names and examples of what programs read, names of types, patterns, styles.
NOT_TRANSLATED = {
    "skerry logs ",
    "<qt><pre style='white-space: pre-wrap'>",
    "/Volumes/",
    "Commands",
    "Document",
    "Edit",
    "Fusion",
    "PySide6-Essentials",
    "Sheet",
    "Skerry",
    "Skerry Hei",
    "Skerry Mono",
    "View",
    "Window",
    "\\b(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC|EMERG|ALERT|Traceback|[A-Z]\\w*(?:Error|Exception))\\b|错误|异常|失败",
    "bold red",
    "echo hello\n",
    "skerry worker trust",
    "nightly, weekly",
    "public class Main { public static void main(String[] a) { } }\n",
}


def test_whatever_a_person_reads_is_in_the_catalogue() -> None:
    found = {str(file.relative_to(APP)): read_in(file) - CHINESE.keys() - NOT_TRANSLATED for file in files()}

    missing = {file: texts for file, texts in found.items() if texts}
    assert missing == {}, f"add their Chinese to a file of {PARTS[0].parent}"


def test_nothing_is_excused_that_is_translated() -> None:
    assert NOT_TRANSLATED & CHINESE.keys() == set()


def test_nothing_is_excused_that_is_not_there() -> None:
    assert NOT_TRANSLATED - {text for file in files() for text in mentioned(file)} == set()


def test_no_translation_is_left_over() -> None:
    known = {
        text
        for file in (*files(), *(each for folder in _ELSEWHERE for each in folder.rglob("*.py")))
        for text in mentioned(file)
    }

    others = catalogue("zh", "failures").keys() | catalogue("zh", "help").keys() | _of_the_system()
    assert CHINESE.keys() - known - others == set()


def _of_the_system() -> set[str]:
    """What the C library says of errors; of the resolver it has its own list, which Python does not give."""
    resolver = {
        "Name or service not known",
        "Temporary failure in name resolution",
        "No address associated with hostname",
    }
    return {os.strerror(number) for number in errno.errorcode} | resolver


def test_no_part_of_a_message_of_the_engine_is_left_over() -> None:
    """The engine puts a message together from parts, with facts between them."""
    written = {text for file in (ROOT / "engine").rglob("*.py") for text in mentioned(file)}
    written |= {words.brief for words in sentences().values()}
    parts = {part for english in catalogue("zh", "failures") for part in re.split(r"\{\w+\}", english)}

    assert {part for part in parts if not any(part.strip(" ();:…") in text for text in written)} == set()


@pytest.mark.parametrize("part", PARTS, ids=lambda file: file.stem)
def test_a_translation_has_the_values_of_its_original(part: Path) -> None:
    for english, chinese in _texts(part).items():
        assert _values(english) == _values(chinese), english


def test_one_text_has_one_translation() -> None:
    said: dict[str, set[str]] = {}
    for part in PARTS:
        for english, chinese in _texts(part).items():
            said.setdefault(english, set()).add(chinese)

    assert {english: ways for english, ways in said.items() if len(ways) > 1} == {}


def test_the_dots_of_what_asks_or_goes_on_follow_the_last_word_at_once() -> None:
    texts = {text for both in CHINESE.items() for text in both}

    assert {text for text in texts if re.search(r"\w …$", text)} == set()


def _texts(part: Path) -> dict[str, str]:
    return yaml.safe_load(part.read_text("utf-8")) or {}


def _values(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name} - {"n"}
