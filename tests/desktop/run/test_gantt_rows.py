"""Bars per attempt, the critical path, and what falls on which pixel."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.desktop.run.gantt_rows import Bar, GanttRow, critical_path, rows_of, span, strokes
from app.desktop.widgets.time_scale import Scale, marks
from engine.context.timeline import Tick


def _tick(seq: int, second: int, kind: str, node: str, status: str, index: int | None = None) -> Tick:
    time = f"2026-11-21T08:00:{second:02}.000000+00:00"
    return Tick(seq, time, kind, f"$.JOB['{node}']", node, index, status)  # type: ignore[arg-type]


TICKS = [
    _tick(1, 0, "started", "a", "running"),
    _tick(2, 1, "ended", "a", "succeeded"),
    _tick(3, 1, "started", "b", "running"),
    _tick(4, 3, "retrying", "b", "retrying"),
    _tick(5, 5, "started", "b", "running"),
    _tick(6, 6, "ended", "b", "failed"),
    _tick(7, 6, "skipped", "c", "skipped"),
]


def test_every_attempt_is_a_bar_with_the_pause_between_them_left_free() -> None:
    rows = rows_of(TICKS, {"b": ("a",)})

    b = next(row for row in rows if row.node == "b")
    assert [(bar.end - bar.begin, bar.status, bar.number) for bar in b.bars if bar.end] == [
        (2.0, "failed", 1),
        (1.0, "failed", 2),
    ]


def test_what_never_began_has_no_row() -> None:
    assert [row.node for row in rows_of(TICKS, {})] == ["a", "b"]


def test_what_has_not_ended_by_a_moment_is_open_in_the_rows_of_that_moment() -> None:
    rows = rows_of([tick for tick in TICKS if tick.seq <= 3], {})

    assert [(row.node, row.bars[-1].end is None) for row in rows] == [("a", False), ("b", True)]


def test_an_attempt_whose_end_was_not_reported_ends_where_the_next_one_begins() -> None:
    rows = rows_of([TICKS[0], _tick(2, 4, "started", "a", "running")], {})

    assert [bar.status for bar in rows[0].bars] == ["lost", "running"]


def test_the_critical_path_goes_back_over_the_parent_that_ended_last() -> None:
    rows = [GanttRow(name, None, (Bar(0, end, "succeeded"),)) for name, end in (("a", 1), ("b", 4), ("c", 9))]

    assert critical_path(rows, {"c": ("a", "b"), "b": ()}) == {"b", "c"}


def test_bars_on_one_pixel_become_one_stroke_that_shows_what_went_wrong() -> None:
    bars = [Bar(at, at + 0.1, "failed" if at == 3 else "succeeded") for at in range(10)]

    [stroke] = strokes(bars, Scale(0, 100_000, 1000), 10)

    assert (stroke.status, stroke.bars) == ("failed", 10)


@given(st.lists(st.tuples(st.floats(0, 1000), st.floats(0, 50)), max_size=60), st.floats(50, 3000))
def test_strokes_stay_in_sight_and_in_order_and_none_is_lost(
    times: list[tuple[float, float]], width: float
) -> None:
    bars = [Bar(begin, begin + length, "succeeded") for begin, length in sorted(times)]

    found = list(strokes(bars, Scale(0, 1100, width), 0))

    assert sum(stroke.bars for stroke in found) == len(bars)
    assert all(-2 <= stroke.left <= stroke.right <= width + 2 for stroke in found)
    assert [stroke.left for stroke in found] == sorted(stroke.left for stroke in found)


def test_zooming_holds_the_moment_under_the_pointer() -> None:
    scale = Scale(10, 110, 500)

    assert scale.zoomed(125, 4).time(125) == scale.time(125)


def test_the_axis_has_round_marks_that_do_not_touch() -> None:
    found = marks(Scale(3, 63, 600))

    assert found == [10, 20, 30, 40, 50, 60]
    assert span([], 5) == (4, 5)
