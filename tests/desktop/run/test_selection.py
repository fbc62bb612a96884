"""One selection drives every pane: what is passed on, what is forgotten."""

from __future__ import annotations

from app.desktop.run.selection import RunSelection, Selected


def test_choosing_another_instance_forgets_the_node_of_the_earlier_one() -> None:
    selection = RunSelection()
    selection.choose(instance=1, node="load", attempt=2)

    selection.choose(instance=2)

    assert selection.now == Selected(instance=2)


def test_choosing_an_instance_and_a_node_at_once_keeps_both() -> None:
    selection = RunSelection()
    selection.choose(instance=1, node="load")

    selection.choose(instance=2, node="extract")

    assert selection.now == Selected(2, "extract")


def test_another_node_forgets_round_member_and_attempt() -> None:
    selection = RunSelection()
    selection.choose(instance=1, node="a", round=2, index=3)

    selection.choose(node="b")

    assert selection.now == Selected(1, "b")


def test_followers_hear_each_change_once_and_nothing_when_nothing_changes() -> None:
    selection = RunSelection()
    heard: list[tuple[Selected, Selected]] = []
    selection.follow(lambda now, before: heard.append((now, before)))

    selection.choose(instance=1)
    selection.choose(instance=1)

    assert heard == [(Selected(1), Selected())]
