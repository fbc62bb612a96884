"""Back and forward."""

from __future__ import annotations

from app.desktop.kernel.console import Target
from app.desktop.shell.navigation_history import NavigationHistory

A, B, C = (Target("task", name) for name in "abc")


def test_back_and_forward_go_over_the_same_places() -> None:
    trail = NavigationHistory()
    for place in (A, B, B, C):
        trail.went(place)

    assert [trail.back(), trail.back(), trail.back()] == [B, A, None]
    assert [trail.forward(), trail.forward(), trail.forward()] == [B, C, None]


def test_going_somewhere_new_drops_what_lay_ahead() -> None:
    trail = NavigationHistory()
    for place in (A, B):
        trail.went(place)
    trail.back()
    trail.went(C)

    assert trail.forward() is None
    assert trail.back() == A
