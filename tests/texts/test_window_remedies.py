"""What to do about an error speaks of commands on the command line, and of what the window has in the window."""

from __future__ import annotations

import re

import pytest

from app.desktop.kernel.error_codes import Codes
from app.texts import catalogue as texts
from app.wiring import catalogue
from engine.model.errors import ErrorCode, Text, without_commands

COMMAND = re.compile(r"\bskerry [a-z]|(?<![\w-])--[a-z]")
OF_OTHER_PROGRAMS = re.compile(r"tar --dereference|--long above|--long \w+|zst[^,;。]*--long")
BUTTON = {"en": re.compile(r'"([^"]+…)"'), "zh": re.compile(r"“([^”]+…)”")}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_remedy_in_the_window_names_a_command(language: str) -> None:
    shown = {each.code: f"{each.cause} {each.remedy}" for each in Codes().all(language)}

    named = {code: text for code, text in shown.items() if COMMAND.search(OF_OTHER_PROGRAMS.sub("", text))}
    assert {code: text for code, text in named.items() if code not in OF_THE_COMMAND_LINE} == {}


# codes of what was typed on the command line, which the window never raises: their cause names the option
OF_THE_COMMAND_LINE = {-10190001000, -10190003000, -10190031000}


def test_both_languages_have_words_for_the_window_or_none() -> None:
    assert [each.number for each in catalogue({}) if written(each, "en") != written(each, "zh")] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_button_that_a_remedy_names_is_there(language: str) -> None:
    chinese = texts("zh")
    known = set(chinese) if language == "en" else set(chinese.values())
    named = {name for each in catalogue({}) for name in BUTTON[language].findall(each.in_window(language))}

    assert len(named) > 15
    assert named - known == set()


def test_a_remedy_without_words_for_the_window_is_shown_without_the_commands_in_brackets() -> None:
    own = Text("t", "c", "Look ('skerry show INSTANCE'), then rerun it（skerry rerun 实例）.")

    assert ErrorCode(-10199999000, own, own).in_window("zh") == "Look, then rerun it."


def written(entry: ErrorCode, language: str) -> bool:
    return entry.in_window(language) != without_commands(entry.text(language).remedy)
