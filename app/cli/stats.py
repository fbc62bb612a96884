"""``skerry stats``: how often tasks and jobs ran, failed, and how long they took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import ask
from app.cli.shell import CliCommand
from app.cli.terminal_text import columns
from app.cli.value_types import NAME
from app.durations import duration

_HEADS = ("kind", "id", "count", "succeeded", "failed", "mean", "max", "error codes")


@click.command(cls=CliCommand)
@click.argument("task", type=NAME, required=False)
@click.option("--job", type=NAME, metavar="ID", help="Of a job instead of a task.")
@click.pass_obj
def stats(cli: CliContext, task: str | None, job: str | None) -> None:
    """Counts, failures, mean and longest times and error codes; of all without TASK."""
    if task and job:
        raise click.UsageError("give TASK or --job, not both")
    found = ask(cli, lambda service: service.stats(task, job))
    cli.answer({"stats": found}, columns(cli.heads(_HEADS), (_row(cli, each) for each in found)))


def _row(cli: CliContext, found: Mapping[str, Any]) -> tuple[Any, ...]:
    codes = ", ".join(f"{code} ×{times}" for code, times in found["error_codes"].items())
    times = (duration(found[name], cli.language) for name in ("mean_seconds", "max_seconds"))
    counts = (found[name] for name in ("count", "succeeded", "failed"))
    return cli.tell(found["kind"]), found["id"], *counts, *times, codes
