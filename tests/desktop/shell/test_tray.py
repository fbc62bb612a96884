"""What is said when runs end."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.kernel.console import Target
from app.desktop.kernel.overview import Snapshot
from app.desktop.shell.run_notices import run_notice
from app.desktop.shell.window import MainWindow
from tests.api.fake_service import instance
from tests.api.fake_troubles import exception
from tests.desktop.conftest import FakeLink


def ended(number: int, status: str) -> dict[str, object]:
    return {"kind": "instance", "instance": number, "task": "nightly", "status": status}


def test_nothing_is_said_of_what_goes_on() -> None:
    assert run_notice([ended(1, "running"), {"kind": "job", "instance": 1, "status": "failed"}]) is None


def test_one_end_is_reported_by_its_name() -> None:
    found = run_notice([ended(3, "succeeded")])

    assert found is not None
    assert (found.text, found.bad, found.target) == ("nightly #3: succeeded", False, Target("instance", "3"))


def test_many_ends_become_one_message_that_leads_to_the_worst() -> None:
    found = run_notice([ended(1, "succeeded"), ended(2, "failed"), ended(3, "succeeded")])

    assert found is not None
    assert found.text == "3 runs ended, 1 of them badly"
    assert found.target == Target("instance", "2", detail="error")
    assert run_notice([ended(1, "succeeded"), ended(2, "succeeded")]).text == "2 runs ended well"  # type: ignore[union-attr]


def test_the_window_tells_and_asks_for_attention(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    alerted: list[object] = []
    monkeypatch.setattr(QApplication, "alert", alerted.append)
    monkeypatch.setattr(MainWindow, "isActiveWindow", lambda _: False)
    link = window.console.link
    assert isinstance(link, FakeLink)

    link.emit(ended(3, "failed"))

    assert window.status.message.text() == "nightly #3: failed"
    assert alerted == [window]


def test_the_tray_shows_how_things_stand(window: MainWindow) -> None:
    tray = window.tray
    for snapshot, state in (
        (Snapshot(), ""),
        (Snapshot(instances=(instance(1, "running"),)), "running"),
        (Snapshot(instances=(instance(1, "failed"),), exceptions=(exception(1),)), "failed"),
        (Snapshot(instances=(instance(1, "failed"),)), ""),
    ):
        tray._show(snapshot)
        assert tray.state == state
        assert not tray._drawn(state).isNull()
