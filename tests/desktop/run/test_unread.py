"""An instance that cannot be read: the place where it would be shown says why."""

from __future__ import annotations

from collections.abc import Callable

from pytestqt.qtbot import QtBot

from app.desktop.run.mode import RunMode


def test_where_there_is_no_such_instance_the_place_itself_says_so(mode: RunMode, qtbot: QtBot) -> None:
    mode.session.open(4711)

    qtbot.waitUntil(lambda: mode.graph.title.text() == "there is no instance 4711")


def test_another_instance_is_read_as_always(mode: RunMode, ran: Callable[..., int], qtbot: QtBot) -> None:
    # given one that is not there
    mode.session.open(4711)
    qtbot.waitUntil(lambda: "4711" in mode.graph.title.text() and mode.session.unread is not None)

    # when another one is chosen
    number = ran("tour", "tour")
    mode.session.open(number)

    qtbot.waitUntil(lambda: mode.graph.title.text() == f"tour #{number}")
