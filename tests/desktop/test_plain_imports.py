"""Beside Qt an import costs what it costs elsewhere."""

from __future__ import annotations

import builtins
import inspect
from pathlib import Path

import pytest

import app.desktop  # noqa: F401  # imports are Python's own from here on


def test_an_import_does_not_look_into_the_source_of_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "imported_beside_qt.py").write_text("VALUE = 1\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    looked_into: list[object] = []
    monkeypatch.setattr(inspect, "getsource", looked_into.append)

    module = builtins.__import__("imported_beside_qt")

    assert module.VALUE == 1
    assert looked_into == []
