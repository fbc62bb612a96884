"""The keeper of the engine, without a window."""

from __future__ import annotations

from pathlib import Path

from app import wiring
from app.desktop.kernel.link import LinkState
from app.desktop.shell.engine_keeper import EngineKeeper
from engine.api.listener import Listener
from tests.api.fake_service import FakeService


def test_it_can_be_closed_at_any_moment_of_joining(tmp_path: Path) -> None:
    workspace = wiring.open_workspace(tmp_path)
    with Listener(FakeService(), workspace.socket):
        for _ in range(20):
            keeper = EngineKeeper(workspace, lambda _: _never(), lambda *_: None, lambda _: None)
            keeper.start()
            keeper.close(stop=False)


def test_closing_while_the_stream_opens(tmp_path: Path) -> None:
    workspace = wiring.open_workspace(tmp_path)
    seen: list[LinkState] = []
    with Listener(FakeService(), workspace.socket):
        keeper = EngineKeeper(
            workspace, lambda _: _never(), lambda sight, _: seen.append(sight), lambda _: None
        )
        keeper._closing.set()
        assert keeper._listen()

    assert seen == []


def _never():  # type: ignore[no-untyped-def]
    raise AssertionError("an engine runs already")
