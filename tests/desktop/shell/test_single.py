"""One window for each workspace."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.desktop.shell.single_window import OneWindow


def test_a_second_start_calls_the_first(qapp: object, tmp_path: Path, qtbot: QtBot) -> None:
    called: list[int] = []
    first = OneWindow(tmp_path)
    first.called = lambda: called.append(1)

    second = OneWindow(tmp_path)
    assert first.first
    assert not second.first
    assert second.call_first()
    qtbot.waitUntil(lambda: called == [1])

    second.close()
    first.close()


def test_the_place_is_free_again_after_the_first(qapp: object, tmp_path: Path) -> None:
    OneWindow(tmp_path).close()

    again = OneWindow(tmp_path)
    assert again.first
    again.close()
