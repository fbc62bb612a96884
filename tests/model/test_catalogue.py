"""The catalogue of error codes."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from app import wiring
from app.regenerate_codes import ROOT, modules
from engine.model.catalogue import Catalogue, codes_of, engine_codes, own_codes
from engine.model.codes import definitions as codes
from engine.model.errors import Text
from tests.definitions.fakes import EMPTY_ARGV, JOB_TYPES


def test_a_code_is_found_whatever_its_extra_part() -> None:
    catalogue = Catalogue([*engine_codes(), *codes_of(JOB_TYPES.values())])

    assert catalogue.find(codes.UNKNOWN_KEY.with_extra(7)) is codes.UNKNOWN_KEY
    assert catalogue.find(EMPTY_ARGV.number) is EMPTY_ARGV
    assert catalogue.find(-1_99_99_999_000) is None


def test_no_two_entries_of_the_engine_share_a_number() -> None:
    found = Counter(entry.number for entry in {id(each): each for each in engine_codes()}.values())

    assert [number for number, times in found.items() if times > 1] == []


def test_every_entry_says_what_it_is_why_and_what_to_do_in_two_languages() -> None:
    for entry in engine_codes():
        assert all(entry.en), entry
        assert all(entry.zh), entry
        assert not any(word.isascii() for word in entry.zh), entry


MADE = modules()
FILES = pytest.mark.parametrize("module", MADE, ids=lambda path: str(path.relative_to(ROOT)))


@FILES
def test_every_entry_of_a_data_file_is_whole(module: Path) -> None:
    for name, entry in _entries(module).items():
        lacks = [
            f"{language}: {field}"
            for language in ("en", "zh")
            for field in Text._fields
            if not entry.get(language, {}).get(field)
        ]
        assert lacks == [], f"write these of {name} in {module.with_suffix('.yaml')}"


@FILES
def test_every_entry_of_a_job_or_resource_type_is_one_of_its_codes(module: Path) -> None:
    types = (*wiring.job_types().values(), *wiring.resource_types().values())
    known = {entry.number for entry in (*engine_codes(), *codes_of(types))}
    entries = {name: entry["code"] for name, entry in _entries(module).items() if name.isupper()}

    lacking = [name for name, number in entries.items() if number not in known]

    assert lacking == [], f"{module.with_suffix('.yaml')}: name it in `codes` of the type that raises it"


@FILES
def test_every_entry_is_used(module: Path) -> None:
    used = {word for file, words in _words().items() if file != module for word in words}

    assert _entries(module).keys() - used == set(), (
        f"raise it, or remove it from {module.with_suffix('.yaml')}"
    )


@cache
def _entries(module: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.load(module.with_suffix(".yaml").read_bytes(), yaml.CSafeLoader)
    return found


@cache
def _words() -> Mapping[Path, set[str]]:
    """The words of every source file of the program."""
    folders = ("app", "engine", "export_import", "jobs_builtin", "resources")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    return {file: set(re.findall(r"\w+", file.read_text("utf-8"))) for file in files}


@FILES
def test_every_module_of_codes_is_as_its_data_file_makes_it(module: Path) -> None:
    assert module.read_text("utf-8") == MADE[module], "run `python -m app.regenerate_codes`"


def test_an_entry_that_was_pickled_still_has_its_texts() -> None:
    again = pickle.loads(pickle.dumps(codes.UNKNOWN_KEY))

    assert again == codes.UNKNOWN_KEY
    assert again.en == codes.UNKNOWN_KEY.en


def test_a_users_own_entries_join_it_in_either_form() -> None:
    errors = {
        "-19900001003": {"title": "Pump stopped", "cause": {"en": "No oil", "zh": "缺油"}, "remedy": "Fill"},
        "-12000002000": {"zh": {"title": "泵停", "cause": "缺油", "remedy": "加油"}, "retryable": False},
    }

    first, second = own_codes(errors)

    assert first.number == -19900001000
    assert first.en == Text("Pump stopped", "No oil", "Fill")
    assert first.zh == Text("Pump stopped", "缺油", "Fill")
    assert (second.en.title, second.retryable) == ("泵停", False)
    assert Catalogue([*engine_codes(), first]).find(-19900001999) is first
