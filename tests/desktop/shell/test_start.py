"""Starting: what the system must have, and what is said when it has not."""

from __future__ import annotations

import builtins
from pathlib import Path

import pytest

from app.cli.cli_context import CliContext
from app.desktop import main
from app.desktop.shell import window_process
from app.desktop.shell.examples import SHOWN, sources
from tests.desktop.conftest import EXAMPLES

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("file", ["README.md", ".ci/run"])
def test_the_packages_that_qt_needs_are_named(file: str) -> None:
    text = (ROOT / file).read_text("utf-8")

    assert [package for package in [*main.PACKAGES.split(), "xvfb", "openbox"] if package not in text] == []


def test_a_missing_library_is_reported_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = builtins.__import__

    def broken(name: str, *more: object) -> object:
        if name == "PySide6":
            raise ImportError("libGL.so.1: cannot open shared object file")
        return real(name, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", broken)
    status = main.main(tmp_path, CliContext().tell)
    monkeypatch.undo()

    output = capsys.readouterr().err
    assert status == 4
    assert "libGL.so.1" in output
    assert "apt-get install libglib2.0-0 libgl1" in output


def test_a_library_of_the_display_that_is_missing_is_reported_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(name: str) -> object:
        raise OSError(f"libxcb-icccm.so.4: cannot open shared object file, for {name}")

    monkeypatch.setenv("DISPLAY", ":9")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.setattr("ctypes.CDLL", broken)
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    cli = CliContext()
    cli.workspace = str(tmp_path)

    assert main.main(tmp_path, cli.tell) == 4
    assert capsys.readouterr().err.startswith("窗口所需的部分系统库不存在：libxcb-icccm.so.4")


def test_the_window_is_opened_on_the_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []
    monkeypatch.setattr(window_process, "run", lambda root: opened.append(root) or 0)

    assert main.main(tmp_path, CliContext().tell) == 0
    assert opened == [tmp_path]


def test_every_example_is_offered() -> None:
    assert {Path(each["name"]).stem for each in sources()} == set(SHOWN)
    assert all((EXAMPLES / f"{name}.yaml").exists() for name in SHOWN)
