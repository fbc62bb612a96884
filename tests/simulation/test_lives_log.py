"""What was lived is kept in a log, and added up over runs."""

from __future__ import annotations

from pathlib import Path

from tests.simulation.lives_log import LivesLog, read_log, summary
from tests.simulation.runner import Outcome

_MOVE = ("job_instance", "queued", "running")
_GOOD = Outcome(7, (), "", moves=frozenset({_MOVE}), faults=frozenset({("kill", "running")}), cpu=0.5)
_BAD = Outcome(9, ("a_promise: it was not kept\nat line 3", "and more"), "", cpu=1.5)


def _lived(log: Path, *outcomes: Outcome, twice: bool = False) -> None:
    with LivesLog(log, faults="", needs="", twice=twice) as kept:
        for each in outcomes:
            kept.add(each)


def test_lives_of_several_runs_are_added_up(tmp_path: Path) -> None:
    _lived(tmp_path / "log", _GOOD, _BAD)
    _lived(tmp_path / "log", _GOOD)

    lines = list(summary(read_log(tmp_path / "log")))

    assert lines[0] == "3 lives, 0 of them twice; 1 wrong; 0.83 s of CPU each"
    assert lines[2] == "    seed 9: a_promise: it was not kept"
    assert "    job_instance  queued     -> running    in 2 lives" in lines
    assert "    kill          running    in 2 lives" in lines


def test_lives_that_were_lived_twice_took_half_as_long_each(tmp_path: Path) -> None:
    _lived(tmp_path / "log", _BAD, twice=True)

    assert (
        next(summary(read_log(tmp_path / "log"))) == "1 lives, 1 of them twice; 1 wrong; 0.75 s of CPU each"
    )


def test_a_log_that_nobody_has_written_has_no_lives(tmp_path: Path) -> None:
    assert (
        next(summary(read_log(tmp_path / "log"))) == "0 lives, 0 of them twice; 0 wrong; 0.00 s of CPU each"
    )


def test_a_run_without_lives_adds_nothing(tmp_path: Path) -> None:
    _lived(tmp_path / "log")

    assert not (tmp_path / "log").exists()
