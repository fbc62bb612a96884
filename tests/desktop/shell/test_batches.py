"""Events between two looks."""

from __future__ import annotations

from app.desktop.shell.event_batches import RESYNC, Batches


def event(job: int, status: str) -> dict[str, object]:
    return {"kind": "job", "instance": 1, "job_instance": job, "status": status}


def test_of_one_job_only_the_latest_counts() -> None:
    batches = Batches()

    first = [
        batches.put(event(job, status)) for job, status in ((1, "running"), (2, "running"), (1, "failed"))
    ]

    assert first == [True, False, False]
    assert batches.take() == (event(2, "running"), event(1, "failed"))
    assert batches.take() == ()


def test_a_break_makes_everything_before_worthless() -> None:
    batches = Batches()
    batches.put(event(1, "running"))
    batches.put({"kind": "resync"})

    assert batches.take() == (RESYNC,)


def test_too_many_become_one_wish_to_read_again() -> None:
    batches = Batches(most=2)
    for job in range(3):
        batches.put(event(job, "running"))

    assert batches.take() == (RESYNC,)
