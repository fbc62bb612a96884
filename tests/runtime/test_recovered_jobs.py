"""What an engine knows of each job that it takes up: its latest attempt, and what is within that."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import Mock

from engine.context import TaskContext
from engine.runtime.clock import SystemClock
from engine.runtime.elapsed import TICKS
from engine.runtime.recovery.recovered_jobs import recovered_jobs
from engine.store.rows import AttemptRow, JobRow
from tests.runtime.site import Gate, shell
from tests.runtime.test_take_up import Fallen, fallen

__all__ = ["fallen"]


def _job(
    id: int, node: str, status: str = "failed", *, parent: int | None = None, attempt: int = 1
) -> JobRow:
    return JobRow(id, 1, 1, node, "x", status, "2026-03-02T08:00:00", parent=parent, attempt=attempt)


def _attempts(job: int, many: int) -> list[AttemptRow]:
    return [AttemptRow(job, number + 1, "failed", "2026-03-02T08:00:00") for number in range(many)]


def _log(*begun: tuple[str, int, int]) -> list[str]:
    """The log of a context in which these began one after another: node, JobInstance, attempt."""
    context = TaskContext(SystemClock())
    entries = (
        (("JOB", node), {"STATUS": "running", "INSTANCE": job, "ATTEMPT": attempt})
        for node, job, attempt in begun
    )
    return [context.set(path, entry, run=1).text for path, entry in entries]


def test_what_an_earlier_attempt_did_in_its_end_stage_is_no_part_of_the_latest_one() -> None:
    """Else the end stage of the second attempt would count as done, and not run."""
    outer, first = _job(1, "e", "running", attempt=2), _job(2, "e.end.0", parent=1)
    second = _job(3, "e.end.0", parent=1)
    log = _log(("e", 1, 1), ("e.end.0", 2, 1), ("e", 1, 2))

    before = recovered_jobs([outer, first], {1: _attempts(1, 2)}, lambda: log)
    log = _log(("e", 1, 1), ("e.end.0", 2, 1), ("e", 1, 2), ("e.end.0", 3, 1))
    after = recovered_jobs([outer, first, second], {1: _attempts(1, 2)}, lambda: log)

    assert ("e.end.0", 1) not in before
    assert after["e.end.0", 1][None][0] == 3


def test_what_was_within_a_member_of_an_earlier_attempt_is_no_part_of_the_latest_one_either() -> None:
    """Else the member that runs now would count as being in the end stage that the earlier one had."""
    rows = [
        _job(1, "g", "running", attempt=2),
        _job(2, "g.0", parent=1),
        _job(3, "g.0.end.0", parent=2),
        _job(4, "g.0", "running", parent=1),
    ]
    log = _log(("g", 1, 1), ("g.0", 2, 1), ("g.0.end.0", 3, 1), ("g", 1, 2), ("g.0", 4, 1))

    found = recovered_jobs(rows, {1: _attempts(1, 2), 4: _attempts(4, 1)}, lambda: log)

    assert found["g.0", 1][None][0] == 4
    assert ("g.0.end.0", 1) not in found


def test_an_attempt_of_which_the_log_has_nothing_yet_has_done_nothing() -> None:
    rows = [_job(1, "g", "running", attempt=2), _job(2, "g.0", parent=1)]
    log = _log(("g", 1, 1), ("g.0", 2, 1))

    assert ("g.0", 1) not in recovered_jobs(rows, {1: _attempts(1, 2)}, lambda: log)


def test_the_order_of_the_log_tells_what_is_part_of_the_latest_attempt_whatever_the_clock_was_set_to() -> (
    None
):
    outer, member = _job(1, "g", "running", attempt=2), _job(2, "g.0", "succeeded", parent=1)
    hours_later, hours_before = (
        [AttemptRow(1, number, "running", at, started_at=at) for number in (1, 2)]
        for at in ("2026-03-02T13:00:00", "2026-03-02T05:00:00")
    )
    of_the_first = _log(("g", 1, 1), ("g.0", 2, 1), ("g", 1, 2))
    of_the_second = _log(("g", 1, 1), ("g", 1, 2), ("g.0", 2, 1))

    assert ("g.0", 1) not in recovered_jobs([outer, member], {1: hours_before}, lambda: of_the_first)
    assert ("g.0", 1) in recovered_jobs([outer, member], {1: hours_later}, lambda: of_the_second)


def test_a_member_that_runs_is_taken_up_though_an_earlier_one_of_it_had_an_end_stage(
    fallen: Fallen, gate: Gate, journal: Path
) -> None:
    member = shell(
        f"echo process >> {journal}; [ $(grep -c process {journal}) = 2 ] || exit 3; {gate.script()}",
        end={"group": [shell(f"echo end >> {journal}")]},
    )
    group = {"type": "group", "jobs": [member], "retry": {"times": 1}}
    fallen.begin({"g": group})
    gate.until_up()
    fallen.kill()

    fallen.again()
    gate.open()
    seen = fallen.end()

    assert seen.status == "succeeded", seen.row.error_message
    assert journal.read_text().split() == ["process", "end", "process", "end"]


def test_how_long_an_attempt_elsewhere_has_run_does_not_follow_a_wall_clock_that_was_set() -> None:
    """Its host has a start of its own; the time since that of this machine is told by the run."""
    job = _job(1, "a", "running")
    there, here = (
        AttemptRow(
            1, 1, "running", "2026-03-02T08:00:00", worker=worker, boot_id=boot,
            started_at="2026-03-02T08:00:00+00:00", start_ticks=1000 * TICKS,
        )
        for worker, boot in (("far", "theirs"), ("local", "ours"))
    )  # fmt: skip
    three_hours_back = Mock(boot=lambda: "ours", monotonic=lambda: 1060.0)
    three_hours_back.now.return_value = datetime(2026, 3, 2, 5, 1, tzinfo=UTC)

    spent = [
        recovered_jobs([job], {1: [attempt]}, here="ours")["a", 1][None][1].spent(three_hours_back)
        for attempt in (there, here)
    ]

    assert spent == [60.0, 60.0]
