"""Cycles with widgets in them are taken apart by the window's own thread, never by another."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QMimeData, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.kernel.garbage import collected_here, leave_clipboard_to_qt


@pytest.fixture(autouse=True)
def given_back() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.collect()
    gc.enable()


class Cycle(QObject):
    """Something that only the collection can take away."""

    def __init__(self, reported: list[str]) -> None:
        super().__init__()
        self.own, self.reported = self, reported

    def __del__(self) -> None:
        self.reported.append(threading.current_thread().name)


def test_a_worker_that_allocates_collects_nothing(qapp: QApplication) -> None:
    collector, answer = collected_here(qapp), list[str]()
    Cycle(answer)

    kept: list[list[int]] = []
    worker = threading.Thread(target=lambda: kept.extend([] for _ in range(100_000)), name="worker")
    worker.start()
    worker.join()
    assert answer == []
    collector.look()

    assert answer == ["MainThread"]


def test_there_is_one_collector_and_it_works_by_itself(qapp: QApplication, qtbot: QtBot) -> None:
    collector = collected_here(qapp)
    assert collected_here(qapp) is collector
    reported: list[str] = []
    Cycle(reported)
    kept: list[list[int]] = [
        [] for _ in range(20_000)
    ]  # more than an engine in this process has as its threshold

    qtbot.waitUntil(lambda: reported == ["MainThread"], timeout=10_000)
    assert len(kept) == 20_000


def test_what_was_copied_stays_as_text_when_the_window_ends(qapp: QApplication) -> None:
    data = QMimeData()
    data.setData("application/x-own", b"own")
    data.setText("tasks: {}")
    qapp.clipboard().setMimeData(data)

    leave_clipboard_to_qt()

    assert qapp.clipboard().text() == "tasks: {}"
    assert not qapp.clipboard().mimeData().hasFormat("application/x-own")
