"""Every job type that the scan finds keeps the rules, and its example does what the page says."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import jobs_builtin
from engine.model.errors import ErrorCode, SkerryError, Text
from engine.model.job import JobKeys
from engine.model.quantities import kind_of
from engine.plugins.job_type import Call, CallType, ControlType, JobType, ProgramType, ResultField
from engine.plugins.registry import job_types
from engine.plugins.resource_type import ResolvedResource
from engine.testing import breaches, conforms, run_example, sub_domains
from tests.jobs_builtin.packing import zip_tree

TYPES = job_types(jobs_builtin)
HERE = Path(__file__).parent


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with what the examples of the job types read."""
    (tmp_path / "incoming").mkdir()
    files = {
        "today.txt": "港口".encode("gb18030"),
        "today.csv": b"1\n" * 2500,
        "a.txt": b"a\n",
        "b.txt": b"b\n",
        "delivery.zip": zip_tree({"a": b"1"}),
    }
    for name, data in files.items():
        (tmp_path / "incoming" / name).write_bytes(data)
    with sqlite3.connect(tmp_path / "ledger.db") as database:
        database.execute("create table visit(day text, note text)")
    return tmp_path


@pytest.mark.parametrize("kind", TYPES)
def test_every_job_type_keeps_the_rules(kind: str) -> None:
    conforms(TYPES[kind])


@pytest.mark.parametrize("kind", TYPES)
def test_every_job_type_has_a_test_of_its_own(kind: str) -> None:
    name = type(TYPES[kind]).__name__
    tests = [file for file in HERE.glob("test_*.py") if file != Path(__file__)]

    assert any(re.search(rf"\b{name}\b", file.read_text("utf-8")) for file in tests), (
        f"say in a test below {HERE} what {name} does beyond its example, and how it fails"
    )


def test_no_two_job_types_share_a_sub_domain() -> None:
    found = [(kind, number) for kind, each in TYPES.items() for number in sub_domains(each.codes)]

    assert len({number for _, number in found}) == len(found), found


def test_every_job_type_is_of_one_family() -> None:
    for job_type in TYPES.values():
        families = [each for each in (ProgramType, CallType, ControlType) if isinstance(job_type, each)]
        assert len(families) == 1, job_type.kind


def test_no_two_entries_of_the_catalogue_share_a_number() -> None:
    entries = {id(code): code.number for job_type in TYPES.values() for code in job_type.codes}

    assert len(set(entries.values())) == len(entries)


def calls() -> list[str]:
    """The types whose example needs no server; those that name one run theirs beside the tests that have it."""
    return [kind for kind, each in TYPES.items() if isinstance(each, CallType) and "://" not in each.example]


@pytest.mark.parametrize("kind", calls())
def test_the_example_of_every_call_gives_the_documented_results(kind: str, workspace: Path) -> None:
    job_type = TYPES[kind]
    assert isinstance(job_type, CallType)
    resource = ResolvedResource("ledger", "database", f"sqlite:///{workspace}/ledger.db")

    try:
        results = run_example(job_type, workspace, resource)
    except SkerryError as error:
        pytest.fail(f"{error}: what the example reads is made in the fixture `workspace` of {__file__}")

    assert set(results) == {field.name for field in job_type.results}
    for field in job_type.results:
        assert field.kind in (None, "file", kind_of(results[field.name])) or results[field.name] is None


# -- the suite itself -----------------------------------------------------------------------------


class Sound(CallType):
    """The smallest type that keeps the rules."""

    kind = "sound"
    label = ("Sound", "声音")
    help = ("Does nothing.", "什么也不做。")
    results = (ResultField("done", "boolean", "Always true.", "总是 true。"),)
    example = "type: sound\n"

    def call(self, call: Call) -> Mapping[str, Any]:
        return {"done": True}


class _Keys(JobKeys):
    name: str = ""


BAD_CODE = ErrorCode(-1_30_01_000_007, Text("t", "", "r"), Text("题", "因", "remedy"))
MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "kind": ({"kind": "Not Good"}, "lower-case"),
    "label": ({"label": ("Sound", "Sound")}, "Chinese"),
    "help": ({"help": ("", "声音")}, "English"),
    "keys": ({"keys": dict}, "JobKeys"),
    "key of every job": ({"keys": _Keys}, "which every job has"),
    "meaning missing": ({"keys": _Keys}, "meaning of 'name'"),
    "meaning of nothing": ({"meanings": {"x": ("x", "某")}}, "neither a key nor a parameter"),
    "rendered": ({"rendered": frozenset({"x"})}, "not a key"),
    "results": ({"results": Sound.results * 2}, "twice"),
    "result in one language": ({"results": (ResultField("a", None, "a", ""),)}, "result 'a'"),
    "domain": ({"codes": (BAD_CODE,)}, "not of domain 20"),
    "extra part": ({"codes": (BAD_CODE,)}, "extra part"),
    "text of a code": ({"codes": (BAD_CODE,)}, "cause"),
    "example of another type": ({"example": "type: shell\nprocess: echo\n"}, "does not begin"),
    "example that is wrong": ({"example": "type: sound\nbogus: 1\n"}, "the example:"),
}


@pytest.mark.parametrize(("fields", "said"), MISTAKES.values(), ids=MISTAKES.keys())
def test_the_suite_names_each_mistake(fields: dict[str, Any], said: str) -> None:
    mistaken: JobType = type("Mistaken", (Sound,), fields)()

    assert any(said in breach for breach in breaches(mistaken))
    with pytest.raises(AssertionError, match=mistaken.kind):
        conforms(mistaken)


def test_the_suite_passes_a_third_partys_type(tmp_path: Path) -> None:
    conforms(Sound())

    assert run_example(Sound(), tmp_path) == {"done": True}


def test_codes_of_several_sub_domains_are_named() -> None:
    text, chinese = Text("t", "c", "r"), Text("题", "因", "治")
    codes = tuple(ErrorCode(number, text, chinese) for number in (-1_20_40_001_000, -1_20_41_001_000))
    mistaken = type("Mistaken", (Sound,), {"codes": codes})()

    assert any("several sub-domains" in breach for breach in breaches(mistaken))
