"""The axis of durations has round marks, in words."""

from __future__ import annotations

import pytest

from app.desktop.kernel.console import Console
from app.desktop.widgets.charts import Chart


@pytest.mark.parametrize(
    ("most", "words"), [(8.0, "2.0 s"), (50.0, "10 s"), (400.0, "2 min 00 s"), (20_000.0, "2 h 00 min")]
)
def test_marks_are_round_durations(console: Console, most: float, words: str) -> None:
    axis = Chart(console.theme, of_lengths=True).item.getAxis("left")
    [(spacing, offset)] = axis.tickSpacing(0.0, most, 200.0)

    assert offset == 0.0
    assert axis.tickStrings([spacing], 1.0, spacing) == [words]
