"""Samples as arrays: read whatever is in the files, thinned without losing a peak, lanes without overlap."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.monitor.run_lanes import RunBar, marks, placed
from app.desktop.monitor.sample_library import SampleLibrary
from app.desktop.monitor.samples import MonitorSamples, broken, joined, read, thinned

T0 = datetime(2026, 11, 20, 8, 0, tzinfo=UTC).timestamp()
VALUES = st.lists(st.tuples(st.integers(0, 5000), st.floats(-1e9, 1e9)), min_size=1, max_size=60)


def line(seconds: float, value: float) -> str:
    time = datetime.fromtimestamp(T0 + seconds, UTC).isoformat(timespec="milliseconds")
    return f"{time},{value},{value * 2}"


def write(folder: Path, rows: list[str], day: str = "2026-11-20") -> Path:
    path = folder / f"{day}.csv"
    path.write_text("\n".join(["time,cpu,memory", *rows]) + "\n")
    return path


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = read(write(tmp_path, [line(0, 1), line(1, 2.5)]))
    assert found.times.tolist() == [T0, T0 + 1]
    assert found.columns["memory"].tolist() == [2, 5]


def test_torn_and_strange_lines_are_left_out_and_a_clock_set_back_is_put_in_order(tmp_path: Path) -> None:
    rows = [line(5, 1), "what,is,this", line(3, 2), "2026-11-20T08:0", line(4, 3) + ",9", "nan,nan,nan"]
    found = read(write(tmp_path, rows))
    assert found.times.tolist() == [T0 + 3, T0 + 5]
    assert found.columns["cpu"].tolist() == [2, 1]


def test_no_file_and_an_empty_file_are_no_samples(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("")
    assert len(read(tmp_path / "none.csv")) == len(read(tmp_path / "empty.csv")) == 0
    assert len(joined([MonitorSamples(), MonitorSamples()])) == 0


@given(VALUES, st.floats(1, 1000))
def test_thinning_keeps_every_peak(points: list[tuple[int, float]], bucket: float) -> None:
    points.sort()
    whole = MonitorSamples(np.array([t for t, _ in points], float), {"cpu": np.array([v for _, v in points])})
    thin = thinned(whole, bucket)
    assert len(thin) <= 2 * len(whole)
    assert thin.columns["cpu"].max() == whole.columns["cpu"].max()
    assert thin.columns["cpu"].min() == whole.columns["cpu"].min()
    assert all(a < b for a, b in pairwise(thin.times))


def test_a_line_is_broken_where_nothing_was_sampled() -> None:
    times, values = broken(np.array([0.0, 1, 100, 101]), np.array([1.0, 2, 3, 4]), gap=10)
    assert times.tolist() == [0, 1, 6, 100, 101]
    assert np.isnan(values[2])


def test_a_short_span_is_exact_and_a_long_one_is_summed_up_once(tmp_path: Path) -> None:
    write(tmp_path, [line(i, i) for i in range(3000)])
    cache = tmp_path / "cache"
    library = SampleLibrary(tmp_path, cache)
    *_, fine = library.read(T0 + 10, T0 + 20)
    assert fine.times.tolist() == [T0 + i for i in range(9, 22)]

    week = (T0 - 3 * 86_400, T0 + 3 * 86_400)
    *_, coarse = library.read(*week)
    assert len(coarse) == 10
    assert (cache / "2026-11-20.npz").exists()
    *_, again = SampleLibrary(tmp_path, cache).read(*week)
    assert np.allclose(again.columns["cpu"], coarse.columns["cpu"])

    write(tmp_path, [line(0, 7)])  # the file changed: what was kept of it no longer counts
    *_, again = SampleLibrary(tmp_path, cache).read(*week)
    assert again.columns["cpu"].tolist() == [7, 7]
    (cache / "2026-11-20.npz").write_bytes(b"torn")
    *_, mended = SampleLibrary(tmp_path, cache).read(*week)
    assert mended.columns["cpu"].tolist() == [7, 7]


def test_an_export_has_the_lines_of_the_span_as_they_were_taken(tmp_path: Path) -> None:
    rows = [line(i, i) for i in range(10)]
    write(tmp_path, rows)
    list(SampleLibrary(tmp_path, None).export(T0 + 2, T0 + 4, tmp_path / "out.csv"))
    assert (tmp_path / "out.csv").read_text().splitlines() == ["time,cpu,memory", *rows[2:5]]


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 30) | st.none()), max_size=40))
def test_no_run_lies_over_another(spans: list[tuple[float, float | None]]) -> None:
    bars = [
        RunBar(i, "t", "succeeded", start, None if long is None else start + long)
        for i, (start, long) in enumerate(spans)
    ]
    now = 200.0
    lanes = placed(bars, now)
    found = lanes.runs
    assert len(found) == len(bars)
    for a in found:
        for b in found:
            if a is not b and a.lane == b.lane:
                first, second = sorted((a.bar, b.bar), key=lambda bar: (bar.start, bar.instance))
                assert (now if first.end is None else first.end) <= second.start


def test_every_run_is_painted_however_many_there_are() -> None:
    at_once = [RunBar(i, "t", "succeeded", 0.0, 90.0) for i in range(300)]
    lanes = placed(at_once, 100.0)

    painted = list(marks(lanes, lambda time: time * 10, 0.0, 1000.0, 100.0))

    assert lanes.count == len(painted) == 300
    assert lanes.box(299)[1] <= 169


def test_of_runs_in_one_pixel_the_worst_is_seen() -> None:
    bars = [RunBar(i, "t", "failed" if i == 500 else "succeeded", i / 100, i / 100) for i in range(1000)]
    lanes = placed(bars, 100.0)

    [mark] = marks(lanes, lambda time: 5.0, 0.0, 1000.0, 100.0)

    assert (mark.run.bar.instance, mark.run.bar.status, mark.shared) == (500, "failed", True)
