"""Contents of a case that are made to do harm: read with care, shown as they are, never more than an error."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from app import wiring
from app.cli.main import cli
from engine.model.codes.bundles import LOST
from engine.model.errors import SkerryError
from export_import.desk.evidence import Evidence, settings_of
from export_import.desk.stand_in_choices import Choices
from export_import.desk.standin import Trial, try_out
from tests.soak.bundle_contents import LAUGHS, Sample, attempt

LIVING = "\x1b[2J\x1b]8;;file:///etc/passwd\x07\u202e<img src=file:>&lt;b&gt;\u200b'; DROP TABLE task;--\x00"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return Sample(tmp_path_factory.mktemp("sample"))


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "a: " + "{b: " * 50_000,
        LAUGHS,
        "a: &a [*a]",
        "a: 1\na: 2\n",
        "- 1",
        "\x00",
        "x" * (2 << 20),
    ],
)
def test_settings_that_would_take_a_reader_down_count_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.yaml").write_text(text)

    assert settings_of(tmp_path) == {}


@pytest.mark.parametrize("text", [b"[" * 100_000, b'{"a":' * 50_000, LAUGHS.encode(), b"\xff\xfe", b""])
def test_any_file_of_a_case_may_hold_anything(sample: Sample, tmp_path: Path, text: bytes) -> None:
    for name in ("rows/1.json", "definitions/1-1.json", "settings.yaml", "instances/task-night-1/ctx.log"):
        assert attempt(sample, tmp_path / "tried", {name: text}).startswith(("looked at", "refused: -1"))


def test_without_its_log_a_run_cannot_be_tried_and_says_so(sample: Sample, tmp_path: Path) -> None:
    attempt(sample, tmp_path / "tried", {"instances/task-night-1/ctx.log": b"[" * 100_000})
    [case] = (tmp_path / "tried" / "desk" / "cases").iterdir()

    with Evidence.open(case) as evidence, pytest.raises(SkerryError) as error:
        try_out(evidence, wiring.installed_types(), Trial(1, None, {}, Choices()), tmp_path / "w")
    assert error.value.entry is LOST


def test_what_a_program_wrote_moves_no_cursor_on_the_desk(sample: Sample, tmp_path: Path) -> None:
    name = next(each for each in sample.files if each.endswith("job-error.log") and "load" in each)
    long = b"x" * (20 << 20) + b" needle\n"
    hostile = (
        LIVING.encode() + b" rows needle\n" + b"\xff\xfe needle\n" + long + "e\u0301\u200d".encode() * 1000
    )
    assert attempt(sample, tmp_path / "tried", {name: hostile}) == "looked at"
    [case] = (tmp_path / "tried" / "desk" / "cases").iterdir()

    for command in (("bundle", "search", case, "needle"), ("bundle", "findings", case), ("show", "1")):
        words = [*map(str, command), "--workspace", str(case)]
        printed = CliRunner().invoke(cli, words, prog_name="skerry")
        assert printed.exit_code in (0, 1), printed.output
        assert not {"\x1b", "\u202e", "\u200b", "\x00", "\x07"} & set(printed.output)
        assert len(printed.output) < 1 << 20
