"""How often a host is asked how it is."""

from __future__ import annotations

from unittest.mock import Mock

from engine.execution.ssh.condition import HostCondition
from engine.execution.ssh.session import RemotePlace
from engine.runtime.clock import SystemClock

PLACE = RemotePlace("boot", "/root", "key")


def test_a_host_is_asked_how_it_is_and_what_runs_there_every_ten_rounds_of_a_second() -> None:
    asked: list[tuple[int, str]] = []
    link = Mock(standing=Mock(place=PLACE))
    link.ask = lambda text, answered: asked.append((now, text("1", PLACE).decode().split()[1]))
    sent = Mock(answered_for=set)
    condition = HostCondition(link, Mock(), SystemClock(), sent, Mock(), Mock(), Mock())

    for now in range(7, 30):
        condition.look(now, "/root")

    assert asked == [(now, word) for now in (10, 20) for word in ("pulse", "strangers")]
