"""A process that is there for an engine alone looks for garbage seldom, and leaves it as it was."""

from __future__ import annotations

import gc

from app.wiring import own_process


def test_garbage_is_looked_for_seldom_and_only_among_what_is_new() -> None:
    before = gc.get_threshold()

    with own_process():
        assert gc.get_threshold()[0] > before[0]
        assert gc.get_freeze_count() > 0

    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_what_new_work_leaves_is_still_found() -> None:
    with own_process():
        circle: list[object] = []
        circle.append(circle)
        del circle

        assert gc.collect() > 0
