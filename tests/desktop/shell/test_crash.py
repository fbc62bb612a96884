"""When the window itself fails."""

from __future__ import annotations

import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.desktop.shell.crash_report import CrashReports

NOW = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)


@pytest.fixture
def reported() -> list[tuple[Path, str]]:
    return []


@pytest.fixture
def reports(tmp_path: Path, reported: list[tuple[Path, str]]) -> CrashReports:
    return CrashReports(tmp_path, lambda: NOW, lambda *what: reported.append(what))


def test_a_failure_becomes_a_report(
    reports: CrashReports,
    reported: list[tuple[Path, str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "serve.log").write_text("ready\n")
    before = sys.excepthook
    assert reports.install() is None
    try:
        raise RuntimeError("broken <b>thing</b>")
    except RuntimeError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    reports.remove()

    file, summary = reported[0]
    text = file.read_text("utf-8")
    assert summary == "RuntimeError: broken <b>thing</b>"
    assert "test_a_failure_becomes_a_report" in text
    assert "skerry: " in text
    assert "ready" in text
    assert file.stat().st_mode & 0o777 == 0o600
    assert "RuntimeError" in capsys.readouterr().err
    assert sys.excepthook is before


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_failure_on_a_thread_too(reports: CrashReports, reported: list[tuple[Path, str]]) -> None:
    reports.install()
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()
    reports.remove()

    assert reported[0][1].startswith("ZeroDivisionError")


def test_what_a_dead_window_left_is_found(reports: CrashReports, tmp_path: Path) -> None:
    left = tmp_path / "console-fatal-999999999.txt"
    left.write_text("Fatal Python error: Segmentation fault")

    found = reports.install()
    reports.remove()

    assert found is not None
    assert "Segmentation fault" in found.read_text("utf-8")
    assert not left.exists()


def test_a_window_that_ended_well_leaves_nothing(reports: CrashReports, tmp_path: Path) -> None:
    reports.install()
    reports.remove()

    assert list(tmp_path.iterdir()) == []


def test_old_reports_go(tmp_path: Path) -> None:
    times = iter(datetime(2026, 1, day, tzinfo=UTC) for day in range(1, 15))
    reports = CrashReports(tmp_path, lambda: next(times), lambda *_: None)
    for _ in range(14):
        reports.write("x")

    assert len(list(tmp_path.glob("console-report-*.txt"))) == 10
