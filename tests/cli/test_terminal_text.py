"""What goes to a terminal has no control characters, whoever wrote it; what is piped is as it was."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.cli.cli_context import CliContext
from app.cli.main import cli
from export_import.importing import import_bundle
from tests.bundles.conftest import CLOCK
from tests.soak.bundle_contents import Sample

FOREIGN = "\x1b]52;c;cm0=\x07a\x9b31mb\u202e\n\tc"
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


@pytest.mark.parametrize(
    ("terminal", "shown"),
    [
        (True, "\\x1b]52;c;cm0=\\x07a\\x9b31mb\\u202e\n\tc\n"),
        (False, f"{FOREIGN}\n"),
    ],
)
def test_lines_of_an_answer(
    terminal: bool, shown: str, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(CliContext, "terminal", terminal)

    CliContext().answer({}, [FOREIGN])
    CliContext().say(FOREIGN)

    assert capsysbinary.readouterr().out.decode() == shown * 2


def test_a_remark_steers_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    CliContext().note(FOREIGN)

    assert capsys.readouterr().err == "\\x1b]52;c;cm0=\\x07a\\x9b31mb\\u202e\n\tc\n"


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A bundle with control characters wherever any text may be; the desk that imported it; the case."""
    folder = tmp_path_factory.mktemp("foreign")
    sample = Sample(folder)
    rows = json.loads(sample.files["rows/1.json"])
    rows["instance"].update(dict.fromkeys(("name", "project", "actor", "error_message", "reason"), FOREIGN))
    rows["jobs"][0].update(node=FOREIGN, worker=FOREIGN, error_message=FOREIGN, params={FOREIGN: FOREIGN})
    for each in (*rows["exceptions"], *rows["alerts"]):
        each.update(message=FOREIGN)
    [log] = (name for name in sample.files if "job-read" in name and name.endswith("/job.log"))
    logs = dict.fromkeys((log, log.replace("job.log", "job-error.log")), FOREIGN.encode())
    reply = sample.facts["instances"][0]
    sample.facts.update(
        site=FOREIGN, remarks=[FOREIGN], instances=[{**reply, "task": FOREIGN, "status": FOREIGN}]
    )
    bundle = sample.pack(folder / "bundle", {"rows/1.json": json.dumps(rows).encode(), **logs})
    (bundle / "README.txt").write_text(FOREIGN)
    desk = folder / "desk"
    desk.mkdir()
    return bundle, desk, import_bundle(desk, [bundle], clock=CLOCK).folder


@pytest.mark.parametrize(
    "command",
    [
        "list", "show 1", "logs 1", "logs 1 --stderr", "logs 1 --follow", "context 1", "exceptions list", "alerts list",
        "queue", "stats", "audit", "dump", "tasks list", "bundle findings CASE", "bundle search CASE rm",
        "bundle replay CASE", "bundle diff CASE CASE", "bundle inspect BUNDLE",
        "bundle verify BUNDLE", "bundle cases", "bundle translate LOG",
    ],
)  # fmt: skip
def test_nothing_of_a_case_steers_a_terminal(
    command: str, foreign: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle, desk, case = foreign
    monkeypatch.setattr(CliContext, "terminal", True)
    names = {"CASE": str(case), "BUNDLE": str(bundle), "LOG": str(bundle / "README.txt")}
    words = [names.get(word, word) for word in command.split()]
    place = desk if command.startswith("bundle") else case

    result = CliRunner().invoke(cli, ["--workspace", str(place), *words], prog_name="skerry")

    assert result.exit_code in (0, 1), result.output
    assert result.output, "nothing was shown"
    assert STEERS.findall(result.output) == []


def test_a_log_of_a_case_that_is_piped_is_byte_for_byte(foreign: tuple[Path, Path, Path]) -> None:
    result = CliRunner().invoke(cli, ["--workspace", str(foreign[2]), "logs", "1", "--stderr"])

    assert FOREIGN.encode() in result.stdout_bytes


class _Interrupted(io.RawIOBase):
    """Standard error; a signal comes in the middle of the first remark, and its handler makes one too."""

    def __init__(self, file: Path) -> None:
        self._fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._handled = False

    def fileno(self) -> int:
        return self._fd

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if not self._handled:
            self._handled = True
            CliContext().note("second")
        return os.write(self._fd, data)


def test_a_remark_that_a_signal_makes_in_the_middle_of_another_is_not_lost(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    raw = _Interrupted(tmp_path / "stderr")
    monkeypatch.setattr("sys.stderr", io.TextIOWrapper(io.BufferedWriter(raw), line_buffering=True))

    CliContext().note("first")

    assert (tmp_path / "stderr").read_text().split() == ["second", "first"]
    os.close(raw.fileno())
