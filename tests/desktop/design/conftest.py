"""What every test of the designer needs: nothing of one test is left to be destroyed in the next."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True)
def nothing_for_later(qapp: QApplication) -> Iterator[None]:
    """What is to be deleted later is deleted now."""
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    qapp.processEvents()
