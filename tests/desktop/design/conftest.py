"""What every test of the designer needs: nothing of one test is left to be destroyed in the next."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True)
def nothing_for_other_threads(qapp: QApplication) -> Iterator[None]:
    """Qt's objects die on this thread: Python's collector may run on any, and would destroy them there."""
    gc.collect()
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    qapp.processEvents()
    gc.collect()
