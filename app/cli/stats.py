"""``skerry stats``: how often tasks and jobs ran, failed, and how long they took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from app.cli.connect import reading
from app.cli.desk import Desk
from app.cli.shell import NAME, Command
from app.cli.text import columns, duration

_HEADS = ("kind", "id", "count", "succeeded", "failed", "mean", "max", "error codes")


@click.command(cls=Command)
@click.argument("task", type=NAME, required=False)
@click.option("--job", type=NAME, metavar="ID", help="Of a job instead of a task.")
@click.pass_obj
def stats(desk: Desk, task: str | None, job: str | None) -> None:
    """Counts, failures, mean and longest times and error codes; of all without TASK."""
    if task and job:
        raise click.UsageError("give TASK or --job, not both")
    with reading(desk) as service:
        found = service.stats(task, job)
    desk.answer({"stats": found}, columns(desk.heads(_HEADS), (_row(desk, each) for each in found)))


def _row(desk: Desk, found: Mapping[str, Any]) -> tuple[Any, ...]:
    codes = ", ".join(f"{code} ×{times}" for code, times in found["error_codes"].items())
    times = duration(found["mean_seconds"]), duration(found["max_seconds"])
    return (
        desk.tell(found["kind"]),
        found["id"],
        found["count"],
        found["succeeded"],
        found["failed"],
        *times,
        codes,
    )
